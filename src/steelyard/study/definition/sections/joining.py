"""[joining] and [[survey]] of study.toml: access, consent, and questions about the rater."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steelyard.errors import BadSetting
from steelyard.study.definition.sections.limits import check_distinct


@dataclass(frozen=True, slots=True)
class SurveyQuestion:
    """One question about the rater. The answers can serve as covariates.

    Parameters
    ----------
    id
        Name of the question in files.
    text
        The question that raters read.
    kind
        Form of the answer: `"text"`, `"number"` or `"choice"`.
    choices
        Answers to choose from, for `kind = "choice"`. At least two.
    required
        Whether raters must answer the question.
    """

    id: str
    text: str
    kind: Literal["choice", "text", "number"] = "text"
    choices: tuple[str, ...] = ()
    required: bool = True

    def __post_init__(self) -> None:
        if self.kind == "choice" and len(self.choices) < 2:
            raise BadSetting(
                f"survey {self.id}", "needs at least two choices. Add them, or set another kind."
            )


@dataclass(frozen=True, slots=True)
class JoiningSettings:
    """How raters join and leave the study.

    Parameters
    ----------
    consent
        Consent text, in Markdown. If it is set, raters must tick a box before they can start.
    consent_label
        Text next to the box.
    declined_answers
        What happens to the earlier answers of a rater who later declines to take part. `"leave_out"` excludes them
        from the scale, `"count"` includes them. In both cases the log keeps the answers, the owner's page shows who
        declined, and the rater is informed.
    kept
        Text about the data that the study stores, in Markdown, shown next to the consent text. The default is a
        sentence that lists the data that this study stores.
    completion_code
        Code shown at the end, and sent back to Prolific.
    open_link
        Let anyone join at `/join` with a name of their choice.
    prolific
        Let participants from Prolific join at `/p?...`.
    survey
        Questions about the rater, in tables `[[survey]]`.
    """

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
