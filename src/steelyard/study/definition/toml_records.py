"""Convert TOML tables to frozen dataclasses; errors for unknown keys suggest the closest known key."""

from __future__ import annotations

import math
import re
import types
import unicodedata
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from steelyard.errors import BadSetting, UnknownName

Record = TypeVar("Record")
LARGEST_WHOLE = 2**53  # larger whole numbers are not exact as floating-point numbers
TABLE_KEY = re.compile(r"(?P<file>.*), (?:\[(?P<outer>[\w.]+)\] )?(?P<key>\w+)")
LINE_BREAKS = "\n\r\t"
WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
EXAMPLES = {
    str: 'text in quotes, such as "food"',
    int: "a whole number without quotes, such as 6",
    float: "a number without quotes, such as 0.5",
}


def make_record(
    kind: type[Record], table: Mapping[str, Any], where: str, places: Mapping[str, str] | None = None
) -> Record:
    """Make an instance of a dataclass from a TOML table.

    Parameters
    ----------
    kind
        The dataclass. Its annotations define the allowed types.
    table
        Values by key.
    where
        Name of the table in error messages.
    places
        Names of single keys in error messages, instead of `where` and the key.

    Returns
    -------
    Record
        An instance of `kind`.
    """
    place_of = {key: _place(where, key) for key in table} | dict(places or {})
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for key in table:
        if key not in names:
            raise UnknownName("key", key, names, where)
    hints = get_type_hints(kind)
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name not in table and field.default is MISSING and field.default_factory is MISSING:
            raise BadSetting(_place(where, field.name), "is missing. This setting is required.")
    return kind(**{key: _value(hints[key], value, place_of[key]) for key, value in table.items()})


def _place(where: str, key: str) -> str:
    """Return the name of a key of a table in error messages.

    >>> _place("study.toml", "title"), _place("study.toml, [page]", "comment")
    ('study.toml, title', 'study.toml, [page] comment')
    """
    return f"{where} {key}" if where.endswith("]") else f"{where}, {key}"


def _as_section(where: str) -> str:
    """Return the place of a key whose value is a table as the heading of that table.

    >>> _as_section("study.toml, scale"), _as_section("study.toml, [grounding] rounds")
    ('study.toml, [scale]', 'study.toml, [grounding.rounds]')
    """
    parts = TABLE_KEY.fullmatch(where)
    if parts is None:
        return where
    outer = f"{parts['outer']}." if parts["outer"] else ""
    return f"{parts['file']}, [{outer}{parts['key']}]"


def _value(kind: Any, value: Any, where: str) -> Any:
    origin = get_origin(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _nested(kind, value, where)
    if origin in (Union, types.UnionType):
        return _one_of(get_args(kind), value, where)
    if origin is Literal:
        if value not in get_args(kind):
            raise UnknownName("value", str(value), [str(choice) for choice in get_args(kind)], where)
        return value
    if origin is dict:
        if not isinstance(value, Mapping):
            raise BadSetting(where, "must be a table. Write it as a [section].")
        return dict(value)
    if origin is tuple:
        if not isinstance(value, list):
            raise BadSetting(where, f"{value!r} is not a list.")
        inner = get_args(kind)[0]
        return tuple(_value(inner, each, f"{where}[{at}]") for at, each in enumerate(value))
    return _plain(kind, value, where)


def _nested(kind: type[Any], value: Any, where: str) -> Any:
    """Return the record of a table inside a table; a value that is already a record is returned unchanged."""
    if isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        raise BadSetting(where, "must be a table. Write it as a [section].")
    return make_record(kind, value, _as_section(where))


def _one_of(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    problem: BadSetting | None = None
    for kind in kinds:
        if kind is type(None):
            continue
        try:
            return _value(kind, value, where)
        except BadSetting as error:
            problem = problem or error
    raise problem or BadSetting(where, f"{value!r} cannot be used here.")


def _plain(kind: Any, value: Any, where: str) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = _as_float(value, where)
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise BadSetting(where, f"{value!r} is not {WORDS.get(kind, kind)}. Write {_example(kind)}.")
    if kind is float and not math.isfinite(value):
        raise BadSetting(where, f"{value} is not a finite number.")
    if kind is int and abs(value) > LARGEST_WHOLE:
        raise BadSetting(where, f"{value} is too large. Use a number of at most {LARGEST_WHOLE}.")
    if kind is str:
        check_text(where, value)
    return value


def _example(kind: Any) -> str:
    return EXAMPLES.get(kind, WORDS.get(kind, "another value"))


def _as_float(value: int, where: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise BadSetting(where, "this number is too large.") from None


def check_text(where: str, text: str) -> None:
    """Raise BadSetting if a text contains a control character or half of a surrogate pair."""
    for character in text:
        category = unicodedata.category(character)
        if category == "Cs" or (category == "Cc" and character not in LINE_BREAKS):
            what = "half of a surrogate pair" if category == "Cs" else "a control character"
            raise BadSetting(where, f"contains U+{ord(character):04X}, {what}. Remove it.")
