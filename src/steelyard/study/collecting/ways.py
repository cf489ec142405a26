"""Which of several protocols the next task of a rater has, and how many tasks of each are planned."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from steelyard.selection.across_kinds import FIRST_TASKS
from steelyard.study.collecting.already_seen import may_see, tasks_about
from steelyard.study.collecting.planner import Planner
from steelyard.study.log.entries import Task
from steelyard.study.log.transaction import Transaction


def ways_in_order(planner: Planner, rater: str, held: Task | None = None) -> list[Planner]:
    """Return the planners of the protocols, the one that the next task of a rater should have first.

    The number of tasks of a rater stays within one of the shares of study.toml: a protocol w with share s is next only
    if the rater has answered fewer than s n of its tasks, where n counts the next task. Of these, the protocol that is
    furthest behind in the whole study is first, so that shares also hold for raters with a single task. The others
    follow, for the case that no task of the first is left for this rater.

    Parameters
    ----------
    planner
        Planner of a study with several protocols.
    rater
        Id of the rater.
    held
        Task that the rater holds, which is counted as answered.

    Returns
    -------
    list of Planner
        All planners of protocols.
    """
    own = [len(way.ledger.rater(rater).answers) for way in planner.ways]
    if held is not None:
        own = [count + (held.id in way.ledger.tasks) for count, way in zip(own, planner.ways, strict=True)]
    overall = [len(way.ledger.answers) for way in planner.ways]
    shares = planner.ledger.definition.asking.shares_of_tasks

    def rank(at: int) -> tuple[bool, float, int]:
        is_ahead = own[at] >= shares[at] * (sum(own) + 1)
        return is_ahead, overall[at] - shares[at] * (sum(overall) + 1), at

    return [planner.ways[at] for at in sorted(range(len(shares)), key=rank)]


def tasks_left(planner: Planner, rater: str) -> int:
    """Return approximately how many tasks are left for a rater who would answer all that is missing.

    The tasks have the shares of their protocols until no task of a protocol is left for this rater.
    """
    ledger = planner.ledger
    missing = np.maximum(ledger.wanted - ledger.answered, 0)
    records = [(way.ledger, way.ledger.rater(rater)) for way in planner.asking]
    alone = [tasks_about(own, record, missing) for own, record in records]
    if not planner.ways:
        return alone[0]
    seen = np.any([may_see(own, record) for own, record in records], axis=0)
    sizes = [own.definition.asking.task_size for own, _ in records]
    ways = list(zip(alone, sizes, _expected_shares(planner), strict=True))
    return math.ceil(_tasks_together(ways, int(missing[seen].sum())))


def _expected_shares(planner: Planner) -> list[float]:
    """Return the shares of the next tasks: those of study.toml, or those so far if information decides."""
    definition = planner.ledger.definition
    shares = definition.asking.shares_of_tasks
    if not definition.compares_kinds:
        return list(shares)
    counts = [
        len(way.ledger.answers) + FIRST_TASKS * share for way, share in zip(planner.ways, shares, strict=True)
    ]
    return [count / sum(counts) for count in counts]


def _tasks_together(ways: Sequence[tuple[float, int, float]], missing: float) -> float:
    """Return the number of tasks in which this number of answers is given.

    Parameters
    ----------
    ways
        Tasks left, items in a task and share of the tasks, for each protocol.
    missing
        Number of answers.

    Returns
    -------
    float
        Number of tasks of all protocols.

    Examples
    --------
    >>> _tasks_together([(20, 5, 0.5), (50, 2, 0.5)], 70)  # 10 of each
    20.0
    >>> _tasks_together([(4, 5, 0.5), (50, 2, 0.5)], 70)  # 4 lists, and pairs for the other 50 answers
    29.0
    """
    open_ways = [each for each in ways if each[0] > 0]
    if not open_ways or missing <= 0:
        return 0.0
    whole = sum(share for _, _, share in open_ways)
    rates = [share / whole for _, _, share in open_ways]
    until_spent = min(left / rate for (left, _, _), rate in zip(open_ways, rates, strict=True))
    answers = sum(size * rate for (_, size, _), rate in zip(open_ways, rates, strict=True))
    if until_spent * answers >= missing:
        return missing / answers
    after = [
        (max(left - rate * until_spent, 0.0), size, share)
        for (left, size, share), rate in zip(open_ways, rates, strict=True)
    ]
    spent = min(range(len(after)), key=lambda at: after[at][0])  # rounding may leave a little of it
    return until_spent + _tasks_together(
        [*after[:spent], *after[spent + 1 :]], missing - until_spent * answers
    )


def plan_by_shares(
    planner: Planner, transaction: Transaction, tasks: int | None, assignments: int
) -> list[Task]:
    """Choose several tasks of all protocols at once and write them to the log.

    Parameters
    ----------
    planner
        Planner of a study with several protocols.
    transaction
        Open transaction of the study.
    tasks
        Largest number of tasks; None for tasks that show every item once.
    assignments
        Number of raters who answer each task.

    Returns
    -------
    list of Task
        The new tasks.
    """
    shares = planner.ledger.definition.asking.shares_of_tasks
    if tasks is None:
        sizes = [way.ledger.definition.asking.task_size for way in planner.ways]
        items = sum(share * size for share, size in zip(shares, sizes, strict=True))
        tasks = math.ceil(int(planner.ledger.items.asked.sum()) / items)
    planned: list[Task] = []
    counts = [0] * len(shares)
    spent: set[int] = set()  # protocols without further tasks
    while len(planned) < tasks and len(spent) < len(shares):
        left = [at for at in range(len(shares)) if at not in spent]
        at = min(left, key=lambda each: (counts[each] + 1) / shares[each])
        wanted = _run(counts, shares, at, tasks - len(planned)) if not spent else tasks - len(planned)
        made = planner.ways[at].plan(transaction, planner.ways[at].pool(None), wanted, assignments)
        if len(made) < wanted:
            spent.add(at)
        counts[at] += len(made)
        planned += made
    return planned


def _run(counts: Sequence[int], shares: Sequence[float], at: int, most: int) -> int:
    """Return how many tasks of one protocol bring it to its share of all tasks that are to be planned."""
    whole = sum(counts) + most
    return min(max(round(shares[at] * whole) - counts[at], 1), most)
