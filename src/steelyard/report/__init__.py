"""Charts, and the report of a scale."""
