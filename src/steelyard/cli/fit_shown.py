"""Output of `steelyard fit`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, cast

import typer

from steelyard.cli.fit_flagged import FitOf, beside_unflagged
from steelyard.cli.fit_groups import Group, GroupFit
from steelyard.cli.output import (
    AsJson,
    Output,
    check_place,
    is_stdout,
    remark,
    table_format,
    write_table,
    write_text,
)
from steelyard.errors import BadSetting
from steelyard.scales.differences import Adjust, check_adjustment
from steelyard.scales.fit import INTERVAL_LEVEL


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Which result of the fits to write. The default is the scale."""

    panel: ClassVar[str] = "Output"
    summary: Annotated[
        bool, typer.Option("--summary", help="Write a summary as text instead of the scale.")
    ] = False
    raters: Annotated[
        bool, typer.Option("--raters", help="Write statistics and flags per rater instead of the scale.")
    ] = False
    items: Annotated[
        bool,
        typer.Option("--items", help="Write per-item diagnostics instead of the scale."),
    ] = False
    differences: Annotated[
        bool,
        typer.Option(
            "--differences",
            help="Write all pairwise differences with standard errors, intervals and p values instead of the scale.",
        ),
    ] = False
    clusters: Annotated[
        bool,
        typer.Option(
            "--clusters",
            help="Write groups of items instead of the scale: items of different groups differ significantly. Not "
            "related to --cluster.",
        ),
    ] = False
    adjust: Annotated[
        str | None,
        typer.Option(
            help="Adjustment of p values for multiple comparisons: none, bonferroni, holm, bh or single_step. "
            "Default: none for --differences, holm for --clusters."
        ),
    ] = None
    without_flagged: Annotated[
        bool,
        typer.Option(
            "--without-flagged",
            help="With --differences: add estimate, standard error and p value without flagged raters.",
        ),
    ] = False
    one_sided: Annotated[
        bool, typer.Option("--one-sided", help="With --clusters: use one-sided tests. Default: two-sided.")
    ] = False
    output: Output = None
    as_json: AsJson = False

    @property
    def prints_summary(self) -> bool:
        """Whether the summary goes to stdout."""
        return self.summary and is_stdout(self.output)

    def check(self) -> None:
        """Raise an error, before any long computation, for options that exclude each other or a bad output file."""
        sides = ("summary", "raters", "items", "differences", "clusters")
        wanted = [f"--{side}" for side in sides if getattr(self, side)]
        if self.summary and self.as_json:
            wanted.append("--json")
        if len(wanted) > 1:
            raise BadSetting(" and ".join(wanted), "these options exclude each other. Use one of them.")
        if self.adjust is not None:
            check_adjustment(self.adjust)
            if not self.differences and not self.clusters:
                raise BadSetting("--adjust", "this option needs --differences or --clusters.")
        if self.one_sided and not self.clusters:
            raise BadSetting("--one-sided", "this option needs --clusters.")
        if self.without_flagged and not self.differences:
            raise BadSetting("--without-flagged", "this option needs --differences.")
        if self.summary:
            check_place(self.output)
        else:
            table_format(self.output, self.as_json)

    def write(self, fits: Sequence[GroupFit], fit_of: FitOf, flags: Mapping[tuple[str, str], str]) -> None:
        """Write the result of all fits, with the values of their groups.

        Parameters
        ----------
        fits
            The fit of each group.
        fit_of
            Fits the same model to other judgments.
        flags
            Flags of each rater as text, by group and rater.
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
        rule = (
            f"Clusters: every pair of items from two clusters has {sides} p < 0.05{_adjusted(tested.adjust)}."
        )
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
    """The adjustment of p values, as the end of a sentence."""
    return ", not adjusted for the number of pairs" if adjust == "none" else f", adjusted by {adjust}"


def _summary(fitted: GroupFit) -> str:
    """The summary, with the name of the group as its title."""
    label = fitted.group.label
    return f"{label}\n{'=' * len(label)}\n{fitted.fit.summary()}" if label else fitted.fit.summary()


def _flagged(fitted: GroupFit, flags: Mapping[tuple[str, str], str]) -> list[Mapping[str, Any]]:
    """The rater rows of a fit, with flags in the last column."""
    label = fitted.group.label
    return [{**row, "flags": flags.get((label, str(row["rater"])), "")} for row in fitted.fit.raters]


def _under_each_other(
    tables: Sequence[tuple[Group, Sequence[Mapping[str, Any]]]], option: str
) -> dict[str, list[Any]]:
    """Combine the rows of all groups into columns, after the columns of `--by`. Missing values are None."""
    names = dict.fromkeys(name for _, rows in tables for row in rows for name in row)
    if not names:
        raise BadSetting(
            option, f"this model has no such output. Choose another model, or leave out {option}."
        )
    leading = [f"by_{column}" if column in names else column for column in tables[0][0].columns]
    columns: dict[str, list[Any]] = {name: [] for name in (*leading, *names)}
    for group, rows in tables:
        for row in rows:
            for column, value in zip(leading, group.values, strict=True):
                columns[column].append(value)
            for name in names:
                columns[name].append(row.get(name))
    return columns
