"""Sphinx settings."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from sitebuild.numpydoc import ALIASES
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
smartquotes = False  # quotes and dashes of code and options stay as they are
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
nitpicky = True
OTHER_LIBRARIES = (
    "abc|altair|collections|datetime|enum|io|np|numpy|os|pandas|pathlib|polars|pyarrow|scipy|types|typing"
)
TYPE_VARIABLES = r"(steelyard\..*\.)?(Any[A-Z]\w+|Part)"
# Internal types that public signatures mention.
INTERNAL = r"(steelyard\.\w+\..*\.)?({})".format(
    "ClusteredPosterior|Clustering|Coded|Columns|ComparedMeasure|ComparisonSource|Contrast|CountedComparisons|Covariance"
    "|Design|Engine|Fault|Features|FitPositions|FittingModel|Forecast|Habits|Halves|ItemEffects|ItemSums|JointSolution"
    "|Level|Likelihood|LogClusters|LogRows|SummedRatings|Outputs|ProfileLikelihood|RaterBelief|Rates|RatingTable|Record|Reml|Session|Settings|Speed|SteelyardPosterior|StudyDefinition"
    "|SystemRatings|WorthPosterior|RatingLabels|HeldJudgments|OrderedComparisons|CountedRankings|Link"
)
nitpick_ignore_regex = [
    ("py:.*", rf"({OTHER_LIBRARIES})\..*"),
    ("py:.*", TYPE_VARIABLES),
    ("py:.*", INTERNAL),
]

# The API, from docstrings in numpydoc style and from annotations
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_class_signature = "mixed"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
autodoc_type_aliases = ALIASES
default_role = "literal"
toc_object_entries_show_parents = "hide"

# The site works from a folder, without a server and without requests to other hosts.
html_theme = "furo"
html_title = f"Steelyard {VERSION}"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sourcelink = False
