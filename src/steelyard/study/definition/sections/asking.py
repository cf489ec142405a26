"""[asking] and [[questions]] of study.toml: the protocol, and the questions of a page."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting
from steelyard.kinds.kind import Kind
from steelyard.kinds.known import DEFAULT_PROTOCOL, PROTOCOLS, kind_of
from steelyard.kinds.protocol import Protocol
from steelyard.study.definition.sections.limits import check_limits
from steelyard.study.definition.sections.scale import ScaleSettings

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
        steps. A list such as `["list", "comparison"]` asks with several protocols on one scale.
    shares
        Several protocols: numbers that are proportional to the share of tasks of each protocol, in the order of
        `protocol`. The default is equal shares. With `selection = "information"`, only the first tasks and a part
        of the later ones have these shares.
    protocol_settings
        Several protocols: settings of one of them, in a table such as `[protocol_settings.comparison]`. It may contain
        other keys of `[asking]`, `questions` with other texts, further `instructions`, and `training` with exercises.
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

    protocol: str | tuple[str, ...] = DEFAULT_PROTOCOL
    list_size: int = 5
    group_size: int = 10
    ties: bool = True
    both_bad: bool = False
    strength: bool = False
    shares: tuple[float, ...] = ()
    protocol_settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.strength or self.both_bad) and not any(map(_takes_strength, self.protocols)):
            protocols = " or ".join(f'protocol = "{name}"' for name in PROTOCOLS if _takes_strength(name))
            raise BadSetting("strength and both_bad", f"need {protocols}. Set them to false.")
        if self.both_bad and not self.ties:
            raise BadSetting("both_bad", "is stored as a tie. Set ties = true.")
        if self.task_size < self.way.least:
            raise BadSetting("list_size", f"{self.way.name} needs at least {self.way.least} items on a page.")
        check_limits(self, LEAST, MOST)
        self._check_shares()

    def _check_shares(self) -> None:
        several = len(self.protocols) > 1
        for name, written in (("shares", self.shares), ("protocol_settings", self.protocol_settings)):
            if written and not several:
                raise BadSetting(name, 'needs several protocols, such as protocol = ["list", "comparison"].')
        if self.shares and len(self.shares) != len(self.protocols):
            raise BadSetting("shares", f"needs {len(self.protocols)} numbers, one for each protocol.")
        if not all(math.isfinite(share) and share > 0.0 for share in self.shares):
            raise BadSetting("shares", "must be numbers above 0. To ask with one protocol less, delete it.")

    @property
    def protocols(self) -> tuple[str, ...]:
        """Names of all protocols of the study."""
        return (self.protocol,) if isinstance(self.protocol, str) else self.protocol

    @property
    def shares_of_tasks(self) -> tuple[float, ...]:
        """Share of the tasks of each protocol, which sum to 1."""
        shares = self.shares or (1.0,) * len(self.protocols)
        return tuple(share / sum(shares) for share in shares)

    @property
    def way(self) -> Protocol:
        """The protocol object with this name; of several, the first whose answers are positions on the scale."""
        placed = (name for name in self.protocols if kind_of(name).placed)
        return PROTOCOLS[next(placed, self.protocols[0])]

    @property
    def kind(self) -> Kind[Any]:
        """The kind of judgment that this protocol collects."""
        return kind_of(self.way.name)

    @property
    def message_folders(self) -> tuple[Path, ...]:
        """Folders with the messages of protocols from other packages."""
        folders = (PROTOCOLS[name].messages for name in self.protocols)
        return tuple(dict.fromkeys(folder for folder in folders if folder is not None))

    @property
    def task_size(self) -> int:
        """Number of items in one task."""
        return self.list_size if self.way.size is None else self.way.size


def _takes_strength(protocol: str) -> bool:
    return {"strength", "both_bad"} <= set(PROTOCOLS[protocol].takes)


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
