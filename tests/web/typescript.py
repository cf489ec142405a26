"""The types of what the server sends, in TypeScript: `python -m tests.web.typescript` prints static/types.d.ts."""

import inspect
import sys
import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from typing_extensions import is_typeddict

from steelyard.web import schema

BASIC = {str: "string", float: "number", int: "number", bool: "boolean", type(None): "null"}
HEAD = "// What the server sends, field by field. A test compares this file with web/schema.py."


def declarations() -> str:
    """The whole file."""
    named = {name: each for name, each in vars(schema).items() if name.endswith("Out")}
    shown = [_interface(each) if is_typeddict(each) else _alias(name, each) for name, each in named.items()]
    return "\n\n".join([HEAD, *shown]) + "\n"


def _interface(record: Any) -> str:
    lines = [
        f"  {name}{'' if name in record.__required_keys__ else '?'}: {type_of(hint)};"
        for name, hint in get_type_hints(record).items()
    ]
    comment = " ".join(inspect.getdoc(record).split())
    return "\n".join([f"/** {comment} */", f"export interface {record.__name__} {{", *lines, "}"])


def _alias(name: str, union: Any) -> str:
    return f"export type {name} = {type_of(union)};"


def type_of(hint: Any) -> str:
    """One type, in TypeScript."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(type_of(each) for each in arguments)
    if origin is list:
        inner = type_of(arguments[0])
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    return hint.__name__ if is_typeddict(hint) else BASIC[hint]


if __name__ == "__main__":
    sys.stdout.write(declarations())
