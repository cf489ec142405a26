"""Texts that raters read before and after their tasks."""

from __future__ import annotations

from steelyard.messages.words import Words
from steelyard.study.collecting.session import Session
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.study import Study
from steelyard.study.log.interface import Rater


def instructions_of(study: Study, words: Words) -> str:
    """Return the instructions of a study and those of its protocols, or its questions if it has none."""
    definition = study.definition
    written = [definition.page.instructions, *(way.page.instructions for way in definition.ways)]
    texts = dict.fromkeys(text for text in written if text)
    return "\n\n".join(texts) or _what_to_do(definition, words)


def _what_to_do(definition: StudyDefinition, words: Words) -> str:
    texts = [question.text for way in definition.asked_ways for question in way.questions]
    return words.say("you_will_be_asked", question=" ".join(dict.fromkeys(texts)))


def _how_much(study: Study, words: Words) -> str:
    """The largest number of items or pages that one rater can get, in one or two sentences."""
    definition, items = study.definition, int(study.items.asked.sum())
    most = definition.choosing.tasks_per_rater
    if definition.ways or definition.asking.way.against:
        limit = words.say("most_pages", count=most) if most else words["any_pages"]
        return words.joined(limit, words.say("items_of_study", count=items))
    size = definition.asking.task_size
    count = min(items, most * size) if most else items
    if size > 1:
        return words.say("most_items", count=count, size=size)
    return words.say("most_items_alone", count=count)


def facts_of(study: Study, words: Words) -> list[str]:
    """Return what a rater should know before they start, one sentence per fact."""
    facts = [_how_much(study, words), words["stop_any_time"]]
    if study.definition.page.cannot_judge:
        facts.append(words["may_decline_to_judge"])
    return facts


def declined_words(session: Session, rater: Rater, words: Words) -> str:
    """Return the text shown after a rater declines, including what happens to their earlier answers.

    Parameters
    ----------
    session
        The session on the study.
    rater
        The rater.
    words
        The words of the page.

    Returns
    -------
    str
        The text.
    """
    effects = {"leave_out": words["earlier_left_out"], "count": words["earlier_counted"]}
    effect = effects[session.study_of(rater.id).definition.joining.declined_answers]
    earlier = [effect] if session.record(rater.id).answers else []
    return words.joined(words["no_tasks_for_you"], *earlier, words["link_still_works"])
