"""What things are called on the owner's pages, in charts and in reports: one line of characters that can be shown."""

from __future__ import annotations

import re

from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import FILES, Item, Items

BREAKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
# Control characters, halves of surrogate pairs and two noncharacters: XML, and so SVG, cannot hold them.
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def printable(text: str) -> str:
    """The text in one line, the replacement character in place of each character that a page cannot show.

    >>> printable("Tea\\twith\\nhoney"), printable("Tea\\x00")
    ('Tea with honey', 'Tea�')
    """
    return UNPRINTABLE.sub(REPLACEMENT, BREAKS.sub(" ", text))


def labels_of(items: Items, definition: StudyDefinition) -> dict[str, str]:
    """What to call each thing on the scale: an item's first line or file, or a system's own name."""
    if definition.learning.unit == "system":
        return {str(system): printable(str(system)) for system in items.systems[1]}
    return {item.id: label_of(item) for item in items.all}


def label_of(item: Item) -> str:
    """An item in one line: its text, or its id where it is a file or its text starts empty."""
    if item.medium in FILES:
        return printable(item.id)
    line = item.content.strip().partition("\n")[0].strip()
    return printable((line.lstrip("#*> ") if item.medium == "markdown" else line) or item.id)
