"""Labels of items and systems on the owner's pages, in charts and in reports: one line of printable characters."""

from __future__ import annotations

import re

from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import FILES, Item, Items

BREAKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
# Control characters, surrogates and two noncharacters. XML, and therefore SVG, does not allow them.
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """Return the text in one line, with the replacement character for each character that XML does not allow.

    >>> printable("Tea\\twith\\nhoney"), printable("Tea\\x00")
    ('Tea with honey', 'Tea�')
    """
    return UNPRINTABLE.sub(REPLACEMENT, BREAKS.sub(" ", text))


def shortened(text: str, letters: int) -> str:
    """Return a text in at most this many letters, with an ellipsis if it was cut.

    >>> shortened("Avocado toast, poached egg", 14)
    'Avocado toast…'
    """
    return text if len(text) <= letters else text[: letters - 1].rstrip(" ,;:") + "…"


def labels_of(items: Items, definition: StudyDefinition) -> dict[str, str]:
    """Return the label of each item or, if the scale is of systems, the name of each system."""
    if definition.learning.unit == "system":
        return {str(system): printable(str(system)) for system in items.systems[1]}
    return {item.id: label_of(item) for item in items.all}


def label_of(item: Item) -> str:
    """Return an item in one line: the first line of its text, or its id if it is HTML or a file or has none."""
    if item.medium in FILES or item.medium == "html":
        return printable(item.id)
    line = item.content.strip().partition("\n")[0].strip()
    return printable((line.lstrip("#*> ") if item.medium == "markdown" else line) or item.id)
