"""`Protocol`: one way of asking for a kind of judgment, with the words and the widget of its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Widget:
    """The script and the stylesheets of a page that asks in this way.

    Paths are relative to the static files of `steelyard.web` or, where a kind comes from another package, to
    `folder`, which is served under /widgets/<protocol>/.
    """

    module: str
    styles: tuple[str, ...] = ()
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Practice:
    """The exercise about the page itself: pictures of so many dots, the question, and what to read first.

    A picture of n dots is at n on a scale from 0 to 100. `anchored` shows further pictures along the scale.
    """

    dots: tuple[int, ...]
    question: str
    instructions: str
    anchored: bool = False


@dataclass(frozen=True, slots=True)
class Demo:
    """What `steelyard demo` asks, how many tasks of each rater, and how many answers of each item."""

    question: str
    tasks: int
    answers: int


@dataclass(frozen=True, slots=True)
class Protocol:
    """One way of asking: the kind of judgment, how many items a page has, and which of them it asks about.

    Where items are asked `against` each other, a rater may see an item again beside other items, but no pair of
    items twice; elsewhere no item twice. `takes` names the settings of a study that only some protocols have: ties,
    both_bad and strength. `becomes` are other kinds that its judgments may be converted to for a model.
    """

    name: str
    kind: str
    words: str
    widget: Widget
    practice: Practice
    reference: str  # how a study.toml writes the right answer of an exercise
    selection: str = "balanced"  # of a study that names none
    size: int | None = None  # items of a page; None where the study sets it
    usual_size: int = 5  # what a new study sets
    usual_answers: int = 3  # judgments that each item should get, in a new study
    least: int = 1  # fewest items that make a page
    against: bool = False
    first: int = 0  # the first item that is asked about; the ones before are what it is compared with
    grounded: bool = False  # the scale always shows examples
    takes: tuple[str, ...] = ()
    becomes: tuple[str, ...] = ()
    question: str = "How much of it is there?"  # of a new study
    label: str = ""  # on the owner's page, {size} being the number of items; "" is the name
    demo: Demo | None = field(default=None)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of judgment that a model can be given: the protocol's own first, then what it can be converted to."""
        return (self.kind, *self.becomes)

    def asked(self, items: int) -> range:
        """Which items of a task of so many need a cell."""
        return range(self.first, items)

    def loads(self, items: int) -> Sequence[int]:
        """How many judgments each item of a task takes part in: a reference is compared with every other."""
        return [items - 1] * self.first + [1] * (items - self.first)

    def pairs(self, items: Sequence[int]) -> list[tuple[int, int]]:
        """The pairs of items, smaller index first, that a task asks about."""
        if not self.against:
            return []
        firsts = items[: self.first] if self.first else items
        pairs = ((one, other) for at, one in enumerate(firsts) for other in items[at + 1 :])
        return [(min(pair), max(pair)) for pair in pairs]

    def address(self, path: str) -> str:
        """Where the web server has a file of the widget."""
        return f"/static/{path}" if self.widget.folder is None else f"/widgets/{self.name}/{path}"

    def labelled(self, size: int) -> str:
        """The name on the owner's page of a study with so many items on a page."""
        return self.label.format(size=size) if self.label else self.name
