"""Write beliefs to files and read them.

A file is one JSON object with the format, its version, the kind of belief and its fields. JSON writes a float with
the fewest digits that read back as the same float, so values are exact.
"""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias, get_args, get_type_hints

import numpy as np

from steelyard.errors import CannotWrite, NoSuchFile, UnreadableFile
from steelyard.maths.arrays import Codes, Vector, object_cells
from steelyard.scales.belief import BetaBelief, GaussianBelief
from steelyard.scales.held import HeldBelief
from steelyard.scales.tally import TallyBelief

FORMAT, VERSION = "steelyard belief", 1
SavedBelief: TypeAlias = BetaBelief | GaussianBelief | TallyBelief | HeldBelief
KINDS: dict[str, type[Any]] = {
    "beta": BetaBelief,
    "gaussian": GaussianBelief,
    "tally": TallyBelief,
    "held": HeldBelief,
}
PER_PAIR = ("first", "second", "won", "tied", "lost")  # one entry per pair; other fields have one per item


def save_belief(belief: SavedBelief, path: str | os.PathLike[str]) -> None:
    """Write a belief to a file.

    An existing file is replaced completely or, if writing fails, left unchanged. The belief of the model
    `steelyard` cannot be saved; fit the judgments again instead.

    Parameters
    ----------
    belief
        Belief returned by `start` or `update` of a model.
    path
        File to write.

    Raises
    ------
    CannotWrite
        If the belief cannot be saved or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from steelyard import Elo, Judgments, load_belief, save_belief
    >>> belief = Elo().start(np.array(["tea", "soup"], dtype=object))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_belief(belief, Path(folder) / "belief.json")
    ...     loaded = load_belief(Path(folder) / "belief.json")
    >>> loaded.position.tolist()
    [1000.0, 1000.0]
    """
    names = {belief_type: name for name, belief_type in KINDS.items()}
    if type(belief) not in names:
        reason = f"a {type(belief).__name__} cannot be saved; fit its judgments again instead"
        raise CannotWrite(str(path), reason)
    values = {field.name: _plain(getattr(belief, field.name)) for field in fields(belief)}
    written = {"format": FORMAT, "version": VERSION, "kind": names[type(belief)], **values}
    _replace_file(Path(path), json.dumps(written, ensure_ascii=False).encode())


def load_belief(path: str | os.PathLike[str]) -> SavedBelief:
    """Read a belief from a file written by `save_belief`.

    Parameters
    ----------
    path
        File to read.

    Returns
    -------
    BetaBelief, GaussianBelief, TallyBelief or HeldBelief
        The same belief, exact to the last digit.

    Raises
    ------
    NoSuchFile
        If the file does not exist.
    UnreadableFile
        If the file is damaged or contains something else.

    Examples
    --------
    >>> import tempfile
    >>> from steelyard import Elo, load_belief, save_belief
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_belief(Elo().start(np.array(["tea"], dtype=object)), Path(folder) / "belief.json")
    ...     load_belief(Path(folder) / "belief.json").item.tolist()
    ['tea']
    """
    source = str(path)
    try:
        written = json.loads(Path(path).read_bytes())
    except FileNotFoundError:
        raise NoSuchFile(source) from None
    except (ValueError, OSError, RecursionError):
        raise _damaged(source, "it is not a complete JSON file.") from None
    if not isinstance(written, dict) or written.get("format") != FORMAT:
        raise _damaged(source, "it does not contain a belief.")
    if written.get("version") != VERSION or written.get("kind") not in KINDS:
        version = f"version {written.get('version')!r} of kind {written.get('kind')!r}"
        raise _damaged(
            source, f"it contains a belief of {version}, which this version of Steelyard cannot read."
        )
    return _belief(source, KINDS[written["kind"]], written)


def _belief(source: str, kind: type[Any], written: dict[str, Any]) -> SavedBelief:
    hints = get_type_hints(kind)
    values = {}
    for field in fields(kind):
        if field.name not in written:
            raise _damaged(source, f"{field.name!r} is missing.")
        values[field.name] = _value(source, field.name, hints[field.name], written[field.name])
    lengths = {name: len(value) for name, value in values.items() if isinstance(value, np.ndarray)}
    per_item = {length for name, length in lengths.items() if name not in PER_PAIR}
    per_pair = {length for name, length in lengths.items() if name in PER_PAIR}
    if len(per_item) > 1 or len(per_pair) > 1:
        raise _damaged(source, "its columns differ in length.")
    _check_pairs(source, values, len(values["item"]))
    made: SavedBelief = kind(**values)
    return made


def _check_pairs(source: str, values: dict[str, Any], items: int) -> None:
    """Raise an error if a pair refers to an item that the file does not contain."""
    for name in ("first", "second"):
        if name in values and not np.all((values[name] >= 0) & (values[name] < items)):
            raise _damaged(source, f"{name!r} refers to items that the file does not contain.")


def _value(source: str, name: str, hint: Any, written: Any) -> Any:
    """Return one field in the type that the class needs."""
    if name == "columns":
        if _is_table(written):
            return written
    elif name == "item":
        if _all(written, str) and len(set(written)) == len(written):
            return object_cells(written)
    elif hint == Codes:
        if _all(written, int):
            return np.array(written, dtype=np.int64)
    elif hint == Vector:
        if _all(written, float | int):
            return np.array(written, dtype=np.float64)
    elif written in get_args(hint):
        return str(written)
    raise _damaged(source, f"{name!r} has an invalid value.")


def _is_table(written: Any) -> bool:
    """Whether the value holds columns of equal length for each kind of judgment."""
    return isinstance(written, dict) and all(
        isinstance(columns, dict)
        and all(isinstance(cells, list) for cells in columns.values())
        and len({len(cells) for cells in columns.values()}) <= 1
        for columns in written.values()
    )


def _all(written: Any, kind: Any) -> bool:
    return isinstance(written, list) and all(
        isinstance(each, kind) and not isinstance(each, bool) for each in written
    )


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _damaged(source: str, reason: str) -> UnreadableFile:
    return UnreadableFile(source, reason, "Use a file that save_belief wrote, or fit the judgments again.")


def _replace_file(path: Path, content: bytes) -> None:
    """Write a temporary file beside the target, then replace the target."""
    beside = path.with_name(f"{path.name}.part")
    try:
        beside.write_bytes(content)
        os.replace(beside, path)
    except OSError as reason:
        beside.unlink(missing_ok=True)
        raise CannotWrite(str(path), reason.strerror) from None
