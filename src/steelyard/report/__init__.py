"""Charts, tables and the page that shows a scale."""
