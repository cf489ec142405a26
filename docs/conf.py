"""Sphinx settings."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from steelyard.version import VERSION

project = "Steelyard"
author = "The Steelyard authors"
release = VERSION
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sitebuild.mathml",
    "sitebuild.numpydoc",
]
exclude_patterns = ["_build", "README.md", "templates", "sitebuild"]

# Pages
myst_enable_extensions = ["deflist", "dollarmath", "amsmath", "attrs_inline"]
myst_heading_anchors = 4
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
nitpicky = True
nitpick_ignore_regex = [
    ("py:.*", r"steelyard\..*\.(Any[A-Z]\w+|Part)"),  # type variables
    (
        "py:.*",
        r"(numpy|np|collections|pathlib|os|typing|types|abc|io|scipy|enum|datetime)\..*",
    ),  # documented on other hosts
]

# The API, from docstrings in numpydoc style and from annotations
autodoc_default_options = {"members": True, "member-order": "bysource", "show-inheritance": True}
autodoc_class_signature = "mixed"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
autodoc_type_aliases = {
    name: f"steelyard.maths.arrays.{name}" for name in ("Vector", "Matrix", "Codes", "Mask", "Labels")
}
default_role = "literal"
toc_object_entries_show_parents = "hide"

# The site works from a folder, without a server and without requests to other hosts.
html_theme = "furo"
html_title = f"Steelyard {VERSION}"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
