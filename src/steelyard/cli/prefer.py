"""`steelyard prefer`: tests of preference on paired comparisons, reported in sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer

from steelyard.cli.answers import PreferenceAnswer, p_words
from steelyard.cli.fit import parts_by, read_judgments
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import Output, check_place, progress, write_json, write_text
from steelyard.cli.prefer_groups import group_answer
from steelyard.cli.prefer_model import Common, common_worths, strength_answer, ties_answer, worth_test
from steelyard.cli.prefer_odds import PARAMETRISATIONS
from steelyard.cli.prefer_raters import raters_answer
from steelyard.cli.prefer_tests import consistency_answer, count_raters, friedman_answer, pair_tests
from steelyard.cli.reading_options import ComparisonReading, ReadingOptions, remark_on_judgments
from steelyard.errors import BadInput, MissingColumn, NothingToTest, UnknownName
from steelyard.judgments.comparison_arrays import TIE, pairs_of
from steelyard.judgments.findings import counted
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Mask
from steelyard.models.bradley_terry.rater_variance import FEW_RATERS

PREFERENCE = "Is there a preference at all?"


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


@dataclass(frozen=True)
class PreferOptions:
    """Options of the report: the parametrisation of estimates and the rater covariates to test."""

    parametrisation: str = "odds"
    rater_covariates: tuple[str, ...] = ()


@with_records
def prefer(
    file: Annotated[str, typer.Argument(help="CSV, JSONL or Parquet file of comparisons; - reads stdin.")],
    *,
    by: Annotated[str | None, typer.Option(help="Test each value of this column separately.")] = None,
    item: Annotated[
        list[str] | None,
        typer.Option(help="Use only comparisons between the items named with this option; repeatable."),
    ] = None,
    reading: ComparisonReading,
    rater_covariate: Annotated[
        list[str] | None,
        typer.Option(
            help="Test whether the preference differs by this rater covariate, such as group; repeatable."
        ),
    ] = None,
    parametrisation: Annotated[
        str,
        typer.Option(
            help="Scale of estimates: odds, log_worth (log-odds) or lambda (half the log-odds, as in prefmod)."
        ),
    ] = "odds",
    seed: Annotated[
        int,
        typer.Option(min=0, help="Random seed of the permutation test, used when an exact test is too slow."),
    ] = 0,
    output: Output = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the report with all statistics as JSON.")
    ] = False,
) -> None:
    """Test for a preference: its strength, the effect of ties, differences between raters, and consistency."""
    check_place(output)
    if parametrisation not in PARAMETRISATIONS:
        raise UnknownName("parametrisation", parametrisation, PARAMETRISATIONS)
    asked = PreferOptions(parametrisation, tuple(rater_covariate or ()))
    judgments = _between(_comparisons(file, reading), item)
    groups = _answered(parts_by(judgments, by), seed, asked)
    remark_on_judgments(judgments, (by,))
    if as_json:
        reports = [_plain(group, by) for group in groups]
        write_json(reports if by is not None else reports[0], output)
    else:
        write_text("\n".join(line for group in groups for line in group.lines(by)), output)


def _comparisons(file: str, reading: ReadingOptions) -> Judgments:
    try:
        return read_judgments(file, "comparison", None, reading)
    except MissingColumn as missing:
        raise missing.with_remedy("Rename a column, or give a file of comparisons.") from None


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
                groups.append(AnsweredGroup(value, answers, tuple(independence_words(_nonzero(part)))))
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


def answer_all(
    judgments: Judgments, rng: np.random.Generator, asked: PreferOptions | None = None
) -> tuple[PreferenceAnswer, ...]:
    """Answer the questions of Dras (2015) from comparisons.

    Parameters
    ----------
    judgments
        Comparisons, with ties or without.
    rng
        Random numbers of Friedman's permutation test.
    asked
        Parametrisation and rater covariates. Default: odds, and no covariates.

    Returns
    -------
    tuple of PreferenceAnswer
        Preference, strength, ties, differences between raters, one answer per rater covariate, consistency.

    Raises
    ------
    NothingToTest
        If no two items are compared, or if every answer is a tie.

    References
    ----------
    - Dras, M. (2015). Evaluating human pairwise preference judgments. Computational Linguistics, 41(2).
    """
    present = _nonzero(judgments)
    _check(present)
    common = common_worths(present)
    asked = PreferOptions() if asked is None else asked
    groups = (group_answer(common, column, asked.parametrisation) for column in asked.rater_covariates)
    return (
        preference_answer(common, rng),
        strength_answer(common, asked.parametrisation),
        ties_answer(common),
        raters_answer(common),
        *groups,
        consistency_answer(present),
    )


def _nonzero(judgments: Judgments) -> Judgments:
    """Return the judgments without rows whose count is 0."""
    return judgments.where(lambda table: table.weights > 0).compact()


def _check(judgments: Judgments) -> None:
    """Raise `NothingToTest` where the comparisons cannot show a preference."""
    items, pairs = len(judgments.items), pairs_of(judgments)
    if not len(pairs) or items < 2:
        raise NothingToTest(
            "Preference",
            "no two items are compared here.",
            "Choose other items with --item, or another file.",
        )
    if np.all(pairs.outcome == TIE):
        fact = f"all {counted(float(pairs.weight.sum()), 'answer')} are ties."
        raise NothingToTest("Preference", fact, "Add answers that prefer an item.")


def preference_answer(common: Common, rng: np.random.Generator) -> PreferenceAnswer:
    """Test for a preference.

    A single pair is tested by sign tests, several items by the likelihood ratio test of equal worths. If the
    file has raters, Friedman's test is added.
    """
    judgments = common.judgments
    tested = _pair_answer(common) if len(judgments.items) == 2 else worth_test(common)
    friedman, numbers = friedman_answer(judgments, rng)
    caution = independence_words(judgments, "friedman" in numbers)
    return PreferenceAnswer(PREFERENCE, [*tested[0], *friedman, *caution], {**tested[1], **numbers})


def _pair_answer(common: Common) -> tuple[list[str], dict[str, Any]]:
    """Return the sign tests of one pair, and the test clustered by rater where it can be computed."""
    words, numbers = pair_tests(common.judgments)
    fitted = common.finite
    tally = numbers["tally"]
    step = None if fitted is None else fitted.odds([(tally.first, tally.second)])[0]
    clustered = None if step is None else step.clustered
    if clustered is not None:
        test = f"t = {clustered.t:.2f} on {clustered.df:.1f} df, {p_words(clustered.p)}"
        words = [*words, f"Test clustered by rater ({counted(clustered.raters, 'rater')}): {test}."]
    return words, {**numbers, "clustered": clustered}


def independence_words(judgments: Judgments, friedman: bool = False) -> list[str]:
    """Return cautions: which p values and intervals assume independent answers, and whether raters are few.

    `friedman` indicates that the report contains Friedman's test.
    """
    raters, answers = count_raters(judgments), float(judgments.table("comparison").weights.sum())
    if not raters:
        return [
            f"These p values assume that the {counted(answers, 'answer')} are independent. "
            "The file has no rater column, so this cannot be checked."
        ]
    if raters >= answers:
        return []
    counts = f"{counted(answers, 'answer')} of {counted(raters, 'rater')}"
    if raters == 1:
        return [
            f"All p values assume that the {counts} are independent. They do not generalise to other raters."
        ]
    which = (
        "Except for Friedman's test and results clustered by rater"
        if friedman
        else "Except for results clustered by rater"
    )
    words = [
        f"{which}, all p values and intervals assume that the {counts} are independent. If answers of one rater are "
        "correlated, these p values are too small and these intervals too narrow."
    ]
    return [*words, _few_words(raters)] if raters < FEW_RATERS else words


def _few_words(raters: int) -> str:
    return (
        f"There are only {counted(raters, 'rater')}, so clustered p values and intervals are based on few clusters. "
        "They use the larger of the clustered and the model-based variance, and a t distribution with few degrees of "
        "freedom."
    )
