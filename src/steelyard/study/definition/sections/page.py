"""[page] of study.toml: options and language of the pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steelyard.messages.catalogue import AUTO, SOURCE


@dataclass(frozen=True, slots=True)
class PageSettings:
    """Options of the pages, instructions and language.

    Parameters
    ----------
    cannot_judge
        Offer the answer "Can't judge".
    comment
        Offer a comment field.
    allow_undo
        Let raters take back their last answer. The log marks it as superseded. A rater can take back 5 answers, and
        one more for every 5 answers that they have given and not taken back.
    fetch_ahead
        Assign the next task while a rater answers the current one, so that the page shows it at once and a rater whose
        connection drops can answer it. The next task is then chosen before the current answer is known. Tasks are
        not assigned in advance if the scale shows the rater's own answers, or if the study has [checks].
    listen_first
        Accept an answer only after the rater has played every audio or video item of the task to the end.
    instructions
        Instructions that raters read first, in Markdown. The default is a sentence with the question.
    least_width
        Smallest width of the window, in pixels, at which the items can be judged. A rater with a smaller window sees
        a message, and can continue on another device. 0 for any width.
    language
        Language of the pages, as a code such as `"de"` or `"pt-BR"`. `"auto"` follows the browser of each rater. The
        words of the pages exist in the languages of [Run a study in another language](../how-to/languages.md); pages
        in another language have English words around the texts of the study.
    owner_language
        Language of the owner's page and of the report, as a code. The default is `language`, or English if that is
        `"auto"` or has no messages. Sentences that models and statistics write are in English.
    direction
        Direction of writing: `"ltr"` (left to right) or `"rtl"` (right to left). `"auto"` is that of the language.
    """

    cannot_judge: bool = True
    comment: bool = False
    allow_undo: bool = True
    fetch_ahead: bool = True
    listen_first: bool = False
    instructions: str = ""
    least_width: int = 0
    language: str = "en"
    owner_language: str = ""
    direction: Literal["auto", "ltr", "rtl"] = "auto"

    @property
    def shown_to_owner(self) -> str:
        """Code of the language of the owner's page and of the report."""
        chosen = self.owner_language or self.language
        return SOURCE if chosen == AUTO else chosen
