"""Simulated raters, their answers, and reproductions of published experiments."""
