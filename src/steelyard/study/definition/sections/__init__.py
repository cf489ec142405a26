"""The sections of study.toml. Each is a frozen record that checks its own values.

The tables of docs/reference/study_toml.md are made from the docstrings of these records.
"""
