"""[page] of study.toml: options and language of the pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


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
    instructions
        Instructions that raters read first, in Markdown. The default is a sentence with the question.
    language
        Language of the pages, as a code such as `"en"`.
    direction
        Direction of writing: `"ltr"` (left to right) or `"rtl"` (right to left).
    """

    cannot_judge: bool = True
    comment: bool = False
    allow_undo: bool = True
    instructions: str = ""
    language: str = "en"
    direction: Literal["ltr", "rtl"] = "ltr"
