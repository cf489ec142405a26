"""`Steelyard`: positions of items and habits of raters from ratings, with features of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from steelyard.judgments.coding import Vocabulary
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels, sum_by
from steelyard.models.model import Capabilities, in_sorted_order, provenance_of, rows_of
from steelyard.models.outputs import Outputs, outputs_of, shared_labels, target_in_words
from steelyard.models.steelyard.averaging import average_variants
from steelyard.models.steelyard.belief import SteelyardBelief, folded, fresh
from steelyard.models.steelyard.features import SEGMENT, SYSTEM, Features, features_of
from steelyard.models.steelyard.forecast import Forecast, forecast
from steelyard.models.steelyard.layout import lay_out
from steelyard.models.steelyard.posterior import SteelyardPosterior
from steelyard.models.steelyard.raters import rater_rows
from steelyard.models.steelyard.refit import believed
from steelyard.models.steelyard.systems import SystemEstimate, estimate_systems
from steelyard.scales.fit import Fit, Sample
from steelyard.scales.joint import Joint, JointNormal
from steelyard.scales.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Steelyard:
    """score = slope_rater x position + bias_rater + offset_task + noise; position ~ N(features · beta, tau²).

    Noise has a variance per rater, and a rater may be a spammer; all variances are learnt.
    `features` are columns of the items by name, each a mapping from item to a number or a label; the columns
    `system` and `segment` are taken from the judgments where they have them.

    >>> from steelyard import Judgments, Rating
    >>> scores = [Rating("ann", "tea", 20), Rating("bob", "tea", 40), Rating("ann", "soup", 70)]
    >>> fit = Steelyard().fit(Judgments.of(scores, range=(0, 100)))
    >>> bool(fit.scale.position[0] < fit.scale.position[1])
    True
    """

    name: ClassVar[str] = "steelyard"
    kinds: ClassVar[tuple[str, ...]] = ("rating",)
    capabilities: ClassVar[Capabilities] = Capabilities(
        online=True,
        refits=True,
        predicts_answers=True,
        needs_range=True,
        takes_features=True,
        belief=frozenset({"answer_variance", "rater_worth", "intervals"}),
    )
    quantity: ClassVar[Quantity] = Quantity(
        "expected answer", "the expected answer of an average honest rater about the {unit}", "points"
    )
    features: Mapping[str, Mapping[str, Any]] | None = None
    seed: int = 0

    def fit(self, judgments: Judgments) -> SteelyardFit:
        """The scale, with one row per rater and one per item."""
        judgments, places = in_sorted_order(judgments)
        posterior = self.posterior(judgments)
        raters = rater_rows(judgments.raters, posterior.fullest, posterior.width)
        solutions = posterior.average.variants
        names = (*posterior.features.score_names, *posterior.features.level_names)
        settings = {"features": ",".join(names)} if names else {}
        provenance = replace(
            provenance_of(self.name, settings, judgments, self.seed),
            converged=all(solution.converged for solution in solutions[1:]),
            iterations=sum(solution.sweeps for solution in solutions),
        )
        count = posterior.layout.count
        outputs = outputs_of(judgments) if "system" in judgments.table("rating").codes else None
        parts = (judgments.items, count, posterior, provenance, raters, places)
        return SteelyardFit(*parts, outputs=outputs)

    def start(self, items: Labels) -> SteelyardBelief:
        """Every item at the middle of the scale, raters much alike."""
        return fresh(items)

    def update(self, belief: SteelyardBelief, judgments: Judgments) -> SteelyardBelief:
        """The belief after these ratings, in time proportional to them; variances wait for a refit."""
        return folded(belief, judgments)

    def believe(self, items: Labels, judgments: Judgments) -> SteelyardBelief:
        """The belief that a refit on all judgments gives, over all items of a study, judged or not."""
        if not len(judgments.table("rating")):
            return fresh(items)
        whole = Judgments.concat([judgments, Judgments({}, {"item": Vocabulary(items)})])
        return believed(items, self.posterior(whole), whole)

    def forecast(self, belief: SteelyardBelief, rater: str, at: Codes) -> Forecast:
        """What this rater, known or new, will answer to the items at these places of the belief."""
        return forecast(belief, rater, at)

    def posterior(self, judgments: Judgments) -> SteelyardPosterior:
        """The posterior of the positions, without the ranks and tables of a `Fit`."""
        rows_of(judgments, "rating", self.name)
        layout = lay_out(judgments)
        features = self.features_of(judgments)
        average = average_variants(layout, features)
        return SteelyardPosterior(average, layout, features, *judgments.score_range)

    def features_of(self, judgments: Judgments) -> Features:
        """The features of the judgments' items: `features`, and system and segment where judgments name them."""
        columns = {} if self.features is None else dict(self.features)
        for name in (SYSTEM, SEGMENT):
            shared = shared_labels(judgments, name)
            if shared and name not in columns:
                columns[name] = shared
        return features_of(columns, judgments.items)


@dataclass(frozen=True, eq=False)
class SteelyardFit(Fit):
    """A scale with the rater model behind it."""

    posterior: SteelyardPosterior
    outputs: Outputs | None = None

    def systems(self, target: Sample = "new", raters: Sample = "new") -> Fit:
        """The systems' scale: each output is its system, its segment and their interaction, rated as the model says."""
        if self.outputs is None:
            return super().systems(target, raters)
        estimate, outputs, width = self._systems, self.outputs, self.posterior.width
        centre = self.posterior.lowest + width * self.posterior.fullest.solution.learnt.centre
        joint = Joint(
            centre + width * estimate.positions(target),
            width**2 * estimate.covariance(target, raters),
            estimate.freedom(target, raters),
        )
        settings = {
            **self.provenance.settings,
            "unit": "system",
            "target": target_in_words(target, raters),
        }
        provenance = replace(
            self.provenance,
            settings=settings,
            items=outputs.systems,
            converged=self.converged and estimate.converged,
        )
        count = sum_by(outputs.system[outputs.has_system], self.count[outputs.has_system], outputs.systems)
        notes = (*self.notes, *outputs.notes, *estimate.notes)
        return Fit(outputs.labels, count, JointNormal(joint), provenance, self.raters, notes=notes)

    @cached_property
    def _systems(self) -> SystemEstimate:
        assert self.outputs is not None
        return estimate_systems(self.posterior.fullest, self.posterior.layout, self.outputs)

    @cached_property
    def items(self) -> tuple[dict[str, Any], ...]:
        """Of each item: answers, position, and where its uncertainty comes from.

        `disagreement` is the standard deviation of honest answers after rater terms (bias, slope, task offset),
        shrunk towards that of all items; more answers do not lower it. `too_few_answers` is how uncertain the
        position is (its spread), and more answers lower it. Both are in units of the scale.
        """
        columns = {
            "answers": self.count,
            "position": self.posterior.position,
            "disagreement": self.posterior.disagreement,
            "too_few_answers": self.posterior.too_few_answers,
        }
        order = range(len(self.item)) if self.places is None else self.places.tolist()
        return tuple(
            {"item": str(self.item[at]), **{name: float(values[at]) for name, values in columns.items()}}
            for at in order
        )
