"""What the owner of a study should do now: a short list of actions, each with its reason."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from steelyard.messages.catalogue import SOURCE
from steelyard.messages.words import Words, owner_words
from steelyard.quality.calibration import Share
from steelyard.quality.rater_flags import SPAM_FROM, UNRELATED
from steelyard.selection.forecast import decimals_beside, two_digits
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.counting import items_per_judgment
from steelyard.study.results.overview import Overview
from steelyard.study.results.question_view import RaterLine

# What the owner can do from the page; "" if the reason names a file to edit.
Act = Literal[
    "",
    "resume",
    "pause",
    "close_round",
    "place_examples",
    "use_examples",
    "invite",
    "exclude",
    "review",
    "review_flagged",
    "reinstate",
    "items_short",
    "items_wide",
    "calibration",
    "report",
]

MOST = 5  # longest list
NAMED_RATERS = 2  # flagged raters with an entry of their own
EXCLUDED_FROM = 2  # flags from which an exclusion is proposed instead of a review
NAMED_ITEMS = 3
IDLE_SECONDS = 86_400.0
LEAST_GAIN = 0.01  # a smaller gain of reliability is no reason to continue
HIGH_RELIABILITY = 0.9
LEAST_LEFT = 0.1  # share of planned judgments that must be left before stopping is proposed
SKIPPED_SHARE, LEAST_SKIPPED = 0.2, 10
LEAST_AUDITED, TOO_LOW = 50, 0.92  # answers, and observed coverage of 95% intervals that is too low
LINKED_FROM = 1.5  # judgments per item before unlinked parts are mentioned: at first they are normal
FINISHED = ("complete", "stopped", "budget_spent")


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing to do.

    Attributes
    ----------
    title
        What to do, as a command.
    reason
        Why, in one or two sentences.
    act
        The action on the owner's page that does it, or "".
    rater
        Id of the rater whom it concerns, or "".
    effect
        What the action changes, or "".
    """

    title: str
    reason: str
    act: Act = ""
    rater: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """What the rules decide from: the state of the study, the time, and the words in which advice is given."""

    overview: Overview
    now: float
    messages: Words


def advice_of(overview: Overview, now: float, messages: Words | None = None) -> tuple[Advice, ...]:
    """Return what the owner should do now, most important first.

    Parameters
    ----------
    overview
        The state of the study.
    now
        Time in seconds since 1970.
    messages
        The messages of the language of the advice. Default: those of English.

    Returns
    -------
    tuple of Advice
        At most five; empty if nothing needs to be done.
    """
    case = Case(overview, now, owner_words(SOURCE) if messages is None else messages)
    return tuple(each for rule in RULES for each in rule(case))[:MOST]


def _state(case: Case) -> Iterable[Advice]:
    """What the state of the study requires before anything else can happen."""
    overview, messages = case.overview, case.messages
    if overview.status == "paused":
        yield Advice(messages["resume_study"], messages["resume_reason"], "resume")
    elif overview.status == "waiting_for_seeds":
        yield _seeds(overview.definition, messages)
    elif overview.status == "waiting_for_round":
        title = messages.say("close_round_number", round=overview.round)
        yield Advice(title, messages["close_reason"], "close_round")


def _seeds(definition: StudyDefinition, messages: Words) -> Advice:
    settings = definition.grounding.cold_start
    if settings is not None and settings.by == "owner":
        return Advice(messages["place_first_examples"], messages["place_reason"], "place_examples")
    return Advice(messages["start_with_placed"], messages["start_reason"], "use_examples")


