"""What the owner of a study should do now: a short list of actions, each with its reason."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from steelyard.judgments.findings import counted
from steelyard.quality.rater_flags import SPAM_FROM, UNRELATED
from steelyard.selection.forecast import two_digits
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


def advice_of(overview: Overview, now: float) -> tuple[Advice, ...]:
    """Return what the owner should do now, most important first.

    Parameters
    ----------
    overview
        The state of the study.
    now
        Time in seconds since 1970.

    Returns
    -------
    tuple of Advice
        At most five; empty if nothing needs to be done.
    """
    return tuple(each for rule in RULES for each in rule(overview, now))[:MOST]


def _state(overview: Overview, now: float) -> Iterable[Advice]:
    """What the state of the study requires before anything else can happen."""
    del now
    if overview.status == "paused":
        yield Advice("Resume the study", "It is paused, so raters receive no new tasks.", "resume")
    elif overview.status == "waiting_for_seeds":
        yield _seeds(overview.definition)
    elif overview.status == "waiting_for_round":
        reason = "All its answers are in. They determine the examples of the next round."
        yield Advice(f"Close round {overview.round}", reason, "close_round")


def _seeds(definition: StudyDefinition) -> Advice:
    settings = definition.grounding.cold_start
    if settings is not None and settings.by == "owner":
        reason = "Raters receive no tasks until you have chosen and placed the first examples."
        return Advice("Place the first examples", reason, "place_examples")
    reason = "Raters are still placing the first examples. You can start with those placed so far."
    return Advice("Start with the examples placed so far", reason, "use_examples")


def _raters(overview: Overview, now: float) -> Iterable[Advice]:
    """Whether somebody is left to answer."""
    if overview.status not in ("not_started", "collecting"):
        return
    if not any(line.tasks for line in overview.raters):
        yield Advice("Invite raters", "Nobody has answered yet. Send them a link.", "invite")
    elif not overview.left_to_ask:
        stopped = f"{counted(overview.stopped_early, 'rater')} stopped early"
        reason = f"No rater is left who can receive tasks ({stopped}). You can also reinstate them."
        yield Advice("Invite more raters", reason, "invite")
    elif overview.newest_at is not None and now - overview.newest_at > IDLE_SECONDS:
        days = counted(int((now - overview.newest_at) // IDLE_SECONDS), "day")
        reason = (
            f"The latest answer was given {days} ago, and {counted(overview.missing, 'answer')} are missing."
        )
        yield Advice("Invite more raters", reason, "invite")


def _flagged(overview: Overview, now: float) -> Iterable[Advice]:
    """Raters whose answers need a look: most conspicuous first, the others together."""
    del now
    flagged = [(line, _flags(overview, line)) for line in overview.raters if not line.excluded]
    flagged = sorted(((line, flags) for line, flags in flagged if flags), key=lambda each: -_weight(*each))
    for line, flags in flagged[:NAMED_RATERS]:
        rater, reason = line.rater.id, f"{_sentence(flags)}."
        if _weight(line, flags) >= EXCLUDED_FROM:
            effect = f"{counted(line.answers, 'answer')} would no longer count."
            yield Advice(f"Exclude {rater}", reason, "exclude", rater, effect)
        else:
            yield Advice(f"Review {rater}", reason, "review", rater)
    left = len(flagged) - NAMED_RATERS
    if left > 0:
        title = f"Review {counted(left, 'more flagged rater')}"
        yield Advice(title, "Their answers differ from those of the others.", "review_flagged")


def _flags(overview: Overview, line: RaterLine) -> tuple[str, ...]:
    """The flags of a rater under any question."""
    lines = (each for view in overview.views for each in view.raters if each.rater.id == line.rater.id)
    return tuple(dict.fromkeys(flag for each in lines for flag in each.flags))


def _weight(line: RaterLine, flags: tuple[str, ...]) -> float:
    """Number of flags; answers that look random count twice, because few honest raters have these flags."""
    spam = line.habits is not None and line.habits.spam is not None and line.habits.spam >= SPAM_FROM
    return len(flags) + float(spam or UNRELATED in flags)


def _sentence(flags: tuple[str, ...]) -> str:
    return ", ".join([*flags[:1], *(flag[0].lower() + flag[1:] for flag in flags[1:])])


def _links(overview: Overview, now: float) -> Iterable[Advice]:
    """Parts of the items that cannot be compared with each other."""
    del now
    if overview.judgments < LINKED_FROM * overview.items and overview.status not in FINISHED:
        return
    for view in overview.views:
        if view.unlinked > 1:
            parts = f"The items form {view.unlinked:,} parts that no judgment or common rater links"
            if overview.status in FINISHED:
                remedy = "Increase redundancy in study.toml and restart the server."
            else:
                remedy = "Further answers link them. Differences between parts are uncertain until then."
            yield Advice("Collect answers that link the parts", f"{parts}. {remedy}", "items_short")
            return


def _coverage(overview: Overview, now: float) -> Iterable[Advice]:
    """Intervals that are too narrow."""
    del now
    if overview.audit is None or overview.audit.calibration.answers < LEAST_AUDITED:
        return
    level, share = overview.audit.calibration.by_level[-1]
    if share.share < TOO_LOW and share.interval()[1] < level:
        reason = f"The {100 * level:.0f}% intervals contain only {100 * share.share:.0f}% of {share.of:,} new answers."
        yield Advice("Do not rely on the intervals", reason, "calibration")


def _more_answers(overview: Overview, now: float) -> Iterable[Advice]:
    """How many answers are missing, and about which items."""
    del now
    target, forecast = overview.definition.choosing.stop.reliability, overview.forecast
    if overview.status == "collecting" and overview.missing and overview.judgments:
        named = _named(overview, overview.shortest)
        items = f"{overview.items_short:,} of {counted(overview.items, 'item')}"
        title = f"Collect {counted(overview.missing, 'more answer')}"
        redundancy = counted(overview.definition.choosing.redundancy, "answer")
        if overview.definition.choosing.learns:
            reason = "The model chooses the items whose answers carry most information."
        else:
            have = "has" if overview.items_short == 1 else "have"
            reason = f"{items} {have} fewer than {redundancy}: {named}."
        yield Advice(title, reason, "items_short")
    elif overview.status in ("complete", "budget_spent") and forecast is not None and forecast.more:
        lacking = f"Predicted reliability is {overview.reliability:.2f}, below the target of {target:.2f}."
        title = f"Ask for about {two_digits(forecast.more):,} more judgments"
        yield Advice(title, f"{lacking} {_remedy(overview, forecast.more)}", "items_wide")


def _short_of_target(overview: Overview, now: float) -> Iterable[Advice]:
    """Whether the planned judgments are too few for the wanted reliability."""
    del now
    forecast, at_end = overview.forecast, overview.reliability_at_end
    if overview.status != "collecting" or forecast is None or at_end is None:
        return
    if forecast.low > overview.wanted - overview.judgments:
        expected = f"After the planned judgments, predicted reliability is about {at_end:.2f}"
        reason = f"{expected}, below the target of {forecast.target:.2f}. {_remedy(overview, forecast.more)}"
        yield Advice("Plan more judgments", reason)


def _named(overview: Overview, items: tuple[str, ...]) -> str:
    """Labels of the first items, and the number of the others."""
    labels = [overview.labels.get(item, item) for item in items[:NAMED_ITEMS]]
    left = overview.items_short - len(labels)
    return ", ".join(labels) + (f" and {left:,} more" if left > 0 else "")


def _remedy(overview: Overview, more: int) -> str:
    """Which setting to change so that the study asks for more judgments."""
    choosing = overview.definition.choosing
    if choosing.stop.budget:
        budget = _answers_for(overview, overview.judgments + more)
        return f"Increase budget to about {two_digits(budget):,} in study.toml and restart the server."
    factor = (overview.judgments + more) / max(overview.wanted, 1)
    redundancy = math.ceil(choosing.redundancy * factor)
    return f"Increase redundancy to {redundancy} in study.toml and restart the server."


def _answers_for(overview: Overview, judgments: int) -> int:
    """Number of answers about items in this many judgments, in which a budget counts."""
    return math.ceil(judgments * items_per_judgment(overview.definition) / len(overview.definition.questions))


def _enough(overview: Overview, now: float) -> Iterable[Advice]:
    """Whether further planned judgments would change little."""
    del now
    reliability, at_end = overview.reliability, overview.reliability_at_end
    left = 1.0 - overview.judgments / max(overview.wanted, 1)
    if overview.status != "collecting" or reliability is None or at_end is None:
        return
    if reliability >= HIGH_RELIABILITY and at_end - reliability < LEAST_GAIN and left >= LEAST_LEFT:
        more = counted(overview.wanted - overview.judgments, "planned judgment")
        reason = f"{more} would raise the predicted reliability from {reliability:.3f} to {at_end:.3f} only."
        yield Advice("Consider stopping", reason, "pause")


def _skipped(overview: Overview, now: float) -> Iterable[Advice]:
    """Many items that raters cannot judge."""
    del now
    whole = overview.judgments + overview.cannot_judge
    if overview.cannot_judge >= LEAST_SKIPPED and overview.cannot_judge >= SKIPPED_SHARE * whole:
        reason = f"Raters answered “can’t judge” in {100 * overview.cannot_judge / whole:.0f}% of the cases."
        yield Advice("Check the question and the items", reason)


def _finished(overview: Overview, now: float) -> Iterable[Advice]:
    """What to do with the results."""
    del now
    if overview.status in FINISHED:
        yield Advice("Read the report", "The study collects no more answers.", "report")


def _audit(overview: Overview, now: float) -> Iterable[Advice]:
    """Whether coverage can be measured at all."""
    del now
    choosing = overview.definition.choosing
    if overview.status == "collecting" and choosing.learns and not choosing.audit_share:
        reason = (
            "The model chooses every task, so the coverage of the intervals cannot be measured. Set explore = 0.1 in "
            "study.toml and restart the server."
        )
        yield Advice("Choose some tasks at random", reason)


RULES: tuple[Callable[[Overview, float], Iterable[Advice]], ...] = (
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
