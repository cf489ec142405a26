"""A folder in which a server creates studies: names are checked, and a study appears whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import sqlalchemy as sa

from steelyard.errors import BadSetting, CannotWrite, ServerFull, StudyExists, UnreadableFile
from steelyard.storage.database import create_database, create_tables
from steelyard.storage.engines import engine_for
from steelyard.storage.failures import explained
from steelyard.storage.location import Location, note_location, schema_name
from steelyard.study.definition.create import NewStudy, create_study, write_study
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.locked_folders import locked
from steelyard.study.definition.private_files import make_private_folder, write_private
from steelyard.study.definition.study import Study
from steelyard.study.definition.study_file import STUDY_FILE, define
from steelyard.study.definition.toml_files import parse_toml

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
ITEMS_FILE = "items.jsonl"
SLOT_FILE = "slot.json"  # the number of the port of a created study; written last
Cell = str | int | float | None


@dataclass(frozen=True)
class RequestedStudy:
    """A study to create.

    Attributes
    ----------
    name
        Name of its folder.
    rows
        Its items, one mapping from columns to cells each.
    options
        Options of `steelyard new`; the items file is set when the study is created.
    toml
        Text of study.toml to use instead of the options.
    """

    name: str
    rows: Sequence[Mapping[str, Cell]]
    options: NewStudy = field(default_factory=lambda: NewStudy(Path(ITEMS_FILE)))
    toml: str = ""


@dataclass(frozen=True)
class CreatedStudy:
    """A study that was created: the study, its owner key, and the number of its port."""

    study: Study
    key: str
    slot: int


class StudiesFolder:
    """The studies that a server has created.

    Parameters
    ----------
    root
        Folder that contains one folder per study.
    most
        Number of studies that the server can serve.
    database
        Address of a PostgreSQL database for new studies; empty for a file in the folder of each.
    """

    def __init__(self, root: Path, most: int, database: str = "") -> None:
        self.root = root
        self.most = most
        self.database = database

    def studies(self) -> dict[int, Path]:
        """Return the folders of the studies by the number of their port."""
        folders: dict[int, Path] = {}
        for path in sorted(self.root.glob(f"*/{SLOT_FILE}")):
            if path.parent.name.startswith("."):  # a study that is being created
                continue
            try:
                slot = json.loads(path.read_bytes())
            except (OSError, ValueError):
                continue
            if isinstance(slot, int) and 0 <= slot < self.most:
                folders.setdefault(slot, path.parent)
        return folders

    def create(self, wanted: RequestedStudy) -> CreatedStudy:
        """Create a study, or raise an error and leave nothing behind.

        The study is written to a hidden folder, with its database, and then renamed.
        """
        if NAME.fullmatch(wanted.name) is None:
            raise BadSetting(
                "name",
                "must have 1 to 40 characters: small letters, digits, - and _, and begin with a letter or digit.",
            )
        final = self.root / wanted.name
        with locked(self.root), self._hidden() as hidden:
            slot = self._free_slot()
            if os.path.lexists(final):
                raise StudyExists(wanted.name)
            with tempfile.TemporaryDirectory() as scratch:
                study = _written(hidden, Path(scratch), wanted)
            with self._database_of(hidden, final) as key:
                write_private(hidden / SLOT_FILE, json.dumps(slot).encode())
                os.rename(hidden, final)
        return CreatedStudy(replace(study, folder=final), key, slot)

    def _free_slot(self) -> int:
        taken = self.studies()
        free = [slot for slot in range(self.most) if slot not in taken]
        if not free:
            raise ServerFull(self.most)
        return free[0]

    @contextmanager
    def _hidden(self) -> Iterator[Path]:
        """Yield a new hidden folder, which is removed unless it was renamed."""
        try:
            hidden = Path(tempfile.mkdtemp(prefix=".new-", dir=self.root)) / "study"
            make_private_folder(hidden)
            try:
                yield hidden
            finally:
                shutil.rmtree(hidden.parent, ignore_errors=True)
        except OSError as reason:
            raise CannotWrite(str(self.root), reason.strerror) from reason

    @contextmanager
    def _database_of(self, hidden: Path, final: Path) -> Iterator[str]:
        """Create the database of a study, and yield its owner key; after an error, the database is removed."""
        if not self.database:
            database, key = create_database(hidden)
            database.engine.dispose()  # closes the file before its folder is renamed
            yield key
            return
        location = Location(hidden, self.database, schema_name(final))
        try:
            database = create_tables(location)
        except UnreadableFile as reason:
            if "this schema exists" in str(reason):
                raise StudyExists(final.name) from reason
            raise
        try:
            note_location(location)
            key = database.new_owner_key()
            yield key
        except BaseException:
            _drop(location)
            raise
        finally:
            database.engine.dispose()


def _drop(location: Location) -> None:
    """Remove the schema of a study that could not be created."""
    engine = engine_for(location)
    with explained(location.words), engine.begin() as connection:
        connection.execute(sa.schema.DropSchema(location.schema, cascade=True, if_exists=True))
    engine.dispose()


def _written(folder: Path, scratch: Path, wanted: RequestedStudy) -> Study:
    """Write study.toml and the items to a folder; no other file of the server can get there."""
    columns = dict.fromkeys(name for row in wanted.rows for name in row)
    for name in columns:
        if name != name.strip():
            raise BadSetting("items", f"the column {name!r} begins or ends with a space.")
    items = scratch / ITEMS_FILE
    lines = (json.dumps({name: row.get(name) for name in columns}) for row in wanted.rows)
    items.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    if not wanted.toml:
        return create_study(folder, replace(wanted.options, items=items))
    definition = define(parse_toml(wanted.toml, STUDY_FILE))
    _refuse_files(definition)
    return write_study(folder, wanted.toml, items)


def _refuse_files(definition: StudyDefinition) -> None:
    """Raise BadSetting if a study names files or studies of the server, which it could then read."""
    if definition.items.file != ITEMS_FILE:
        raise BadSetting("items, file", f'must be "{ITEMS_FILE}", which has the items of the request.')
    for each in (definition, *definition.conditions):
        named = {
            "anchors, file": each.grounding.anchor_settings.file,
            "checks, file": each.checks.file,
            "joining, exclude_raters_of": each.joining.exclude_raters_of,
        }
        for where, value in named.items():
            if value:
                raise BadSetting(where, "cannot be set when a study is created over the network.")
