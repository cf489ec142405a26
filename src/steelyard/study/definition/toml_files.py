"""Read TOML files, with a separate error message for each way in which reading can fail."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting


def read_toml(path: Path) -> dict[str, Any]:
    """Return the table in a TOML file, which must be UTF-8 with or without a byte order mark."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadSetting(str(path), f"cannot be opened ({error.strerror}). Check its permissions.") from error
    try:
        return tomllib.loads(_decoded(content))
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(str(path), f"is not valid TOML: {error}. Correct this place.") from error
    except UnicodeDecodeError as error:
        raise BadSetting(str(path), "is not encoded in UTF-8. Save the file as UTF-8.") from error


def _decoded(content: bytes) -> str:
    """Return the text of a UTF-8 file; raise UnicodeDecodeError for other encodings."""
    if b"\0" in content:  # UTF-16 and UTF-32 contain NUL bytes, valid TOML does not
        raise UnicodeDecodeError("utf-8", content, content.index(b"\0"), content.index(b"\0") + 1, "NUL")
    return content.decode("utf-8-sig")
