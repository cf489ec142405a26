"""The command line: one file per command.

The options of `fit` are in `fit_*.py`, and `fitting` fits for every command that does.
"""
