"""Apply the rules of [checks] to a rater: warn, pause or end the session, and log each act."""

from __future__ import annotations

from typing import Any

from steelyard.errors import AnsweredTooFast
from steelyard.study.definition.sections.checks import CheckRule
from steelyard.study.log.check_results import CheckTally, check_results, has_checks, tally
from steelyard.study.log.entries import Answer, EventKind
from steelyard.study.log.rater_record import TOO_FAST
from steelyard.study.log.transaction import Transaction

EVENTS: dict[str, EventKind] = {"warn": "warned", "pause": "rater_paused", "end": "ended"}
MESSAGES = {
    "warn": "Some of your answers differ from what we expected. Please look at each item carefully.",
    "pause": "Some of your answers differ from what we expected. Please take a break. You can continue later.",
    "end": "Some of your answers differ from what we expected, so your session has ended.",
}
HURRIED = "You answered very quickly. Please take the time to look at each item."


def check_time(transaction: Transaction, answer: Answer) -> None:
    """Raise BadAnswer if an answer came before the minimum time per task and the study refuses such answers."""
    settings = transaction.ledger.definition.checks
    if settings.too_fast == "refuse" and _is_too_fast(transaction, answer):
        raise AnsweredTooFast(settings.least_seconds)


def apply_rules(transaction: Transaction, rater: str) -> bool:
    """Apply the rules that the newest answer of a rater meets, each once; return whether their session ended."""
    record = transaction.ledger.rater(rater)
    answer = record.answers[record.newest]
    if _is_too_fast(transaction, answer):
        transaction.note("warned", rater, {"rule": TOO_FAST, "message": HURRIED})
    if not has_checks(transaction.ledger.tasks[answer.task]) or record.excluded:
        return False
    for rule, counted in _rules_met(transaction, rater):
        transaction.note(EVENTS[rule.act], rater, _facts(rule, counted, transaction.now))
    return record.ended


def _is_too_fast(transaction: Transaction, answer: Answer) -> bool:
    least = transaction.ledger.definition.checks.least_seconds
    return answer.milliseconds is not None and answer.milliseconds < 1000.0 * least


def _rules_met(transaction: Transaction, rater: str) -> list[tuple[CheckRule, CheckTally]]:
    """Return the rules that apply now and were not applied before, with the checks that they count."""
    ledger, record = transaction.ledger, transaction.ledger.rater(rater)
    results = [each for each in check_results(ledger, rater) if each.log_position > record.checks_from]
    met = []
    for rule in ledger.definition.checks.rules:
        counted = tally(results, rule.types)
        if rule.key not in record.acts and rule.applies(counted.failed, counted.decided):
            met.append((rule, counted))
    return met


def _facts(rule: CheckRule, counted: CheckTally, now: float) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "rule": rule.key,
        "failed": counted.failed,
        "checks": counted.decided,
        "message": rule.message or MESSAGES[rule.act],
    }
    if rule.act == "pause":
        facts["until"] = now + 60.0 * rule.minutes if rule.minutes else None
    if rule.act == "end":
        facts["reason"] = f"failed {counted.failed} of {counted.decided} checks"
    return facts
