"""`steelyard`: the commands are the stages, files are the arguments, `-` is stdin or stdout."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from steelyard.cli.check import check
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

app = typer.Typer(
    name="steelyard",
    help="Graded human judgments in, one calibrated scale with honest uncertainty out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command()(new)
app.command()(serve)
app.command()(demo)
app.command()(check)
app.command()(convert)
app.command()(fit)
app.command()(prefer)
app.command("next")(next_tasks)
app.command("import")(import_file)
app.command()(export)
app.command()(simulate)
app.command()(report)
app.command()(reproduce)


def _say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"steelyard {VERSION}")
        raise typer.Exit


@app.callback()
def start(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version and stop."),
    ] = False,
) -> None:
    """Graded human judgments in, one calibrated scale with honest uncertainty out."""


def main() -> None:
    """Run a command; a mistake that a user can correct is one message on stderr and exit code 2."""
    try:
        app()
    except SteelyardError as mistake:
        typer.echo("\n".join([str(mistake), *getattr(mistake, "__notes__", ())]), err=True)
        sys.exit(2)
    except BrokenPipeError:  # the reader of a pipe has gone: nobody is left to read
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except ModuleNotFoundError as missing:
        if missing.name not in STUDY_PARTS:
            raise
        typer.echo(f"This needs {missing.name}. Install it with: pip install 'steelyard[study]'", err=True)
        sys.exit(2)


STUDY_PARTS = ("altair", "fastapi", "jinja2", "markdown_it", "nh3", "sqlalchemy", "uvicorn", "vl_convert")
