"""Simulated raters, their answers, and reproductions of published experiments.

`scenarios` defines simulated raters, `crowd_at_work` runs them through a session, and `reproduction/` repeats three
papers.
"""
