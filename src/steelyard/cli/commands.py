"""Commands whose help shows no type for flags, which take no value, and wraps at the width of the terminal."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command. Typer 0.29 shows `<bool>` for flags, which reads as if `--json true` were possible.

    Typer also keeps the line breaks of a docstring after its first paragraph.
    """

    def __init__(self, *arguments: Any, help: str | None = None, **settings: Any) -> None:
        super().__init__(*arguments, help=None if help is None else _unwrapped(help), **settings)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with flags that have no type in the help."""
        return _without_types(super().get_params(ctx))


class Group(TyperGroup):
    """The application, with the same rule for its own flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with flags that have no type in the help."""
        return _without_types(super().get_params(ctx))


def _unwrapped(text: str) -> str:
    """Return the text with one line per paragraph."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _without_types(parameters: list[Any]) -> list[Any]:
    for each in parameters:
        if getattr(each, "is_flag", False) and each.metavar is None:
            each.metavar = ""
    return parameters
