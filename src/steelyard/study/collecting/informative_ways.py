"""Which of several protocols carries the most information per second of a rater's time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from steelyard.kinds.known import PROTOCOLS
from steelyard.maths.arrays import Vector
from steelyard.selection.across_kinds import BeliefOfKinds, WayToAsk, best_first, is_measured
from steelyard.selection.information import aim_weights
from steelyard.study.collecting.planner import Planner
from steelyard.study.log.entries import Task
from steelyard.study.log.ledger import Ledger

LEAST_TIMED = 10  # answers of a protocol with a time, for their median to be used
UNKNOWN_SECONDS = 10.0  # per item, for protocols of other packages that state no time


def have_answers(planners: Sequence[Planner]) -> bool:
    """Whether every protocol has enough answered tasks for its information to be compared."""
    return is_measured([len(planner.ledger.answers) for planner in planners])


def seconds_of(ledger: Ledger) -> tuple[float, bool]:
    """Return the time of a task of a protocol in seconds, and whether it was measured.

    It is the median of the study, or the time that plans assume while fewer than 10 answers have a time.

    Parameters
    ----------
    ledger
        Ledger of the tasks of the protocol.

    Returns
    -------
    seconds : float
        Seconds per task.
    is_measured : bool
        Whether they are the median of answers.
    """
    asking, measured = ledger.definition.asking, ledger.median_seconds(LEAST_TIMED)
    if measured is not None:
        return measured, True
    return asking.task_size * (PROTOCOLS[asking.way.name].seconds or UNKNOWN_SECONDS), False


def most_informative(
    whole: Planner, planners: Sequence[Planner], ready: Sequence[Sequence[Task]], rater: str
) -> list[int]:
    """Return the indices of protocols, the one to ask next first.

    The information of a protocol is the mean over its ready tasks: the variance that an answer is expected to remove,
    with the weights of the aim.

    Parameters
    ----------
    whole
        Planner of the study.
    planners
        Planners of its protocols.
    ready
        Ready tasks of each protocol.
    rater
        Id of the rater.

    Returns
    -------
    list of int
        Indices of all protocols.
    """
    belief, choosing = whole.learner.belief(), whole.ledger.definition.choosing
    if not isinstance(belief, BeliefOfKinds):
        return list(range(len(planners)))
    weights = aim_weights(choosing.aim, choosing.top_k, whole.pool(None), belief)
    shares = dict(
        zip(
            whole.ledger.definition.asking.protocols,
            whole.ledger.definition.asking.shares_of_tasks,
            strict=True,
        )
    )
    ways = [
        WayToAsk(
            shares[planner.ledger.definition.asking.way.name],
            len(planner.ledger.answers),
            seconds_of(planner.ledger)[0],
            _removed(belief, planner.ledger, tasks, weights, rater),
        )
        for planner, tasks in zip(planners, ready, strict=True)
    ]
    return best_first(ways, choosing.audit_share)


def _removed(
    belief: BeliefOfKinds, ledger: Ledger, tasks: Sequence[Task], weights: Vector, rater: str
) -> float:
    """Return the mean variance that an answer to one of these tasks is expected to remove; 0 without tasks."""
    kind = ledger.definition.fitted_kind
    removed = []
    for task in tasks:
        items = np.array(ledger.judged_indices(task), dtype=np.int64)
        place = {item: at for at, item in enumerate(items.tolist())}
        pairs = [
            (place[one], place[other]) for one, other in ledger.pairs(task) if {one, other} <= place.keys()
        ]
        shown = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        removed.append(belief.variance_removed(kind, items, shown, weights[items], rater))
    return float(np.mean(removed)) if removed else 0.0
