"""How a file of judgments is read: options that every command with such a file has."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from steelyard.cli.output import remark
from steelyard.errors import BadSetting
from steelyard.judgments.assumptions import assumptions
from steelyard.judgments.table import Judgments


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """What to do about repeated answers and mistakes, and which columns name an item."""

    repeats: Annotated[
        str | None,
        typer.Option(
            metavar="keep|first|last|mean|refuse",
            help="Which of a rater's repeated answers count. Default: refuse for ratings and ranges, keep for others.",
        ),
    ] = None
    item_key: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN,COLUMN", help="Columns that name an item together, such as segment,item."
        ),
    ] = None
    drop_bad_rows: Annotated[
        bool,
        typer.Option("--drop-bad-rows", help="Leave rows with mistakes out instead of refusing the file."),
    ] = False

    def settings(self) -> dict[str, Any]:
        """The options as arguments of `read`."""
        return {
            "repeats": self.repeats,
            "item_key": self._item_key(),
            "bad_rows": "drop" if self.drop_bad_rows else "refuse",
        }

    def _item_key(self) -> list[str] | None:
        if self.item_key is None:
            return None
        names = [name.strip() for name in self.item_key.split(",")]
        if "" in names:
            raise BadSetting(
                "--item-key", f"{self.item_key!r} is not a list of columns such as segment,item."
            )
        return names


def remark_on_judgments(judgments: Judgments, apart: Collection[str | None] = ()) -> None:
    """Report rows that were left out, and what is taken as one; columns in `apart` are not."""
    for finding in assumptions(judgments, apart):
        remark(finding.sentence)
