"""What a page may not say: numbers typed by hand, dead links, formulas that do not come out."""
