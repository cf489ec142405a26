"""Steelyard's own layouts: one row per answer, one layout per kind of judgment."""

from __future__ import annotations

from functools import partial

from steelyard.judgments.formats.layout import (
    Answers,
    FileLayout,
    all_rows,
    displaced,
    known_words,
    pair_roles,
    renamed,
    usual_roles,
)
from steelyard.judgments.sheet import Sheet
from steelyard.judgments.table_kinds import KINDS


def _convert(sheet: Sheet, kind: str) -> Answers:
    table_kind = KINDS[kind]
    roles_of = pair_roles if len(table_kind.items) > 1 else usual_roles
    roles = roles_of(*table_kind.required)
    columns = renamed(sheet, roles)
    closed = {
        name: known_words(columns[name], known) for name, known in table_kind.words.items()
    }  # in any case
    return Answers(kind, {**columns, **closed}, all_rows(sheet), ignored=displaced(sheet, roles))


def long_layouts() -> tuple[FileLayout, ...]:
    """Return the layout of every registered kind."""
    return tuple(
        FileLayout(name, name, kind.required, partial(_convert, kind=name)) for name, kind in KINDS.items()
    )
