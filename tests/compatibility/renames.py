"""What may differ from the version that made `kept/`: names changed and keys added on purpose, and nothing else."""

from __future__ import annotations

# (table, name before) -> name now. A table is "judgments", "answers", "raters", "scale", "next", "converted" or "fit",
# whose columns have names; or "served", where a name is a key of the JSON, or a whole text in it.
RENAMES: dict[tuple[str, str], str] = {}
# Keys of "served" that the version before did not send: which scripts show a task, and whether a scale needs more.
ADDED = frozenset({"widget", "ground", "grounded"})


def renamed(table: str, name: str) -> str:
    """The name that a column, a key or a text has now."""
    return RENAMES.get((table, name), name)
