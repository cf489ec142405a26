"""The status line of a study: one word, and one sentence that explains it."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.judgments.findings import counted
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


def headline_of(overview: Overview) -> Headline:
    """Return the status line of a study."""
    return Headline(overview.status, WORDS[overview.status], _sentence(overview))


def _sentence(overview: Overview) -> str:
    judged = f"{overview.judgments:,} of {overview.wanted:,} planned judgments"
    rounds = overview.definition.grounding.rounds.number
    budget = counted(overview.definition.choosing.stop.budget, "answer")
    sentences: dict[Status, str] = {
        "not_started": "No task was given out yet.",
        "collecting": f"The study has {judged}."
        + (f" Round {overview.round} of {rounds}." if rounds > 1 else ""),
        "waiting_for_seeds": "Raters receive no tasks until the first examples are placed.",
        "waiting_for_round": f"Round {overview.round} of {rounds} has its answers. The next round starts when a "
        "rater returns, or when you close this one.",
        "stopped": f"{_rule(overview)} The study has {judged} and needs no more.",
        "budget_spent": f"The budget of {budget} is spent. No new tasks are given out.",
        "complete": f"The study has {judged}, and all the answers it asked for.",
        "paused": f"Raters receive no new tasks. The study has {judged}.",
    }
    return sentences[overview.status]


def _rule(overview: Overview) -> str:
    """The stopping rule that was met."""
    stop, reliability = overview.definition.choosing.stop, overview.reliability
    if stop.reliability and reliability is not None and not stop.interval_width:
        return f"The predicted reliability is {reliability:.2f}, and the target is {stop.reliability:.2f}."
    return "A stopping rule in study.toml is met."
