"""Texts that raters read before and after their tasks."""

from __future__ import annotations

from steelyard.study.collecting.session import Session
from steelyard.study.log.interface import Rater

NONE_FOR_ANYONE = (
    "This study needs no more answers",
    "The study has all the answers it needs, so there are no tasks for you. Thank you for your interest.",
)
NONE_FOR_YOU = (
    "No answers are needed from you",
    "This study has no tasks for you. Thank you for your interest.",
)
RETURN_TO_PROLIFIC = "Please return your submission on Prolific. There is no completion code without answers."


def what_to_do(session: Session) -> str:
    """Return the instructions of a study that has none in study.toml."""
    asked = " ".join(question.text for question in session.study.definition.questions)
    return f"You will be asked: *{asked}* There are no right or wrong answers. Please give your own judgment."


def _how_much(session: Session) -> str:
    """The largest number of items or pages that one rater can get, as a sentence."""
    definition, items = session.study.definition, len(session.study.items)
    if definition.asking.way.against:
        limit = (
            f"You will see at most {definition.choosing.tasks_per_rater} pages"
            if definition.choosing.tasks_per_rater
            else "You can answer as many pages as you like"
        )
        return f"{limit}. The study has {items} items."
    size = definition.asking.task_size
    many = f"{size} at a time" if size > 1 else "one at a time"
    limit_of_items = definition.choosing.tasks_per_rater * size
    most = min(items, limit_of_items) if limit_of_items else items
    return f"You will judge at most {most} items, {many}."


def facts_of(session: Session) -> list[str]:
    """Return what a rater should know before they start, one sentence per fact."""
    definition = session.study.definition
    facts = [_how_much(session)]
    facts.append("You can stop at any time. Open your link on any device to continue where you stopped.")
    if definition.page.cannot_judge:
        facts.append("You can always answer “Can’t judge”.")
    return facts


def no_tasks_words(session: Session, rater: Rater | None) -> tuple[str, str]:
    """Return heading and text for a rater who has given no answers and gets no tasks."""
    is_excluded = rater is not None and session.record(rater.id).excluded
    heading, text = NONE_FOR_YOU if is_excluded else NONE_FOR_ANYONE
    if rater is not None and rater.source == "prolific":
        text = f"{text} {RETURN_TO_PROLIFIC}"
    return heading, text


def declined_words(session: Session, rater: Rater) -> str:
    """Return the text shown after a rater declines, including what happens to their earlier answers."""
    effects = {"leave_out": "are not used in the results", "count": "are still used in the results"}
    effect = effects[session.study.definition.joining.declined_answers]
    earlier = f" The answers you gave earlier {effect}." if session.record(rater.id).answers else ""
    return f"You will get no tasks.{earlier} Your link still works if you change your mind."
