"""`read`: judgments from a file or data frame, checked."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from steelyard.errors import (
    BadRows,
    BadSetting,
    DuplicateAnswer,
    EmptyFile,
    MissingValue,
    NotANumber,
    NotATime,
    RaggedLine,
    SeveralKinds,
    UnreadableFile,
)
from steelyard.judgments.coded import Coded
from steelyard.judgments.faults import Fault, Places, group, sound
from steelyard.judgments.files import read_file, read_stream
from steelyard.judgments.formats.layout import UNKNOWN_RATER, Answers
from steelyard.judgments.formats.recognise import kinds_of_rows, other_kind, recognise, row_of_kind
from steelyard.judgments.formats.wording import worded
from steelyard.judgments.frames import read_frame
from steelyard.judgments.item_keys import joined_items, with_item_column
from steelyard.judgments.probes import PROBE
from steelyard.judgments.reading import Reading
from steelyard.judgments.repeats import OCCASIONS, Repeats, Settled, settle_repeats
from steelyard.judgments.sheet import Cells, Sheet, id_cells, number_cells, text_cells, time_cells
from steelyard.judgments.sources import by_source
from steelyard.judgments.table import Judgments
from steelyard.judgments.table_kinds import (
    ITEM_COLUMNS,
    KINDS,
    OPTIONAL_NUMBERS,
    OPTIONAL_TEXT,
    RATER_NAMES,
    TableKind,
    known_kind,
)
from steelyard.judgments.tasks import REPETITION
from steelyard.judgments.validation import Rules, answer_faults, find_faults
from steelyard.maths.arrays import Mask, object_cells

NOTED = (REPETITION, "both_bad", PROBE)  # columns that reading adds or that fits use
GLANCE = 100  # the first rows mostly show whether a column is text, without a look at every row


def read(
    source: Any,
    kind: str | None = None,
    *,
    range: tuple[float, float] | None = None,
    items: Collection[str] | None = None,
    item_key: Sequence[str] | None = None,
    repeats: Repeats | None = None,
    bad_rows: Literal["refuse", "drop"] = "refuse",
    machine_raters: Collection[str] = (),
) -> Judgments:
    """Read judgments from a file or data frame, and check every row.

    The column names determine the layout. Known layouts are the long tables of Steelyard, MTurk results, arena votes,
    crowd-kit, evalica, WMT rankings, best-worst rows and tables of counts. If any row has a mistake, `BadRows` names
    all of them and nothing is read. Rows of several kinds may be in one file, if each row is of one kind.

    Parameters
    ----------
    source
        Path to a CSV, JSON or Parquet file, an open file, a pandas, Polars or Arrow data frame, a dict of columns,
        or a list of these.
    kind
        Kind of judgment, such as "rating". Rows of other kinds are left out. Default: all kinds that the columns fit.
    range
        Lower and upper end of the scale. Scores outside it are mistakes. By default, any score is accepted.
    items
        Allowed item ids. By default, any id is accepted.
    item_key
        Columns that identify an item together, such as `("segment", "item")`. Their values are joined by `/`.
    repeats
        What to do if a rater answers the same question about the same item again: "keep" all answers, only the
        "first" or the "last", the "mean" of the scores, or "refuse" the file. By default, ratings and ranges are
        refused, and comparisons, rankings and best-worst choices are kept.
    bad_rows
        "refuse" (the default) raises `BadRows`. "drop" omits rows with mistakes, for published files that cannot be
        corrected. If a repeated answer would be refused, "drop" keeps the first one.
    machine_raters
        Raters that are machine judges, such as a metric or a language model, if there is no column `source`.

    Returns
    -------
    Judgments
        The judgments. Its `reading` counts the rows that were omitted or treated specially.

    Raises
    ------
    BadInput
        If the file cannot be read or a row has a mistake. The message names the line and the remedy.

    Notes
    -----
    Rows with `machine` in the column `source` are answers of machine judges. They are set apart in `machine`, may
    have any scores, and may repeat. A column `family` names judges whose errors are shared.

    A file without a rater column gets one rater, "unknown". Spaces around ids are removed. Times in the column `at`
    are stored as seconds since 1970; text without a time zone is taken as UTC. Columns without a known meaning are
    kept as covariates: as numbers if every cell is a number, otherwise as text.

    Examples
    --------
    >>> from steelyard import read
    >>> judgments = read({"rater": ["ann", "bob"], "item": ["tea", "tea"], "score": [20, 30]})
    >>> judgments.kinds, len(judgments)
    (('rating',), 2)
    """
    rules = Rules(items, range)
    settings = _Settings(
        None if kind is None else known_kind(kind), item_key, repeats, bad_rows == "drop", machine_raters
    )
    if range is not None and not range[0] < range[1]:
        raise BadSetting(
            "range",
            f"the lower end {range[0]:g} is not below the upper end {range[1]:g}. "
            f"Write --range {min(range):g} {max(range):g}, or range=({min(range):g}, {max(range):g}) in Python.",
        )
    if not isinstance(source, list | tuple):
        return _every_source(_sheet(source), rules, settings)
    if not source:
        raise EmptyFile("the list of files", None)
    return Judgments.concat([_every_source(_sheet(part), rules, settings) for part in source])


@dataclass(frozen=True, slots=True)
class _Settings:
    """Settings of `read` that concern all rows."""

    kind: str | None
    item_key: Sequence[str] | None
    repeats: Repeats | None
    drop: bool
    machine_raters: Collection[str] = ()


def _every_source(sheet: Sheet, rules: Rules, settings: _Settings) -> Judgments:
    """Return people's judgments, with those of machine judges beside them."""
    rows = by_source(sheet, settings.machine_raters, settings.drop)
    if rows.machine is None:
        judgments = _all_kinds(rows.people, rules, settings)
    else:
        lenient = replace(settings, repeats="keep", kind=None)
        theirs = _all_kinds(rows.machine, replace(rules, range=None), lenient)
        judgments = _people_beside(theirs, rows.people, rules, settings)
    if not rows.left_out:
        return judgments
    more = Reading(sum(rows.left_out.values()), left_out=rows.left_out)
    return replace(judgments, reading=judgments.reading + more)


