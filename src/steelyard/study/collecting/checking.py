"""Which checks a rater receives, and when: a set share of their tasks, and hidden items in lists."""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.study.definition.checks import REPEAT, Check
from steelyard.study.log.check_results import original_answer
from steelyard.study.log.entries import Answer
from steelyard.study.log.ledger import Ledger

REFERENCE, REPEATED = 0, 1  # the two schedules of a rater, which have separate random numbers


@dataclass(frozen=True, slots=True)
class CheckChoice:
    """A check chosen for a rater.

    Attributes
    ----------
    name
        Name of the check in the log.
    items
        Ids of the items in the order shown.
    probe
        Whether it repeats an earlier task, so that it also measures consistency.
    """

    name: str
    items: tuple[str, ...]
    probe: bool = False


def is_due(rate: float, number: int, seed: tuple[int, ...]) -> bool:
    """Whether the task with this number is a check.

    There is one check in each block of 1 / `rate` tasks, at a random place of the block.

    Parameters
    ----------
    rate
        Share of tasks that are checks.
    number
        Number of tasks before this one.
    seed
        Seed of the rater's schedule.

    Returns
    -------
    bool
        Whether a check is due.

    >>> sum(is_due(0.1, number, (1,)) for number in range(1000))
    100
    """
    if rate <= 0.0:
        return False
    near = range(max(math.floor(number * rate) - 1, 0), math.floor(number * rate) + 2)
    return any(math.floor((block + _place(seed, block)) / rate) == number for block in near)


def _place(seed: tuple[int, ...], block: int) -> float:
    return float(np.random.default_rng((*seed, block)).random())


def choose_check(ledger: Ledger, rater: str) -> CheckChoice | None:
    """Return the check that is due for a rater now, or None if none is due or none is left for them."""
    settings, record = ledger.definition.checks, ledger.rater(rater)
    number, repeats = len(record.answers), settings.repeats
    seed = (ledger.definition.seed, zlib.crc32(rater.encode()))
    if ledger.checks.all and is_due(settings.rate, number, (*seed, REFERENCE)):
        left = list(checks_left(ledger, rater))
        if left:
            rng = np.random.default_rng((*seed, REFERENCE, number, len(left)))
            return _shown(ledger, left[int(rng.integers(len(left)))], rng)
    if repeats is not None and is_due(repeats.rate, number, (*seed, REPEATED)):
        tasks = [answer.task for answer in _repeatable(ledger, rater, repeats.apart)]
        if tasks:
            rng = np.random.default_rng((*seed, REPEATED, number, len(tasks)))
            repeated = ledger.tasks[tasks[int(rng.integers(len(tasks)))]]
            return CheckChoice(f"{REPEAT}{repeated.id}", repeated.items, probe=True)
    return None


def checks_left(ledger: Ledger, rater: str) -> Iterator[Check]:
    """Yield the checks that a rater can still be given: those whose items or pairs they have not seen."""
    record, way = ledger.rater(rater), ledger.definition.asking.way
    done = {ledger.tasks[answer.task].check for answer in record.answers.values()}
    for check in ledger.checks.all:
        if check.name in done:
            continue
        at = [ledger.items.index[item] for item in check.items]
        if way.against:
            shown = [*at, *([ledger.items.index[check.original]] if check.original else [])]
            is_new = not any(pair in record.met for pair in way.pairs(shown))
        else:
            is_new = not any(index in record.seen for index in at)
        if is_new and (way.against or not check.original or _has_original(ledger, rater, check)):
            yield check


def _has_original(ledger: Ledger, rater: str, check: Check) -> bool:
    return original_answer(ledger, rater, check, ledger.log_position + 1) is not None


def _shown(ledger: Ledger, check: Check, rng: np.random.Generator) -> CheckChoice:
    items = check.items
    if check.original and ledger.definition.asking.way.against:
        both = (check.original, *check.items)
        items = tuple(both[int(at)] for at in rng.permutation(len(both)))
    return CheckChoice(check.name, items)


def _repeatable(ledger: Ledger, rater: str, apart: int) -> list[Answer]:
    """Return the answers of this round whose tasks can be repeated: long enough ago, and not repeated before."""
    answers = list(ledger.rater(rater).answers.values())
    repeated = {ledger.tasks[answer.task].check for answer in answers}
    return [
        answer
        for answer in answers[: max(len(answers) - apart, 0)]
        if ledger.tasks[answer.task].counts
        and not ledger.tasks[answer.task].hidden
        and ledger.tasks[answer.task].round == ledger.round
        and f"{REPEAT}{answer.task}" not in repeated
        and any(cell.value is not None for cell in answer.cells)
    ]


def checks_for_batch(ledger: Ledger, tasks: int) -> list[CheckChoice]:
    """Return checks to mix into a batch with this number of tasks: the least used ones with a reference answer.

    Who will answer a batch is not known. Repeats and degraded copies, which need an earlier answer of the same rater,
    are therefore left out; where items are compared, degraded copies are shown with their original and included.
    """
    against = ledger.definition.asking.way.against
    usable = [check for check in ledger.checks.all if against or not check.original]
    rate = ledger.definition.checks.rate
    if not usable or not rate or not tasks:
        return []
    used = Counter(task.check for task in ledger.tasks.values())
    rng = np.random.default_rng((ledger.definition.seed, ledger.log_position))
    wanted = max(round(tasks * rate / (1.0 - rate)), 1)
    order = sorted(rng.permutation(len(usable)).tolist(), key=lambda at: used[usable[at].name])
    return [_shown(ledger, usable[order[number % len(order)]], rng) for number in range(wanted)]


def with_hidden(
    ledger: Ledger, items: Sequence[int], rng: np.random.Generator
) -> tuple[list[int], list[int]]:
    """Return the items of a list with the hidden items of its segment mixed in, and the hidden items.

    Parameters
    ----------
    ledger
        State of the study.
    items
        Indices of the items of the list.
    rng
        Source of the order.

    Returns
    -------
    mixed : list of int
        Indices of all items, in the order shown.
    hidden : list of int
        Indices of the hidden items.
    """
    segment = ledger.items[items[0]].segment if items else ""
    hidden = [
        ledger.items.index[item]
        for item in ledger.checks.hidden
        if item in ledger.items.index and ledger.items[ledger.items.index[item]].segment == segment
    ]
    if not hidden:
        return list(items), []
    mixed = [*items, *hidden]
    return [mixed[int(at)] for at in rng.permutation(len(mixed))], hidden


def expected_checks(ledger: Ledger, tasks: int) -> int:
    """Return approximately how many checks a rater answers together with this number of other tasks."""
    settings = ledger.definition.checks
    references = tasks * settings.rate / (1.0 - settings.rate)
    repeats = (
        0.0 if settings.repeats is None else tasks * settings.repeats.rate / (1.0 - settings.repeats.rate)
    )
    return min(round(references), len(ledger.checks.all)) + round(repeats)
