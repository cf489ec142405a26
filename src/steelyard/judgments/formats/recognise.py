"""Which layout a sheet is in, told by its columns."""

from __future__ import annotations

from steelyard.errors import AmbiguousLayout, MissingColumn, UnknownLayout
from steelyard.judgments.formats.layout import Answers, Layout
from steelyard.judgments.formats.long import LONG
from steelyard.judgments.formats.pages import PAGES
from steelyard.judgments.formats.pairs import PAIRS
from steelyard.judgments.sheet import Sheet

FOREIGN = (*PAGES, *PAIRS)


def recognise(sheet: Sheet, kind: str | None = None) -> Answers:
    """The sheet's answers, one per row, by the first layout whose columns it has.

    Steelyard's own layouts come first; when two of them fit and no kind is given, the user has to say.
    """
    own = [layout for layout in LONG if _fits(layout, sheet, kind)]
    if len(own) > 1:
        raise AmbiguousLayout(sheet.source, [layout.kind for layout in own], sheet.header_line)
    foreign = [layout for layout in FOREIGN if _fits(layout, sheet, kind)]
    for layout in (*own, *foreign):
        return layout.convert(sheet)
    if kind is None:
        raise UnknownLayout(sheet.source, list(sheet.columns), sheet.header_line)
    wanted = next(layout for layout in LONG if layout.kind == kind)
    raise MissingColumn(sheet.source, wanted.missing(sheet), list(sheet.columns), kind, sheet.header_line)


def _fits(layout: Layout, sheet: Sheet, kind: str | None) -> bool:
    return kind in (None, layout.kind) and not layout.missing(sheet)
