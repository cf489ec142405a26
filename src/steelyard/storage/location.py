"""Where the log of a study is stored: in study.db in its folder, or in a PostgreSQL database."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from steelyard.errors import BadSetting
from steelyard.study.definition.private_files import write_private
from steelyard.study.definition.toml_files import read_toml

DATABASE_FILE = "study.db"
LOCATION_FILE = "database.toml"
URL_VARIABLE = "STEELYARD_DATABASE"  # replaces the address in database.toml, for example inside a container
POSTGRES = ("postgresql", "postgres")
LONGEST_SCHEMA = 63  # bytes in a name of PostgreSQL
HASH_DIGITS = 8
MOVED = "_moved"  # end of the name of a schema whose study was moved elsewhere


@dataclass(frozen=True, slots=True)
class Location:
    """Where the log of one study is stored.

    Attributes
    ----------
    folder
        Folder of the study.
    url
        Address of a PostgreSQL database; empty if the log is in study.db.
    schema
        Name of the PostgreSQL schema that contains the tables of this study.
    file
        Name of the SQLite file.
    """

    folder: Path
    url: str = ""
    schema: str = ""
    file: str = DATABASE_FILE

    def __post_init__(self) -> None:
        if self.url and urlsplit(self.url).scheme not in POSTGRES:
            raise BadSetting(
                "database", "the address must start with postgresql://, as in postgresql://host/name."
            )

    @property
    def path(self) -> Path:
        """Path of the SQLite file, whether or not it exists."""
        return self.folder / self.file

    @property
    def words(self) -> str:
        """Name for messages, without the password."""
        if not self.url:
            return str(self.path)
        parts = urlsplit(self.url)
        name, host = parts.path.lstrip("/"), parts.hostname or "this machine"
        return f"{self.folder}: schema {self.schema} of the PostgreSQL database {name} on {host}"


def location_of(folder: Path, url: str = "") -> Location:
    """Return where the log of a study is or will be stored.

    Parameters
    ----------
    folder
        Folder of the study.
    url
        Address of a PostgreSQL database for a study that has no log yet. For an existing study, the address in the
        environment variable STEELYARD_DATABASE replaces that in database.toml.

    Returns
    -------
    Location
        The place of the log.
    """
    noted = folder / LOCATION_FILE
    if not noted.exists():
        if url and (folder / DATABASE_FILE).exists():
            raise BadSetting(
                "database",
                f"the answers of this study are in {folder / DATABASE_FILE}. To move them to PostgreSQL, "
                f"run: steelyard move {folder} --to {without_password(url)}",
            )
        return Location(folder, url, schema_name(folder)) if url else Location(folder)
    table = read_toml(noted)
    unknown = set(table) - {"url", "schema"}
    if unknown or not all(isinstance(table.get(key), str) and table[key] for key in ("url", "schema")):
        raise BadSetting(str(noted), "needs exactly two texts: url and schema.")
    return Location(folder, os.environ.get(URL_VARIABLE) or table["url"], table["schema"])


def exists(location: Location) -> bool:
    """Whether the study has a log: study.db, or database.toml that names a PostgreSQL database."""
    return location.path.exists() or (location.folder / LOCATION_FILE).exists()


def note_location(location: Location) -> None:
    """Write database.toml, which only the owner of the folder may read because the address may contain a password."""
    text = f"# Where the answers of this study are stored.\nurl = {json.dumps(location.url)}\n"
    text += f"schema = {json.dumps(location.schema)}\n"
    write_private(location.folder / LOCATION_FILE, text.encode())


def schema_name(folder: Path) -> str:
    """Return the name of the PostgreSQL schema of a study, from the name of its folder.

    Long names end in a hash, so that different folders have different schemas, and leave room for `moved_name`.

    >>> schema_name(Path("studies/How filling?"))
    'steelyard_how_filling'
    """
    name = re.sub(r"[^a-z0-9]+", "_", folder.resolve().name.lower()).strip("_")
    return _fitted(f"steelyard_{name or 'study'}", LONGEST_SCHEMA - len(MOVED))


def moved_name(schema: str, number: int = 1) -> str:
    """Return the name of a schema after its study was moved elsewhere; other numbers give further names.

    >>> moved_name("steelyard_meals"), moved_name("steelyard_meals", 2)
    ('steelyard_meals_moved', 'steelyard_meals_moved_2')
    """
    ending = MOVED if number == 1 else f"{MOVED}_{number}"
    return _fitted(schema, LONGEST_SCHEMA - len(ending)) + ending


def _fitted(name: str, most: int) -> str:
    """Return a name with at most this number of bytes; a longer one is cut, and ends in a hash of the whole name.

    PostgreSQL would cut it without the hash, and names with the same start would become equal.
    """
    if len(name.encode()) <= most:
        return name
    digits = hashlib.sha256(name.encode()).hexdigest()[:HASH_DIGITS]
    start = name.encode()[: most - HASH_DIGITS - 1].decode(errors="ignore")
    return f"{start}_{digits}"


def without_password(url: str) -> str:
    """Return an address for messages, with the password replaced.

    >>> without_password("postgresql://ann:secret@host/name")
    'postgresql://ann:...@host/name'
    """
    return re.sub(r"(//[^/:@]*):[^/@]*@", r"\1:...@", url)
