"""`steelyard prefer`: what comparisons say of a preference, in sentences to quote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer

from steelyard.cli.answers import Answer, counted
from steelyard.cli.fit import parts_by, read_judgments
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import Output, check_place, progress, write_json, write_text
from steelyard.cli.prefer_model import Common, common_worths, strength_answer, ties_answer, worth_test
from steelyard.cli.prefer_raters import raters_answer
from steelyard.cli.prefer_tests import consistency_answer, friedman_answer, named_raters, pair_tests
from steelyard.cli.reading_options import ReadingOptions, remark_on_judgments
from steelyard.errors import BadInput, MissingColumn, NothingToTest, UnknownName
from steelyard.judgments.pairs import TIE, pairs_of
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Mask

PREFERENCE = "Is there a preference at all?"


@dataclass(frozen=True)
class Group:
    """The answers for one value of the column that --by names; `value` is empty without it."""

    value: str
    answers: tuple[Answer, ...]

    def lines(self, by: str | None) -> list[str]:
        """Everything, to read."""
        heading = [] if by is None else [f"{by}={self.value}"]
        blocks = [answer.lines() for answer in self.answers]
        return [*heading, *(line for block in blocks for line in (*block, ""))]


@with_records
def prefer(
    file: Annotated[str, typer.Argument(help="CSV, JSONL or Parquet file of comparisons; - is stdin.")],
    *,
    by: Annotated[str | None, typer.Option(help="Ask of each value of this column apart.")] = None,
    item: Annotated[
        list[str] | None, typer.Option(help="Only comparisons between the items named so; repeatable.")
    ] = None,
    reading: ReadingOptions,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of drawn orders, where a table has too many for all.")
    ] = 0,
    output: Output = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the answers with all their numbers as JSON.")
    ] = False,
) -> None:
    """Say whether there is a preference, how strong, what ties do, and whether raters differ or waver."""
    check_place(output)
    judgments = _between(_comparisons(file, reading), item)
    groups = _answered(parts_by(judgments, by), seed)
    remark_on_judgments(judgments, (by,))
    if as_json:
        told = [_plain(group, by) for group in groups]
        write_json(told if by is not None else told[0], output)
    else:
        write_text("\n".join(line for group in groups for line in group.lines(by)), output)


def _comparisons(file: str, reading: ReadingOptions) -> Judgments:
    try:
        return read_judgments(file, "comparison", None, reading)
    except MissingColumn as missing:
        raise missing.with_remedy("Rename a column, or give a file of comparisons.") from None


def _plain(group: Group, by: str | None) -> dict[str, Any]:
    answers = [answer.plain() for answer in group.answers]
    return {"answers": answers} if by is None else {by: group.value, "answers": answers}


def _answered(parts: list[tuple[str, Judgments]], seed: int) -> list[Group]:
    """The answers of each part; one that cannot be tested says so, unless there is no other."""
    groups, refusals = [], []
    with progress("Testing", len(parts) if len(parts) > 1 else None) as show:
        for value, part in parts:
            try:
                groups.append(Group(value, answer_all(part, np.random.default_rng(seed))))
            except BadInput as reason:
                groups.append(Group(value, (Answer(PREFERENCE, [str(reason)]),)))
                refusals.append(reason)
            show(len(groups))
    if len(refusals) == len(parts):
        raise refusals[0]
    return groups


def _between(judgments: Judgments, items: list[str] | None) -> Judgments:
    """The comparisons in which both items are among those named."""
    if not items:
        return judgments.compact()
    known = [str(label) for label in judgments.items]
    for name in items:
        if name not in known:
            raise UnknownName("item", name, known)
    wanted = np.isin(np.array(known), items)

    def keep(table: Table) -> Mask:
        return np.asarray(wanted[table.codes["left"]] & wanted[table.codes["right"]])

    return judgments.where(keep).compact()


def answer_all(judgments: Judgments, rng: np.random.Generator) -> tuple[Answer, ...]:
    """The questions of Dras (2015), answered from these comparisons."""
    present = _happened(judgments)
    _check(present)
    common = common_worths(present)
    return (
        preference_answer(common, rng),
        strength_answer(common),
        ties_answer(common),
        raters_answer(common),
        consistency_answer(present),
    )


def _happened(judgments: Judgments) -> Judgments:
    """Without rows that happened zero times."""
    return judgments.where(lambda table: table.weights > 0).compact()


def _check(judgments: Judgments) -> None:
    """Refuse what holds no preference to speak of."""
    items, pairs = len(judgments.items), pairs_of(judgments)
    if not len(pairs) or items < 2:
        raise NothingToTest(
            "Preference", "no two items are compared here.", "Choose other items or another file."
        )
    if np.all(pairs.outcome == TIE):
        fact = f"all {counted(float(pairs.weight.sum()), 'answer')} are ties."
        raise NothingToTest("Preference", fact, "Nobody preferred anything, so there is nothing to test.")


def preference_answer(common: Common, rng: np.random.Generator) -> Answer:
    """Is there a preference? One pair by sign-type tests, several items by likelihood ratio; raters by Friedman."""
    judgments = common.judgments
    tested = pair_tests(judgments) if len(judgments.items) == 2 else worth_test(common)
    friedman, numbers = friedman_answer(judgments, rng)
    caution = _independence(judgments, "friedman" in numbers)
    return Answer(PREFERENCE, [*tested[0], *friedman, *caution], {**tested[1], **numbers})


def _independence(judgments: Judgments, friedman: bool) -> list[str]:
    """What p values and intervals over answers take for granted."""
    raters, answers = named_raters(judgments), float(judgments.table("comparison").weights.sum())
    if not raters:
        return [
            f"These p values take the {counted(answers, 'answer')} as independent; the file names no raters."
        ]
    if raters >= answers:
        return []
    which = "All p values but Friedman's" if friedman else "These p values"
    return [
        f"{which} take the {counted(answers, 'answer')} of {counted(raters, 'rater')} as independent; where answers of "
        "one rater hang together, they are too small, and the intervals below too narrow."
    ]
