"""The command `steelyard`. Each subcommand is one stage; files are its arguments, and `-` is stdin or stdout."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from steelyard.cli.check import check
from steelyard.cli.commands import Command, Group
from steelyard.cli.convert import convert
from steelyard.cli.demo import demo
from steelyard.cli.export import export
from steelyard.cli.fit import fit
from steelyard.cli.new import new
from steelyard.cli.next import next_tasks
from steelyard.cli.prefer import prefer
from steelyard.cli.report import report
from steelyard.cli.reproduce import reproduce
from steelyard.cli.results import import_file
from steelyard.cli.serve import serve
from steelyard.cli.simulate import simulate
from steelyard.errors import SteelyardError
from steelyard.version import VERSION

ABOUT = "Collect human judgments and turn them into a scale with calibrated uncertainty."

app = typer.Typer(
    name="steelyard",
    cls=Group,
    help=ABOUT,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command(cls=Command)(new)
app.command(cls=Command)(serve)
app.command(cls=Command)(demo)
app.command(cls=Command)(check)
app.command(cls=Command)(convert)
app.command(cls=Command)(fit)
app.command(cls=Command)(prefer)
app.command("next", cls=Command)(next_tasks)
app.command("import", cls=Command)(import_file)
app.command(cls=Command)(export)
app.command(cls=Command)(simulate)
app.command(cls=Command)(report)
app.command(cls=Command)(reproduce)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"steelyard {VERSION}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Collect human judgments and turn them into a scale with calibrated uncertainty."""


def main() -> None:
    """Run a command. An error that the user can correct is printed to stderr, with exit code 2."""
    try:
        app()
    except SteelyardError as mistake:
        typer.echo("\n".join([str(mistake), *getattr(mistake, "__notes__", ())]), err=True)
        sys.exit(2)
    except BrokenPipeError:  # the program that reads the output has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except ModuleNotFoundError as missing:
        if missing.name not in STUDY_PARTS:
            raise
        typer.echo(
            f"This command needs the package {missing.name}. Install it with: pip install 'steelyard[study]'",
            err=True,
        )
        sys.exit(2)


STUDY_PARTS = ("altair", "fastapi", "jinja2", "markdown_it", "nh3", "sqlalchemy", "uvicorn", "vl_convert")
