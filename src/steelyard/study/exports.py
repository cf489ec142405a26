"""What a study gives out: judgments, scale and raters as plain columns."""

from __future__ import annotations

from typing import Any

from steelyard.errors import UnknownName
from steelyard.judgments.frames import to_columns
from steelyard.scales.scale import stacked
from steelyard.study.learning import fit_question
from steelyard.study.ledger import Ledger
from steelyard.study.log import Roster

WHAT = ("judgments", "scale", "raters")
Columns = dict[str, list[Any]]


def export_columns(ledger: Ledger, roster: Roster, what: str) -> Columns:
    """The columns of one of the three tables."""
    if what == "judgments":
        return to_columns(ledger.judgments(), "rating")
    if what == "scale":
        return scale_columns(ledger)
    if what == "raters":
        return rater_columns(ledger, roster)
    raise UnknownName("table", what, WHAT)


def scale_columns(ledger: Ledger) -> Columns:
    """The scale of every question, most first; the question's id leads where there are several."""
    questions = ledger.definition.questions
    fits = [(question.id, fit_question(ledger, number)) for number, question in enumerate(questions)]
    return stacked(
        [(name, fit.scale) for name, fit in fits if fit], "question" if len(questions) > 1 else None
    )


def rater_columns(ledger: Ledger, roster: Roster) -> Columns:
    """One row per rater: who they are, what they did, and their answers to the survey."""
    asked = [question.id for question in ledger.definition.survey]
    columns: Columns = {name: [] for name in ("rater", "name", "source", "answers", "excluded", *asked)}
    for rater in roster.all():
        record = ledger.rater(rater.id)
        survey = record.survey if record.survey is not None else {}
        row = (rater.id, rater.name, rater.source, len(record.answers), record.excluded)
        for name, value in zip(columns, (*row, *(survey.get(each) for each in asked)), strict=True):
            columns[name].append(value)
    return columns
