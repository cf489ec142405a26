"""Read the answers to the survey about the rater."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.study.definition.sections.joining import SurveyQuestion

LONGEST = 500


def read_survey(
    questions: Sequence[SurveyQuestion], entered: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the valid answers by question, and an error message for each invalid answer."""
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
        return "Answer this question to continue." if question.required else ""
    if len(text) > LONGEST:
        return f"Enter at most {LONGEST} characters."
    if question.kind == "choice" and text not in question.choices:
        return "Choose one of the options."
    if question.kind == "number":
        try:
            number = float(text)
        except ValueError:
            return "Enter a number."
        return "" if number - number == 0 else "Enter a number."
    return ""
