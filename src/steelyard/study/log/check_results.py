"""The results of checks: whether a rater's answers agree with reference answers, originals and earlier answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from steelyard.kinds.cell import Cell
from steelyard.study.definition.checks import HIDDEN, REPEAT, Check
from steelyard.study.definition.sections.checks import CheckType, HiddenItems
from steelyard.study.log.entries import Answer, Task
from steelyard.study.log.ledger import Ledger


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check for one rater.

    Attributes
    ----------
    rater, task
        Ids of the rater and of the task.
    check
        Name of the check.
    type
        Type of the check.
    items
        Ids of the items that were checked.
    expected, answered
        What the check expects, and the answer, as text.
    passed
        Whether the check was passed; None if it cannot be decided, because an answer that it needs is "can't judge"
        or the check is no longer in study.toml.
    at
        Time of the answer, in seconds since 1970.
    log_position
        Log position of the answer.
    """

    rater: str
    task: str
    check: str
    type: CheckType
    items: tuple[str, ...]
    expected: str
    answered: str
    passed: bool | None
    at: float
    log_position: int


@dataclass(frozen=True, slots=True)
class CheckTally:
    """Numbers of answered, decided and failed checks of one rater."""

    answered: int = 0
    decided: int = 0
    failed: int = 0


def has_checks(task: Task) -> bool:
    """Whether an answer to the task has results of checks."""
    return bool(task.check or task.hidden)


def tally(results: Iterable[CheckResult], types: Sequence[CheckType] | None = None) -> CheckTally:
    """Return the numbers of checks of these types, by default of every type."""
    counted = [each for each in results if types is None or each.type in types]
    return CheckTally(
        len(counted),
        sum(each.passed is not None for each in counted),
        sum(each.passed is False for each in counted),
    )


def check_results(ledger: Ledger, rater: str) -> list[CheckResult]:
    """Return the results of all checks that a rater has answered, oldest first."""
    return [
        result
        for answer in ledger.rater(rater).answers.values()
        if has_checks(ledger.tasks[answer.task])
        for result in _results(ledger, answer)
    ]


def _results(ledger: Ledger, answer: Answer) -> Iterator[CheckResult]:
    task = ledger.tasks[answer.task]
    if task.check.startswith(REPEAT):
        yield _repeated(ledger, answer, task)
    elif task.check:
        yield _checked(ledger, answer, task)
    for item in task.hidden:
        yield _hidden(ledger, answer, task, item)


def _checked(ledger: Ledger, answer: Answer, task: Task) -> CheckResult:
    check = ledger.checks.by_name.get(task.check)
    if check is None:  # the check was removed from study.toml
        return _result(answer, task, "gold", _Outcome("", "", None))
    if check.original:
        return _below_original(ledger, answer, task, check)
    cells = _cells(answer, check.question)
    is_right = _is_right(ledger, check, check.right, cells)
    return _result(answer, task, check.type, _Outcome(_text(check.right), _text(cells), is_right))


def _is_right(ledger: Ledger, check: Check, right: Sequence[Cell], cells: Sequence[Cell]) -> bool:
    kind, by_item = ledger.definition.kind, {cell.item: cell for cell in cells}
    return all(
        cell.item in by_item and kind.mistake(cell, by_item[cell.item], check.tolerance, None) is None
        for cell in right
    )


def _below_original(ledger: Ledger, answer: Answer, task: Task, check: Check) -> CheckResult:
    """Return whether a degraded copy scored below its original, on the same page or in an earlier answer."""
    kind, cells = ledger.definition.kind, _cells(answer, check.question)
    expected = f"below {check.original}"
    if ledger.definition.asking.way.against:
        right = kind.practice_cells([1 if item in check.items else 2 for item in task.items])
        outcome = _Outcome(expected, _text(cells), _is_right(ledger, check, right, cells))
        return _result(answer, task, check.type, outcome)
    before = original_answer(ledger, answer.rater, check, answer.log_position)
    passed: bool | None = None
    if before is not None and cells:
        passed = kind.is_above(before, ledger.ground.moved(cells[0], task.round), check.tolerance)
        expected = f"below {check.original} ({_text([before])})"
    return _result(answer, task, check.type, _Outcome(expected, _text(cells), passed))