def _raters(case: Case) -> Iterable[Advice]:
    """Whether somebody is left to answer."""
    overview, messages = case.overview, case.messages
    if overview.status not in ("not_started", "collecting"):
        return
    if not any(line.tasks for line in overview.raters):
        yield Advice(messages["invite_raters"], messages["invite_reason"], "invite")
    elif not overview.left_to_ask:
        stopped = messages.say("n_stopped_early", count=overview.stopped_early)
        yield Advice(messages["invite_more"], messages.say("nobody_left", stopped=stopped), "invite")
    elif overview.newest_at is not None and case.now - overview.newest_at > IDLE_SECONDS:
        days = messages.say("n_days", count=int((case.now - overview.newest_at) // IDLE_SECONDS))
        reason = messages.say("idle_reason", days=days, count=overview.missing)
        yield Advice(messages["invite_more"], reason, "invite")


def _flagged(case: Case) -> Iterable[Advice]:
    """Raters whose answers need a look: most conspicuous first, the others together."""
    overview, messages = case.overview, case.messages
    flagged = [(line, _flags(overview, line)) for line in overview.raters if not line.excluded]
    flagged = sorted(((line, flags) for line, flags in flagged if flags), key=lambda each: -_weight(*each))
    for line, flags in flagged[:NAMED_RATERS]:
        rater, reason = line.rater.id, messages.say("flags_as_reason", flags=_named_flags(flags, messages))
        if _weight(line, flags) >= EXCLUDED_FROM:
            effect = messages.say("no_longer_count", count=line.answers)
            title = messages.say("exclude_rater_named", rater=rater)
            yield Advice(title, reason, "exclude", rater, effect)
        else:
            yield Advice(messages.say("review_rater", rater=rater), reason, "review", rater)
    left = len(flagged) - NAMED_RATERS
    if left > 0:
        yield Advice(messages.say("review_more", count=left), messages["review_reason"], "review_flagged")


def _flags(overview: Overview, line: RaterLine) -> tuple[str, ...]:
    """The flags of a rater under any question."""
    lines = (each for view in overview.views for each in view.raters if each.rater.id == line.rater.id)
    return tuple(dict.fromkeys(flag for each in lines for flag in each.flags))


def _weight(line: RaterLine, flags: tuple[str, ...]) -> float:
    """Number of flags; answers that look random count twice, because few honest raters have these flags."""
    spam = line.habits is not None and line.habits.spam is not None and line.habits.spam >= SPAM_FROM
    return len(flags) + float(spam or UNRELATED in flags)


def _named_flags(flags: tuple[str, ...], messages: Words) -> str:
    """The flags in one line, in English with a capital letter at the beginning only."""
    if messages.language.code == SOURCE:
        return ", ".join([*flags[:1], *(flag[0].lower() + flag[1:] for flag in flags[1:])])
    return ", ".join(translated_flag(flag, messages) for flag in flags)


def translated_flag(flag: str, messages: Words) -> str:
    """Return a flag of a rater in the language of `messages`; the number in parentheses of some flags stays."""
    name, gap, number = flag.partition(" (")
    return messages.translated(name) + gap + number


def _links(case: Case) -> Iterable[Advice]:
    """Parts of the items that cannot be compared with each other."""
    overview, messages = case.overview, case.messages
    if overview.judgments < LINKED_FROM * overview.items and overview.status not in FINISHED:
        return
    for view in overview.views:
        if view.unlinked > 1:
            remedy = "more_redundancy" if overview.status in FINISHED else "further_answers_link"
            reason = messages.joined(messages.say("unlinked", count=view.unlinked), messages[remedy])
            yield Advice(messages["link_parts"], reason, "items_short")
            return


def _coverage(case: Case) -> Iterable[Advice]:
    """Intervals that are too narrow."""
    overview, messages = case.overview, case.messages
    low_coverage = _low_coverage(overview)
    if low_coverage is None:
        return
    percent = messages.language.percent
    level, share = low_coverage
    low, high = share.interval()
    values = {
        "level": percent(level),
        "share": percent(share.share),
        "low": percent(low),
        "high": percent(high),
    }
    reasons = [messages.say("too_narrow_intervals", count=share.of, **values)]
    if overview.reliability is not None and overview.status == "collecting":
        reasons.append(messages["do_not_stop_yet"])
    if any(_flags(overview, line) for line in overview.raters if not line.excluded):
        reasons.append(messages["flagged_first"])
    yield Advice(messages["do_not_rely"], messages.joined(*reasons), "calibration")


def _low_coverage(overview: Overview) -> tuple[float, Share] | None:
    """The widest intervals and their coverage, if it is too low by more than chance; otherwise None."""
    audit = overview.audit
    if audit is None or audit.calibration.answers < LEAST_AUDITED:
        return None
    level, share = audit.calibration.by_level[-1]
    return (level, share) if share.share < TOO_LOW and share.interval()[1] < level else None


def _more_answers(case: Case) -> Iterable[Advice]:
    """How many answers are missing, and about which items."""
    overview, messages = case.overview, case.messages
    target, forecast = overview.definition.choosing.stop.reliability, overview.forecast
    if overview.status == "collecting" and overview.missing and overview.judgments:
        yield _collect_more(case)
    elif overview.status in ("complete", "budget_spent") and forecast is not None and forecast.more:
        lacking = messages.say(
            "below_target", reliability=_beside(overview.reliability, target, messages), target=target
        )
        title = messages.say("ask_for_more", count=two_digits(forecast.more))
        yield Advice(title, messages.joined(lacking, _remedy(case, forecast.more)), "items_wide")


def _collect_more(case: Case) -> Advice:
    """The smallest number of judgments that ends the study, and what they are for."""
    overview, messages, forecast = case.overview, case.messages, case.overview.forecast
    learns = overview.definition.choosing.learns
    if forecast is None or overview.left >= overview.missing:
        reason = messages["model_chooses"] if learns else _short_items(overview, messages)
        return Advice(messages.say("collect_more", count=overview.missing), reason, "items_short")
    reliability = _beside(overview.reliability, forecast.target, messages)
    reason = messages.say("target_ends", reliability=reliability, target=forecast.target)
    title = messages.say("collect_about", count=two_digits(overview.left))
    return Advice(
        title, messages.joined(reason, messages["model_chooses"]) if learns else reason, "items_short"
    )


def _beside(reliability: float | None, target: float, messages: Words) -> str:
    """A reliability with enough decimals to be compared with a target."""
    value = 0.0 if reliability is None else reliability
    return messages.language.decimals(value, decimals_beside(value, target))


def _short_items(overview: Overview, messages: Words) -> str:
    """Which items have too few answers."""
    return messages.say(
        "fewer_than",
        count=overview.items_short,
        items=messages.say("n_items", count=overview.items),
        answers=messages.say("n_answers", count=overview.definition.choosing.redundancy),
        named=_named(overview, overview.shortest, messages),
    )


def _short_of_target(case: Case) -> Iterable[Advice]:
    """Whether the planned judgments are too few for the wanted reliability."""
    overview, messages = case.overview, case.messages
    forecast, at_end = overview.forecast, overview.reliability_at_end
    if overview.status != "collecting" or forecast is None or at_end is None:
        return
    if forecast.low > overview.wanted - overview.judgments:
        reliability = _beside(at_end, forecast.target, messages)
        expected = messages.say("expected_below", reliability=reliability, target=forecast.target)
        yield Advice(messages["plan_more"], messages.joined(expected, _remedy(case, forecast.more)))


def _named(overview: Overview, items: tuple[str, ...], messages: Words) -> str:
    """Labels of the first items, and the number of the others."""
    labels = [overview.labels.get(item, item) for item in items[:NAMED_ITEMS]]
    named, left = ", ".join(labels), overview.items_short - len(labels)
    return messages.say("named_and_more", named=named, count=left) if left > 0 else named


def _remedy(case: Case, more: int) -> str:
    """Which setting to change so that the study asks for more judgments."""
    overview, choosing, messages = case.overview, case.overview.definition.choosing, case.messages
    needed = _answers_for(overview, overview.judgments + more)
    per_item = max(choosing.redundancy, math.ceil(needed / max(overview.items, 1)))
    raised = [messages.say("increase_budget", count=two_digits(needed))] if choosing.stop.budget else []
    if not raised or per_item > choosing.redundancy:
        raised.append(messages.say("increase_redundancy", count=per_item))
    return messages.joined(*raised)


def _answers_for(overview: Overview, judgments: int) -> int:
    """Number of answers about items in this many judgments, in which a budget counts."""
    return math.ceil(judgments * items_per_judgment(overview.definition) / len(overview.definition.questions))


def _enough(case: Case) -> Iterable[Advice]:
    """Whether further planned judgments would change little."""
    overview, messages = case.overview, case.messages
    reliability, at_end = overview.reliability, overview.reliability_at_end
    left = 1.0 - overview.judgments / max(overview.wanted, 1)
    if overview.status != "collecting" or reliability is None or at_end is None:
        return
    if overview.definition.choosing.stop.reliability or _low_coverage(overview) is not None:
        return  # the study ends at its target; a reliability from wrong variances is no reason to stop
    if reliability >= HIGH_RELIABILITY and at_end - reliability < LEAST_GAIN and left >= LEAST_LEFT:
        decimals = messages.language.decimals
        values = {"now": decimals(reliability, 3), "end": decimals(at_end, 3)}
        reason = messages.say("little_gain", count=overview.wanted - overview.judgments, **values)
        yield Advice(messages["consider_stopping"], reason, "pause")


def _skipped(case: Case) -> Iterable[Advice]:
    """Many items that raters cannot judge."""
    overview, messages = case.overview, case.messages
    whole = overview.judgments + overview.cannot_judge
    if overview.cannot_judge >= LEAST_SKIPPED and overview.cannot_judge >= SKIPPED_SHARE * whole:
        share = messages.language.percent(overview.cannot_judge / whole)
        yield Advice(messages["check_question"], messages.say("many_skipped", share=share))


def _finished(case: Case) -> Iterable[Advice]:
    """What to do with the results."""
    if case.overview.status in FINISHED:
        yield Advice(case.messages["read_report"], case.messages["collects_no_more"], "report")


def _audit(case: Case) -> Iterable[Advice]:
    """Whether coverage can be measured at all."""
    choosing = case.overview.definition.choosing
    if case.overview.status == "collecting" and choosing.learns and not choosing.audit_share:
        yield Advice(case.messages["some_at_random"], case.messages["no_audit"])


RULES: tuple[Callable[[Case], Iterable[Advice]], ...] = (
    _state,
    _raters,
    _flagged,
    _links,
    _coverage,
    _enough,
    _short_of_target,
    _more_answers,
    _skipped,
    _finished,
    _audit,
)
