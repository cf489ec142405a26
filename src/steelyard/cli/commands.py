"""Commands whose help shows no type for flags, because a flag takes no value."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class Command(TyperCommand):
    """A command. Typer 0.29 shows `<bool>` for flags, which reads as if `--json true` were possible."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with flags that have no type in the help."""
        return _without_types(super().get_params(ctx))


class Group(TyperGroup):
    """The application, with the same rule for its own flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with flags that have no type in the help."""
        return _without_types(super().get_params(ctx))


def _without_types(parameters: list[Any]) -> list[Any]:
    for each in parameters:
        if getattr(each, "is_flag", False) and each.metavar is None:
            each.metavar = ""
    return parameters
