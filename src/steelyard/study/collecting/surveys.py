"""The short survey about the rater: reading what was filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.study.definition.sections.joining import SurveyQuestion

LONGEST = 500


def read_survey(
    questions: Sequence[SurveyQuestion], given: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Answers by question, and what is wrong with those that cannot be taken."""
    answers: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for question in questions:
        text = given.get(question.id, "")
        error = _problem(question, text)
        if error:
            errors[question.id] = error
        elif text:
            answers[question.id] = float(text) if question.kind == "number" else text
    return answers, errors


def _problem(question: SurveyQuestion, text: str) -> str:
    if not text:
        return "Answer this one to go on." if question.required else ""
    if len(text) > LONGEST:
        return f"Write at most {LONGEST} characters."
    if question.kind == "choice" and text not in question.choices:
        return "Choose one of these."
    if question.kind == "number":
        try:
            number = float(text)
        except ValueError:
            return "Write a number."
        return "" if number - number == 0 else "Write a number."
    return ""
