"""Backups of a study: one archive with its files and a consistent copy of its database."""

from __future__ import annotations

import os
import tarfile
import tempfile
from pathlib import Path, PurePosixPath

from steelyard.errors import CannotWrite, NoSuchFile, StudyExists, UnreadableFile
from steelyard.storage.copying import snapshot_to_file
from steelyard.storage.location import DATABASE_FILE, LOCATION_FILE
from steelyard.storage.moved_copies import MOVED_FILE, MOVED_LOCATIONS
from steelyard.study.definition.private_files import make_private_folder

# The database is copied separately, and the address of a database may contain its password.
LEFT_OUT = (
    *(f"{name}{suffix}" for name in (DATABASE_FILE, MOVED_FILE) for suffix in ("", "-wal", "-shm")),
    LOCATION_FILE,
    MOVED_LOCATIONS,
)
BROKEN_LINK = "this link does not lead to a file."


def back_up(folder: Path, archive: Path) -> int:
    """Write the files of a study and a copy of its database to an archive; return the newest log position in it.

    The study may be in use. The archive appears under its name only when it is complete.
    """
    if archive.resolve().is_relative_to(folder.resolve()):
        raise CannotWrite(str(archive), "it is inside the folder of the study. Choose a path outside of it")
    try:
        with tempfile.TemporaryDirectory(dir=archive.parent, prefix=".backup-") as place:
            position = snapshot_to_file(folder, Path(place) / DATABASE_FILE)
            part = Path(place) / "archive"
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT, 0o600)
            # Links may lead outside of the folder, so the archive has the files that they lead to.
            with (
                open(descriptor, "wb") as file,
                tarfile.open(fileobj=file, mode="w:gz", dereference=True) as written,
            ):
                for path in sorted(folder.iterdir()):
                    if path.name not in LEFT_OUT:
                        written.add(path, path.name, filter=_kept)
                written.add(Path(place) / DATABASE_FILE, DATABASE_FILE)
                file.flush()
            _sync(part)
            os.replace(part, archive)
    except OSError as reason:
        if reason.filename is not None and os.path.islink(reason.filename):
            raise UnreadableFile(
                str(reason.filename), BROKEN_LINK, "Delete the link, or correct it."
            ) from None
        raise CannotWrite(str(archive), str(reason.strerror)) from None
    return position


def _kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Return a member for a backup; None for pipes and devices, which are no part of a study."""
    return member if member.isfile() or member.isdir() else None


def _inside(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return a member of an archive, or raise TarError if it is no plain file or folder inside the archive.

    The filter "data" of tarfile does the same, and exists from Python 3.11.4 on.
    """
    parts = PurePosixPath(member.name).parts
    if not (member.isfile() or member.isdir()) or ".." in parts or member.name.startswith("/"):
        raise tarfile.TarError(f"{member.name!r} is not a file of a study")
    return member


def restore(archive: Path, folder: Path) -> None:
    """Create the folder of a study from a backup; an existing study is not replaced."""
    if folder.exists() and any(folder.iterdir()):
        raise StudyExists(str(folder))
    make_private_folder(folder)
    try:
        with tarfile.open(archive) as written:
            written.extraction_filter = lambda member, _: member  # `_inside` has checked it
            written.extractall(folder, [_inside(member) for member in written.getmembers()])
    except FileNotFoundError:
        raise NoSuchFile(str(archive)) from None
    except (tarfile.TarError, OSError, EOFError) as reason:
        raise UnreadableFile(
            str(archive), f"this is not a complete backup ({_in_one_line(reason)}).", "Use another backup."
        ) from None
    for path in folder.iterdir():
        if path.is_file():
            path.chmod(0o600)


def _sync(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def _in_one_line(reason: Exception) -> str:
    """Return the first line of a message; tarfile adds a line for each compression that it tries."""
    return str(reason).partition("\n")[0].removesuffix(":")