def _people_beside(machine: Judgments, people: Sheet, rules: Rules, settings: _Settings) -> Judgments:
    """Return people's judgments, of which there may be none, with those of machine judges beside them."""
    judgments = _all_kinds(people, rules, settings) if len(people) else Judgments({}, {}, rules.range)
    theirs = replace(machine, range=None, reading=Reading())
    reading = judgments.reading + Reading(rows=len(machine), machine=len(machine))
    return replace(judgments, machine=theirs, reading=reading)


def _sheet(source: Any) -> Sheet:
    if isinstance(source, Sheet):
        return source
    if isinstance(source, str | os.PathLike):
        return read_file(source)
    return read_stream(source) if hasattr(source, "read") else read_frame(source)


def _all_kinds(sheet: Sheet, rules: Rules, settings: _Settings) -> Judgments:
    """Return the judgments of a sheet. Rows of several kinds are read kind by kind, if each row is of one kind."""
    kinds = kinds_of_rows(sheet) if settings.kind is None and len(sheet) else ()
    if not kinds:
        return _checked(sheet, rules, settings)
    others = {row_of_kind(kind) for kind in kinds}
    parts = []
    for kind in kinds:
        part = _checked(sheet, rules, replace(settings, kind=kind))
        left_out = {why: rows for why, rows in part.reading.left_out.items() if why not in others}
        apart = sum(rows for why, rows in part.reading.left_out.items() if why in others)
        reading = replace(part.reading, rows=part.reading.rows - apart, left_out=left_out)
        parts.append(replace(part, reading=reading))
    return Judgments.concat(parts)


def _checked(sheet: Sheet, rules: Rules, settings: _Settings) -> Judgments:
    if not len(sheet) and sheet.ragged is None:
        raise EmptyFile(sheet.source, sheet.header_line)
    if settings.item_key is not None:
        sheet = with_item_column(sheet, settings.item_key)
    answers = recognise(sheet, settings.kind)
    columns, faults = _typed(answers)
    if settings.item_key is not None:
        columns, empty = joined_items(columns, settings.item_key)
        faults += empty
    anonymous = "rater" not in columns
    if anonymous:
        columns["rater"] = Coded(np.zeros_like(answers.rows), object_cells([UNKNOWN_RATER]))
    judgments = Judgments.from_columns(
        answers.kind, columns, answers.range if rules.range is None else rules.range
    )
    settled_rules = replace(rules, range=judgments.range, anonymous=anonymous)
    faults += [worded(fault, judgments, answers.outcome) for fault in find_faults(judgments, settled_rules)]
    places = Places(lambda row: sheet.place(int(answers.rows[row])), sheet.unit)
    whole = _Rows(judgments, places, _first_reading(sheet, answers, anonymous))
    kept = (
        _dropped(whole, faults, sheet, settings)
        if settings.drop
        else _refused(whole, faults, sheet, settings)
    )
    if not len(kept):
        raise UnreadableFile(sheet.source, "no row has an answer.", "Check that this is the right file.")
    return kept


@dataclass(frozen=True, slots=True)
class _Rows:
    """Judgments that are being checked, the place of their rows in the source, and what was done so far."""

    judgments: Judgments
    places: Places
    reading: Reading

    def where(self, kept: Mask, left_out: Mapping[str, int]) -> _Rows:
        """Return the rows that are kept, and count the others by reason."""
        more = Reading(left_out=left_out)
        return _Rows(self.judgments.where(lambda table: kept), self.places.among(kept), self.reading + more)


