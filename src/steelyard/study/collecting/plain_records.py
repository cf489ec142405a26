"""Write records with arrays as JSON and read them again, exact to the last digit."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np

from steelyard.maths.arrays import object_cells

OWN = "steelyard."  # only classes of this package are created from stored text


def to_text(record: Any) -> bytes:
    """Return a record as JSON; raise TypeError if it contains something that JSON cannot hold.

    >>> from_text(to_text((1.5, "tea", None)))
    (1.5, 'tea', None)
    """
    return json.dumps(_plain(record)).encode()


def from_text(text: bytes) -> Any:
    """Return the record in a text that `to_text` made."""
    return _read(json.loads(text))


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    for kind, plain in WRITERS:
        if isinstance(value, kind):
            return plain(value)
    if is_dataclass(value) and type(value).__module__.startswith(OWN):
        values = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return {"class": f"{type(value).__module__}:{type(value).__qualname__}", "fields": values}
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _plain_array(value: np.ndarray[Any, Any]) -> dict[str, Any]:
    if value.dtype == object:
        return {"labels": value.tolist()}
    held = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
    return {"array": held, "type": value.dtype.str, "shape": list(value.shape)}


WRITERS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (np.generic, lambda value: value.item()),
    (np.ndarray, _plain_array),
    (Mapping, lambda value: {"map": [[_plain(key), _plain(each)] for key, each in value.items()]}),
    (tuple, lambda value: {"row": [_plain(each) for each in value]}),
    (list, lambda value: {"list": [_plain(each) for each in value]}),
    (set, lambda value: {"set": sorted(_plain(each) for each in value)}),
    (frozenset, lambda value: {"frozen": sorted(_plain(each) for each in value)}),
)


def _read(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return next(READERS[name] for name in READERS if name in value)(value)


def _array(value: dict[str, Any]) -> Any:
    held = np.frombuffer(base64.b64decode(value["array"]), dtype=value["type"])
    return held.reshape(value["shape"]).copy()


def _record(value: dict[str, Any]) -> Any:
    module, _, name = value["class"].partition(":")
    if not module.startswith(OWN):
        raise ValueError(f"{value['class']} is not a class of Steelyard")
    made = getattr(import_module(module), name)
    if not (isinstance(made, type) and is_dataclass(made)):
        raise ValueError(f"{value['class']} is not a record")
    return made(**{field: _read(each) for field, each in value["fields"].items()})


READERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "labels": lambda value: object_cells(value["labels"]),
    "array": _array,
    "map": lambda value: {_read(key): _read(each) for key, each in value["map"]},
    "row": lambda value: tuple(_read(each) for each in value["row"]),
    "list": lambda value: [_read(each) for each in value["list"]],
    "set": lambda value: {_read(each) for each in value["set"]},
    "frozen": lambda value: frozenset(_read(each) for each in value["frozen"]),
    "class": _record,
}
