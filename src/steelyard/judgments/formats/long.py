"""Steelyard's own layouts: one row per answer, one for each kind of judgment."""

from __future__ import annotations

from functools import partial

from steelyard.judgments.formats.layout import (
    Answers,
    FileLayout,
    all_rows,
    displaced,
    renamed,
    usual_roles,
    words,
)
from steelyard.judgments.kinds import KINDS
from steelyard.judgments.sheet import Sheet

CLOSED = ("outcome", "choice")  # columns with a fixed set of words, in whatever case


def _convert(sheet: Sheet, kind: str) -> Answers:
    roles = usual_roles(*KINDS[kind].required)
    columns = renamed(sheet, roles)
    closed = {name: words(columns[name]) for name in CLOSED if name in KINDS[kind].required}
    return Answers(kind, {**columns, **closed}, all_rows(sheet), ignored=displaced(sheet, roles))


LONG = tuple(
    FileLayout(name, name, kind.required, partial(_convert, kind=name)) for name, kind in KINDS.items()
)
