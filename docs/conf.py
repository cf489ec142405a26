"""Sphinx settings."""

from steelyard.version import VERSION

project = "Steelyard"
author = "The Steelyard authors"
release = VERSION
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_static_path: list[str] = []
suppress_warnings = ["myst.xref_missing"]
