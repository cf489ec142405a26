"""`steelyard prefer`: tests of preference on paired comparisons, reported in sentences."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer

from steelyard.cli.fit import parts_by, read_judgments
from steelyard.cli.fit_groups import columns_read
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import TextOutput, check_place, is_terminal, progress, write_json, write_text
from steelyard.cli.reading_options import ComparisonReading, ReadingOptions, remark_on_judgments
from steelyard.errors import BadInput, MissingColumn, UnknownName
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Mask
from steelyard.report.preference.answering import (
    PREFERENCE,
    PreferOptions,
    answer_all,
    independence_words,
    with_counts,
)
from steelyard.report.preference.answers import PreferenceAnswer
from steelyard.report.preference.odds import PARAMETRISATIONS


@dataclass(frozen=True)
class AnsweredGroup:
    """The report for one value of the `--by` column. `value` is empty without `--by`."""

    value: str
    answers: tuple[PreferenceAnswer, ...]
    warnings: tuple[str, ...] = ()

    def lines(self, by: str | None) -> list[str]:
        """Return the report as lines of text."""
        heading = [] if by is None else [f"{by}={self.value}"]
        blocks = [answer.lines() for answer in self.answers]
        return [*heading, *(line for block in blocks for line in (*block, ""))]


@with_records
def prefer(
    file: Annotated[
        str, typer.Argument(help="File of comparisons: CSV, JSONL or Parquet. Use '-' for stdin.")
    ],
    *,
    by: Annotated[
        str | None,
        typer.Option(help="Test each value of this column separately. Default: all rows together."),
    ] = None,
    item: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ITEM",
            help="Use only comparisons between the items named by this option. Can be repeated. Default: all items.",
        ),
    ] = None,
    reading: ComparisonReading,
    rater_covariate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Test whether the preference differs between the values of this column, such as group. Can be "
            "repeated. Default: none.",
        ),
    ] = None,
    parametrisation: Annotated[
        str,
        typer.Option(
            help="Scale of estimates: odds, log_worth (log-odds; the log-worth of an item is the log of its strength) "
            "or lambda (half the log-odds, as in prefmod)."
        ),
    ] = "odds",
    seed: Annotated[
        int,
        typer.Option(min=0, help="Random seed of the permutation test, used when an exact test is too slow."),
    ] = 0,
    output: TextOutput = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the report with all statistics as JSON.")
    ] = False,
) -> None:
    """Test whether raters prefer some items to others in a file of comparisons, and report how strongly.

    The report also covers ties, differences between raters, the consistency of each rater, and position bias.
    """
    check_place(output)
    if parametrisation not in PARAMETRISATIONS:
        raise UnknownName("parametrisation", parametrisation, PARAMETRISATIONS)
    judgments = _between(_comparisons(file, reading), item)
    asked = PreferOptions(parametrisation, tuple(columns_read(judgments, rater_covariate or ())))
    by = None if by is None else columns_read(judgments, [by])[0]
    groups = _answered(parts_by(judgments, by), seed, asked)
    remark_on_judgments(judgments, (by,))
    if as_json:
        reports = [_plain(group, by) for group in groups]
        write_json(reports if by is not None else reports[0], output)
    else:
        lines = [line for group in groups for line in group.lines(by)]
        write_text("\n".join(_wrapped(lines) if output is None and is_terminal() else lines), output)


def _wrapped(lines: Sequence[str]) -> list[str]:
    """Return lines that fit in the terminal; continuations are indented."""
    width = shutil.get_terminal_size().columns
    return [textwrap.fill(line, width, subsequent_indent=" " * 4) for line in lines]


def _comparisons(file: str, reading: ReadingOptions) -> Judgments:
    try:
        return read_judgments(file, "comparison", None, reading)
    except MissingColumn as missing:
        raise missing.with_remedy(
            "steelyard prefer needs comparisons. Rankings, best-worst choices, and ratings that were made on one page "
            "(with a column task) can be converted with steelyard convert. If the file has comparisons, rename its "
            "columns."
        ) from None


def _plain(group: AnsweredGroup, by: str | None) -> dict[str, Any]:
    answers = [answer.plain() for answer in group.answers]
    report = {"answers": answers, "warnings": list(group.warnings)}
    return report if by is None else {by: group.value, **report}


def _answered(parts: list[tuple[str, Judgments]], seed: int, asked: PreferOptions) -> list[AnsweredGroup]:
    """Return one report per group. A group that cannot be tested reports why; if none can, the error is raised."""
    groups, refusals = [], []
    with progress("Testing", len(parts) if len(parts) > 1 else None) as show:
        for value, part in parts:
            try:
                answers = answer_all(part, np.random.default_rng(seed), asked)
                groups.append(AnsweredGroup(value, answers, tuple(independence_words(with_counts(part)))))
            except BadInput as reason:
                groups.append(AnsweredGroup(value, (PreferenceAnswer(PREFERENCE, [str(reason)]),)))
                refusals.append(reason)
            show(len(groups))
    if len(refusals) == len(parts):
        raise refusals[0]
    return groups


def _between(judgments: Judgments, items: list[str] | None) -> Judgments:
    """Return the comparisons in which both items are among those named."""
    if not items:
        return judgments.compact()
    labels = [str(label) for label in judgments.items]
    for name in items:
        if name not in labels:
            raise UnknownName("item", name, labels)
    wanted = np.isin(np.array(labels), items)

    def keep(table: Table) -> Mask:
        return np.asarray(wanted[table.codes["left"]] & wanted[table.codes["right"]])

    return judgments.where(keep).compact()
