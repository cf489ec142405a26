"""The status line of a study: one word, and one sentence that explains it."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.messages.catalogue import SOURCE, lacks_messages, languages
from steelyard.messages.words import Words, owner_words
from steelyard.selection.forecast import decimals_beside
from steelyard.study.results.overview import Overview
from steelyard.study.results.status import Status

WORDS: dict[Status, str] = {
    "not_started": "Not started",
    "collecting": "Collecting",
    "waiting_for_seeds": "Waiting for the first examples",
    "waiting_for_round": "Waiting for the next round",
    "stopped": "Enough answers",
    "budget_spent": "Budget spent",
    "complete": "Finished",
    "paused": "Paused",
}

# Keys of the messages that explain each status.
SENTENCES: dict[Status, str] = {
    "not_started": "no_task_given",
    "collecting": "study_has",
    "waiting_for_seeds": "waiting_for_examples",
    "waiting_for_round": "round_has_answers",
    "stopped": "needs_no_more_answers",
    "budget_spent": "budget_spent",
    "complete": "study_has_all",
    "paused": "study_is_paused",
}


@dataclass(frozen=True, slots=True)
class Headline:
    """The status of a study in one line.

    Attributes
    ----------
    status
        The status.
    word
        Its name, such as "Collecting".
    sentence
        What the status means for this study.
    """

    status: Status
    word: str
    sentence: str


def headline_of(overview: Overview, messages: Words | None = None) -> Headline:
    """Return the status line of a study, in the language of `messages` or, by default, in English."""
    spoken = owner_words(SOURCE) if messages is None else messages
    return Headline(overview.status, spoken.translated(WORDS[overview.status]), _sentence(overview, spoken))


def notices_of(overview: Overview, messages: Words | None = None) -> tuple[str, ...]:
    """Return what the owner should read first, in the language of `messages` or, by default, in English."""
    spoken = owner_words(SOURCE) if messages is None else messages
    language = overview.definition.page.language
    unknown = (language,) if lacks_messages(language) else ()
    return (
        *(spoken.say("not_converged", question=question) for question in overview.not_converged),
        *(spoken.say("no_language", language=each, languages=", ".join(languages())) for each in unknown),
    )


def _sentence(overview: Overview, messages: Words) -> str:
    settings = overview.definition
    values = {
        "judgments": overview.judgments,
        "wanted": overview.wanted,
        "round": overview.round,
        "rounds": settings.grounding.rounds.number,
        "count": settings.choosing.stop.budget,
    }
    sentence = messages.say(SENTENCES[overview.status], **values)
    if overview.status == "collecting" and settings.grounding.rounds.number > 1:
        return messages.joined(sentence, messages.say("round_number", **values))
    return messages.joined(_rule(overview, messages), sentence) if overview.status == "stopped" else sentence


def _rule(overview: Overview, messages: Words) -> str:
    """The stopping rule that was met."""
    stop, reliability = overview.definition.choosing.stop, overview.reliability
    if stop.reliability and reliability is not None and not stop.interval_width:
        digits = decimals_beside(reliability, stop.reliability)
        shown = messages.language.decimals(reliability, digits)
        return messages.say("reliability_met", reliability=shown, target=stop.reliability)
    return messages["rule_met"]
