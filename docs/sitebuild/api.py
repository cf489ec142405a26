"""The pages of docs/reference/api: directives that make the reference from docstrings."""

from __future__ import annotations

import inspect
from functools import cache

from sitebuild.public import PAGES, ApiPage, Part, paths_of, resolve

ARRAYS = {
    "Vector": ("float64", "One-dimensional array of numbers."),
    "Matrix": ("float64", "Two-dimensional array of numbers."),
    "Codes": ("int64", "Array of whole numbers, such as indices of items."),
    "Mask": ("bool_", "Array of truth values."),
    "Labels": ("object_", "Array of texts, such as names of items."),
}


def api_page(page: ApiPage) -> str:
    """Return the page as Markdown."""
    parts = [f"# {page.title}", page.text, *map(_part, page.parts)]
    return "\n\n".join(parts) + "\n"


def _part(part: Part) -> str:
    directives = "\n".join(map(_directive, paths_of(part)))
    text = f"{part.text}\n\n" if part.text else ""
    return f"## {part.title}\n\n{text}```{{eval-rst}}\n{directives}\n```"


def _directive(path: str) -> str:
    value = resolve(path)
    if path.startswith("steelyard.maths.arrays."):
        return _array_type(path)
    if inspect.isclass(value) and issubclass(value, BaseException):
        return f".. autoexception:: {path}\n   :show-inheritance:"
    if inspect.isclass(value):
        return "\n   ".join((f".. autoclass:: {path}", *_inheritance(value)))
    return f".. autofunction:: {path}"


def _inheritance(value: type) -> list[str]:
    """Options that name a public base of a class, and include the members of all bases in the package."""
    own = [base for base in value.__mro__[1:] if base.__module__.startswith("steelyard.")]
    others = [base.__name__ for base in value.__mro__[1:] if base not in own]
    options = [":show-inheritance:"] if any(base in _public() for base in value.__bases__) else []
    if own:
        options.append(f":inherited-members: {', '.join(others)}")
    return options


@cache
def _public() -> list[object]:
    """Everything that the reference documents."""
    return [resolve(path) for page in PAGES for path in page.names]


def _array_type(path: str) -> str:
    """An alias of an array type; its own docstring would be that of NumPy's array."""
    form, meaning = ARRAYS[path.rpartition(".")[2]]
    return f".. py:type:: {path}\n   :canonical: numpy.typing.NDArray[numpy.{form}]\n\n   {meaning}\n"
