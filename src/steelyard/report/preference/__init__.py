"""Answers about preference from comparisons, in sentences: for `steelyard prefer` and the report."""
