"""Labels of rows in several lines, and the places of the parts of such rows."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from steelyard.study.definition.labels import shortened

LINE = 16  # distance between two lines of a label, in pixels
# Share of a row of one line, from its top, at which its parts are if the label is above the interval.
LABEL_ABOVE, DOT_BELOW = 0.3, 0.75


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where the parts of a row are, in pixels from the top of the chart.

    Attributes
    ----------
    top, bottom
        Ends of the row.
    label
        Middle of the first line of the label.
    dot
        Middle of the interval.
    """

    top: float
    label: float
    dot: float
    bottom: float


def in_lines(text: str, letters: int, most: int) -> tuple[str, ...]:
    """Return a text in lines. Text that does not fit is cut off, and the last line ends with an ellipsis.

    Parameters
    ----------
    text
        The text.
    letters
        Largest length of a line.
    most
        Largest number of lines.

    Returns
    -------
    tuple of str
        The lines.

    Examples
    --------
    >>> in_lines("Avocado toast, poached egg", 14, 2)
    ('Avocado toast,', 'poached egg')
    >>> in_lines("Avocado toast, poached egg", 14, 1)
    ('Avocado toast…',)
    """
    lines = textwrap.wrap(text, letters) or [""]
    last = shortened(" ".join(lines[most - 1 :]), letters)
    return (*lines[: most - 1], last) if len(lines) > most else tuple(lines)


def row_places(line_counts: Sequence[int], step: int, above: bool) -> list[RowPlace]:
    """Return the places of rows below each other.

    Parameters
    ----------
    line_counts
        Number of lines of the label of each row.
    step
        Height of a row whose label has one line, in pixels.
    above
        Whether labels are above the intervals, and not beside them.

    Returns
    -------
    list of RowPlace
        One place per row.

    Examples
    --------
    >>> [(place.label, place.dot, place.bottom) for place in row_places([1, 2], 20, above=False)]
    [(10.0, 10.0, 20), (30.0, 38.0, 56)]
    """
    more = [(lines - 1) * LINE for lines in line_counts]
    bottoms = list(accumulate(step + each for each in more))
    places = []
    for extra, bottom in zip(more, bottoms, strict=True):
        top = bottom - step - extra
        label = top + step * (LABEL_ABOVE if above else 0.5)
        dot = top + extra + step * DOT_BELOW if above else label + extra / 2
        places.append(RowPlace(top, label, dot, bottom))
    return places
