"""Where things stand in a page: blocks, regions, sentences' ground, placeholders."""
