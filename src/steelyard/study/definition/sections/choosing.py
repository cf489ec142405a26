"""[choosing] of study.toml: which tasks are asked next, how many of them, and when the study has enough."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from steelyard.errors import BadSetting
from steelyard.selection.known import check_settings, find_selection, traits_of
from steelyard.selection.pool import Traits
from steelyard.selection.stopping import Stop
from steelyard.study.definition.sections.limits import check_limits

LEAST = {"redundancy": 1, "top_k": 1, "sequence_length": 0, "tasks_per_rater": 0, "lease_minutes": 0.1}
MOST = {"redundancy": 1_000_000, "lease_minutes": 1_000_000}


@dataclass(frozen=True, slots=True)
class ChoosingSettings:
    """The selection and its settings, how many answers are wanted, and which raters receive tasks."""

    selection: str = "balanced"
    selection_settings: dict[str, Any] = field(default_factory=dict)
    redundancy: int = 3
    aim: Literal["positions", "ranking", "top_k", "systems"] = "positions"
    top_k: int = 10
    explore: float | None = None
    least_worth: float | None = None
    stop: Stop = field(default_factory=Stop)
    sequence_length: int = 0
    tasks_per_rater: int = 0
    lease_minutes: float = 30.0

    def __post_init__(self) -> None:
        find_selection(self.selection)
        check_settings(self.selection, self.selection_settings)
        check_limits(self, LEAST, MOST)
        if self.explore is not None and not 0.0 <= self.explore <= 1.0:
            raise BadSetting("explore", f"{self.explore:g} is not a share from 0 to 1.")
        if self.least_worth is not None and not 0.0 <= self.least_worth < 1.0:
            raise BadSetting("least_worth", f"{self.least_worth:g} is not a share from 0 to under 1.")
        if self.least_worth and not self.traits.stops_raters_early:
            raise BadSetting(
                "least_worth", "a sequence is one rater's from its first item to its last; set 0."
            )

    @property
    def traits(self) -> Traits:
        """What the selection needs, plans and sets by default."""
        return traits_of(self.selection)

    @property
    def learns(self) -> bool:
        """Does the selection look at a belief? Then `redundancy` is what items get on average."""
        return self.traits.learns

    @property
    def audit_share(self) -> float:
        """Share of tasks chosen at random: `explore`, or the default of the selection."""
        if self.explore is not None:
            return self.explore
        return self.traits.audit_share

    @property
    def stop_below(self) -> float:
        """Raters whose answers carry less information than this share of an average rater's receive no new tasks.

        `least_worth`, or the default of the selection; 0 stops nobody.
        """
        if self.least_worth is not None:
            return self.least_worth
        return self.traits.least_worth
