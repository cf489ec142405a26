"""The old database of a study that was moved, which is kept under another name."""

from __future__ import annotations

import itertools
import json
import os
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from steelyard.errors import BadSetting
from steelyard.storage.location import LOCATION_FILE, URL_VARIABLE, Location, moved_name
from steelyard.study.definition.private_files import write_private
from steelyard.study.definition.toml_files import read_toml

MOVED_FILE = "study.moved.db"
MOVED_LOCATIONS = "moved.toml"  # in the folder of the study: where its old schemas are


def free_name(connection: sa.Connection, old: str) -> str:
    """Return a name for a schema whose study was moved elsewhere; no existing schema has it."""
    names = (moved_name(old, number) for number in itertools.count(1))
    return next(name for name in names if not has_schema(connection, name))


def has_schema(connection: sa.Connection, name: str) -> bool:
    """Whether the database has a schema with this name."""
    wanted = sa.text("SELECT 1 FROM information_schema.schemata WHERE schema_name = :name")
    return connection.execute(wanted, {"name": name}).first() is not None


def note_moved(location: Location) -> None:
    """Add an old schema to moved.toml, which only the owner of the folder may read."""
    noted = _noted(location.folder)
    path = location.folder / LOCATION_FILE  # the address there, which a variable of this process may replace
    url = read_toml(path)["url"] if path.exists() else location.url
    if (url, location.schema) in noted:
        return
    text = "# Old databases of this study, which steelyard move has kept. Delete an entry when you delete its schema.\n"
    for each, name in [*noted, (url, location.schema)]:
        text += f"\n[[copy]]\nurl = {json.dumps(each)}\nschema = {json.dumps(name)}\n"
    write_private(location.folder / MOVED_LOCATIONS, text.encode())


def moved_copies(folder: Path) -> list[Location]:
    """Return where the old databases of a study are, which still have what was stored before the study was moved."""
    url = os.environ.get(URL_VARIABLE)
    copies = [Location(folder, url or each, name) for each, name in _noted(folder)]
    if (folder / MOVED_FILE).exists():
        copies.append(Location(folder, file=MOVED_FILE))
    return copies


def _noted(folder: Path) -> list[tuple[str, str]]:
    """Return address and schema of each entry in moved.toml."""
    path = folder / MOVED_LOCATIONS
    if not path.exists():
        return []
    copies: Any = read_toml(path).get("copy", [])
    try:
        return [(str(each["url"]), str(each["schema"])) for each in copies]
    except (TypeError, KeyError):
        raise BadSetting(str(path), "needs two texts in each [[copy]]: url and schema.") from None
