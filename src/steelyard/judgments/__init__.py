"""Records of single judgments, the table that holds them, and the readers of judgment files."""
