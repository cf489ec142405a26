"""Selections: choice of the next tasks, from the current belief."""
