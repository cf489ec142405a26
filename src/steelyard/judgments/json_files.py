"""Reader of JSON files: an object on each line, or one list of objects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

from steelyard.errors import EmptyFile, UnreadableFile
from steelyard.judgments.sheet import Cells, Sheet, coded_or_plain
from steelyard.maths.arrays import object_cells

LINES_AT_ONCE = 50_000  # lines of JSON per call of the parser
LINE_MARK = ',"␞ line ␞",'  # separates them
EXAMPLE = '{"rater": "ann", "item": "tea", "score": 20}'
ONE_PER_LINE = f"Write one object per line, such as {EXAMPLE}."
ONE_LIST = f"Write one list of objects, such as [{EXAMPLE}], or one object per line."


def read_json(text: str, source: str) -> Sheet:
    """Return the objects of a JSON text as rows; a text that starts with `[` is one list."""
    return _read_list(text, source) if text.lstrip().startswith("[") else _read_lines(text, source)


def _read_list(text: str, source: str) -> Sheet:
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as mistake:
        raise UnreadableFile(source, "the JSON list is not valid.", ONE_LIST, mistake.lineno) from None
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            fact = f"entry {number:,} of the list is a JSON {type(row).__name__}, not an object."
            raise UnreadableFile(source, fact, ONE_LIST)
    if not rows:
        raise EmptyFile(source, None)
    return Sheet(source, _columns(rows, source))


def _read_lines(text: str, source: str) -> Sheet:
    numbered = enumerate(text.split("\n"), start=1)
    filled = {line: content for line, content in numbered if content and not content.isspace()}
    rows = quick_objects(list(filled.values()))
    if rows is None:
        rows = [json_object(content, source, line) for line, content in filled.items()]
    return Sheet(source, _columns(rows, source), lambda: list(filled))


def _columns(rows: Sequence[dict[str, Any]], source: str) -> dict[str, Cells]:
    columns: dict[str, Cells] = {}
    for name in dict.fromkeys(chain.from_iterable(rows)):
        stripped = name.strip()
        if stripped in columns:
            raise UnreadableFile(source, f"two columns have the name {stripped!r}.", "Rename one of them.", 1)
        if stripped:
            columns[stripped] = coded_or_plain(object_cells(_scalars([row.get(name) for row in rows])))
    return columns


def quick_objects(lines: Sequence[str]) -> list[dict[str, Any]] | None:
    """Return the object on each line, all read as one JSON array; None if a line is something else.

    Marks between the lines ensure that each line is a complete object.
    """
    rows: list[dict[str, Any]] = []
    for start in range(0, len(lines), LINES_AT_ONCE):
        some = lines[start : start + LINES_AT_ONCE]
        text = LINE_MARK.join(some)
        if text.count(LINE_MARK) != len(some) - 1:
            return None
        try:
            parsed = json.loads(f"[{text}]")
        except ValueError:
            return None
        objects, marks = parsed[::2], parsed[1::2]
        whole = len(parsed) == 2 * len(some) - 1 and marks == [json.loads(LINE_MARK.strip(","))] * len(marks)
        if not whole or set(map(type, objects)) != {dict}:
            return None
        rows += objects
    return rows


def json_object(content: str, source: str, line: int) -> dict[str, Any]:
    """Return the object on one line.

    Parameters
    ----------
    content
        Text of the line.
    source
        Name of the file in messages.
    line
        Number of the line.

    Returns
    -------
    dict
        The object.
    """
    try:
        value = json.loads(content)
    except ValueError:
        fact = "the line is not a JSON object."
        raise UnreadableFile(source, fact, ONE_PER_LINE, line) from None
    if not isinstance(value, dict):
        fact = f"the line is a JSON {type(value).__name__}, not an object."
        raise UnreadableFile(source, fact, ONE_PER_LINE, line)
    return value


def _scalars(values: list[Any]) -> list[Any]:
    """Return the values, with lists and objects as JSON text."""
    if not {dict, list} & set(map(type, values)):
        return values
    return [
        json.dumps(each, ensure_ascii=False) if isinstance(each, dict | list) else each for each in values
    ]
