"""Permissions of study files: only the owner may read the folder, study.toml and the database."""

from __future__ import annotations

import os
import stat
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600
OTHERS = 0o077  # all permissions of the group and of other users
SECRETS = (
    "study.toml",
    "study.db",
    "study.db-wal",
    "study.db-shm",
    "database.toml",
    "study.moved.db",
    "moved.toml",
)


def make_private_folder(folder: Path) -> None:
    """Create a folder that only its owner may enter, with its parents; an existing folder is not changed."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=FOLDER_MODE)


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
    with open(descriptor, "wb") as file:
        path.chmod(FILE_MODE)  # os.open does not change the mode of an existing file
        file.write(content)


def make_private_file(path: Path) -> None:
    """Create an empty file that only its owner may read; raise FileExistsError if the file exists."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE))


def open_to_others(folder: Path) -> tuple[str, ...]:
    """Return the names of files with secrets in this folder that other users of the machine can open."""
    if os.name != "posix" or not _mode(folder) & OTHERS:
        return ()
    return tuple(name for name in SECRETS if _mode(folder / name) & OTHERS)


def _mode(path: Path) -> int:
    """Return the permissions of a file or folder; 0 if it does not exist."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0
