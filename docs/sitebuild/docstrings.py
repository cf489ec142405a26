"""Read docstrings in numpydoc style, and write their descriptions as Markdown."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field

HEADING = re.compile(r"^(?P<title>\w[\w ]*)\n-{3,}$", re.MULTILINE)
ENTRY = re.compile(r"^\S", re.MULTILINE)


@dataclass(frozen=True)
class Docstring:
    """The text before the first heading, and the entries or text of each section.

    Attributes
    ----------
    text
        Summary and extended description.
    sections
        Text under each heading, by heading.
    """

    text: str
    sections: dict[str, str] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The first paragraph, on one line."""
        return " ".join(self.text.split("\n\n", maxsplit=1)[0].split())

    def entries(self, *titles: str) -> dict[str, str]:
        """Return the description of each name under these headings.

        One entry may describe several names: `low, high`.

        >>> parse("Fit.\\n\\nParameters\\n----------\\nlow, high\\n    Ends.").entries("Parameters")
        {'low': 'Ends.', 'high': 'Ends.'}
        """
        described: dict[str, str] = {}
        for title in titles:
            for name, description in _entries(self.sections.get(title, "")):
                described |= dict.fromkeys((each.strip(" *") for each in name.split(",")), description)
        return described


def parse(docstring: str) -> Docstring:
    """Return the parts of a docstring.

    >>> parse("Fit a model.\\n\\nReturns\\n-------\\nFit\\n    The fit.").sections
    {'Returns': 'Fit\\n    The fit.'}
    """
    text = inspect.cleandoc(docstring)
    headings = list(HEADING.finditer(text))
    ends = [*(each.start() for each in headings[1:]), len(text)]
    sections = {
        each["title"]: text[each.end() : end].strip("\n") for each, end in zip(headings, ends, strict=False)
    }
    return Docstring(text[: headings[0].start()].strip() if headings else text, sections)


def docstring_of(part: object) -> Docstring:
    """Return the parsed docstring of a class or function; empty if it has none of its own."""
    text = inspect.getdoc(part) or ""
    # A dataclass without a docstring gets its signature as one.
    generated = isinstance(part, type) and text.startswith(f"{part.__name__}(")
    return parse("" if generated else text)


def settings_of(record: type) -> dict[str, str]:
    """Return the description of each field of a dataclass, also of fields that a base class describes."""
    described: dict[str, str] = {}
    for base in reversed(record.__mro__[:-1]):
        described |= parse(base.__doc__ or "").entries("Parameters", "Attributes")
    return described


def as_cell(description: str) -> str:
    """Return a description as the cell of a Markdown table: one line, with Markdown for code and formulas.

    >>> as_cell("One of:\\n\\n- ``a`` | the first\\n- :math:`x`")
    'One of:<br>• `a` \\\\| the first<br>• $x$'
    """
    text = re.sub(r"\s*^\s*[-*] +", "\0", description, flags=re.MULTILINE)
    text = " ".join(text.split())
    text = re.sub(r":math:`([^`]*)`", r"$\1$", text)
    text = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", text)
    text = text.replace("``", "`").replace("|", "\\|")
    return text.replace("\0", "<br>• ")


def _entries(section: str) -> list[tuple[str, str]]:
    starts = [each.start() for each in ENTRY.finditer(section)]
    entries = []
    for start, end in zip(starts, [*starts[1:], len(section)], strict=False):
        head, _, body = section[start:end].partition("\n")
        entries.append((head.partition(" : ")[0], inspect.cleandoc(f"\n{body}").strip()))
    return entries
