"""The published site and its downloads, read back and compared with the catalog."""