def _first_reading(sheet: Sheet, answers: Answers, anonymous: bool) -> Reading:
    """Return the counts of rows and the names of columns before any row is checked."""
    kind, rater_column = KINDS[answers.kind], sheet.named(*RATER_NAMES)
    understood = {
        *kind.text,
        *kind.numbers,
        *OPTIONAL_TEXT,
        *OPTIONAL_NUMBERS,
        *ITEM_COLUMNS,
        *OCCASIONS,
        *NOTED,
    }
    return Reading(
        rows=len(answers.rows) + sum(answers.left_out.values()),
        nameless=len(answers.rows) if anonymous else 0,
        left_out=answers.left_out,
        untaken=tuple(name for name in answers.columns if name not in understood),
        ignored=(*answers.ignored, *sheet.left_out),
        rater_columns=() if anonymous or rater_column is None else (rater_column,),
        systems=answers.systems,
    )


def _refused(rows: _Rows, faults: list[Fault], sheet: Sheet, settings: _Settings) -> Judgments:
    """Return all rows; raise BadRows if one has a mistake."""
    settled = settle_repeats(rows.judgments, settings.repeats, rows.reading.nameless > 0, rows.places)
    grouped = group([*faults, *_after(settled)], rows.places)
    if sheet.ragged is not None:
        grouped = [sheet.ragged, *grouped]
    if grouped:
        if settings.kind is None:
            _refuse_two_kinds(sheet, settled.kind)
        raise BadRows(sheet.source, grouped)
    return _with_reading(settled, rows.reading)


def _refuse_two_kinds(sheet: Sheet, kind: str) -> None:
    """Raise SeveralKinds if rows with mistakes are answers of another kind."""
    first_other = other_kind(sheet, kind)
    if first_other is not None:
        row, other = first_other
        first = f"{sheet.unit} {sheet.place(row)} is the first {KINDS[other].row}"
        raise SeveralKinds(sheet.source, {kind: KINDS[kind].row, other: KINDS[other].row}, first)


def _dropped(rows: _Rows, faults: list[Fault], sheet: Sheet, settings: _Settings) -> Judgments:
    """Return the rows without mistakes.

    A row with a mistake does not count as the first of repeated answers.
    """
    if sheet.ragged is not None:
        more = Reading(sheet.ragged.total, left_out={RaggedLine.brief: sheet.ragged.total})
        rows = replace(rows, reading=rows.reading + more)
    rows = rows.where(*sound(faults, len(rows.judgments)))
    settled = settle_repeats(rows.judgments, settings.repeats, rows.reading.nameless > 0, rows.places)
    kept, left_out = sound(_after(settled), len(settled.judgments))
    remaining = replace(settled, judgments=settled.judgments.where(lambda table: kept).compact())
    return _with_reading(remaining, rows.reading + Reading(left_out=left_out))


def _after(settled: Settled) -> list[Fault]:
    """Return the mistakes that show only after repeated answers are separated."""
    unclear = [fault.lost for fault in settled.faults]
    rows = np.concatenate([np.empty(0, dtype=np.int64), *unclear])
    return [*settled.faults, *answer_faults(settled.judgments, rows)]


def _with_reading(settled: Settled, reading: Reading) -> Judgments:
    kind = settled.kind
    more = Reading(
        left_out={DuplicateAnswer.brief: settled.left_out} if settled.left_out else {},
        repeated={kind: settled.repeated} if settled.repeated else {},
        averaged=settled.averaged,
    )
    return replace(settled.judgments, reading=reading + more)


def _typed(answers: Answers) -> tuple[dict[str, Cells], list[Fault]]:
    """Return each column as text or numbers, by its name or its cells, and the cells that are neither."""
    layout = KINDS[answers.kind]
    columns: dict[str, Cells] = {}
    faults: list[Fault] = []
    for name, cells in answers.columns.items():
        if _is_of_another_kind(name, cells, layout):
            continue
        if name in layout.numbers or name in OPTIONAL_NUMBERS:
            columns[name], unreadable = _numbers(name, cells, name in layout.numbers)
            faults += unreadable
        elif name in layout.text or name in OPTIONAL_TEXT or name in ITEM_COLUMNS:
            columns[name] = id_cells(cells)
        else:
            columns[name] = _covariate(cells)
    return columns, faults


def _is_of_another_kind(name: str, cells: Cells, kind: TableKind) -> bool:
    """Whether this is an item column of another kind, without a value in any row of this kind."""
    if name not in ITEM_COLUMNS or name in kind.text:
        return False
    return all(cell is None for cell in id_cells(cells).tolist())


def _numbers(name: str, cells: Cells, required: bool) -> tuple[Cells, list[Fault]]:
    values, bad = time_cells(cells) if name == "at" else number_cells(cells)
    mistake = NotATime if name == "at" else NotANumber
    faults = [Fault(mistake, np.flatnonzero(bad), lambda row: mistake(name, cells[row]))]
    if required:
        empty = np.flatnonzero(np.isnan(values) & ~bad)
        faults.append(Fault(MissingValue, empty, lambda row: MissingValue(name)))
    return values, faults


def _covariate(cells: Cells) -> Cells:
    """Return numbers if every cell is a number, otherwise text."""
    if number_cells(np.asarray(cells[:GLANCE]))[1].any():
        return text_cells(cells)
    values, bad = number_cells(cells)
    return text_cells(cells) if bad.any() else values
