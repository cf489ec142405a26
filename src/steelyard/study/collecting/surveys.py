"""Read the answers to the survey about the rater."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.study.definition.sections.joining import SurveyQuestion

LONGEST = 500


def read_survey(
    questions: Sequence[SurveyQuestion], entered: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the valid answers by question, and for each invalid answer the key of the message about it."""
    answers: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for question in questions:
        text = entered.get(question.id, "")
        error = _problem(question, text)
        if error:
            errors[question.id] = error
        elif text:
            answers[question.id] = float(text) if question.kind == "number" else text
    return answers, errors


def _problem(question: SurveyQuestion, text: str) -> str:
    if not text:
        return "survey_missing" if question.required else ""
    if len(text) > LONGEST:
        return "survey_long"
    if question.kind == "choice" and text not in question.choices:
        return "survey_choice"
    if question.kind == "number":
        try:
            number = float(text)
        except ValueError:
            return "survey_number"
        return "" if number - number == 0 else "survey_number"
    return ""
