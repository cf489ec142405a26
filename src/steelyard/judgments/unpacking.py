"""Pipes, compressed files and unsupported formats."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from steelyard.errors import EmptyFile, NoSuchFile, UnreadableFile

STUDY_FILE = "study.toml"  # the folder of a study has it
FIRST_BYTES = 4096  # enough to recognise a format
COMPRESSED: dict[bytes, tuple[str, Callable[..., Any]]] = {
    b"\x1f\x8b": ("gzip", gzip.open),
    **{b"BZh%d1AY&SY" % level: ("bzip2", bz2.open) for level in range(1, 10)},
    b"\xfd7zXZ\x00": ("xz", lzma.open),
}
DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error)  # what a damaged compressed file raises
AS_CSV = "Save the sheet as CSV (UTF-8) in the spreadsheet program, and use that file."
UNPACK = "Unpack it, and use the file inside."
FOREIGN = {  # first bytes of unsupported formats
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("this is an Excel workbook (xls).", AS_CSV),
    b"\x28\xb5\x2f\xfd": ("this file is compressed with zstd.", UNPACK),
    b"7z\xbc\xaf\x27\x1c": ("this is a 7z archive.", UNPACK),
    b"SQLite format 3\x00": ("this is an SQLite database.", "Export its table as CSV, and use that file."),
}
ZIP_MARK = b"PK\x03\x04"
SHEETS = {"xl/": "an Excel workbook (xlsx)", "content.xml": "an OpenDocument spreadsheet (ods)"}


@contextmanager
def plain_file(path: Path, source: str) -> Iterator[tuple[Path, bytes]]:
    """Yield a file that can be read repeatedly, and its first bytes: the file itself or a temporary copy.

    A pipe can be read only once, so it is copied. A compressed file is decompressed. `source` is the name in messages.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = _copied(path, Path(folder) / f"copy{path.suffix}", source)
        start = first_bytes(place, source)
        for mark, (method, unpack) in COMPRESSED.items():
            if start.startswith(mark):
                suffix = Path(path.stem).suffix
                place = _unpacked(place, Path(folder) / f"unpacked{suffix}", method, unpack, source)
                start = first_bytes(place, source)
        _refuse_foreign(place, start, source)
        yield place, start


def first_bytes(path: Path, source: str) -> bytes:
    """Return the first bytes of a file; raise EmptyFile if it is empty."""
    with _opened(path, source) as file:
        start = file.read(FIRST_BYTES)
    if not start.strip():
        raise EmptyFile.without_header(source)
    return start


def _opened(path: Path, source: str) -> IO[bytes]:
    if path.is_dir():
        raise _folder_instead(path, source)
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise NoSuchFile(source) from None
    except OSError as reason:
        raise UnreadableFile(
            source, f"the file cannot be opened ({reason.strerror}).", "Check its permissions."
        ) from None


def _folder_instead(folder: Path, source: str) -> UnreadableFile:
    """Return the error for a folder in place of a file; the folder of a study holds no file of judgments."""
    if not (folder / STUDY_FILE).exists():
        return UnreadableFile(source, "this is a folder.", "Choose a file in it.")
    export = f"steelyard export {folder} -o judgments.csv"
    return UnreadableFile(
        source,
        "this is the folder of a study.",
        f"First export its judgments ({export}), or write a report on the study (steelyard report {folder}).",
    )


def _copied(path: Path, copy: Path, source: str) -> Path:
    """Return the path if it can be opened repeatedly, otherwise a copy of its content."""
    with _opened(path, source) as file:
        if stat.S_ISREG(path.stat().st_mode):
            return path
        with copy.open("wb") as whole:
            shutil.copyfileobj(file, whole)
    return copy


def _unpacked(path: Path, copy: Path, method: str, unpack: Callable[..., Any], source: str) -> Path:
    try:
        with unpack(path, "rb") as file, copy.open("wb") as whole:
            shutil.copyfileobj(file, whole)
    except DAMAGE:
        raise UnreadableFile(
            source, f"this {method} file is incomplete.", "Write or copy it again."
        ) from None
    return copy


def _refuse_foreign(path: Path, start: bytes, source: str) -> None:
    for mark, (fact, remedy) in FOREIGN.items():
        if start.startswith(mark):
            raise UnreadableFile(source, fact, remedy)
    if start.startswith(ZIP_MARK):
        raise UnreadableFile(source, *_archive(path))


def _archive(path: Path) -> tuple[str, str]:
    """Return what a zip archive contains, and what to do about it."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        return "this zip archive is incomplete.", "Write or copy it again."
    for beginning, kind in SHEETS.items():
        if any(name.startswith(beginning) for name in names):
            return f"this is {kind}.", AS_CSV
    return "this is a zip archive.", UNPACK
