"""The command line of the running command: which options were given, and how to run it again."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import typer

from steelyard.errors import BadSetting

OF_FILES = frozenset(
    {"kind", "range", "repeats", "item_key", "drop_bad_rows"}
)  # options of how a file is read
GIVEN = "COMMANDLINE"  # name of the source of a value that is not a default


def options_given(context: typer.Context) -> frozenset[str]:
    """Return the names of the parameters that the command line sets."""
    return frozenset(str(each.name) for each in _given(context))


def refuse_for_study(context: typer.Context) -> None:
    """Raise an error for options that apply to files of judgments only, if the command reads a study."""
    wrong = sorted(options_given(context) & OF_FILES)
    if wrong:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in wrong)
        verb, them = ("this option applies", "it") if len(wrong) == 1 else ("these options apply", "them")
        settings = "The range of a study is in its study.toml. " if "range" in wrong else ""
        raise BadSetting(
            options, f"{verb} to files of judgments only, and this is a study. {settings}Leave {them} out."
        )


def command_given(context: typer.Context) -> str:
    """Return the command line, with arguments first and long names of options, quoted for a shell."""
    words = ["steelyard", str(context.info_name)]
    parameters = sorted(_given(context), key=lambda each: each.param_type_name != "argument")
    for each in parameters:
        words += _words(each, context.params[str(each.name)])
    return shlex.join(words)


def _given(context: typer.Context) -> Iterator[Any]:
    for each in context.command.params:
        source = context.get_parameter_source(str(each.name))
        if source is not None and source.name == GIVEN:
            yield each


def _words(parameter: Any, value: Any) -> list[str]:
    if parameter.param_type_name == "argument":
        return [str(value)]
    option = max(parameter.opts, key=len)
    if value is True:
        return [option]
    if isinstance(value, list):
        return [word for each in value for word in (option, str(each))]
    return [option, *map(str, value)] if isinstance(value, tuple) else [option, str(value)]
