"""What may differ from the version that made `kept/`: names, estimates and tasks that were changed on purpose."""

from __future__ import annotations

# Instructions of exercises, before and now; the pages show them as one paragraph each.
INSTRUCTIONS = {
    "First, how this page works. Put the pictures in order, the one with the most dots first.": (
        "This exercise shows how the page works. Put the pictures in order, the one with the most dots first."
    ),
    "First, how this page works. Pick the picture with the most dots and the one with the fewest.": (
        "This exercise shows how the page works. Choose the picture with the most dots and the one with the fewest."
    ),
    "First, how this page works, in two steps. The lower handle moves up past every picture that has definitely fewer "
    "dots; stop where you are no longer sure. Then the upper handle comes down past every picture that has definitely "
    "more.": (
        "This exercise shows how the page works, in two steps. First, move the lower handle up past every picture that "
        "definitely has fewer dots. Stop when you are no longer sure. Then move the upper handle down past every "
        "picture that definitely has more dots."
    ),
    "First, how this page works. Put the picture where it belongs between few dots and many.": (
        "This exercise shows how the page works. Place the picture between few dots and many dots."
    ),
}
TEXTS = {
    **{f"<p>{before}</p>\n": f"<p>{now}</p>\n" for before, now in INSTRUCTIONS.items()},
    "Where could the picture stand, by its number of dots?": (
        "Where on the scale could the picture be, by its number of dots?"
    ),
    "definitely more dots": "with definitely more dots",
    "definitely fewer dots": "with definitely fewer dots",
    **dict.fromkeys(("perhaps not more dots", "with perhaps no more dots"), "that may have as few dots"),
    **dict.fromkeys(("perhaps not fewer dots", "with perhaps no fewer dots"), "that may have as many dots"),
    "Too low: there is more of it than that.": "Too low: the item has more of it.",
    "Too high: there is less of it than that.": "Too high: the item has less of it.",
    "Not yet: the lower handle has gone too far up. Move it down.": (
        "Not yet: the lower handle is too far up. Move it down."
    ),
    "Nothing to judge just now. More comes when others have finished this round.": (
        "There are no tasks for you now. New tasks come when other raters have finished this round."
    ),
    "Not yet: the lower handle can go further up.": "Not yet: move the lower handle further up.",
    "Not yet: the upper handle can come further down.": "Not yet: move the upper handle further down.",
    "Not yet: the upper handle has come too far down. Move it up.": (
        "Not yet: the upper handle is too far down. Move it up."
    ),
}

# (table, name before) -> name now. A table is "judgments", "answers", "raters", "scale", "next", "converted" or "fit",
# whose columns have names; or "served", where a name is a key of the JSON, or a whole text in it.
RENAMES: dict[tuple[str, str], str] = {("served", before): now for before, now in TEXTS.items()}

# Keys that the JSON of a task has gained since, each after the key of the object that holds it. The page loads the
# module and the styles of a protocol only when its task comes, and these say which.
ADDED_KEYS: frozenset[tuple[str, str]] = frozenset(
    {
        *(("task", "widget"), ("task", "ground"), ("task", "listen_first"), ("scale", "grounded")),
        *(("reply", name) for name in ("ahead", "notice", "items", "examples")),
    }
)

# Columns that tables have gained since, at the end. A scale also has what its model estimates about the answers, and
# tables of estimates state the type of their errors and, for systems, their target.
ADDED_COLUMNS: frozenset[tuple[str, str]] = frozenset(
    {
        *(("scale", name) for name in ("ambiguity", "disagreement", "errors", "target")),
        *(("fit", name) for name in ("errors", "target")),
        *(("raters", name) for name in ("checks", "checks_failed", "warnings", "screened_out")),
        ("answers", "check"),
        # Answers to the survey and columns of the items, as covariates.
        *(("judgments", name) for name in ("machine", "age", "group", "note")),
    }
)

# The estimates of the rater model differ for three reasons. It takes the slope of a rater as it is if the rater is
# honest, so that a small slope is not spam. It weighs its variants by stacking, with the plain mean among them.
# The search for the variances of systems ends closer to their optimum.
# case -> tables and fits, whose numbers of now are in `changed/` beside `golden/`.
CHANGED_ESTIMATES: dict[str, tuple[str, ...]] = {
    "rating": ("raters", "scale", "fit_steelyard", "fit_steelyard_raters"),
    "list": ("fit_steelyard",),
    "systems": ("raters", "scale", "fit_crossed_unit_system", "fit_steelyard_unit_system"),
    "information": ("raters", "scale", "fit_steelyard"),
    "flat_rating": ("raters", "scale", "fit_steelyard"),
}

# Pages that compare several items are now full wherever enough items are allowed, so the next tasks differ.
# After the training of the interface, newcomers read the instructions.
# case -> tables of tasks, which are in `changed/` beside `golden/`.
CHANGED_TASKS: dict[str, tuple[str, ...]] = {
    "ranking": ("next_csv", "next_mturk-csv", "served"),
    "range_rounds": ("served",),
    # A study in Arabic has the words of its pages in Arabic.
    "every_key": ("served",),
    "best_worst": ("next_csv", "next_mturk-csv", "served"),
    # No page compares a single pair where more could be asked.
    "comparison_list": ("next_csv", "next_mturk-csv"),
}


def renamed(table: str, name: str) -> str:
    """The name that a column, a key or a text has now."""
    return RENAMES.get((table, name), name)
