"""`Protocol`: a way of asking for a kind of judgment, with the text and the widget of its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Widget:
    """The script and the stylesheets of a page.

    Parameters
    ----------
    module
        Path of the JavaScript module. Paths are relative to the static files of `steelyard.web`, or to `folder`.
    styles
        Paths of the stylesheets.
    folder
        Folder of a widget from another package, served under /widgets/<protocol>/.
    """

    module: str
    styles: tuple[str, ...] = ()
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Practice:
    """The exercise that explains the page: pictures of dots, a question and instructions.

    A picture of n dots is at position n on a scale from 0 to 100.

    Parameters
    ----------
    dots
        Number of dots in each picture.
    question
        Question of the exercise.
    instructions
        Text above the exercise.
    anchored
        Whether further pictures are shown along the scale.
    """

    dots: tuple[int, ...]
    question: str
    instructions: str
    anchored: bool = False


@dataclass(frozen=True, slots=True)
class Demo:
    """Settings of `steelyard demo` for one protocol.

    Attributes
    ----------
    question
        Question of the demo study.
    tasks
        Number of tasks that each rater receives.
    answers
        Number of answers that each item receives.
    """

    question: str
    tasks: int
    answers: int


@dataclass(frozen=True, slots=True)
class Protocol:
    """A way of asking: the kind of judgment, the number of items on a page, and which of them need an answer.

    Parameters
    ----------
    name
        Name of the protocol in study.toml.
    kind
        Name of the kind of judgment.
    words
        Short description for the report.
    widget
        Script and stylesheets of the page.
    practice
        Exercise that explains the page.
    reference
        How study.toml writes the correct answer of an exercise, as an example.
    selection
        Default selection. Default "balanced".
    size
        Number of items on a page, or None if the study sets it.
    usual_size
        Number of items on a page in a new study, if the study sets it. Default 5.
    usual_answers
        Number of judgments per item in a new study. Default 3.
    least
        Smallest number of items on a page. Default 1.
    against
        Whether items are judged against each other. If so, a rater may see an item again, but no pair of items twice.
        Otherwise a rater sees no item twice.
    first
        Index of the first item that needs an answer. Earlier items are what it is compared with.
    grounded
        Whether the scale always shows examples.
    takes
        Settings of a study that this protocol supports: "ties", "both_bad", "strength".
    becomes
        Other kinds that its judgments can be converted to for a model.
    question
        Question of a new study.
    instruction
        What raters do on a page, for help texts, such as "rate one item". Default: `words`.
    label
        Name on the owner's page, with {size} for the number of items. Default: the name of the protocol.
    demo
        Settings of `steelyard demo`, or None if the protocol has no demo.
    method
        How raters were asked, as a sentence for the methods section of a paper, with {size} for the number of items.
    references
        References of this sentence.
    seconds
        Time that a page takes for each of its items, assumed in plans of studies without a pilot. Default 0: unknown.
    timing
        Source of this time.
    messages
        Folder with the words of a widget from another package, in files such as en.toml and de.toml. English sentences
        of the kind that are in [sentences] of its en.toml are translated as well.
    """

    name: str
    kind: str
    words: str
    widget: Widget
    practice: Practice
    reference: str
    selection: str = "balanced"
    size: int | None = None
    usual_size: int = 5
    usual_answers: int = 3
    least: int = 1
    against: bool = False
    first: int = 0
    grounded: bool = False
    takes: tuple[str, ...] = ()
    becomes: tuple[str, ...] = ()
    question: str = "How strong is this quality?"
    instruction: str = ""
    label: str = ""
    demo: Demo | None = field(default=None)
    method: str = ""
    references: tuple[str, ...] = ()
    seconds: float = 0.0
    timing: str = ""
    messages: Path | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of judgment that a model can receive: the protocol's own kind first, then conversions."""
        return (self.kind, *self.becomes)

    def asked(self, items: int) -> range:
        """Return the indices of the items that need a cell, in a task with this number of items."""
        return range(self.first, items)

    def loads(self, items: int) -> Sequence[int]:
        """Return the number of judgments of each item in a task; the reference is compared with every other item."""
        return [items - 1] * self.first + [1] * (items - self.first)

    def pairs(self, items: Sequence[int]) -> list[tuple[int, int]]:
        """Return the pairs of items that a task compares, with the smaller index first."""
        if not self.against:
            return []
        firsts = items[: self.first] if self.first else items
        pairs = ((one, other) for at, one in enumerate(firsts) for other in items[at + 1 :])
        return [(min(pair), max(pair)) for pair in pairs]

    def address(self, path: str) -> str:
        """Return the URL of a file of the widget."""
        return f"/static/{path}" if self.widget.folder is None else f"/widgets/{self.name}/{path}"

    def labelled(self, size: int) -> str:
        """Return the name on the owner's page for a study with this number of items on a page."""
        return self.label.format(size=size) if self.label else self.name
