"""What raters read around their tasks, in words made from the study."""

from __future__ import annotations

from steelyard.study.collecting.session import Session
from steelyard.study.log.interface import Rater

NONE_FOR_ANYONE = (
    "This study needs no more answers",
    "All the answers that were needed have been given, so there is nothing for you to do. "
    "Thank you for your interest.",
)
NONE_FOR_YOU = (
    "No answers are needed from you",
    "This study has no tasks for you. Thank you for your interest.",
)
RETURN_TO_PROLIFIC = "Please return your submission on Prolific. There is no completion code without answers."


def what_to_do(session: Session) -> str:
    """Instructions for a study that has none of its own."""
    asked = " ".join(question.text for question in session.study.definition.questions)
    return f"You will be asked: *{asked}* There are no right answers. We want your own sense of it."


def _how_much(session: Session) -> str:
    """How much there is to do at most."""
    definition, items = session.study.definition, len(session.study.items)
    if definition.asking.way.against:
        limit = (
            f"{definition.choosing.tasks_per_rater} pages"
            if definition.choosing.tasks_per_rater
            else "As many pages as you like"
        )
        return f"{limit}, from {items} items in all."
    size = definition.asking.task_size
    many = f"{size} at a time" if size > 1 else "one at a time"
    limit_of_items = definition.choosing.tasks_per_rater * size
    return f"{min(items, limit_of_items) if limit_of_items else items} to judge at most, {many}."


def facts_of(session: Session) -> list[str]:
    """What a rater should know before they start."""
    definition = session.study.definition
    facts = [_how_much(session)]
    facts.append("Stop whenever you like. Your link brings you back to where you were, on any device.")
    if definition.page.cannot_judge:
        facts.append("“Can’t judge” is a fine answer.")
    return facts


def no_tasks_words(session: Session, rater: Rater | None) -> tuple[str, str]:
    """Heading and text for one who has answered nothing, where nothing more is needed."""
    is_excluded = rater is not None and session.record(rater.id).excluded
    heading, text = NONE_FOR_YOU if is_excluded else NONE_FOR_ANYONE
    if rater is not None and rater.source == "prolific":
        text = f"{text} {RETURN_TO_PROLIFIC}"
    return heading, text


def declined_words(session: Session, rater: Rater) -> str:
    """What happens after declining, and to answers that were given before."""
    kept = {"leave_out": "are left out of the results", "count": "stay in the results"}
    given = (
        kept[session.study.definition.joining.declined_answers] if session.record(rater.id).answers else ""
    )
    earlier = f" The answers you gave before {given}." if given else ""
    return f"Nothing is asked of you.{earlier} Your link still works if you change your mind."
