"""Belief in, tasks to ask next out."""
