"""TOML tables into frozen dataclasses: unknown keys are answered with the closest known one."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from steelyard.errors import BadSetting, UnknownName

Record = TypeVar("Record")
WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def make_record(kind: type[Record], table: Mapping[str, Any], where: str) -> Record:
    """An instance of the dataclass `kind` from a TOML table; `where` names the place in messages."""
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            raise UnknownName("key", key, known, where)
    hints = get_type_hints(kind)
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name not in table and field.default is MISSING and field.default_factory is MISSING:
            raise BadSetting(f"{where}, {field.name}", "is missing, and the study needs it.")
    return kind(**{key: _value(hints[key], value, f"{where}, {key}") for key, value in table.items()})


def _value(kind: Any, value: Any, where: str) -> Any:
    origin = get_origin(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        if not isinstance(value, Mapping):
            raise BadSetting(where, "is a table of its own; write it as [section].")
        return make_record(kind, value, where)
    if origin in (Union, types.UnionType):
        return _one_of(get_args(kind), value, where)
    if origin is Literal:
        if value not in get_args(kind):
            raise UnknownName("value", str(value), [str(choice) for choice in get_args(kind)], where)
        return value
    if origin is dict:
        if not isinstance(value, Mapping):
            raise BadSetting(where, "is a table of its own; write it as [section].")
        return dict(value)
    if origin is tuple:
        if not isinstance(value, list):
            raise BadSetting(where, f"{value!r} is not a list.")
        inner = get_args(kind)[0]
        return tuple(_value(inner, each, f"{where}[{at}]") for at, each in enumerate(value))
    return _plain(kind, value, where)


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
        return float(value)
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise BadSetting(where, f"{value!r} is not {WORDS.get(kind, kind)}.")
    return value
