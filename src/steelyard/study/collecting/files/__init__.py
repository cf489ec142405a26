"""Batches of tasks as files, and answers that come back in results files."""
