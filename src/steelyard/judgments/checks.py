"""What a careful reader would notice in judgments before fitting anything; no finding is a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from steelyard.judgments.answering import answering_speed
from steelyard.judgments.assumptions import assumptions
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.findings import Finding, counted, finding_of_raters, listed
from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.judgments.table import Judgments, Table
from steelyard.maths.arrays import Codes


@dataclass(frozen=True, slots=True)
class Report:
    """Items, raters, judgments and rows by kind, and what was noticed; raters without a name are not counted."""

    items: int
    raters: int
    judgments: dict[str, float]
    rows: dict[str, int]
    findings: tuple[Finding, ...]

    def lines(self) -> Iterator[str]:
        """The report in words, one line per count and finding."""
        for kind, given in self.judgments.items():
            rows = self.rows[kind]
            yield counted(given, f"{kind} judgment") + (
                "" if rows == given else f" in {counted(rows, 'row')}"
            )
        raters = counted(self.raters, "rater") if self.raters or not self.items else "no named raters"
        yield f"{counted(self.items, 'item')}, {raters}"
        for finding in self.findings:
            yield finding.sentence
        if not self.findings:
            yield "Nothing else was noticed."


def check(judgments: Judgments) -> Report:
    """Count everything and look for what was left out or pooled, for unlinked items and for unusual raters.

    Findings come in a fixed order, ids in the order in which they first appear.
    """
    present = judgments.compact()
    looks = (
        assumptions(present),
        present.reading.of_columns(),
        _unlinked_items(present),
        _single_answers(present),
        _of_kinds(present),
        _fast_raters(present),
    )
    given = {kind: count_judgments(present, (kind,)) for kind in present.kinds}
    rows = {kind: len(table) for kind, table in present.tables.items()}
    findings = tuple(finding for look in looks for finding in look)
    named = sum(rater != UNKNOWN_RATER for rater in present.raters)
    return Report(len(present.items), named, given, rows, findings)


def _unlinked_items(judgments: Judgments) -> Iterator[Finding]:
    """Groups of items that no rater and no comparison links to the largest group, one finding each."""
    group = linked_groups(judgments)
    if not len(group):
        return
    _, first, sizes = np.unique(group, return_index=True, return_counts=True)
    largest = int(np.argmax(sizes))
    for at in np.argsort(first, kind="stable"):
        if at != largest:
            ids = judgments.items[group == group[first[at]]]
            verb = "is" if len(ids) == 1 else "are"
            yield Finding(
                "unlinked items",
                f"{counted(len(ids), 'item')} {verb} not linked to the other "
                f"{len(group) - len(ids):,}, so their places on one scale are a guess: {listed(ids)}.",
                tuple(ids),
            )


def linked_groups(judgments: Judgments) -> Codes:
    """A group number for each item, the same for items that a chain of judgments links.

    Ratings and ranges link the items of one rater; comparisons the two compared, rankings and best-worst
    tasks the items of one task. A file without raters counts as one rater.
    """
    # Late: scipy alone takes longer to import than the rest of Steelyard.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    items = len(judgments.items)
    nodes = items
    ends: list[tuple[Codes, Codes]] = []
    for table in judgments.tables.values():
        if "left" in table.codes:
            ends.append((table.codes["left"], table.codes["right"]))
        else:
            hubs = _hubs(table)
            ends.append((table.codes["item"], hubs + nodes))
            nodes += int(hubs.max(initial=-1)) + 1
    if not items:
        return np.empty(0, dtype=np.int64)
    left, right = (np.concatenate(side) for side in zip(*ends, strict=True))
    graph = coo_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=(nodes, nodes))
    groups = connected_components(graph, directed=False)[1][:items]
    return np.asarray(groups, dtype=np.int64)


def _hubs(table: Table) -> Codes:
    """What the items of a row hang together by: the task where it is the question, else the rater."""
    rater = table.codes["rater"]
    if not table.kind.per_task:
        return np.unique(rater, return_inverse=True)[1]
    tasks = np.column_stack([rater, table.codes["task"]])
    return np.asarray(np.unique(tasks, axis=0, return_inverse=True)[1]).ravel()


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
        yield finding_of_raters("raters with one answer", once, "answered only once")


def _answers(table: Table) -> Codes:
    """The rater of each answer: of each row, or of each task that a ranking or best-worst choice fills."""
    if not table.kind.per_task:
        return table.codes["rater"]
    return table.codes["rater"][np.unique(_hubs(table), return_index=True)[1]]


def _of_kinds(judgments: Judgments) -> Iterator[Finding]:
    """What each kind of judgment looks for in its own rows."""
    for table in judgments.tables.values():
        if table.kind.findings is not None:
            yield from table.kind.findings(judgments)


def _fast_raters(judgments: Judgments) -> Iterator[Finding]:
    speed = answering_speed(judgments.tables.values(), len(judgments.raters))
    fast = judgments.raters[speed.fast]
    if len(fast):
        usual = f"the usual rater {speed.usual:,.0f} ms"
        finding = f"needed under {speed.limit:,.0f} ms for half of their answers ({usual})"
        yield finding_of_raters("fast answers", fast, finding)
