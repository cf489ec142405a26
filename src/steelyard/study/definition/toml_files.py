"""Read TOML files, with a separate error message for each way in which reading can fail."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting

BYTE_ORDER_MARK = "\ufeff"
DEEPEST = 50  # levels of arrays and tables; study.toml needs six
LARGEST_INTEGER = 2**63  # TOML promises integers of 64 bits
TOO_DEEP = "arrays or tables are nested too deeply. Correct the file."
TOO_MANY_DIGITS = "a number has too many digits. Correct the file."
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
        text = _decoded(content)
    except UnicodeDecodeError as error:
        raise BadSetting(str(path), "is not encoded in UTF-8. Save the file as UTF-8.") from error
    return parse_toml(text, str(path))


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return the table in a TOML text, with or without a byte order mark; `where` names it in error messages."""
    try:
        table = tomllib.loads(text.removeprefix(BYTE_ORDER_MARK))
    except tomllib.TOMLDecodeError as error:
        place, mistake = _located(str(error))
        raise BadSetting(f"{where}{place}", f"this is not valid TOML: {mistake}") from error
    except RecursionError:  # its traceback has thousands of lines
        raise BadSetting(where, TOO_DEEP) from None
    except ValueError as error:  # Python converts numbers of up to 4,300 digits
        raise BadSetting(where, TOO_MANY_DIGITS) from error
    _check_extent(table, where)
    return table


def _check_extent(table: dict[str, Any], where: str) -> None:
    """Raise BadSetting for values that later steps could not even show in a message.

    Dotted keys nest without limit in tomllib, and numbers in hexadecimal notation have no largest size.
    """
    level: list[tuple[str, Any]] = [(where, table)]
    for _ in range(DEEPEST):
        level = [each for place, value in level for each in _inside(place, value)]
        for place, value in level:
            if isinstance(value, int) and not -LARGEST_INTEGER <= value < LARGEST_INTEGER:
                raise BadSetting(place, "this number is too large.")
        if not level:
            return
    raise BadSetting(where, TOO_DEEP)


def _inside(place: str, value: Any) -> Iterable[tuple[str, Any]]:
    """The values of a table or array, each with its place."""
    if isinstance(value, dict):
        return [(f"{place}, {key}", each) for key, each in value.items()]
    return [(place, each) for each in value] if isinstance(value, list) else ()


def _located(mistake: str) -> tuple[str, str]:
    """Return the place of a mistake that tomllib found, and the mistake with what to do.

    >>> _located("Invalid value (at line 18, column 8)")
    (', line 18, column 8', 'invalid value. Correct this line.')
    >>> _located("Unclosed array (at end of document)")
    (', at the end of the file', 'unclosed array. Complete the last entry.')
    """
    parts = AT_LINE.fullmatch(mistake)
    if parts is None:
        return "", f"{mistake}. Correct the file."
    what = parts["what"][:1].lower() + parts["what"][1:]
    if parts["line"] is None:
        return ", at the end of the file", f"{what}. Complete the last entry."
    return f", line {parts['line']}, column {parts['column']}", f"{what}. Correct this line."


def _decoded(content: bytes) -> str:
    """Return the text of a UTF-8 file; raise UnicodeDecodeError for other encodings."""
    if b"\0" in content:  # UTF-16 and UTF-32 contain NUL bytes, valid TOML does not
        raise UnicodeDecodeError("utf-8", content, content.index(b"\0"), content.index(b"\0") + 1, "NUL")
    return content.decode("utf-8-sig")
