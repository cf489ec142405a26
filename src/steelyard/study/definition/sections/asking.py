"""[asking] and [[questions]] of study.toml: the protocol, and the questions of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from steelyard.errors import BadSetting
from steelyard.kinds.kind import Kind
from steelyard.kinds.known import PROTOCOLS, kind_of
from steelyard.kinds.protocol import Protocol
from steelyard.kinds.rating import ONE
from steelyard.study.definition.sections.limits import check_limits
from steelyard.study.definition.sections.scale import ScaleSettings

DEFAULT_PROTOCOL = ONE.name
LEAST = {"list_size": 1, "group_size": 2}
MOST = {"list_size": 1_000, "group_size": 10_000}


@dataclass(frozen=True, slots=True)
class AskingSettings:
    """The protocol of the study, the number of items on a page, and the answers that the page offers.

    Parameters
    ----------
    protocol
        How a page asks for judgments. `"rating"` shows one item with a slider. `"list"` shows several items with a
        slider each. `"comparison"` shows two items side by side. `"comparison_list"` compares one item with every
        other item of its group. `"ranking"` asks raters to order several items. `"best_worst"` asks for the best
        and the worst of several items. `"range"` shows one item and asks for its lower and its upper bound in two
        steps.
    list_size
        Items on a page of `list`, `ranking` and `best_worst`, from 1 to 1,000.
    group_size
        `comparison_list`: the number of items that are compared with each other if items have no segment, from 2
        to 10,000.
    ties
        Let raters call items equal, in comparisons and rankings.
    both_bad
        `comparison`: offer "Both bad" next to "About equal". The answer is stored as a tie, with `both_bad = yes`
        in exported files. Needs `ties = true`.
    strength
        `comparison`: ask how large the difference is, 1 (slightly), 2 (clearly) or 3 (much). The answer is in the
        column `strength`.
    """

    protocol: str = DEFAULT_PROTOCOL
    list_size: int = 5
    group_size: int = 10
    ties: bool = True
    both_bad: bool = False
    strength: bool = False

    def __post_init__(self) -> None:
        if (self.strength or self.both_bad) and not {"strength", "both_bad"} <= set(self.way.takes):
            raise BadSetting(
                "strength and both_bad",
                'need protocol = "comparison". Set them to false.',
            )
        if self.both_bad and not self.ties:
            raise BadSetting("both_bad", "is stored as a tie. Set ties = true.")
        if self.task_size < self.way.least:
            raise BadSetting("list_size", f"{self.protocol} needs at least {self.way.least} items on a page.")
        check_limits(self, LEAST, MOST)

    @property
    def way(self) -> Protocol:
        """The protocol object with this name."""
        return PROTOCOLS[self.protocol]

    @property
    def kind(self) -> Kind[Any]:
        """The kind of judgment that the protocol collects."""
        return kind_of(self.protocol)

    @property
    def task_size(self) -> int:
        """Number of items in one task."""
        return self.list_size if self.way.size is None else self.way.size


@dataclass(frozen=True, slots=True)
class Question:
    """One question of the study.

    Parameters
    ----------
    text
        The question that raters read.
    id
        Name of the question in files. If a study has several questions without an id, they are called
        `question1`, `question2` and so on.
    hint
        A line above the item.
    most
        Text above the live order of a list or a ranking, such as "Most filling on top".
    more
        Text of the answers to a comparison, such as "is more helpful" for "A is more helpful". The default shows
        only the letters A and B.
    lower
        `range`, step 1: label of the examples below the item while the handle moves up, such as "definitely
        younger".
    not_lower
        `range`, step 1: label of the example where the handle stops, such as "not younger".
    higher
        `range`, step 2: label of the examples above the item while the handle moves down, such as "definitely
        older".
    not_higher
        `range`, step 2: label of the example where the handle stops, such as "not older".
    scale
        A scale of this question only, with the keys of `[scale]`. The default is the scale of the study.
    """

    text: str
    id: str = "question"
    hint: str = ""
    most: str = ""
    more: str = ""
    lower: str = "definitely lower"
    not_lower: str = "not lower"
    higher: str = "definitely higher"
    not_higher: str = "not higher"
    scale: ScaleSettings | None = None

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise BadSetting("questions, text", "is empty. Write the question that raters read.")
