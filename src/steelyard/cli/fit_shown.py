"""Output of `steelyard fit`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

import typer

from steelyard.cli.fit_charts import check_chart, draw
from steelyard.cli.fit_flagged import FitOf, beside_unflagged
from steelyard.cli.fit_groups import Group, GroupFit
from steelyard.cli.fit_page import write_page
from steelyard.cli.output import (
    FOR_PAGES,
    AsJson,
    Caption,
    Label,
    Output,
    TableText,
    check_place,
    is_stdout,
    is_terminal,
    remark,
    table_format,
    write_table,
    write_text,
)
from steelyard.errors import BadSetting, UnknownName
from steelyard.models.bradley_terry.coefficients import PARAMETRISATIONS
from steelyard.report.words import adjustment
from steelyard.scales.differences import Adjust, check_adjustment
from steelyard.scales.fit import INTERVAL_LEVEL

TABLES = (
    "raters",
    "items",
    "coefficients",
    "differences",
    "clusters",
    "matrix",
)  # options that replace the scale
ESTIMATES = ("scale", "differences", "clusters", "coefficients")  # tables that state the type of their errors
MOST_CLUSTERED = 300  # items in a table for readers up to which clusters are computed
CLUSTER_RULE = (
    "cluster: members of different clusters always have two-sided p < 0.05, adjusted for the number of pairs by Holm's "
    "method."
)
RANK_RULE = (
    "rank_low and rank_high: ends of the 95% interval of the rank. It is not adjusted for the number of pairs, and can "
    "therefore be narrower than the clusters suggest."
)
SPREAD_RULE = "spread: standard error of the position, for Bayesian models the posterior standard deviation."
CHARTS = {
    "matrix": "matrix",
    "raters": "raters",
    "items": "ambiguity",
}  # chart of each table; others show the scale


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Which result of the fits to write. The default is the scale."""

    panel: ClassVar[str] = "Output"
    summary: Annotated[
        bool, typer.Option("--summary", help="Write a summary to read, instead of the scale as a table.")
    ] = False
    raters: Annotated[
        bool, typer.Option("--raters", help="Write statistics and flags per rater instead of the scale.")
    ] = False
    items: Annotated[
        bool,
        typer.Option(
            "--items", help="Write diagnostics of each item, such as disagreement, instead of the scale."
        ),
    ] = False
    differences: Annotated[
        bool,
        typer.Option(
            "--differences",
            help="Write all pairwise differences instead of the scale: estimate, error (standard error), low and high "
            "(95% interval, not adjusted), p (adjusted by --adjust), probability (that the left item is higher) and "
            "detectable (the smallest difference that this design finds with 80% power).",
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
    coefficients: Annotated[
        bool,
        typer.Option(
            "--coefficients",
            help="Write all coefficients of the model (items, order, ties, covariates) with standard errors instead of "
            "the scale. For bradley_terry and plackett_luce.",
        ),
    ] = False
    matrix: Annotated[
        bool,
        typer.Option(
            "--matrix",
            help="Write, for all pairs, the probability that the item of the row is preferred to that of the column "
            "(a tie counts one half), instead of the scale. For ratings: the probability "
            "that the item of the row has the higher position.",
        ),
    ] = False
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also draw a chart to this file: .svg, .png, .html or .json. It shows the scale or, with --matrix, "
            "--raters or --items, that result. Default: no chart.",
            show_default=False,
        ),
    ] = None
    page: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write a leaderboard as an HTML page: for each group of --by the scale with intervals of "
            "positions and ranks, position bias and covariates, and the win matrix. Default: no page.",
            show_default=False,
        ),
    ] = None
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
    parametrisation: Annotated[
        str | None,
        typer.Option(
            help="With --summary or --coefficients of bradley_terry: scale of the estimates. log_worth: differences "
            "are log-odds; lambda: half of that, as in prefmod. Default: log_worth."
        ),
    ] = None
    one_sided: Annotated[
        bool,
        typer.Option(
            "--one-sided",
            help="With --clusters: use one-sided tests. Not related to --one-sided-raters. Default: two-sided.",
        ),
    ] = False
    output: Output = None
    as_json: AsJson = False
    caption: Caption = None
    label: Label = None

    @property
    def prints_summary(self) -> bool:
        """Whether the summary goes to stdout."""
        return self.summary and is_stdout(self.output)

    def check(self) -> None:
        """Raise an error, before any long computation, for options that exclude each other or a bad output file."""
        wanted = [f"--{side}" for side in ("summary", *TABLES) if getattr(self, side)]
        if self.summary and self.as_json:
            wanted.append("--json")
        if len(wanted) > 1:
            raise BadSetting(" and ".join(wanted), "these options exclude each other. Use one of them.")
        if self.adjust is not None:
            check_adjustment(self.adjust)
            if not self.differences and not self.clusters:
                raise BadSetting("--adjust", "this option needs --differences or --clusters.")
        if self.parametrisation is not None:
            if self.parametrisation not in PARAMETRISATIONS:
                raise UnknownName("parametrisation", self.parametrisation, PARAMETRISATIONS)
            if not self.summary and not self.coefficients:
                raise BadSetting("--parametrisation", "this option needs --summary or --coefficients.")
        if self.one_sided and not self.clusters:
            raise BadSetting("--one-sided", "this option needs --clusters.")
        if self.without_flagged and not self.differences:
            raise BadSetting("--without-flagged", "this option needs --differences.")
        if self.summary:
            check_place(self.output)
        else:
            table_format(self.output, self.as_json)
            self._text.check(self.output, self.as_json)
        self._check_further_files()

    def _check_further_files(self) -> None:
        if self.plot is not None:
            check_chart(self._chart, self.plot)
        if self.page is not None:
            check_place(self.page)

    @property
    def _table(self) -> str:
        """The table to write: one of the options, or the scale."""
        return next((side for side in TABLES if getattr(self, side)), "scale")

    @property
    def _chart(self) -> str:
        return CHARTS.get(self._table, "scale")

    def write(
        self,
        fits: Sequence[GroupFit],
        fit_of: FitOf,
        flags: Mapping[tuple[str, str], str],
        notes: Sequence[str] = (),
    ) -> None:
        """Write the result of all fits, with the values of their groups.

        Parameters
        ----------
        fits
            The fit of each group.
        fit_of
            Fits the same model to other judgments.
        flags
            Flags of each rater as text, by group and rater.
        notes
            Sentences about all judgments, for the page.
        """
        if self.page is not None:
            write_page(fits, self.page, notes)
        if self.plot is not None:
            draw(self._chart, fits, self.plot)
        if self.summary:
            write_text("\n\n".join(map(self._summary, fits)) + "\n", self.output)
            return
        rows_of: dict[str, Callable[[GroupFit], Sequence[Mapping[str, Any]]]] = {
            "raters": lambda each: _flagged(each, flags),
            "items": lambda each: each.fit.items,
            "coefficients": self._coefficients,
            "differences": lambda each: self._differences(each, fit_of),
            "clusters": self._clusters,
            "matrix": self._matrix,
            "scale": self._scale,
        }
        chosen = self._table
        tables = [(each.group, self._described(each, rows_of[chosen](each))) for each in fits]
        option = "the scale" if chosen == "scale" else f"--{chosen}"
        text = replace(self._text, notes=self._notes(fits))
        write_table(_under_each_other(tables, option), self.output, self.as_json, text=text)

    @property
    def _text(self) -> TableText:
        return TableText(caption=self.caption, label=self.label)

    @property
    def _for_page(self) -> bool:
        """Whether the table is for readers: Markdown or LaTeX."""
        return table_format(self.output, self.as_json) in FOR_PAGES

    def _scale(self, fitted: GroupFit) -> list[dict[str, Any]]:
        """The scale, highest position first; with clusters in a table for readers."""
        rows = fitted.fit.scale.ordered().rows()
        if not self._for_page or not 2 <= len(rows) <= MOST_CLUSTERED:
            return rows
        groups = fitted.fit.clusters(adjust="holm")
        cluster = {item: number for number, group in enumerate(groups, start=1) for item in group}
        return [{**row, "cluster": cluster[str(row["item"])]} for row in rows]

    def _notes(self, fits: Sequence[GroupFit]) -> tuple[str, ...]:
        """Sentences below a table for readers: what its errors, intervals and clusters are."""
        if not self._for_page or self._table not in ESTIMATES:
            return ()
        notes = [fitted.group.named(note) for fitted in fits for note in _error_notes(fitted)]
        if self._table == "scale":
            notes.append(SPREAD_RULE)
        if self._table == "scale" and any(2 <= len(fitted.fit.item) <= MOST_CLUSTERED for fitted in fits):
            notes += [CLUSTER_RULE, RANK_RULE]
        return tuple(notes)

    def _described(self, fitted: GroupFit, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Add error type and target to the rows of estimates, except where readers find them beside the table."""
        shown = self.output is None and not self.as_json and is_terminal()
        if shown or self._for_page or self._table not in ESTIMATES:
            return rows
        return [{**row, **fitted.fit.provenance.described} for row in rows]

    def _coefficients(self, fitted: GroupFit) -> list[dict[str, Any]]:
        coefficients = fitted.fit.coefficients(**self._of_estimates(fitted))
        for note in getattr(coefficients, "notes", ()):
            remark(fitted.group.named(note))
        return coefficients.rows()

    def _summary(self, fitted: GroupFit) -> str:
        """The summary, with the name of the group as its title."""
        label, summary = fitted.group.label, fitted.fit.summary(**self._of_estimates(fitted))
        return f"{label}\n{'=' * len(label)}\n{summary}" if label else summary

    def _of_estimates(self, fitted: GroupFit) -> dict[str, Any]:
        """The scale of the estimates, which only some models let users choose."""
        if self.parametrisation is None:
            return {}
        if self.parametrisation not in fitted.fit.parametrisations:
            model = fitted.fit.provenance.model
            raise BadSetting(
                "--parametrisation", f"this option is for bradley_terry, and the model is {model}."
            )
        return {"parametrisation": self.parametrisation}

    def _matrix(self, fitted: GroupFit) -> list[dict[str, Any]]:
        matrix = fitted.fit.win_matrix()
        remark(fitted.group.named(matrix.meaning))
        return matrix.rows()

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
        test = f"{sides} p < 0.05{_adjusted(tested.adjust)}"
        rule = f"Clusters: any two members of different clusters differ with {test}."
        for note in (*tested.notes, rule):
            remark(fitted.group.named(note))
        return groups.rows()


def _error_notes(fitted: GroupFit) -> list[str]:
    """Sentences on how errors and intervals were computed, and what they apply to."""
    described = fitted.fit.provenance.described
    errors = described.get("errors")
    notes = [f"Standard errors: {errors}. low and high: ends of 95% intervals." if errors else ""]
    target = str(described.get("target", "")).replace(", ", " and ")
    notes.append(f"The results hold for {target}." if target else "")
    return [each for each in notes if each]


def _adjusted(adjust: str) -> str:
    """The adjustment of p values, as the end of a sentence."""
    if adjust == "none":
        return ", not adjusted for the number of pairs"
    return f", adjusted for the number of pairs by {adjustment(adjust)}"


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
