"""What raters read when there is nothing more to do: heading, text, completion code and the way back to a crowd."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.messages.words import Words
from steelyard.study.collecting.session import Session
from steelyard.study.log.counting import declined, judged
from steelyard.study.log.interface import Rater
from steelyard.study.log.rater_record import RaterRecord
from steelyard.web.crowds import (
    MTURK,
    PROLIFIC,
    Outcome,
    Whence,
    came_from,
    code_of,
    crowds_of,
    return_link,
    submit_form,
)

NONE_FOR_ANYONE = (
    "This study needs no more answers",
    "The study has all the answers it needs, so there are no tasks for you. Thank you for your interest.",
)
NONE_FOR_YOU = (
    "No answers are needed from you",
    "This study has no tasks for you. Thank you for your interest.",
)
SCREENED_OUT = (
    "You cannot take part in this study",
    "This study looks for participants with other answers to the first questions. Thank you for your interest.",
)
TOOK_PART_BEFORE = (
    "You have already taken part",
    "You have joined an earlier study that is related to this one. This study needs people who have not taken part "
    "before. Thank you for your interest.",
)
ENDED = "Your session has ended"
RETURN_WITHOUT_CODE = (
    "Please return your submission on Prolific. There is no completion code without answers."
)
RETURN_SUBMISSION = "Please return your submission on Prolific."
RETURN_HIT = "Please return this HIT on MTurk."
SUBMIT_HIT = "Open the HIT on MTurk again and submit it there."
ANYWHERE = Whence()
_COMPLETED: Outcome = "completed"
_FULL: Outcome = "full"
_SCREENED_OUT: Outcome = "screened_out"
_FAILED: Outcome = "failed_checks"
_NONE: Outcome = "none"


@dataclass(frozen=True, slots=True)
class Ending:
    """The content of a last page.

    Attributes
    ----------
    heading, text
        What the rater reads.
    code
        Completion code, or "".
    return_url
        Address that leads back to a crowd, with the code, or "".
    crowd
        Name of the crowd.
    submit_to, fields
        Address and fields of a form that is sent to MTurk, or "" and nothing.
    """

    heading: str
    text: str
    code: str = ""
    return_url: str = ""
    crowd: str = ""
    submit_to: str = ""
    fields: tuple[tuple[str, str], ...] = ()


def ending_of(session: Session, rater: Rater | None, words: Words, whence: Whence = ANYWHERE) -> Ending:
    """Return the last page of a rater, or of someone who has not joined: finished, full, screened out or ended.

    Parameters
    ----------
    session
        The session on the study.
    rater
        The rater; None for someone who has not joined.
    words
        The words of the page.
    whence
        Where someone who has not joined comes from.

    Returns
    -------
    Ending
        What the page shows.
    """
    record = RaterRecord() if rater is None else session.record(rater.id)
    if record.ended:
        heading, text, outcome = ENDED, record.message, _FAILED
    elif record.screened_out:
        (heading, text), outcome = SCREENED_OUT, _SCREENED_OUT
    elif record.answers:
        heading, text, outcome = words["thank_you"], _saved(record, words), _COMPLETED
    elif record.excluded:
        (heading, text), outcome = NONE_FOR_YOU, _NONE
    else:
        (heading, text), outcome = NONE_FOR_ANYONE, _FULL
    heading, text = words.translated(heading), words.translated(text)
    if rater is None:
        return _leading_back(session, Ending(heading, text), Leaving(whence, outcome), words)
    # Read again: the submission of a rater may change while this process keeps the earlier one.
    rater = session.roster.by_id(rater.id) or rater
    code = code_of(session.study_of(rater.id).definition, outcome)
    leaving = Leaving(came_from(rater), outcome, rater.id, bool(record.answers))
    return _leading_back(session, Ending(heading, text, code), leaving, words)


def ending_elsewhere(session: Session, whence: Whence, words: Words) -> Ending:
    """Return the page for a person from a crowd who has joined a study in `exclude_raters_of`.

    Parameters
    ----------
    session
        The study.
    whence
        The crowd, and the parameters with which the person came.
    words
        Messages in the person's language.

    Returns
    -------
    Ending
        Heading, text and the way back to the crowd.
    """
    heading, text = (words.translated(each) for each in TOOK_PART_BEFORE)
    return _leading_back(session, Ending(heading, text), Leaving(whence, _SCREENED_OUT), words)


@dataclass(frozen=True, slots=True)
class Leaving:
    """A person who leaves the study: whence, how it ended, their id if they joined, and whether they answered."""

    whence: Whence
    outcome: Outcome
    rater: str = ""
    answered: bool = False


def _leading_back(session: Session, ending: Ending, leaving: Leaving, words: Words) -> Ending:
    """Return a last page with the way back to the crowd of the person."""
    whence, outcome, rater = leaving.whence, leaving.outcome, leaving.rater
    definition = session.study_of(rater).definition if rater else session.study.definition
    names = {crowd.source: crowd.name for crowd in crowds_of(session.study.definition)}
    if whence.source not in names:
        return ending
    link, form = return_link(definition, whence, outcome), submit_form(whence) if leaving.answered else None
    advice = "" if link else _advice(leaving, form is not None)
    text = words.joined(ending.text, words.translated(advice)) if advice else ending.text
    code = code_of(definition, outcome) if whence.source == PROLIFIC.source else ending.code
    if form is None:
        return Ending(ending.heading, text, code, link, names[whence.source])
    address, assignment = form
    fields = (("assignmentId", assignment), ("rater", rater), ("outcome", outcome))
    return Ending(ending.heading, text, crowd=names[whence.source], submit_to=address, fields=fields)


def _advice(leaving: Leaving, submits: bool) -> str:
    """What a person from a crowd does next if no link leads back."""
    if leaving.whence.source == PROLIFIC.source:
        if not leaving.answered:
            return RETURN_WITHOUT_CODE
        return RETURN_SUBMISSION if leaving.outcome == _FAILED else ""
    if leaving.whence.source == MTURK.source:
        return "" if submits else SUBMIT_HIT if leaving.answered else RETURN_HIT
    return ""


def _saved(record: RaterRecord, words: Words) -> str:
    answers = sum(judged(each.cells) + declined(each.cells) for each in record.answers.values())
    return words.say("answers_saved", count=answers)
