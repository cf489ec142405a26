"""The fit of the Steelyard model to ratings: diagnostics of raters and items, and the scale of systems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from steelyard.errors import NoSystems
from steelyard.maths.arrays import sum_by
from steelyard.models.outputs import Outputs, target_in_words
from steelyard.models.steelyard.posterior import SteelyardPosterior
from steelyard.models.steelyard.systems import SystemEstimate, estimate_systems
from steelyard.scales.fit import Fit, Sample
from steelyard.scales.joint import Joint, JointNormal
from steelyard.scales.tables import Rows


@dataclass(frozen=True, eq=False)
class SteelyardFit(Fit):
    """Scale of the Steelyard model with diagnostics of its raters.

    Parameters
    ----------
    posterior
        Posterior of the positions, including the `disagreement` of raters about each item.
    raters
        One row per rater: `answers`, `bias`, `slope` and `noise` with 95% intervals, `spam` (probability of being a
        spammer) and `information` (equivalent number of answers of an average honest rater).
    outputs
        System and segment of each item. None if the ratings name no systems. See `Fit` for the other fields.
    """

    posterior: SteelyardPosterior
    outputs: Outputs | None = None

    def systems(self, target: Sample = "new", raters: Sample = "new") -> Fit:
        """Return the scale of the systems that produced the items.

        The position of an item is the sum of its system, its segment and their interaction. Rater effects are
        those of the model.

        Parameters
        ----------
        target
            `"new"` (default) generalises to new segments. `"these"` describes only these segments.
        raters
            `"new"` (default) generalises to new raters. `"these"` describes only these raters.

        Returns
        -------
        Fit
            A fit whose items are the systems.

        Raises
        ------
        BadSetting
            If the ratings name no systems.
        """
        if self.outputs is None:
            raise NoSystems("rating", ("system",))
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
            **estimate.errors(target, raters),
        }
        provenance = replace(
            self.provenance,
            settings=settings,
            items=outputs.systems,
            converged=self.converged and estimate.converged,
        )
        count = sum_by(outputs.system[outputs.has_system], self.count[outputs.has_system], outputs.systems)
        notes = (*self.notes, *outputs.notes, *estimate.notes(target, raters))
        return Fit(outputs.labels, count, JointNormal(joint), provenance, self.raters, notes=notes)

    @cached_property
    def _systems(self) -> SystemEstimate:
        assert self.outputs is not None
        return estimate_systems(self.posterior.fullest, self.posterior.layout, self.outputs)

    @cached_property
    def items(self) -> Rows:
        """One row per item: number of answers, position and the two sources of uncertainty.

        `disagreement` is the standard deviation of honest answers after removing bias, slope and task offset,
        shrunk towards the value for all items. More answers do not lower it. `too_few_answers` is the standard
        deviation of the position, which more answers lower. Both are in units of the scale.
        """
        columns = {
            "answers": self.count,
            "position": self.posterior.position,
            "disagreement": self.posterior.disagreement,
            "too_few_answers": self.posterior.too_few_answers,
        }
        order = range(len(self.item)) if self.places is None else self.places.tolist()
        return Rows(
            [
                {"item": str(self.item[at]), **{name: float(values[at]) for name, values in columns.items()}}
                for at in order
            ]
        )
