"""Judgments in, `Fit` out: one file per method, all of one shape."""
