"""The ledger of published numbers, and how they moved from one revision to the next."""