def original_answer(ledger: Ledger, rater: str, check: Check, before: int) -> Cell | None:
    """Return the newest answer of a rater to the original of a degraded copy, or None.

    Parameters
    ----------
    ledger
        State of the study.
    rater
        Id of the rater.
    check
        Check with a degraded copy.
    before
        Log position before which the answer was given.

    Returns
    -------
    Cell or None
        The answer on the current scale; None if there is none, or if it is "can't judge".
    """
    newest = None
    for position, answer in ledger.rater(rater).answers.items():
        task = ledger.tasks[answer.task]
        if position >= before or not task.counts or check.original not in task.items:
            continue
        for cell in ledger.as_read(answer).cells:
            if task.items[cell.item] == check.original and cell.question == check.question:
                newest = cell
    return None if newest is None or newest.value is None else newest


def _repeated(ledger: Ledger, answer: Answer, task: Task) -> CheckResult:
    repeated = task.check.removeprefix(REPEAT)
    earlier = next(
        (each for each in ledger.rater(answer.rater).answers.values() if each.task == repeated), None
    )
    settings = ledger.definition.checks.repeats
    share = 0.0 if settings is None else settings.tolerance
    if earlier is None:
        return _result(answer, task, "repeat", _Outcome("", _text(answer.cells), None))
    verdicts = []
    for question in range(len(ledger.definition.questions)):
        before, now = _cells(earlier, question), _cells(answer, question)
        if any(cell.value is None for cell in (*before, *now)):
            continue
        scale = ledger.definition.asked(question).scale
        verdicts.append(ledger.definition.kind.is_repeat(before, now, share * (scale.high - scale.low)))
    passed = all(verdicts) if verdicts else None
    outcome = _Outcome(_text(earlier.cells), _text(answer.cells), passed)
    return _result(answer, task, "repeat", outcome)


def _hidden(ledger: Ledger, answer: Answer, task: Task, item: str) -> CheckResult:
    """Return the result of one hidden item of a list, for the first question."""
    settings = ledger.checks.hidden.get(item)
    by_item = {task.items[cell.item]: cell for cell in _cells(answer, 0)}
    cell = by_item[item]
    expected = "" if settings is None else _bounds_text(settings)
    passed = None if settings is None else _hidden_passed(ledger, settings, cell, by_item)
    return _result(answer, task, "hidden", _Outcome(expected, _text([cell]), passed), item)


def _hidden_passed(
    ledger: Ledger, settings: HiddenItems, cell: Cell, by_item: dict[str, Cell]
) -> bool | None:
    if cell.value is None:
        return None
    inside = (settings.least is None or cell.value >= settings.least) and (
        settings.most is None or cell.value <= settings.most
    )
    above = [
        other
        for item, other in by_item.items()
        if settings.below and getattr(ledger.checks.hidden.get(item), "system", "") == settings.below
    ]
    kind = ledger.definition.kind
    return inside and all(kind.is_above(other, cell, 0.0) is not False for other in above)


def _bounds_text(settings: HiddenItems) -> str:
    parts = (
        "" if settings.least is None else f"at least {settings.least:g}",
        "" if settings.most is None else f"at most {settings.most:g}",
        f"below {settings.below}" if settings.below else "",
    )
    return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a check expects, the answer, and whether it passed."""

    expected: str
    answered: str
    passed: bool | None


def _result(
    answer: Answer, task: Task, type: CheckType, outcome: _Outcome, hidden: str | None = None
) -> CheckResult:
    return CheckResult(
        rater=answer.rater,
        task=task.id,
        check=task.check if hidden is None else f"{HIDDEN}{hidden}",
        type=type,
        items=task.items if hidden is None else (hidden,),
        expected=outcome.expected,
        answered=outcome.answered,
        passed=outcome.passed,
        at=answer.at,
        log_position=answer.log_position,
    )


def _cells(answer: Answer, question: int) -> list[Cell]:
    return [cell for cell in answer.cells if cell.question == question]


def _text(cells: Iterable[Cell]) -> str:
    """Return the values of cells as text.

    >>> from steelyard.kinds.rating import Score
    >>> _text([Score(0, 0, 40.0), Score(1, 0, None)])
    "40, can't judge"
    """
    return ", ".join(_value_text(cell.value) for cell in cells)


def _value_text(value: object) -> str:
    if value is None:
        return "can't judge"
    if isinstance(value, tuple):
        return "-".join(_value_text(each) for each in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
