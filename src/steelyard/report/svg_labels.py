"""Labels of SVG drawings: the drawing is enlarged until no label is cut off, whatever font the reader has.

vl-convert measures labels with one font. A browser may draw them with a wider one, and what is outside of the drawing
is not shown. Labels are therefore measured with the widths of a wide font.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

WIDE_LETTERS, NARROW_LETTERS = frozenset("mwMWO@%—…"), frozenset("iljtfrI.,:;'|!()[]- ")
WIDE, NARROW, CAPITAL, OTHER, FULL = 0.95, 0.40, 0.72, 0.64, 1.05  # widths relative to the size of the font
HEIGHT = 0.8  # of a line above and below its middle, relative to the size of the font
MARGIN = 2.0  # beyond the outermost label, in pixels
FONT_SIZE = 11.0  # of text without a size
HEAD = re.compile(r'(<svg[^>]*?) width="([\d.]+)" height="([\d.]+)" viewBox="0 0 [\d.]+ [\d.]+"([^>]*>)')
STEP = re.compile(r"(translate|rotate)\(([^)]*)\)")


class Extent(NamedTuple):
    """Ends of the labels of a drawing, in pixels."""

    left: float
    top: float
    right: float
    bottom: float


class Frame(NamedTuple):
    """Origin and rotation, in radians, of a part of a drawing."""

    x: float = 0.0
    y: float = 0.0
    turn: float = 0.0

    def moved(self, transform: str) -> Frame:
        """Return the frame after the translations and rotations of an SVG transform."""
        x, y, turn = self
        for name, text in STEP.findall(transform):
            numbers = [float(each) for each in re.split(r"[\s,]+", text.strip()) if each]
            if name == "translate":
                across, down = (*numbers, 0.0)[:2]
                x += across * math.cos(turn) - down * math.sin(turn)
                y += across * math.sin(turn) + down * math.cos(turn)
            else:
                turn += math.radians(numbers[0])
        return Frame(x, y, turn)


def with_all_labels(svg: str) -> str:
    """Return a drawing that is large enough for all of its labels. A background of its size grows with it."""
    head = HEAD.search(svg)
    extent = label_extent(svg) if head is not None else None
    if head is None or extent is None:
        return svg
    width, height = float(head[2]), float(head[3])
    left, top = (min(0.0, math.floor(end - MARGIN)) for end in (extent.left, extent.top))
    right, bottom = (
        max(width, math.ceil(extent.right + MARGIN)),
        max(height, math.ceil(extent.bottom + MARGIN)),
    )
    if (left, top, right, bottom) == (0.0, 0.0, width, height):
        return svg
    size = f'width="{right - left:g}" height="{bottom - top:g}"'
    start = f'{head[1]} {size} viewBox="{left:g} {top:g} {right - left:g} {bottom - top:g}"{head[4]}'
    background = f'<rect width="{head[2]}" height="{head[3]}"'
    rest = svg[head.end() :]
    if rest.startswith(background):
        rest = f'<rect x="{left:g}" y="{top:g}" {size}{rest.removeprefix(background)}'
    return svg[: head.start()] + start + rest


def label_extent(svg: str) -> Extent | None:
    """Return the ends of all labels of a drawing; None if it has none."""
    boxes = list(_boxes(ElementTree.fromstring(svg), Frame()))
    if not boxes:
        return None
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Extent(min(lefts), min(tops), max(rights), max(bottoms))


def text_width(text: str, size: float) -> float:
    """Return the width of a text in a wide font, in the unit of the size.

    >>> text_width("ill", 10.0), text_width("MWM", 10.0)
    (12.0, 28.5)
    """
    return round(size * sum(map(_letter_width, text)), 6)


def _letter_width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return FULL
    if letter in WIDE_LETTERS:
        return WIDE
    return NARROW if letter in NARROW_LETTERS else CAPITAL if letter.isupper() else OTHER


def _boxes(element: ElementTree.Element, frame: Frame) -> Iterator[Extent]:
    """Yield the box of every visible label."""
    here = frame.moved(element.get("transform", ""))
    if element.tag.endswith("}text") and "".join(element.itertext()) and element.get("opacity") != "0":
        yield from _line_boxes(element, here)
        return
    for part in element:
        yield from _boxes(part, here)


def _line_boxes(element: ElementTree.Element, frame: Frame) -> Iterator[Extent]:
    """Yield the box of each line of a label. Lines after the first are parts of its element, one below the other."""
    if element.text:
        yield _box(element, element.text, frame)
    down = 0.0
    for line in element:
        down += float(line.get("dy", "0"))
        yield _box(element, "".join(line.itertext()), frame.moved(f"translate(0,{down})"))


def _box(element: ElementTree.Element, text: str, frame: Frame) -> Extent:
    size = float(element.get("font-size", f"{FONT_SIZE}px").removesuffix("px"))
    width = text_width(text, size)
    start = {"end": -width, "middle": -width / 2.0}.get(element.get("text-anchor", "start"), 0.0)
    middle = -0.3 * size  # the origin of a text is on its base line
    corners = [
        frame.moved(f"translate({across},{down})")
        for across in (start, start + width)
        for down in (middle - HEIGHT * size, middle + HEIGHT * size)
    ]
    across, down = [corner.x for corner in corners], [corner.y for corner in corners]
    return Extent(min(across), min(down), max(across), max(down))
