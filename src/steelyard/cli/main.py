"""The command `steelyard`. Each subcommand is one stage; files are its arguments, and `-` is stdin or stdout."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated, TextIO

import typer

from steelyard.cli.agreement import agreement
from steelyard.cli.check import check
from steelyard.cli.commands import Command, Group
from steelyard.cli.compare import compare
from steelyard.cli.convert import convert
from steelyard.cli.databases import backup, migrate, move, restore
from steelyard.cli.demo import demo
from steelyard.cli.export import export
from steelyard.cli.fit import fit
from steelyard.cli.forget import forget
from steelyard.cli.freeze import freeze
from steelyard.cli.judge import judge
from steelyard.cli.keys import keys
from steelyard.cli.mturk import mturk
from steelyard.cli.new import new
from steelyard.cli.next import next_tasks
from steelyard.cli.output import remark
from steelyard.cli.plan import plan
from steelyard.cli.prefer import prefer
from steelyard.cli.prolific import prolific
from steelyard.cli.report import report
from steelyard.cli.reproduce import reproduce
from steelyard.cli.results import import_file
from steelyard.cli.serve import serve
from steelyard.cli.simulate import simulate
from steelyard.cli.trust import trust
from steelyard.errors import SteelyardError
from steelyard.maths.compiling import NotCompiled
from steelyard.version import VERSION

ABOUT = "Collect human judgments and estimate a scale with 95% intervals."

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
app.command(cls=Command)(compare)
app.command(cls=Command)(agreement)
app.command(cls=Command)(trust)
app.command(cls=Command)(judge)
app.command("next", cls=Command)(next_tasks)
app.command("import", cls=Command)(import_file)
app.command(cls=Command)(export)
app.command(cls=Command)(plan)
app.command(cls=Command)(simulate)
app.command(cls=Command)(freeze)
app.command(cls=Command)(report)
app.command(cls=Command)(keys)
app.command(cls=Command)(forget)
app.command(cls=Command)(reproduce)
app.command(cls=Command)(backup)
app.command(cls=Command)(restore)
app.command(cls=Command)(move)
app.command(cls=Command)(migrate)
app.add_typer(mturk, name="mturk")
app.add_typer(prolific, name="prolific")


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
    """Collect human judgments and estimate a scale with 95% intervals."""


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning to stderr; that loops are not compiled without the place in the code."""
    if issubclass(category, NotCompiled):
        remark(str(message))
    else:
        typer.echo(warnings.formatwarning(message, category, filename, lineno, line), file, err=file is None)


def main() -> None:
    """Run a command. An error that the user can correct is printed to stderr, with exit code 2."""
    warnings.showwarning = _show_warning
    try:
        app()
    except SteelyardError as mistake:
        typer.echo("\n".join([str(mistake), *getattr(mistake, "__notes__", ())]), err=True)
        sys.exit(2)
    except BrokenPipeError:  # the program that reads the output has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except ModuleNotFoundError as missing:
        extra = EXTRAS.get(missing.name or "")
        if extra is None:
            raise
        typer.echo(
            f"This command needs the package {missing.name}. Install it with: pip install 'steelyard[{extra}]'",
            err=True,
        )
        sys.exit(2)


STUDY_PARTS = ("altair", "fastapi", "jinja2", "markdown_it", "nh3", "sqlalchemy", "uvicorn")
EXTRAS = {**dict.fromkeys(STUDY_PARTS, "study"), "vl_convert": "plots", "boto3": "crowd", "botocore": "crowd"}
