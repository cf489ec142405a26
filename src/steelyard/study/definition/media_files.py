"""Files that items may show: images, sounds and films of the study's folder, and nothing else in it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

SUFFIXES = {
    "image": frozenset(
        (".apng", ".avif", ".bmp", ".gif", ".ico", ".jfif", ".jpeg", ".jpg", ".png", ".svg", ".webp")
    ),
    "audio": frozenset(
        (".aac", ".flac", ".m4a", ".mp3", ".mp4", ".oga", ".ogg", ".opus", ".wav", ".weba", ".webm")
    ),
    "video": frozenset((".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".ogg", ".ogv", ".webm")),
}
NOT_MEDIA = (b"SQLite format 3\0", b"PAR1", b"PK\x03\x04")  # databases, Parquet and archives
LOOKED_AT = 4096  # bytes at the start of a file that show what it is


def local_file(folder: Path, name: str) -> Path | None:
    """The study's own file of this name, or None where it is missing, hidden or outside the folder."""
    if PurePosixPath(name).is_absolute():
        return None
    try:
        path, home = (folder / name).resolve(), folder.resolve()
        if not path.is_file() or not path.is_relative_to(home):
            return None
    except (OSError, ValueError):  # a name too long, or with NUL in it
        return None
    is_hidden = any(part.startswith(".") for part in path.relative_to(home).parts)
    return None if is_hidden else path


def media_file(folder: Path, name: str, medium: str) -> Path | None:
    """The study's image, sound or film of this name; None for any other file, whatever a link to it is called."""
    path = local_file(folder, name)
    allowed = SUFFIXES[medium]
    suffixes = (PurePosixPath(name).suffix, "" if path is None else path.suffix)
    return path if all(suffix.casefold() in allowed for suffix in suffixes) else None


def looks_like_media(path: Path) -> bool:
    """Does the file start like an image, a sound or a film rather than like text or a database?"""
    try:
        with path.open("rb") as file:
            start = file.read(LOOKED_AT)
    except OSError:
        return False
    if path.suffix.casefold() == ".svg":
        return b"<svg" in start
    return not start.startswith(NOT_MEDIA) and not _is_text(start)


def _is_text(start: bytes) -> bool:
    """Is this the start of a text file? Media hold bytes that no text has."""
    try:
        text = start.decode("utf-8")
    except UnicodeDecodeError as mistake:
        # A character may be cut at the end of what was read.
        return mistake.start > len(start) - 4 and len(start) == LOOKED_AT and b"\0" not in start
    return "\0" not in text
