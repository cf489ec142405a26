"""A Sphinx extension that reads docstrings in numpydoc style, with the parser of napoleon."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from itertools import takewhile
from typing import Any, get_type_hints

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import NumpyDocstring
from sphinx.util.inspect import TypeAliasForwardRef
from sphinx.util.typing import stringify_annotation

# Array types that keep their names in signatures.
ALIASES = {name: f"steelyard.maths.arrays.{name}" for name in ("Vector", "Matrix", "Codes", "Mask", "Labels")}
STYLE = Config(napoleon_google_docstring=False, napoleon_use_ivar=True, napoleon_use_rtype=True)
# With these, napoleon looks up the types of attributes.
STYLE.autodoc_type_aliases = {name: TypeAliasForwardRef(path) for name, path in ALIASES.items()}

PAGE = re.compile(r"(?<!`)\bdocs/([\w/-]+)\.md\b(?!`)")
TYPE_LINE = re.compile(r"^(\s*:(?:type|vartype) (?P<field>\w+): )(?P<type>.*)$")


def setup(app: Sphinx) -> dict[str, bool]:
    """Read every docstring that autodoc finds."""
    # Inside another type, such as a tuple, Sphinx writes an alias as Python shows it.
    TypeAliasForwardRef.__repr__ = lambda alias: f"~{alias.name}"  # type: ignore[method-assign]
    app.connect("autodoc-process-docstring", read_docstring)
    app.connect(
        "autodoc-process-signature", record_fields, priority=600
    )  # after autodoc's own record of types
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def read_docstring(app: Sphinx, what: str, name: str, part: Any, options: Any, lines: list[str]) -> None:
    """Rewrite the lines of a docstring as reStructuredText, in place, as Sphinx expects it."""
    # Napoleon would read the words before a colon as the type of a property.
    kind = "method" if what in ("property", "attribute", "data") else what
    types = field_types(part)
    written = NumpyDocstring(one_name_each(lines), STYLE, app, kind, name, part, options).lines()
    linked = [PAGE.sub(r":doc:`/\1`", line) for line in written]
    lines[:] = [
        TYPE_LINE.sub(lambda found: f"{found[1]}{types.get(found['field'], found['type'])}", line)
        for line in linked
    ]


def write_dashes(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Write the dash between a parameter and its description, which Sphinx leaves to smart quotes."""
    for text in list(doctree.findall(nodes.Text)):
        if text.astext() == " -- ":
            text.parent.replace(text, nodes.Text(" – "))


def one_name_each(lines: Sequence[str]) -> list[str]:
    """Return the lines of a docstring with an entry of its own for each attribute.

    >>> one_name_each(["Attributes", "----------", "low, high", "    Ends."])
    ['Attributes', '----------', 'low', '    Ends.', 'high', '    Ends.']
    """
    written: list[str] = []
    inside = False
    for at, line in enumerate(lines):
        if at + 1 < len(lines) and re.fullmatch("-{3,}", lines[at + 1]):
            inside = line == "Attributes"
        names = line.split(", ") if inside and re.fullmatch(r"\w+(, \w+)+", line) else []
        body = list(takewhile(lambda each: not each or each.startswith(" "), lines[at + 1 :]))
        for name in names[:-1]:
            written += [name, *body]
        written.append(names[-1] if names else line)
    return written


def field_types(part: Any) -> dict[str, str]:
    """Return the types of the fields of a dataclass, with short names and the names of array types."""
    if not isinstance(part, type) or not is_dataclass(part):
        return {}
    try:
        hints = get_type_hints(part, None, dict(STYLE.autodoc_type_aliases))
    except NameError:  # a type that is imported only for annotations
        return {}
    return {each.name: stringify_annotation(hints[each.name], "smart") for each in fields(part)}


def record_fields(app: Sphinx, what: str, name: str, part: Any, *others: Any) -> None:
    """Record the types of the fields of a dataclass, as autodoc does for the parameters of a function."""
    recorded = app.env.current_document.autodoc_annotations
    recorded[name] = recorded.get(name, {}) | field_types(part)
