"""What may differ from the version that made `kept/`: names and estimates that were changed on purpose."""

from __future__ import annotations

# (table, name before) -> name now. A table is "judgments", "answers", "raters", "scale", "next", "converted" or "fit",
# whose columns have names; or "served", where a name is a key of the JSON, or a whole text in it.
RENAMES: dict[tuple[str, str], str] = {}

# Keys that the JSON of a task has gained since, each after the key of the object that holds it. The page loads the
# module and the styles of a protocol only when its task comes, and these say which.
ADDED_KEYS: frozenset[tuple[str, str]] = frozenset(
    {("task", "widget"), ("task", "ground"), ("scale", "grounded")}
)

# The rater model now takes the slope of a rater as it is if the rater is honest, so that a small slope is not spam:
# its estimates differ. case -> tables and fits, whose numbers of now are in `changed/` beside `golden/`.
CHANGED_ESTIMATES: dict[str, tuple[str, ...]] = {
    "rating": ("raters", "scale", "fit_steelyard", "fit_steelyard_raters"),
    "list": ("fit_steelyard",),
    "systems": ("raters", "scale", "fit_steelyard_unit_system"),
    "information": ("raters", "scale", "fit_steelyard"),
    "flat_rating": ("raters", "scale", "fit_steelyard"),
}


def renamed(table: str, name: str) -> str:
    """The name that a column, a key or a text has now."""
    return RENAMES.get((table, name), name)
