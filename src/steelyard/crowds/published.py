"""What was published on a crowd, in a file beside study.toml. It has no ids of people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting, UnreadableFile
from steelyard.study.definition.private_files import write_private


def read_published(folder: Path, crowd: str) -> list[dict[str, Any]]:
    """Return what was published on a crowd, oldest first; empty if nothing was."""
    path = folder / f"{crowd}.json"
    if not path.exists():
        return []
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return [dict(each) for each in content["published"]]
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise UnreadableFile(
            str(path), f"it is not a list of what was published ({error}).", "Restore it."
        ) from error


def require_published(folder: Path, crowd: str) -> list[dict[str, Any]]:
    """Return what was published on a crowd, or raise BadSetting if nothing was."""
    published = read_published(folder, crowd)
    if not published:
        raise BadSetting(str(folder), f"nothing was published from here. Use steelyard {crowd} publish.")
    return published


def write_published(folder: Path, crowd: str, published: list[dict[str, Any]]) -> None:
    """Store what was published on a crowd.

    Parameters
    ----------
    folder
        Folder of the study.
    crowd
        Name of the crowd.
    published
        One record for each publication, oldest first.
    """
    content = json.dumps({"published": published}, indent=1, ensure_ascii=False)
    write_private(folder / f"{crowd}.json", f"{content}\n".encode())
