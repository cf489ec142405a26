"""Settings of a dataclass as a Markdown table: key, type, default and meaning."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from sitebuild.docstrings import as_cell, settings_of

PLAIN = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    Any: "any value",
    object: "any value",
}
LISTS = {str: "list of texts", int: "list of whole numbers", float: "list of numbers"}

# The column of defaults has these.
VALUE = r"(True|False|None|none|[\d.]*\d)"
STATED_DEFAULT = re.compile(rf", default:? {VALUE}(?=\.(\s|$))|\s+Default:? {VALUE}\.(?=\s|$)")


def settings_table(
    record: type[Any],
    without: Iterable[str] = (),
    heading: str = "key",
    varying: Iterable[str] = (),
) -> str:
    """Return the table of a dataclass, one row for each field.

    Parameters
    ----------
    record
        Dataclass whose docstring describes its fields.
    without
        Fields to leave out.
    heading
        Heading of the first column.
    varying
        Fields whose default depends on other settings, as their meaning explains.

    Returns
    -------
    str
        A Markdown table.
    """
    described, hints = settings_of(record), get_type_hints(record)
    rows = [
        (
            f"`{each.name}`",
            type_in_words(hints[each.name]),
            "varies" if each.name in tuple(varying) else default_of(each),
            STATED_DEFAULT.sub("", described.get(each.name, "")),
        )
        for each in fields(record)
        if each.init and each.name not in tuple(without)
    ]
    return table((heading, "type", "default", "meaning"), rows)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; the last column may have several lines."""
    lines = [headings, ["---"] * len(headings), *([*row[:-1], as_cell(row[-1])] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |") for line in lines)


def type_in_words(hint: Any) -> str:
    """Return the type of a setting as study.toml writes it.

    >>> type_in_words(tuple[str, ...]), type_in_words(float | None), type_in_words(Literal["a", "b"])
    ('list of texts', 'number', '`"a"` or `"b"`')
    """
    form, inside = get_origin(hint), get_args(hint)
    named: dict[Any, Callable[[], str]] = {
        Union: lambda: _any_of(inside),
        types.UnionType: lambda: _any_of(inside),
        Literal: lambda: _joined(
            [f'`"{each}"`' if isinstance(each, str) else f"`{each}`" for each in inside]
        ),
        dict: lambda: "table",
    }
    if form in named:
        return named[form]()
    if isinstance(form, type) and issubclass(form, Mapping):
        return "table"
    if isinstance(form, type) and issubclass(form, Sequence):
        return "list of tables" if is_dataclass(inside[0]) else LISTS.get(inside[0], "list")
    return "table" if is_dataclass(hint) else PLAIN.get(hint, str(hint))


def default_of(setting: Field[Any]) -> str:
    """Return the default of a field as study.toml writes it; empty if there is none."""
    if setting.default is MISSING and setting.default_factory is MISSING:
        return "required"
    value = setting.default if setting.default is not MISSING else setting.default_factory()  # type: ignore[misc]
    if value is None or value in ("", (), [], {}) or is_dataclass(value):
        return ""
    return f"`{as_toml(value)}`"


def as_toml(value: Any) -> str:
    """Return a value as TOML writes it.

    >>> as_toml(True), as_toml(("a", 1.0))
    ('true', '["a", 1.0]')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(as_toml, value))}]"
    return repr(value)


def _any_of(hints: Sequence[Any]) -> str:
    return _joined(list(dict.fromkeys(type_in_words(each) for each in hints if each is not type(None))))


def _joined(words: Sequence[str]) -> str:
    """Join words as a sentence does.

    >>> _joined(["a", "b", "c"])
    'a, b or c'
    """
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
