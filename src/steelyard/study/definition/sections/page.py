"""[page] of study.toml: what the pages offer and show besides the task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class PageSettings:
    """What raters may do on a page, what they read first, and the language of the pages."""

    cannot_judge: bool = True
    comment: bool = False
    allow_undo: bool = True
    instructions: str = ""
    language: str = "en"
    direction: Literal["ltr", "rtl"] = "ltr"
