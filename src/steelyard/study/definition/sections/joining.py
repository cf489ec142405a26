"""[joining] and [[survey]] of study.toml: who may take part, and what they agree to and say about themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steelyard.errors import BadSetting
from steelyard.study.definition.sections.limits import check_distinct


@dataclass(frozen=True, slots=True)
class SurveyQuestion:
    """A short question about the rater: a source of covariates."""

    id: str
    text: str
    kind: Literal["choice", "text", "number"] = "text"
    choices: tuple[str, ...] = ()
    required: bool = True

    def __post_init__(self) -> None:
        if self.kind == "choice" and len(self.choices) < 2:
            raise BadSetting(f"survey {self.id}", "a choice needs at least two choices.")


@dataclass(frozen=True, slots=True)
class JoiningSettings:
    """How raters join and leave: consent, survey, links, and the code that they get at the end."""

    consent: str = ""
    consent_label: str = "I have read this, and I agree to take part."
    declined_answers: Literal["leave_out", "count"] = "leave_out"
    kept: str = ""
    completion_code: str = ""
    open_link: bool = True
    prolific: bool = False
    survey: tuple[SurveyQuestion, ...] = ()

    def __post_init__(self) -> None:
        check_distinct("survey", [question.id for question in self.survey])
