"""Options for reading files of judgments, shared by all commands that read them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, get_args

import typer

from steelyard.cli.output import remark
from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.assumptions import assumptions
from steelyard.judgments.repeats import Repeats
from steelyard.judgments.table import Judgments

READING = "Reading the file"  # panel of the help


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How to treat repeated answers and mistakes, and which columns identify an item."""

    panel: ClassVar[str] = READING
    treatments: ClassVar[tuple[str, ...]] = get_args(Repeats)
    repeats: Annotated[
        str | None,
        typer.Option(
            metavar="keep|first|last|mean|refuse",
            help="Which answers to use if a rater judges the same item, pair or list more than once. keep: all; mean: "
            "the mean of the scores; refuse: stop with an error. "
            "Default: refuse for ratings and ranges, keep for other kinds.",
        ),
    ] = None
    item_key: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN,COLUMN",
            help="Columns that together identify an item, such as system,segment. In files of comparisons, name "
            "columns without their side: system for left_system and right_system, and item for left and right. "
            "Default: the column item, or the columns left and right.",
        ),
    ] = None
    drop_bad_rows: Annotated[
        bool,
        typer.Option(
            "--drop-bad-rows", help="Leave out rows with mistakes. Default: list the mistakes and stop."
        ),
    ] = False

    machine_raters: Annotated[
        str | None,
        typer.Option(
            metavar="RATER,RATER",
            help="Raters that are machine judges, such as a metric or a language model. Their answers are never "
            "counted as people's. Default: raters whose rows have the value machine in the column "
            "source. A column source with other values, such as the source sentence, is not used for this.",
        ),
    ] = None

    def settings(self) -> dict[str, Any]:
        """Return the options as arguments of `read`."""
        return {
            "repeats": self._repeats(),
            "item_key": self._item_key(),
            "bad_rows": "drop" if self.drop_bad_rows else "refuse",
            "machine_raters": () if self.machine_raters is None else self._machine_raters(),
        }

    def _machine_raters(self) -> tuple[str, ...]:
        names = tuple(name.strip() for name in (self.machine_raters or "").split(","))
        if "" in names:
            raise BadSetting(
                "--machine-raters", f"{self.machine_raters!r} is not a list of raters. Write one,two."
            )
        return names

    def _repeats(self) -> str | None:
        if self.repeats is not None and self.repeats not in self.treatments:
            raise UnknownName("value", self.repeats, self.treatments, where="--repeats")
        return self.repeats

    def _item_key(self) -> list[str] | None:
        if self.item_key is None:
            return None
        names = [name.strip() for name in self.item_key.split(",")]
        if "" in names:
            raise BadSetting(
                "--item-key",
                f"{self.item_key!r} is not a list of columns. Write, for example, system,segment.",
            )
        return names


@dataclass(frozen=True, kw_only=True)
class ComparisonReading(ReadingOptions):
    """The same options for a command that reads comparisons only."""

    treatments: ClassVar[tuple[str, ...]] = tuple(each for each in get_args(Repeats) if each != "mean")
    repeats: Annotated[
        str | None,
        typer.Option(
            metavar="keep|first|last|refuse",
            help="Which answers to use if a rater compares the same pair repeatedly. Default: keep.",
        ),
    ] = None


def remark_on_judgments(
    judgments: Judgments,
    apart: Collection[str | None] = (),
    uses_machine: bool = False,
    printed: Collection[str] = (),
) -> None:
    """Print which rows were left out, and what was pooled.

    Parameters
    ----------
    judgments
        Judgments that are used.
    apart
        Columns that are not pooled.
    uses_machine
        Whether the answers of machine judges are used.
    printed
        Sentences that are not repeated.
    """
    for finding in assumptions(judgments, apart, uses_machine):
        if finding.sentence not in printed:
            remark(finding.sentence)
