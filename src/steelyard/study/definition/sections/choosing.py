"""[choosing] of study.toml: which tasks come next, how many answers are collected, and when collection stops."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from steelyard.errors import BadSetting
from steelyard.selection.known import check_settings, find_selection, traits_of
from steelyard.selection.pool import Traits
from steelyard.selection.stopping import Stop
from steelyard.study.definition.sections.limits import check_limits

LEAST = {
    "redundancy": 1,
    "most_per_item": 0,
    "top_k": 1,
    "sequence_length": 0,
    "tasks_per_rater": 0,
    "lease_minutes": 0.1,
}
MOST = {"redundancy": 1_000_000, "lease_minutes": 1_000_000}


@dataclass(frozen=True, slots=True)
class ChoosingSettings:
    """The selection of tasks, the number of answers to collect, and limits for each rater.

    Parameters
    ----------
    selection
        The method that chooses the next task: `"balanced"`, `"information"` (needs `model = "steelyard"`, or
        `"thurstone"` for comparisons alone), `"easl"` (needs `model = "easl"` for ratings, and `"trueskill"` or
        `"beta_ranking"` where items are compared), `"match_quality"` (needs `model = "trueskill"` or
        `"beta_ranking"`), `"sequences"` or `"all_pairs"`. The default is `"balanced"`, and `"all_pairs"` for
        `comparison_list`. For comparisons, `"match_quality"` is less accurate than `"balanced"`.
    selection_settings
        Settings of the selection, in a table `[choosing.selection_settings]`.
    redundancy
        Judgments that each item should receive, from 1 to 1,000,000; with `"all_pairs"`, judgments of each pair of a
        group. Selections that use the current estimates (`information`, `easl`, `match_quality`) reach this number on
        average.
    most_per_item
        Largest number of answers that an item can receive, for selections that reach `redundancy` only on average. 0
        sets no limit.
    aim
        What `"information"` estimates as precisely as possible: all `"positions"`, the `"ranking"`, the `"top_k"`
        items or the `"systems"`.
    top_k
        Number of items in the top group of `aim = "top_k"`, at least 1.
    explore
        Share of tasks that are chosen at random (the audit slice), from 0 to 1. Their selection probability is in
        the log. The default is 0.1 with `"information"` and 0 with other selections. With several protocols and
        `"information"`, it is also the part of its share that each protocol always receives.
    least_worth
        Stop a rater early if their answers carry less information than this share of an average rater's answers,
        from 0 to below 1. 0 stops nobody. The default is 0.25 with `"information"` and 0 with other selections.
        `"sequences"` accepts only 0.
    stop
        Rules that stop the study, in a table `[stop]`.
    sequence_length
        `"sequences"`: items in a sequence. 0 puts all items into one sequence.
    tasks_per_rater
        Number of tasks after which a rater is finished, including checks. 0 sets no limit.
    lease_minutes
        Minutes for which an open task is reserved for its rater, from 0.1 to 1,000,000.
    """

    selection: str = "balanced"
    selection_settings: dict[str, Any] = field(default_factory=dict)
    redundancy: int = 3
    most_per_item: int = 0
    aim: Literal["positions", "ranking", "top_k", "systems"] = "positions"
    top_k: int = 10
    explore: float | None = None
    least_worth: float | None = None
    stop: Stop = field(default_factory=Stop)
    sequence_length: int = 0
    tasks_per_rater: int = 0
    lease_minutes: float = 30.0

    def __post_init__(self) -> None:
        find_selection(self.selection, "selection")
        check_settings(self.selection, self.selection_settings)
        check_limits(self, LEAST, MOST)
        if 0 < self.most_per_item < self.redundancy:
            raise BadSetting("most_per_item", "is smaller than redundancy. Write 0, or a larger number.")
        if self.explore is not None and not 0.0 <= self.explore <= 1.0:
            raise BadSetting("explore", f"{self.explore:g} is not a share. Write a number from 0 to 1.")
        if self.least_worth is not None and not 0.0 <= self.least_worth < 1.0:
            raise BadSetting(
                "least_worth", f"{self.least_worth:g} is not a share. Write a number from 0 to below 1."
            )
        if self.least_worth and not self.traits.stops_raters_early:
            raise BadSetting(
                "least_worth", "this selection cannot stop raters early. Set 0, or change the selection."
            )

    @property
    def traits(self) -> Traits:
        """The traits of the selection: what it needs, what it plans, and its defaults."""
        return traits_of(self.selection)

    @property
    def learns(self) -> bool:
        """Whether the selection uses a belief. If so, `redundancy` is an average over items."""
        return self.traits.learns

    @property
    def audit_share(self) -> float:
        """Share of tasks that are chosen at random: `explore`, or the default of the selection."""
        if self.explore is not None:
            return self.explore
        return self.traits.audit_share

    @property
    def stop_below(self) -> float:
        """Share of an average rater's information below which a rater is stopped early.

        This is `least_worth`, or the default of the selection. 0 stops nobody.
        """
        if self.least_worth is not None:
            return self.least_worth
        return self.traits.least_worth
