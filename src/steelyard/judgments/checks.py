"""Counts of judgments, and remarks on what deserves attention before a fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from steelyard.judgments.answering import answering_speed
from steelyard.judgments.assumptions import assumed_range, assumptions
from steelyard.judgments.counting import count_judgments, count_raters
from steelyard.judgments.findings import Finding, counted, finding_of_raters, listed
from steelyard.judgments.linked import (
    hubs_of,
    linked_groups,
    only_raters_link,
    parts_in_words,
    parts_of,
)
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.table_kinds import KINDS, OUTCOMES
from steelyard.maths.arrays import Codes

NO_FINDINGS = (
    "No mistakes found. Some flags of careless raters need a fitted model: run steelyard fit FILE --raters, or "
    "use fit.raters in Python."
)
BOTH_BAD = "both_bad"  # the column that marks ties in which neither item is good


@dataclass(frozen=True, slots=True)
class Report:
    """Counts of items, named raters, judgments and rows, and the findings.

    Attributes
    ----------
    items
        Number of items.
    raters
        Number of named raters.
    judgments
        Number of judgments of each kind.
    rows
        Number of rows of each kind.
    findings
        What may need attention.
    outcomes
        Number of comparisons by outcome. `both_bad` is a part of `tie`.
    systems
        Number of systems.
    segments
        Number of segments.
    rater_columns
        Columns of the file that were used as the rater.
    assumed_range
        Sentence about the range that models assume, if none is given.
    """

    items: int
    raters: int
    judgments: dict[str, float]
    rows: dict[str, int]
    findings: tuple[Finding, ...]
    outcomes: dict[str, float] = field(default_factory=dict)  # of comparisons; both_bad is a part of tie
    systems: int = 0
    segments: int = 0
    rater_columns: tuple[str, ...] = ()  # columns of the file that were used as the rater
    assumed_range: str | None = None

    def lines(self) -> Iterator[str]:
        """Yield the report as text, one line per count and per finding."""
        for kind, count in self.judgments.items():
            rows = self.rows[kind]
            per_task = KINDS[kind].per_task
            source = f" in {counted(rows, 'row')}" if per_task else " in a table of counts"
            yield counted(count, f"{kind} judgment") + ("" if rows == count else source)
        if self.outcomes:
            yield self._outcome_line()
        yield self._count_line()
        if self.assumed_range is not None:
            yield self.assumed_range
        for finding in self.findings:
            yield finding.sentence
        if not self.findings:
            yield NO_FINDINGS

    def _outcome_line(self) -> str:
        ties = counted(self.outcomes["tie"], "tie")
        both_bad = f" ({self.outcomes['both_bad']:,g} marked both bad)" if "both_bad" in self.outcomes else ""
        return (
            f"Outcomes: {self.outcomes['left']:,g} left, {self.outcomes['right']:,g} right, {ties}{both_bad}"
        )

    def _count_line(self) -> str:
        raters = counted(self.raters, "rater") if self.raters or not self.items else "no named raters"
        renamed = [name for name in self.rater_columns if name != "rater"]
        source = f" (column {listed(renamed)})" if renamed and self.raters else ""
        more = [
            counted(count, noun)
            for count, noun in ((self.systems, "system"), (self.segments, "segment"))
            if count
        ]
        return ", ".join([counted(self.items, "item"), f"{raters}{source}", *more])


def check(judgments: Judgments) -> Report:
    """Count the judgments, and look for omitted rows, pooled questions, unlinked items and unusual raters.

    Findings come in a fixed order. Ids are listed in the order in which they first appear.
    """
    present = judgments.compact()
    looks = (
        assumptions(present),
        present.reading.of_columns(),
        _unlinked_items(present),
        _one_rater(present),
        _single_answers(present),
        _of_kinds(present),
        _fast_raters(present),
    )
    counts = {kind: count_judgments(present, (kind,)) for kind in present.kinds}
    rows = {kind: len(table) for kind, table in present.tables.items()}
    findings = tuple(finding for look in looks for finding in look)

    return Report(
        len(present.items),
        count_raters(present),
        counts,
        rows,
        findings,
        _outcomes(present),
        len(present.labels("system")),
        len(present.labels("segment")),
        present.reading.rater_columns,
        assumed_range(present),
    )


def _one_rater(judgments: Judgments) -> Iterator[Finding]:
    if count_raters(judgments) == 1:
        sentence = (
            "All judgments are by one rater, so differences and agreement between raters cannot be estimated."
        )
        yield Finding("one rater", sentence, tuple(str(each) for each in judgments.raters))


def _outcomes(judgments: Judgments) -> dict[str, float]:
    """Return the number of comparisons by outcome, and how many ties are marked as both bad."""
    table = judgments.table("comparison")
    if not len(table):
        return {}
    codes, weights = table.codes, table.weights
    words = judgments.labels("outcome").tolist()
    counts = {
        word: float(weights[codes["outcome"] == words.index(word)].sum()) if word in words else 0.0
        for word in OUTCOMES
    }
    marks = judgments.labels(BOTH_BAD).tolist()
    if BOTH_BAD in codes and "yes" in marks:
        counts[BOTH_BAD] = float(weights[codes[BOTH_BAD] == marks.index("yes")].sum())
    return counts


def _unlinked_items(judgments: Judgments) -> Iterator[Finding]:
    """Yield one finding for each group of items that is not linked to the largest group.

    If only raters link items, the score of each item is on the scale of the study, and one finding names all parts.
    """
    group = linked_groups(judgments)
    if not len(group):
        return
    _, first, sizes = np.unique(group, return_index=True, return_counts=True)
    largest = int(np.argmax(sizes))
    if len(first) > 1 and only_raters_link(judgments):
        outside = judgments.items[group != group[first[largest]]]
        yield Finding("unlinked items", parts_in_words(parts_of(judgments.items, group)), tuple(outside))
        return
    for at in np.argsort(first, kind="stable"):
        if at != largest:
            ids = judgments.items[group == group[first[at]]]
            verb = "is" if len(ids) == 1 else "are"
            yield Finding(
                "unlinked items",
                f"{counted(len(ids), 'item')} {verb} not linked to the other {len(group) - len(ids):,} by any chain of "
                f"judgments, so the distance between the groups cannot be estimated: {listed(ids)}.",
                tuple(ids),
            )


def _single_answers(judgments: Judgments) -> Iterator[Finding]:
    answers = sum(
        (
            np.bincount(_answers(table), minlength=len(judgments.raters))
            for table in judgments.tables.values()
        ),
        start=np.zeros(len(judgments.raters), dtype=np.int64),
    )
    once = judgments.raters[answers == 1]
    if len(once):
        yield finding_of_raters("raters with one answer", once, "gave only one answer")


def _answers(table: Table) -> Codes:
    """Return the rater of each answer; the rows of a task are one answer in rankings and best-worst choices."""
    if not table.kind.per_task:
        return table.codes["rater"]
    return table.codes["rater"][np.unique(hubs_of(table), return_index=True)[1]]


def _of_kinds(judgments: Judgments) -> Iterator[Finding]:
    """Yield the findings that each kind of judgment makes in its own rows."""
    for table in judgments.tables.values():
        if table.kind.findings is not None:
            yield from table.kind.findings(judgments)


def _fast_raters(judgments: Judgments) -> Iterator[Finding]:
    speed = answering_speed(judgments.tables.values(), len(judgments.raters))
    fast = judgments.raters[speed.fast]
    if len(fast):
        finding = (
            f"answered half of the time in under {speed.limit:,.0f} ms (median rater: {speed.median:,.0f} ms)"
        )
        yield finding_of_raters("fast answers", fast, finding)
