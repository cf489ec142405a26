"""Tables as text: aligned columns, Markdown, LaTeX and HTML."""

from __future__ import annotations

import html
import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

DIGITS = 3  # decimals of numbers that are not whole
SHOWN_ROWS = 10  # in a short display
LARGE = 1e6  # numbers that are not whole and larger than this are written with an exponent
P_VALUES = frozenset({"p", "p_value", "p_clustered"})
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
}


class TextColumn(NamedTuple):
    """A column as text: its name, its cells, and whether they are numbers and therefore aligned to the right."""

    name: str
    cells: list[str]
    is_number: bool


def text_columns(columns: Mapping[str, Sequence[Any]], digits: int = DIGITS) -> list[TextColumn]:
    """Return every column as text.

    Parameters
    ----------
    columns
        Values of each column.
    digits
        Decimals of numbers that are not whole.

    Returns
    -------
    list of TextColumn
        Empty cells for None and NaN. Small p values are written as "<0.001".
    """
    return [_text_column(name, _plain(values), digits) for name, values in columns.items()]


def as_text(columns: Mapping[str, Sequence[Any]], digits: int = DIGITS) -> str:
    """Return a table with aligned columns.

    >>> print(as_text({"item": ["tea", "soup"], "position": [1.5, -10.25]}))
    item  position
    tea      1.500
    soup   -10.250
    """
    shown = [
        TextColumn(one_line(each.name), [one_line(cell) for cell in each.cells], each.is_number)
        for each in text_columns(columns, digits)
    ]
    widths = [max(map(text_width, [column.name, *column.cells])) for column in shown]

    def line(cells: Sequence[str]) -> str:
        padded = [
            _padded(cell, width, column.is_number)
            for cell, width, column in zip(cells, widths, shown, strict=True)
        ]
        return "  ".join(padded).rstrip()

    return "\n".join(map(line, [[column.name for column in shown], *_rows(shown)]))


def one_line(text: str) -> str:
    """Return text without line breaks and other control characters, which a terminal would interpret.

    >>> one_line("a\\nb\\x1b[2J")
    'a b�[2J'
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else " " if each.isspace() else "�" for each in text)


def text_width(text: str) -> int:
    """Return the columns of a terminal that a text takes: two for each wide character, none for a combining one.

    >>> text_width("tea"), text_width("お茶"), text_width("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1
        for each in text
    )


def _padded(cell: str, width: int, to_the_right: bool) -> str:
    space = " " * (width - text_width(cell))
    return space + cell if to_the_right else cell + space


def as_markdown(columns: Mapping[str, Sequence[Any]], digits: int = DIGITS) -> str:
    """Return a table in Markdown.

    >>> print(as_markdown({"item": ["tea"], "position": [1.5]}))
    | item | position |
    |---|---:|
    | tea | 1.500 |
    """
    shown = text_columns(columns, digits)
    lines = [
        [column.name for column in shown],
        *([cell.replace("|", "\\|").replace("\n", " ") for cell in row] for row in _rows(shown)),
    ]
    ruled = [f"| {' | '.join(cells)} |" for cells in lines]
    rule = "|".join("---:" if column.is_number else "---" for column in shown)
    return "\n".join([ruled[0], f"|{rule}|", *ruled[1:]])


def as_latex(
    columns: Mapping[str, Sequence[Any]],
    digits: int = DIGITS,
    caption: str | None = None,
    label: str | None = None,
    notes: Sequence[str] = (),
) -> str:
    """Return a table in LaTeX with rules of the package booktabs.

    Parameters
    ----------
    columns
        Values of each column.
    digits
        Decimals of numbers that are not whole.
    caption
        Caption of the table. With a caption or a label the result is a `table`, otherwise a `tabular`.
    label
        Label for references.
    notes
        Sentences about the table. They are printed below a `table`, and are comments below a `tabular`.

    Returns
    -------
    str
        Lines of LaTeX. Special characters are escaped.
    """
    shown = text_columns(columns, digits)

    def line(cells: Sequence[str]) -> str:
        return " & ".join(cells) + r" \\"

    body = [
        line(
            [
                _latex_number(cell) if each.is_number else latex_text(cell)
                for each, cell in zip(shown, row, strict=True)
            ]
        )
        for row in _rows(shown)
    ]
    tabular = [
        rf"\begin{{tabular}}{{{''.join('r' if column.is_number else 'l' for column in shown)}}}",
        r"\toprule",
        line([latex_text(column.name) for column in shown]),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if caption is None and label is None:
        return "\n".join([*tabular, *(f"% {each}" for each in notes)])
    captioned = [] if caption is None else [rf"\caption{{{latex_text(caption)}}}"]
    labelled = [] if label is None else [rf"\label{{{label}}}"]
    below = [rf"\par\smallskip{{\footnotesize {latex_text(' '.join(notes))}}}"] if notes else []
    lines = [r"\begin{table}", r"\centering", *captioned, *labelled, *tabular, *below, r"\end{table}"]
    return "\n".join(lines)


def as_html(columns: Mapping[str, Sequence[Any]], digits: int = DIGITS) -> str:
    """Return a table in HTML, with text escaped."""
    shown = text_columns(columns, digits)

    def line(tag: str, cells: Sequence[str]) -> str:
        aligned = (
            f'<{tag} style="text-align:{"right" if column.is_number else "left"}">{html.escape(cell)}</{tag}>'
            for column, cell in zip(shown, cells, strict=True)
        )
        return f"<tr>{''.join(aligned)}</tr>"

    head = line("th", [column.name for column in shown])
    body = "".join(line("td", row) for row in _rows(shown))
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def latex_text(text: str) -> str:
    """Return text with the special characters of LaTeX escaped.

    >>> print(latex_text("50% of a_b"))
    50\\% of a\\_b
    """
    return "".join(LATEX_SPECIAL.get(each, each) for each in text)


def _latex_number(cell: str) -> str:
    signed = cell.startswith("-")
    return f"$-${latex_text(cell[1:])}" if signed else latex_text(cell)


def _rows(shown: Sequence[TextColumn]) -> list[list[str]]:
    return [list(row) for row in zip(*(column.cells for column in shown), strict=True)]


def _plain(values: Sequence[Any]) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _text_column(name: str, values: Sequence[Any], digits: int) -> TextColumn:
    filled = [value for value in values if not _is_empty(value)]
    is_number = bool(filled) and all(_is_number(value) for value in filled)
    if is_number and name in P_VALUES:
        return TextColumn(name, [_p_value(value, digits) for value in values], True)
    whole = is_number and all(float(value).is_integer() for value in filled if math.isfinite(value))
    return TextColumn(name, [_cell(value, 0 if whole else digits) for value in values], is_number)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))


def _cell(value: Any, digits: int) -> str:
    if _is_empty(value):
        return ""
    if not _is_number(value):
        return ("yes" if value else "no") if isinstance(value, (bool, np.bool_)) else str(value)
    if not math.isfinite(value):
        return "inf" if value > 0 else "-inf"
    text = (
        f"{value:.{digits}e}"
        if abs(value) >= LARGE and not float(value).is_integer()
        else f"{value:.{digits}f}"
    )
    return text.lstrip("-") if float(text) == 0.0 else text


def _p_value(value: Any, digits: int) -> str:
    small = 10.0**-digits
    return f"<{small:.{digits}f}" if not _is_empty(value) and value < small else _cell(value, digits)
