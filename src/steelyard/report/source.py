"""`ReportSource`: what the parts of a report are made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from steelyard.errors import SteelyardError
from steelyard.judgments.table import Judgments
from steelyard.models.model import Model
from steelyard.models.units import fit_unit
from steelyard.quality.agreement import Agreement
from steelyard.quality.gold.item_values import ItemValues
from steelyard.quality.raters import RaterHabits
from steelyard.scales.fit import Fit, Sample
from steelyard.scales.quantity import Quantity
from steelyard.study.results.overview import Overview


@dataclass(frozen=True, slots=True)
class SourceRater:
    """A rater before formatting.

    Attributes
    ----------
    rater
        Id of the rater. Reports are shared, so the name is left out.
    answers
        Number of judgments, without probes.
    habits
        The rater compared with the other raters; None if there are too few judgments.
    excluded, reason
        Whether the rater is excluded, and why.
    stopped_early
        Whether the rater was stopped early.
    checks, checks_failed
        Number of checks with a result, and of failed ones.
    """

    rater: str
    answers: int
    habits: RaterHabits | None
    excluded: bool = False
    reason: str = ""
    stopped_early: bool = False
    checks: int = 0
    checks_failed: int = 0


@dataclass(frozen=True, eq=False)
class ReportSource:
    """Judgments of one question or group, their fit and, if they come from a study, its overview.

    Attributes
    ----------
    name
        Question or group; "" if the report has only one.
    unit
        What the scale orders: "item" or "system".
    labels
        Label of each item id; ids without a label are shown themselves.
    model
        Model with its settings.
    fit
        The fit; None while there are too few judgments.
    judgments
        Judgments that count, without probes.
    raters
        Raters who answered.
    overview
        Overview of the study; None for a file.
    with_probes
        The same judgments and those of probes; None if there are no probes.
    agreement
        Computes the agreement of the raters; None to leave it out.
    gold
        Gold values of the items or systems, to compare the positions with; None without gold.
    refitted
        Whether this is the first section of a report of a study whose judgments were fitted with other options.
    """

    name: str
    unit: str
    labels: Mapping[str, str]
    model: Model
    fit: Fit | None
    judgments: Judgments
    raters: tuple[SourceRater, ...]
    overview: Overview | None = None
    with_probes: Judgments | None = None
    agreement: Callable[[], Agreement] | None = None
    gold: ItemValues | None = None
    refitted: bool = False

    @property
    def quantity(self) -> Quantity:
        """Meaning of a position, as the fit or else the model describes it."""
        own = None if self.fit is None else self.fit.quantity
        return self.model.quantity if own is None else own

    @property
    def leads(self) -> bool:
        """Whether this is the first question of a study, to which its audit and its reliability apply."""
        return self.overview is not None and self.fit is not None and self.overview.views[0].fit is self.fit

    @property
    def calibrated(self) -> Overview | None:
        """The overview whose audit and reliability this section shows; None if it shows none."""
        return self.overview if self.leads or self.refitted else None

    @property
    def rating_width(self) -> float:
        """Width of the range of the answers, in whose units the bias of raters is given."""
        low, high = self.judgments.score_range
        return high - low

    @property
    def ends(self) -> tuple[float, float] | None:
        """Ends of the scale of the positions; None if it has no fixed ends."""
        asked = None if self.fit is None else self.fit.provenance.range
        return self.quantity.ends if asked is None else asked

    @cached_property
    def systems(self) -> Fit | None:
        """The scale of systems for new segments and raters; None if the judgments name fewer than two systems."""
        if self.fit is None or len(self.judgments.labels("system")) < 2:
            return None
        fit = self.fit if self.unit == "system" else self.systems_for("new")
        return None if fit is None or len(fit.item) < 2 else fit

    def systems_for(self, target: Sample) -> Fit | None:
        """Return the scale of systems for a target; None if the model cannot estimate it from these judgments."""
        assert self.fit is not None
        try:
            return self.fit.systems(target)
        except SteelyardError:
            pass
        try:
            return fit_unit(self.model, self.judgments, "system", target)
        except SteelyardError:
            return None

    def label(self, item: object) -> str:
        """Return the label of an item or system."""
        return self.labels.get(str(item), str(item))
