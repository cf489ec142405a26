"""Sentences for the methods paragraph on exclusions, examples, rounds, training, checks and pay of a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from steelyard.report import words
from steelyard.study.results.effort import Effort
from steelyard.study.results.overview import Overview


def exclusion_sentences(overview: Overview) -> Iterator[str]:
    """Yield how many raters were excluded, and why, and how many were stopped early."""
    reasons = Counter(line.reason for line in overview.raters if line.excluded and line.answers)
    excluded, stopped = sum(reasons.values()), overview.stopped_early
    if excluded:
        listed = [f"{why}: {words.counted(count, 'rater')}" for why, count in reasons.most_common() if why]
        because = f" ({next(iter(reasons)) if len(reasons) == 1 else '; '.join(listed)})" if listed else ""
        were = "was" if excluded == 1 else "were"
        yield f"{words.counted(excluded, 'further rater')} {were} excluded{because}, and their answers do not count."
    if stopped:
        were = "was" if stopped == 1 else "were"
        yield (
            f"{words.counted(stopped, 'rater')} {were} stopped early because their answers carried too little "
            "information. The answers they gave count."
        )


def procedure_sentences(overview: Overview) -> Iterator[str]:
    """Yield how raters were instructed, checked and paid, as far as it applies to the study."""
    definition, effort = overview.definition, overview.effort
    if effort.anchors and "examples" in definition.shows:
        were = "was" if len(effort.anchors) == 1 else "were"
        yield f"{words.counted(len(effort.anchors), 'item')} {were} shown as examples along the scale."
    rounds = definition.grounding.rounds
    if rounds.number > 1:
        again = f", and up to {words.counted(rounds.reannotate, 'item')} were asked again in each later round"
        yield f"The items were divided into {rounds.number} rounds{again if rounds.reannotate else ''}."
    training = training_words(effort)
    if training:
        yield f"A training preceded the first task. {training}"
    yield from _checks(overview)
    pay = overview.pay
    if pay is not None:
        hourly = (
            ""
            if pay.median_hourly is None
            else f", with a median of {pay.median_hourly:.2f} {pay.currency} per hour"
        )
        yield f"The pay of all raters was {pay.total:,.2f} {pay.currency}{hourly}."


def training_words(effort: Effort) -> str:
    """Return how many raters completed the training, with the attempts they made; "" without attempts."""
    if not effort.attempts:
        return ""
    unfinished = (
        f" {words.counted(effort.in_training, 'rater')} did not complete it." if effort.in_training else ""
    )
    were = "was" if effort.wrong_attempts == 1 else "were"
    return (
        f"{words.counted(effort.trained, 'rater')} completed the training. Raters made "
        f"{words.counted(effort.attempts, 'attempt')} at its exercises, of which {effort.wrong_attempts:,} {were} "
        f"wrong.{unfinished}"
    )


def _checks(overview: Overview) -> Iterator[str]:
    counted, settings = overview.checks, overview.definition.checks
    if counted.answered:
        kinds = "Checks with a known answer"
        if settings.repeats is not None:
            known = settings.tasks or settings.file or settings.hidden
            kinds = f"{kinds} and repeated tasks" if known else "Repeated tasks"
        ended = sum(line.ended for line in overview.raters)
        sessions = (
            f" The participation of {words.counted(ended, 'rater')} ended because of failed checks."
            if ended
            else ""
        )
        yield (
            f"{kinds} were mixed in and left out of the scale: {counted.answered:,} were answered, of "
            f"which {counted.failed:,} were failed.{sessions}"
        )
    if overview.definition.grounding.probes is not None and overview.probes:
        yield f"{words.counted(overview.probes, 'answer')} to probes, which repeat an item, were left out of the scale."
