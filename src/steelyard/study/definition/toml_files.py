"""Read TOML files, with a separate error message for each way in which reading can fail."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting

AT_LINE = re.compile(
    r"(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)", re.DOTALL
)


def read_toml(path: Path) -> dict[str, Any]:
    """Return the table in a TOML file, which must be UTF-8 with or without a byte order mark."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadSetting(str(path), f"cannot be opened ({error.strerror}). Check its permissions.") from error
    try:
        return tomllib.loads(_decoded(content))
    except tomllib.TOMLDecodeError as error:
        place, mistake = _located(str(error))
        raise BadSetting(f"{path}{place}", f"this is not valid TOML: {mistake}") from error
    except UnicodeDecodeError as error:
        raise BadSetting(str(path), "is not encoded in UTF-8. Save the file as UTF-8.") from error


def _located(mistake: str) -> tuple[str, str]:
    """Return the place of a mistake that tomllib found, and the mistake with what to do.

    >>> _located("Invalid value (at line 18, column 8)")
    (', line 18, column 8', 'invalid value. Correct this line.')
    >>> _located("Unclosed array (at end of document)")
    (', at the end of the file', 'unclosed array. Complete the last entry.')
    """
    found = AT_LINE.fullmatch(mistake)
    if found is None:
        return "", f"{mistake}. Correct the file."
    what = found["what"][:1].lower() + found["what"][1:]
    if found["line"] is None:
        return ", at the end of the file", f"{what}. Complete the last entry."
    return f", line {found['line']}, column {found['column']}", f"{what}. Correct this line."


def _decoded(content: bytes) -> str:
    """Return the text of a UTF-8 file; raise UnicodeDecodeError for other encodings."""
    if b"\0" in content:  # UTF-16 and UTF-32 contain NUL bytes, valid TOML does not
        raise UnicodeDecodeError("utf-8", content, content.index(b"\0"), content.index(b"\0") + 1, "NUL")
    return content.decode("utf-8-sig")
