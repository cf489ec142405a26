"""The five kinds of judgment and the columns each of them has."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.errors import UnknownName

PEOPLE = (  # words for who judged, most certain first; each may also end in _id
    *("rater", "annotator", "worker", "judge", "user", "participant", "assessor", "evaluator"),
    *("respondent", "reviewer", "labeler", "labeller", "voter"),
)
RATER_NAMES = (*(name for word in PEOPLE for name in (word, f"{word}_id")), "prolific_pid", "username")
ITEM_COLUMNS = ("item", "left", "right")
SYSTEM_COLUMNS = ("system", "left_system", "right_system")  # a comparison has one on each side
OPTIONAL_TEXT = ("question", *SYSTEM_COLUMNS, "segment", "task", "condition")
OPTIONAL_NUMBERS = ("round", "at", "milliseconds", "count")
OUTCOMES = ("left", "right", "tie")
CHOICES = ("best", "worst", "none")
TASK_KINDS = ("ranking", "best_worst")  # kinds with several rows for one answer, those of a task


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of judgment: its name, its columns of text and its columns of numbers."""

    name: str
    text: tuple[str, ...]
    numbers: tuple[str, ...]

    @property
    def required(self) -> tuple[str, ...]:
        """Columns without which a row is no judgment (a published file may lack the rater)."""
        return tuple(column for column in (*self.text, *self.numbers) if column != "rater")


KINDS = {
    kind.name: kind
    for kind in (
        Kind("rating", ("rater", "item"), ("score",)),
        Kind("comparison", ("rater", "left", "right", "outcome"), ()),
        Kind("ranking", ("rater", "task", "item"), ("rank",)),
        Kind("best_worst", ("rater", "task", "item", "choice"), ()),
        Kind("range", ("rater", "item"), ("low", "high")),
    )
}


def known_kind(kind: str) -> str:
    """The kind as Steelyard writes it; `best-worst` is `best_worst`."""
    plain = kind.strip().casefold().replace("-", "_")
    if plain not in KINDS:
        raise UnknownName("kind", kind, list(KINDS))
    return plain


def vocabulary_of(column: str) -> str:
    """The vocabulary that a text column is coded in: item, left and right share one, and so do their systems."""
    if column in ITEM_COLUMNS:
        return "item"
    return "system" if column in SYSTEM_COLUMNS else column
