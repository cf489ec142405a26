"""TOML files as tables, with one clear message for each way in which they cannot be read."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting


def read_toml(path: Path) -> dict[str, Any]:
    """The table of a TOML file in UTF-8, with or without a byte order mark."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BadSetting(str(path), f"cannot be opened ({error.strerror}). Check its permissions.") from error
    try:
        return tomllib.loads(_decoded(content))
    except tomllib.TOMLDecodeError as error:
        raise BadSetting(str(path), f"this is not TOML: {error}.") from error
    except UnicodeDecodeError as error:
        raise BadSetting(str(path), "the file is not UTF-8; save it as UTF-8.") from error


def _decoded(content: bytes) -> str:
    """The text of a UTF-8 file; UnicodeDecodeError for other encodings."""
    if b"\0" in content:  # UTF-16 and UTF-32 have many, TOML has none
        raise UnicodeDecodeError("utf-8", content, content.index(b"\0"), content.index(b"\0") + 1, "NUL")
    return content.decode("utf-8-sig")
