"""What `steelyard fit` writes, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from steelyard.cli.fit_groups import Fitted, Group
from steelyard.cli.output import AsJson, Output, check_place, table_format, write_table, write_text
from steelyard.errors import BadSetting


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

    def write(self, fits: Sequence[Fitted], flags: Mapping[tuple[str, str], str]) -> None:
        """Write the fits, each under the name of its group or beside its values; `flags` are those of its raters."""
        if self.raters:
            rated = [(each.group, _flagged(each, flags)) for each in fits]
            self._write(_under_each_other(rated, "--raters"))
        elif self.items:
            self._write(_under_each_other([(each.group, each.fit.items) for each in fits], "--items"))
        elif self.summary:
            write_text("\n\n".join(map(_summary, fits)) + "\n", self.output)
        else:
            rows = [(each.group, list(each.fit.scale.ordered().rows())) for each in fits]
            self._write(_under_each_other(rows, "the scale"))

    def _write(self, columns: Mapping[str, Sequence[Any]]) -> None:
        write_table(columns, self.output, self.as_json)


def _summary(fitted: Fitted) -> str:
    """The summary under the name of its group."""
    label = fitted.group.label
    return f"{label}\n{'=' * len(label)}\n{fitted.fit.summary()}" if label else fitted.fit.summary()


def _flagged(fitted: Fitted, flags: Mapping[tuple[str, str], str]) -> list[Mapping[str, Any]]:
    """The rows of a fit's raters with a last column that holds their flags."""
    label = fitted.group.label
    return [{**row, "flags": flags.get((label, str(row["rater"])), "")} for row in fitted.fit.raters]


def _under_each_other(
    tables: Sequence[tuple[Group, Sequence[Mapping[str, Any]]]], option: str
) -> dict[str, list[Any]]:
    """Rows that fits give, as columns, after the values of their groups; None where a fit has no such column."""
    names = dict.fromkeys(name for _, rows in tables for row in rows for name in row)
    if not names:
        raise BadSetting(option, f"this model says nothing of {option[2:]} but the scale.")
    leading = [f"by_{column}" if column in names else column for column in tables[0][0].columns]
    columns: dict[str, list[Any]] = {name: [] for name in (*leading, *names)}
    for group, rows in tables:
        for row in rows:
            for column, value in zip(leading, group.values, strict=True):
                columns[column].append(value)
            for name in names:
                columns[name].append(row.get(name))
    return columns
