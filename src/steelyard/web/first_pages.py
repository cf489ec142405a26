"""Which page a rater must see before a task: consent, survey, training, first examples, or that there are no tasks."""

from __future__ import annotations

from typing import Literal

from steelyard.study.collecting.raters import instructions_due
from steelyard.study.collecting.session import Session
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.grounding.cold_start import cold_start_of, takes_part
from steelyard.study.log.interface import Rater
from steelyard.study.log.rater_record import RaterRecord

NO_TASKS = "/no-tasks"
INSTRUCTIONS = "/instructions"


def first_page(session: Session, rater: Rater) -> str | None:
    """Return the page that a rater must see before a task, or None.

    The order is: no tasks, consent, survey, training with its instructions, first examples.
    """
    session.arrive(rater.id)
    definition, record = session.study_of(rater.id).definition, session.record(rater.id)
    if not record.answers and session.need(rater.id) != "open":
        return NO_TASKS
    if not record.consented:
        return "/welcome"
    if definition.joining.survey_part("before") and record.survey is None:
        return "/survey"
    training = _training_page(definition, record)
    if training is not None:
        return training
    if (
        takes_part(definition, rater.id)
        and cold_start_of(session.ledger_of(rater.id), rater.id).state != "done"
    ):
        return "/cold-start"
    return None


def _training_page(definition: StudyDefinition, record: RaterRecord) -> str | None:
    """Return the next page of the training, or None if there is none."""
    if instructions_due(definition, record):
        return INSTRUCTIONS
    return "/training" if definition.training is not None and not record.trained else None


def survey_due(session: Session, rater: Rater) -> Literal["before", "after"]:
    """Return which part of the survey a rater answers: the second part once they have finished their tasks."""
    record, joining = session.record(rater.id), session.study_of(rater.id).definition.joining
    is_due = joining.survey_part("after") and not record.surveyed_after and not record.is_out
    if not is_due or not record.answers or first_page(session, rater) is not None:
        return "before"
    return "after" if session.rater_state(rater.id).finished else "before"
