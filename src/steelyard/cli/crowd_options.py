"""Options and questions that the commands of crowds share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from steelyard.errors import BadSetting

if TYPE_CHECKING:
    from steelyard.study.results.pay import PayLine
    from steelyard.study.results.watch import Watch

Folder = Annotated[Path, typer.Argument(help="Folder of the study.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]
Everyone = Annotated[
    bool,
    typer.Option(
        "--all",
        help="Also approve raters who have not finished or who failed checks. Default: only those who finished.",
    ),
]


def confirm(question: str, yes: bool) -> None:
    """Ask whether to continue, and stop the command if not."""
    if not yes and not typer.confirm(question, err=True):
        raise typer.Exit(1)


def public_address(url: str) -> str:
    """Return the address of a study that others can reach; raise BadSetting unless it is https."""
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment:
        raise BadSetting("--url", f"{url!r} is not an address such as https://study.example.")
    return url.rstrip("/")


def pay_of(watch: Watch) -> dict[str, PayLine]:
    """Return the pay of each rater, by id."""
    from steelyard.study.results.pay import pay_lines  # optional dependencies

    return {line.rater.id: line for line in pay_lines(watch.arm_ledgers(), watch.roster())}
