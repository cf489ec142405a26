"""The tables of docs/reference/command_line.md, from the Typer application."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from sitebuild.tables import table
from steelyard.cli.main import app

PLACEHOLDERS = {str: "TEXT", int: "NUMBER", float: "NUMBER", Path: "PATH"}


def command_line_parts() -> dict[str, Any]:
    """Return the table of all commands, and the function that writes the part of one command."""
    return {"commands": _summary(), "command": command_text}


def commands() -> dict[str, Any]:
    """Return the commands by name, as Typer makes them; a command of a group has the name of the group before it."""
    return dict(_leaves("", typer.main.get_command(app)))


def _leaves(prefix: str, group: Any) -> Iterator[tuple[str, Any]]:
    for name, each in group.commands.items():
        if hasattr(each, "commands"):
            yield from _leaves(f"{prefix}{name} ", each)
        else:
            yield f"{prefix}{name}", each


def command_text(name: str) -> str:
    """Return the help, the usage and the tables of arguments and options of a command."""
    command = commands()[name]
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    usage = " ".join(["steelyard", name, *(each.name.upper() for each in arguments), "[OPTIONS]"])
    parts = [" ".join(command.help.split()), f"```text\n{usage}\n```"]
    if arguments:
        parts.append(
            table(("argument", "meaning"), [(f"`{each.name.upper()}`", each.help) for each in arguments])
        )
    for panel in dict.fromkeys(each.rich_help_panel for each in options):
        rows = [
            (_spelling(each), _default(each), _meaning(each))
            for each in options
            if each.rich_help_panel == panel
        ]
        parts += [f"**{panel}**"] if panel else []
        parts.append(table(("option", "default", "meaning"), rows))
    return "\n\n".join(parts)


def _summary() -> str:
    rows = [
        (f"[`steelyard {name}`](#steelyard-{name.replace(' ', '-')})", " ".join(each.help.split()))
        for name, each in commands().items()
    ]
    return table(("command", "what it does"), rows)


def _spelling(option: Any) -> str:
    """The names of an option, and a placeholder for its value unless it is a flag."""
    names = ", ".join(f"`{each}`" for each in (*option.opts, *option.secondary_opts))
    if option.is_flag:
        return names
    metavar = option.metavar or PLACEHOLDERS.get(_type_of(option), "TEXT")
    return f"{names} `{metavar}`".replace("` `", " ").replace("|", "\\|")


def _type_of(option: Any) -> Any:
    annotation = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    if annotation is not None:
        return annotation
    by_name = {
        "text": str,
        "integer": int,
        "integer range": int,
        "float": float,
        "float range": float,
        "path": Path,
    }
    return by_name.get(option.type.name, str)


def _default(option: Any) -> str:
    if option.required:
        return "required"
    if isinstance(option.show_default, str):
        return f"`{option.show_default}`"
    if option.default is None or option.is_flag or option.default == "" or not option.show_default:
        return ""
    return f"`{option.default}`"


def _meaning(option: Any) -> str:
    """The help of an option, with the smallest and largest number that it takes."""
    limits = {"at least": option.min, "at most": option.max}
    stated = [f"{words} {limit}" for words, limit in limits.items() if limit is not None]
    repeats = " Can be repeated." if option.multiple and "repeat" not in option.help else ""
    return f"{option.help}{f' ({chr(44).join(stated)})'.replace(',', ', ') if stated else ''}{repeats}"
