"""[joining] and [[survey]] of study.toml: access, consent, and questions about the rater."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steelyard.errors import BadSetting
from steelyard.study.definition.sections.limits import check_distinct, check_limits


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
    when
        When the question is asked: `"before"` the first task, or `"after"` the last.
    screen_out
        Choices that end the participation of a rater before the first task.
    least
        `kind = "number"`: a smaller number ends the participation.
    most
        `kind = "number"`: a larger number ends the participation.
    """

    id: str
    text: str
    kind: Literal["choice", "text", "number"] = "text"
    choices: tuple[str, ...] = ()
    required: bool = True
    when: Literal["before", "after"] = "before"
    screen_out: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None

    def __post_init__(self) -> None:
        self._check_screening()
        if self.kind == "choice" and len(self.choices) < 2:
            raise BadSetting(
                f"survey {self.id}", "needs at least two choices. Add them, or set another kind."
            )

    def _check_screening(self) -> None:
        """Raise BadSetting if the answers that screen raters out cannot be given, or come too late."""
        where = f"survey {self.id}"
        unknown = [each for each in self.screen_out if each not in self.choices]
        if unknown:
            raise BadSetting(
                where, f"screen_out has {unknown[0]!r}, which is not one of the choices. Correct it."
            )
        if (self.least is not None or self.most is not None) and self.kind != "number":
            raise BadSetting(where, 'least and most need kind = "number".')
        if self.screens and self.when == "after":
            raise BadSetting(
                where, 'only questions before the tasks can screen raters out. Set when = "before".'
            )

    @property
    def screens(self) -> bool:
        """Whether an answer can end the participation of a rater."""
        return bool(self.screen_out) or self.least is not None or self.most is not None

    def screens_out(self, answer: object) -> bool:
        """Whether this answer ends the participation of a rater."""
        if isinstance(answer, float):
            below = self.least is not None and answer < self.least
            return below or (self.most is not None and answer > self.most)
        return answer in self.screen_out


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
        Code shown to a rater who has finished, and sent back to Prolific.
    full_code
        Code for a person who comes when the study needs no more answers.
    screened_out_code
        Code for a rater whom the survey screened out.
    failed_checks_code
        Code for a rater whose session ended because of failed checks.
    most_raters
        Largest number of raters. Raters count if they have answered, or if they agreed to take part and have been
        active within `lease_minutes`. Raters who are excluded or whose session ended do not count. 0 sets no limit.
    open_link
        Let anyone join at `/join` with a name of their choice.
    prolific
        Let participants from Prolific join at `/p?...`.
    mturk
        Let workers of Amazon Mechanical Turk join at `/mturk`, in a frame on the worker's page.
    joins_per_minute
        Largest number of new raters per minute from one network address, and a tenth of the largest number from all
        addresses. With several server processes, each has an equal share of it, at least 1. Raise it if many people
        join from one building at the same moment.
    exclude_raters_of
        Folders of other studies, relative to the folder of this study. People who have joined one of them cannot join
        this study. They are recognised by their id on Prolific, MTurk or a panel, or in an imported file.
    survey
        Questions about the rater, in tables `[[survey]]`.
    """

    consent: str = ""
    consent_label: str = "I have read this, and I agree to take part."
    declined_answers: Literal["leave_out", "count"] = "leave_out"
    kept: str = ""
    completion_code: str = ""
    full_code: str = ""
    screened_out_code: str = ""
    failed_checks_code: str = ""
    most_raters: int = 0
    open_link: bool = True
    prolific: bool = False
    mturk: bool = False
    joins_per_minute: int = 60
    exclude_raters_of: tuple[str, ...] = ()
    survey: tuple[SurveyQuestion, ...] = ()

    def __post_init__(self) -> None:
        check_distinct("survey", [question.id for question in self.survey])
        check_limits(self, {"most_raters": 0, "joins_per_minute": 1}, {"joins_per_minute": 1_000_000})

    def survey_part(self, when: Literal["before", "after"]) -> tuple[SurveyQuestion, ...]:
        """Return the questions that are asked before or after the tasks."""
        return tuple(question for question in self.survey if question.when == when)
