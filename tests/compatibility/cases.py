"""The studies that are kept as folders: their files, who answered them, and what is made of their judgments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.compatibility import plays
from tests.compatibility.definitions import (
    COLD_RANGE,
    EVERY_KEY,
    FLAT_COMPARISON,
    FLAT_RATING,
    GROUNDED,
    INFORMED,
    MACHINE,
    MARKDOWN_COLUMNS,
    SEQUENCES,
    SYSTEM_COLUMNS,
    SYSTEM_PAIRS,
    SYSTEMS,
    TRAINED,
    TRAINING,
    TWO_QUESTIONS,
    numbered_items,
)
from tests.compatibility.plays import Play

RATINGS = ("steelyard", "direct_assessment", "easl")
COMPARISONS = ("trueskill", "beta_ranking", "elo", "win_rate")
EASL = ("--protocol", "list", "--model", "easl", "--selection", "easl")
MEANS = ("--protocol", "list", "--model", "direct_assessment")
FIRTH = ("--model", "bradley_terry", "--penalty", "firth")
QUIET = ('completion_code = ""', 'completion_code = "BACK"')


@dataclass(frozen=True)
class Case:
    """One kept study. `new` has the options of `steelyard new`; without it, study.toml is `toml` as it stands."""

    play: Callable[[Play], None]
    toml: str = ""
    new: tuple[str, ...] = ()
    edits: tuple[tuple[str, str], ...] = ()  # of the study.toml that `steelyard new` wrote
    items: str = ""
    files: dict[str, str] = field(default_factory=dict)
    fits: tuple[tuple[str, ...], ...] = ()  # options of `steelyard fit` for the exported judgments
    converted: bool = False  # can the judgments be converted to comparisons?


def fits_by(*models, options=()):
    """Options of `steelyard fit`, one line per model."""
    return tuple(("--model", model, *options) for model in models)


CASES: dict[str, Case] = {
    "rating": Case(
        plays.rating,
        new=("--protocol", "rating", "--redundancy", "12", "--question", "How filling is it?", "--seed", "1"),
        edits=(("comment = false", "comment = true"), QUIET, ("seed = 1", "prolific = true\nseed = 1")),
        items=numbered_items(12),
        fits=(*fits_by(*RATINGS), ("--model", "steelyard", "--raters")),
    ),
    "list": Case(
        plays.lists,
        new=(
            "--protocol",
            "list",
            "--redundancy",
            "12",
            "--model",
            "easl",
            "--selection",
            "easl",
            "--list-size",
            "4",
            "--seed",
            "2",
        ),
        items=numbered_items(20),
        fits=fits_by(*RATINGS),
        converted=True,
    ),
    "comparison": Case(
        plays.many,
        new=("--protocol", "comparison", "--redundancy", "20", "--selection", "match_quality", "--seed", "3"),
        edits=(("both_bad = false", "both_bad = true"), ("strength = false", "strength = true")),
        items=numbered_items(8),
        fits=(*fits_by(*COMPARISONS), FIRTH, (*FIRTH, "--differences")),
    ),
    "comparison_list": Case(
        plays.rankings,
        new=("--protocol", "comparison_list", "--redundancy", "12", "--seed", "4"),
        edits=(("group_size = 10", "group_size = 5"),),
        items=numbered_items(10),
        fits=fits_by("trueskill", "win_rate"),
    ),
    "ranking": Case(
        plays.rankings,
        new=("--protocol", "ranking", "--redundancy", "12", "--list-size", "4", "--seed", "5"),
        edits=(("[items]", f"{TRAINING}\n[items]"),),
        items=numbered_items(9),
        fits=fits_by("plackett_luce"),
        converted=True,
    ),
    "best_worst": Case(
        plays.rankings,
        new=("--protocol", "best_worst", "--redundancy", "12", "--seed", "6"),
        edits=(("[items]", f"{TRAINING}\n[items]"),),
        items=numbered_items(9),
        fits=fits_by("best_worst"),
        converted=True,
    ),
    "range": Case(
        plays.lists,
        new=("--protocol", "range", "--redundancy", "12", "--seed", "7"),
        items=numbered_items(8),
        fits=fits_by("goldilocks"),
    ),
    "range_rounds": Case(plays.rounds, COLD_RANGE, items=numbered_items(12), fits=fits_by("goldilocks")),
    "anchors": Case(
        plays.anchored,
        GROUNDED,
        items=numbered_items(12),
        files={"anchors.csv": "item,position\ndish-00,5\ndish-05,45\ndish-11,92.5\n"},
        fits=fits_by("direct_assessment"),
    ),
    "sequences": Case(
        plays.sequences, SEQUENCES, items=numbered_items(12), fits=fits_by("direct_assessment")
    ),
    "systems": Case(
        plays.lists,
        SYSTEMS,
        items=numbered_items(18, SYSTEM_COLUMNS),
        fits=fits_by("steelyard", "direct_assessment", "crossed", options=("--unit", "system")),
    ),
    "system_pairs": Case(
        plays.many,
        SYSTEM_PAIRS,
        items=numbered_items(18, SYSTEM_COLUMNS),
        fits=((*FIRTH, "--unit", "system"), ("--model", "trueskill", "--unit", "system")),
    ),
    "two_questions": Case(
        plays.lists,
        TWO_QUESTIONS,
        items=numbered_items(15),
        fits=fits_by("direct_assessment", options=("--by", "question")),
    ),
    "training": Case(plays.trained, TRAINED, items=numbered_items(8), fits=fits_by("direct_assessment")),
    "taken_back": Case(
        plays.taken_back,
        new=(
            "--protocol",
            "list",
            "--redundancy",
            "12",
            "--list-size",
            "3",
            "--model",
            "direct_assessment",
            "--seed",
            "8",
        ),
        items=numbered_items(10),
        fits=fits_by("direct_assessment"),
    ),
    "information": Case(
        plays.informed, INFORMED, items=numbered_items(24, MACHINE), fits=fits_by("steelyard")
    ),
    "published": Case(
        plays.published,
        new=(
            "--protocol",
            "list",
            "--redundancy",
            "12",
            "--list-size",
            "3",
            "--model",
            "direct_assessment",
            "--seed",
            "9",
        ),
        items=numbered_items(9),
        fits=fits_by("direct_assessment"),
    ),
    "every_key": Case(
        plays.lists,
        EVERY_KEY,
        items=numbered_items(28, MARKDOWN_COLUMNS),
        fits=fits_by("easl", options=("--range", "-3", "3")),
    ),
    "flat_comparison": Case(plays.many, FLAT_COMPARISON, items=numbered_items(8), fits=fits_by("trueskill")),
    "flat_rating": Case(plays.lists, FLAT_RATING, items=numbered_items(8), fits=fits_by("steelyard")),
}
