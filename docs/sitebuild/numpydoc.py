"""A Sphinx extension that reads docstrings in numpydoc style, with the parser of napoleon."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import NumpyDocstring
from sphinx.util.inspect import TypeAliasForwardRef

STYLE = Config(napoleon_google_docstring=False, napoleon_use_ivar=True, napoleon_use_rtype=False)


def setup(app: Sphinx) -> dict[str, bool]:
    """Read every docstring that autodoc finds."""
    # Inside another type, such as a tuple, Sphinx writes an alias as Python shows it.
    TypeAliasForwardRef.__repr__ = lambda alias: f"~{alias.name}"  # type: ignore[method-assign]
    app.connect("autodoc-process-docstring", read_docstring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def read_docstring(app: Sphinx, what: str, name: str, part: Any, options: Any, lines: list[str]) -> None:
    """Rewrite the lines of a docstring as reStructuredText, in place, as Sphinx expects it."""
    # Napoleon would read the words before a colon as the type of a property.
    kind = "method" if what in ("property", "attribute", "data") else what
    lines[:] = NumpyDocstring(list(lines), STYLE, app, kind, name, part, options).lines()
