"""Media files that items may show: image, audio and video files in the folder of the study, and no other files."""

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
LOOKED_AT = 4096  # bytes read from the start of a file to recognise its type


def local_file(folder: Path, name: str) -> Path | None:
    """Return the path of a file in the study folder, or None if it is missing, hidden or outside the folder."""
    if PurePosixPath(name).is_absolute():
        return None
    try:
        path, home = (folder / name).resolve(), folder.resolve()
        if not path.is_file() or not path.is_relative_to(home):
            return None
    except (OSError, ValueError):  # the name is too long, or contains a NUL character
        return None
    is_hidden = any(part.startswith(".") for part in path.relative_to(home).parts)
    return None if is_hidden else path


def media_file(folder: Path, name: str, medium: str) -> Path | None:
    """Return the path of an image, audio or video file in the study folder, or None for any other file.

    The suffix of the name and the suffix of the file it resolves to must both be allowed, so that a symbolic link
    cannot expose another file.

    Parameters
    ----------
    folder
        Folder of the study.
    name
        Path of the file, relative to the folder.
    medium
        One of image, audio and video.

    Returns
    -------
    Path or None
        The resolved path.
    """
    path = local_file(folder, name)
    allowed = SUFFIXES[medium]
    suffixes = (PurePosixPath(name).suffix, "" if path is None else path.suffix)
    return path if all(suffix.casefold() in allowed for suffix in suffixes) else None


def looks_like_media(path: Path) -> bool:
    """Whether the first bytes of a file look like an image, audio or video rather than text or a database."""
    try:
        with path.open("rb") as file:
            start = file.read(LOOKED_AT)
    except OSError:
        return False
    if path.suffix.casefold() == ".svg":
        return b"<svg" in start
    return not start.startswith(NOT_MEDIA) and not _is_text(start)


def _is_text(start: bytes) -> bool:
    """Whether these bytes are the start of a text file; media files contain bytes that text does not."""
    try:
        text = start.decode("utf-8")
    except UnicodeDecodeError as mistake:
        # The last character may be incomplete, because only the start of the file was read.
        return mistake.start > len(start) - 4 and len(start) == LOOKED_AT and b"\0" not in start
    return "\0" not in text
