"""The items of a study, read from the file that study.toml names and checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from steelyard.errors import (
    BadCharacter,
    BadRows,
    BadSetting,
    DuplicateItem,
    EmptyFile,
    MissingColumn,
    MissingFile,
    MissingValue,
    NoSuchFile,
    NotMedia,
    RowMistake,
    RowMistakes,
    UnknownName,
    UnreadableFile,
)
from steelyard.judgments.coding import code
from steelyard.judgments.files import read_file
from steelyard.judgments.sheet import Sheet, text_cells
from steelyard.maths.arrays import Codes, Labels, Mask
from steelyard.study.definition.media_files import local_file, media_file
from steelyard.study.definition.sections.items import ItemsSettings

Medium = Literal["text", "markdown", "image", "audio", "video", "html"]
MEDIA: tuple[Medium, ...] = ("text", "markdown", "image", "audio", "video", "html")
UNSHOWABLE = re.compile("[\0\ud800-\udfff]")
IN_STUDY = "under [items] in study.toml"
FILES: tuple[Medium, ...] = ("image", "audio", "video")


@dataclass(frozen=True, slots=True)
class Item:
    """One item to judge.

    Attributes
    ----------
    id
        Unique id of the item.
    medium
        How the content is shown.
    content
        Text, HTML, or the path or address of a media file.
    system
        Who or what produced the item.
    segment
        What the item was produced from, such as a source sentence or a prompt.
    context
        Columns shown next to the item, as pairs of name and text.
    alt
        Alternative text of an image.
    features
        Columns that a model may use, as pairs of name and value.
    covariates
        Further columns of exported judgments, as pairs of name and value.
    """

    id: str
    medium: Medium
    content: str
    system: str = ""
    segment: str = ""
    context: tuple[tuple[str, str], ...] = ()
    alt: str = ""
    features: tuple[tuple[str, str | float], ...] = ()
    covariates: tuple[tuple[str, str | float], ...] = ()


@dataclass(frozen=True, eq=False)
class Items:
    """All items of a study, by index and by id.

    `unasked` has the ids of items that are shown as checks or anchors and are not part of the scale.
    """

    all: tuple[Item, ...]
    unasked: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.all)

    def __getitem__(self, at: int) -> Item:
        return self.all[at]

    @cached_property
    def index(self) -> dict[str, int]:
        """Index of each item, by id."""
        return {item.id: at for at, item in enumerate(self.all)}

    @cached_property
    def asked(self) -> Mask:
        """Which items are asked and part of the scale."""
        return np.array([item.id not in self.unasked for item in self.all], dtype=bool)

    @cached_property
    def ids(self) -> Labels:
        """Ids of the items, by index."""
        labels = np.empty(len(self.all), dtype=object)
        labels[:] = [item.id for item in self.all]
        return labels

    @cached_property
    def segments(self) -> Codes:
        """Segment code of each item; all are equal if items have no segments."""
        return code(item.segment for item in self.all)[0]

    @cached_property
    def systems(self) -> tuple[Codes, Labels]:
        """System code of each item, and the names of the systems by code."""
        codes, vocabulary = code(item.system for item in self.all)
        return codes, vocabulary.labels

    @cached_property
    def features(self) -> dict[str, dict[str, str | float]]:
        """Columns that a model may use, by name; each has the values of the items that are not empty, by id."""
        return _by_column((item.id, item.features) for item in self.all)

    @cached_property
    def covariates(self) -> dict[str, dict[str, str | float]]:
        """Columns of exported judgments: features and covariates, as in `features`."""
        return _by_column((item.id, (*item.features, *item.covariates)) for item in self.all)


def _by_column(
    rows: Iterable[tuple[str, Sequence[tuple[str, str | float]]]],
) -> dict[str, dict[str, str | float]]:
    columns: dict[str, dict[str, str | float]] = {}
    for item, cells in rows:
        for name, value in cells:
            columns.setdefault(name, {})[item] = value
    return columns


def read_items(folder: Path, settings: ItemsSettings, path: Path | None = None, name: str = "") -> Items:
    """Read the items file in the folder of a study.

    Parameters
    ----------
    folder
        Folder of the study, in which media files are.
    settings
        The name of the file and the meaning of its columns.
    path
        Another file to read instead.
    name
        Name of the file in messages. Default: that in the settings.

    Returns
    -------
    Items
        The items.
    """
    name = name or settings.file
    try:
        sheet = open_sheet(folder / settings.file if path is None else path, name)
    except NoSuchFile:
        if path is not None:
            raise
        raise NoSuchFile(str(folder / settings.file), f"Copy it there, or correct file {IN_STUDY}.") from None
    if sheet.ragged is not None:
        raise BadRows(name, [sheet.ragged])
    if not len(sheet):
        raise EmptyFile(name, sheet.header_line)
    names = list(sheet.columns)
    medium, content = _content_column(settings, names)
    for column in (settings.id, content, *_named(settings)):
        if column not in names:
            missing = MissingColumn(name, [column], names, "the items file")
            raise missing.with_remedy(f"Correct the name {IN_STUDY}, or rename a column.")
    cells = {each: text_cells(column).tolist() for each, column in sheet.columns.items()}
    rows = [dict(zip(names, values, strict=True)) for values in zip(*cells.values(), strict=True)]
    items = tuple(_item(row, medium, content, settings) for row in rows)
    _check(items, sheet, folder, settings.id)
    return Items(items)


def open_sheet(path: Path, name: str) -> Sheet:
    """Open the items file, which error messages call `name`; raise UnreadableFile if this fails."""
    try:
        return read_file(path, name)
    except (OSError, ValueError) as error:
        reason = f"it cannot be opened ({getattr(error, 'strerror', None) or error})."
        raise UnreadableFile(name, reason, "Check the name and the permissions of the file.") from error


def guess_columns(names: Sequence[str], file: str) -> dict[str, object]:
    """Return an [items] table for a file with these columns."""
    lowered = {name.lower(): name for name in names}
    table: dict[str, object] = {"file": file}
    if "id" in lowered:
        table["id"] = lowered["id"]
    elif "item" in lowered:
        table["id"] = lowered["item"]
    else:
        raise MissingColumn(file, ["id"], list(names), "the items file")
    for medium in MEDIA:
        if medium in lowered:
            table[medium] = lowered[medium]
            break
    else:
        others = [name for name in names if name != table["id"]]
        if not others:
            raise MissingColumn(file, ["text"], list(names), "the items file")
        table["text"] = others[0]
    for name in ("system", "segment"):
        if name in lowered:
            table[name] = lowered[name]
    show = [lowered[name] for name in ("source", "reference", "prompt") if name in lowered]
    return {**table, **({"show": show} if show else {})}


def _content_column(settings: ItemsSettings, names: Sequence[str]) -> tuple[Medium, str]:
    """Return the medium and the name of the column that is shown."""
    columns = [(medium, getattr(settings, medium)) for medium in MEDIA if getattr(settings, medium)]
    if len(columns) > 1:
        raise BadSetting(
            "items", "sets more than one of text, markdown, image, audio, video and html. Keep one."
        )
    if columns:
        return columns[0]
    present = [medium for medium in MEDIA if medium in names]
    if not present:
        raise UnknownName("items column", "text", list(names), settings.file)
    return present[0], present[0]


def _named(settings: ItemsSettings) -> tuple[str, ...]:
    return tuple(
        name
        for name in (
            settings.system,
            settings.segment,
            settings.alt,
            *settings.show,
            *settings.features,
            *settings.covariates,
        )
        if name
    )


def _item(row: Mapping[str, str | None], medium: Medium, content: str, settings: ItemsSettings) -> Item:
    def cell(name: str) -> str:
        value = row.get(name) if name else None
        return "" if value is None else str(value)

    context = tuple((name, cell(name)) for name in settings.show if cell(name))
    system = cell(settings.system or "system")
    segment = cell(settings.segment or "segment")
    return Item(
        cell(settings.id).strip(),
        medium,
        cell(content),
        system,
        segment,
        context,
        cell(settings.alt),
        *(
            tuple((name, _number_or_text(cell(name))) for name in names if cell(name))
            for names in (settings.features, settings.covariates)
        ),
    )


def _number_or_text(cell: str) -> str | float:
    try:
        return float(cell)
    except ValueError:
        return cell


def _check(items: Sequence[Item], sheet: Sheet, folder: Path, id_column: str) -> None:
    """Raise BadRows for missing ids or content, duplicate ids, and files outside the study folder."""
    mistakes: dict[type[RowMistake], list[tuple[int | None, RowMistake]]] = {}
    seen: dict[str, int] = {}
    for row, item in enumerate(items):
        for mistake in _mistakes(item, seen, folder, id_column):
            mistakes.setdefault(type(mistake), []).append((sheet.place(row), mistake))
        seen.setdefault(item.id, sheet.place(row))
    if mistakes:
        raise BadRows(sheet.source, [RowMistakes(rows, len(rows)) for rows in mistakes.values()])


def _mistakes(item: Item, seen: Mapping[str, int], folder: Path, id_column: str) -> list[RowMistake]:
    mistakes: list[RowMistake] = []
    if not item.id:
        mistakes.append(MissingValue(id_column))
    elif item.id in seen:
        mistakes.append(DuplicateItem(item.id, seen[item.id], id_column))
    mistakes += _bad_characters(item)
    if not item.content.strip():
        mistakes.append(MissingValue(item.medium))
    elif item.medium in FILES and not is_remote(item.content):
        if local_file(folder, item.content) is None:
            mistakes.append(MissingFile(item.content))
        elif media_file(folder, item.content, item.medium) is None:
            mistakes.append(NotMedia(item.content, item.medium))
    return mistakes


def _bad_characters(item: Item) -> list[RowMistake]:
    """Return a mistake per column with NUL or half of a surrogate pair, which no page or file name can hold."""
    shown = {"id": item.id, item.medium: item.content, "alt": item.alt, "system": item.system}
    texts = {**shown, "segment": item.segment, **dict(item.context)}
    matches = ((name, UNSHOWABLE.search(text)) for name, text in texts.items())
    return [BadCharacter(name, ord(match.group())) for name, match in matches if match is not None]


def is_remote(content: str) -> bool:
    """Whether the content is a web address rather than a file of the study."""
    return content.startswith(("https://", "http://"))
