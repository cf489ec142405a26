"""What `steelyard fit` writes, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from steelyard.cli.output import AsJson, Output, check_place, table_format, write_table, write_text
from steelyard.errors import BadSetting
from steelyard.scales.fit import Fit
from steelyard.scales.scale import stacked


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Which side of the fits is written: the scale, unless another is asked for."""

    summary: Annotated[
        bool, typer.Option("--summary", help="Write a summary to read instead of a table.")
    ] = False
    raters: Annotated[
        bool, typer.Option("--raters", help="Write one row per rater, with flags, instead of the scale.")
    ] = False
    items: Annotated[
        bool,
        typer.Option("--items", help="Write what the fit says of each item beside its position instead."),
    ] = False
    output: Output = None
    as_json: AsJson = False

    def check(self) -> None:
        """Refuse two sides at once, and a place or a format that cannot be written to: before long work."""
        wanted = [f"--{side}" for side in ("summary", "raters", "items") if getattr(self, side)]
        if self.summary and self.as_json:
            wanted.append("--json")
        if len(wanted) > 1:
            raise BadSetting(" and ".join(wanted), "only one of these can be written at a time. Choose one.")
        if self.summary:
            check_place(self.output)
        else:
            table_format(self.output, self.as_json)

    def write(
        self, fits: Sequence[tuple[str, Fit]], by: str | None, flags: Mapping[tuple[str, str], str]
    ) -> None:
        """Write the fits, each beside its value of the column `by`; `flags` are those of a value's raters."""
        if self.raters:
            rows = [(value, _flagged(value, fit.raters, flags)) for value, fit in fits]
            self._write(_under_each_other(rows, by, "--raters"))
        elif self.items:
            self._write(_under_each_other([(value, fit.items) for value, fit in fits], by, "--items"))
        elif self.summary:
            write_text("\n\n".join(fit.summary() for _, fit in fits) + "\n", self.output)
        else:
            self._write(stacked([(value, fit.scale) for value, fit in fits], by))

    def _write(self, columns: Mapping[str, Sequence[Any]]) -> None:
        write_table(columns, self.output, self.as_json)


def _flagged(
    value: str, rows: Sequence[Mapping[str, Any]], flags: Mapping[tuple[str, str], str]
) -> list[Mapping[str, Any]]:
    """The rows of raters with a last column that holds their flags."""
    return [{**row, "flags": flags.get((value, str(row["rater"])), "")} for row in rows]


def _under_each_other(
    tables: Sequence[tuple[str, Sequence[Mapping[str, Any]]]], by: str | None, option: str
) -> dict[str, list[Any]]:
    """Rows that fits give, as columns."""
    columns: dict[str, list[Any]] = {}
    for value, rows in tables:
        for row in rows:
            for name, cell in {**({by: value} if by else {}), **row}.items():
                columns.setdefault(name, []).append(cell)
    if not columns:
        raise BadSetting(option, f"this model says nothing of {option[2:]} but the scale.")
    return columns
