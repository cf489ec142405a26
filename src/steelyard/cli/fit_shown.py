"""What `steelyard fit` writes, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast

import typer

from steelyard.cli.fit_flagged import FitOf, beside_unflagged
from steelyard.cli.fit_groups import Group, GroupFit
from steelyard.cli.output import AsJson, Output, check_place, remark, table_format, write_table, write_text
from steelyard.errors import BadSetting
from steelyard.scales.differences import Adjust, check_adjustment
from steelyard.scales.fit import INTERVAL_LEVEL


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
    differences: Annotated[
        bool,
        typer.Option(
            "--differences", help="Write all differences, with errors, intervals and p values, instead."
        ),
    ] = False
    clusters: Annotated[
        bool,
        typer.Option("--clusters", help="Write groups that differ significantly from each other instead."),
    ] = False
    adjust: Annotated[
        str | None,
        typer.Option(
            help="p values: none, bonferroni, holm, bh or single_step. Default: none for --differences, "
            "holm for --clusters."
        ),
    ] = None
    without_flagged: Annotated[
        bool,
        typer.Option(
            "--without-flagged",
            help="--differences: add estimate, error and p without the raters who were flagged.",
        ),
    ] = False
    one_sided: Annotated[
        bool, typer.Option("--one-sided", help="--clusters: test whether the upper one is better.")
    ] = False
    output: Output = None
    as_json: AsJson = False

    def check(self) -> None:
        """Refuse two sides at once, and a place or a format that cannot be written to: before long work."""
        sides = ("summary", "raters", "items", "differences", "clusters")
        wanted = [f"--{side}" for side in sides if getattr(self, side)]
        if self.summary and self.as_json:
            wanted.append("--json")
        if len(wanted) > 1:
            raise BadSetting(" and ".join(wanted), "only one of these can be written at a time. Choose one.")
        if self.adjust is not None:
            check_adjustment(self.adjust)
            if not self.differences and not self.clusters:
                raise BadSetting("--adjust", "this option belongs to --differences and --clusters.")
        if self.one_sided and not self.clusters:
            raise BadSetting("--one-sided", "this option belongs to --clusters.")
        if self.without_flagged and not self.differences:
            raise BadSetting("--without-flagged", "this option belongs to --differences.")
        if self.summary:
            check_place(self.output)
        else:
            table_format(self.output, self.as_json)

    def write(self, fits: Sequence[GroupFit], fit_of: FitOf, flags: Mapping[tuple[str, str], str]) -> None:
        """Write the fits, each under the name of its group or beside the group's values.

        `fit_of` makes such a fit of other judgments; `flags` are those of each group's raters.
        """
        if self.raters:
            rated = [(each.group, _flagged(each, flags)) for each in fits]
            self._write(_under_each_other(rated, "--raters"))
        elif self.items:
            self._write(_under_each_other([(each.group, each.fit.items) for each in fits], "--items"))
        elif self.differences:
            self._write(
                _under_each_other(
                    [(each.group, self._differences(each, fit_of)) for each in fits], "--differences"
                )
            )
        elif self.clusters:
            self._write(
                _under_each_other([(each.group, self._clusters(each)) for each in fits], "--clusters")
            )
        elif self.summary:
            write_text("\n\n".join(map(_summary, fits)) + "\n", self.output)
        else:
            rows = [(each.group, list(each.fit.scale.ordered().rows())) for each in fits]
            self._write(_under_each_other(rows, "the scale"))

    def _differences(self, fitted: GroupFit, fit_of: FitOf) -> list[dict[str, Any]]:
        adjust = cast(Adjust, "none" if self.adjust is None else self.adjust)
        differences = fitted.fit.differences(adjust=adjust)
        for note in (*differences.notes, f"p values are two-sided{_adjusted(differences.adjust)}."):
            remark(fitted.group.named(note))
        if not self.without_flagged:
            return differences.rows()
        return beside_unflagged(fitted, differences, fit_of, adjust)

    def _clusters(self, fitted: GroupFit) -> list[dict[str, Any]]:
        adjust = cast(Adjust, "holm" if self.adjust is None else self.adjust)
        groups = fitted.fit.clusters(adjust=adjust, one_sided=self.one_sided)
        tested = fitted.fit.compared(adjust, INTERVAL_LEVEL)
        sides = "one-sided" if self.one_sided else "two-sided"
        rule = f"A line is drawn where every pair across it has {sides} p < 0.05{_adjusted(tested.adjust)}."
        for note in (*tested.notes, rule):
            remark(fitted.group.named(note))
        position = dict(zip(map(str, fitted.fit.item), fitted.fit.posterior.position.tolist(), strict=True))
        numbered = enumerate(groups, start=1)
        return [
            {"cluster": at, "item": item, "position": position[item]}
            for at, group in numbered
            for item in group
        ]

    def _write(self, columns: Mapping[str, Sequence[Any]]) -> None:
        write_table(columns, self.output, self.as_json)


def _adjusted(adjust: str) -> str:
    """How p values were adjusted, as the end of a sentence."""
    return ", not adjusted for the number of pairs" if adjust == "none" else f", adjusted by {adjust}"


def _summary(fitted: GroupFit) -> str:
    """The summary under the name of its group."""
    label = fitted.group.label
    return f"{label}\n{'=' * len(label)}\n{fitted.fit.summary()}" if label else fitted.fit.summary()


def _flagged(fitted: GroupFit, flags: Mapping[tuple[str, str], str]) -> list[Mapping[str, Any]]:
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
