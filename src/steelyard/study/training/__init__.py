"""Exercises before the first task, and the practice that ships with every protocol."""
