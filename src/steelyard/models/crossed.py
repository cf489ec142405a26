"""Crossed mixed model of ratings: systems are fixed; segments, raters and interactions are random."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting, TooFewRatings
from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.maths.mixed import Effect, MixedDesign, Solved
from steelyard.maths.reml import Reml, fit_reml, satterthwaite
from steelyard.models.model import Capabilities, in_sorted_order, provenance_of, rows_of
from steelyard.models.outputs import SEGMENTS, Outputs, outputs_of, sample_counts, target_in_words
from steelyard.models.samples import small_samples
from steelyard.scales.fit import Fit, Sample
from steelyard.scales.joint import Joint, JointNormal
from steelyard.scales.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Crossed:
    """Means of systems from ratings of their outputs, by a crossed linear mixed model fitted with REML.

    In the notation of lme4, the model for new segments is::

        score ~ 0 + system + (1|segment) + (1|rater) + (1|system:segment)

    and (1|rater:system) if `rater_system` is set. For these segments it is::

        score ~ 0 + item + (1|rater)

    with the item effects averaged within each system. Estimates agree with those of lme4.

    Assumptions: effects and residuals are normal, and all raters have the same noise. Raters differ by a constant
    only, not by slopes. Use `Steelyard` if raters use the scale differently. This model has no scale of items.

    Parameters
    ----------
    target
        `"new"` (default) generalises to new segments. `"these"` describes only the segments in the ratings.
    rater_system
        Whether to add a random effect of each rater on each system. Default: False.
    quantile
        Distribution of intervals and p values: `"t"` (default, with Satterthwaite's degrees of freedom) or
        `"normal"`.
    seed
        Seed of random draws. Default: 0.

    References
    ----------
    Bates, D., Mächler, M., Bolker, B., & Walker, S. (2015). Fitting linear mixed-effects models using lme4.
    Journal of Statistical Software, 67(1).

    Examples
    --------
    >>> from steelyard import Judgments
    >>> rows = [("ann", "a1", "a", "1", 60), ("ann", "b1", "b", "1", 40), ("bob", "a1", "a", "1", 66),
    ...         ("bob", "b1", "b", "1", 44), ("ann", "a2", "a", "2", 72), ("bob", "b2", "b", "2", 50)]
    >>> names = ("rater", "item", "system", "segment", "score")
    >>> table = dict(zip(names, map(list, zip(*rows))))
    >>> fit = Crossed().fit(Judgments.from_columns("rating", table))
    >>> [str(system) for system in fit.scale.ordered().item]
    ['a', 'b']
    """

    name: ClassVar[str] = "crossed"
    kinds: ClassVar[tuple[str, ...]] = ("rating",)
    capabilities: ClassVar[Capabilities] = Capabilities(needs_range=True, systems_only=True)
    quantity: ClassVar[Quantity] = Quantity(
        "mean rating", "the expected rating of the {unit}, over segments and raters", "points"
    )
    target: Literal["new", "these"] = "new"
    rater_system: bool = False
    quantile: Literal["t", "normal"] = "t"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.target not in SEGMENTS:
            raise BadSetting("target", f"{self.target!r} is neither 'new' nor 'these'.")
        if self.quantile not in ("t", "normal"):
            raise BadSetting("quantile", f"{self.quantile!r} is neither 't' nor 'normal'.")

    def fit(self, judgments: Judgments) -> CrossedFit:
        """Estimate the means of the systems, their covariance and the variance components.

        Parameters
        ----------
        judgments
            Ratings with a rater, an item and a system, and a segment if systems share segments.

        Returns
        -------
        CrossedFit
            A scale whose items are the systems.

        Raises
        ------
        BadSetting
            If the ratings have no system or rater column.
        TooFewRatings
            If there are fewer ratings than the number of systems plus two.
        """
        judgments, _ = in_sorted_order(judgments)
        table = rows_of(judgments, "rating", self.name)
        outputs = outputs_of(judgments, otherwise="choose a model that estimates items")
        item, weight = table.codes["item"], table.weights
        used = outputs.has_system[item] & (weight > 0.0)
        if "rater" not in table.codes or np.all(table.codes["rater"][used] == MISSING):
            raise BadSetting("rater", "the crossed model needs the rater of each rating. Add a rater column.")
        if int(used.sum()) < outputs.systems + 2:
            raise TooFewRatings(int(used.sum()), outputs.systems)
        rater = table.codes["rater"][used]
        nameless = rater == MISSING
        rater = np.where(nameless, rater.max() + 1, rater)
        rows = _RatingRows(table.numbers["score"][used], weight[used], item[used], rater)
        notes = _nameless(int(nameless.sum()))
        return self._fit(judgments, outputs, rows, notes)

    def _design(self, rows: _RatingRows, outputs: Outputs) -> MixedDesign:
        raters = Effect("rater", rows.rater, int(rows.rater.max()) + 1)
        if self.target == "these":
            used, item = np.unique(rows.item, return_inverse=True)
            items = Effect("item", np.asarray(item, dtype=np.int64), len(used), random=False)
            return MixedDesign(rows.score, rows.weight, (raters, items), 1)
        system = outputs.system[rows.item]
        effects = [Effect("system", system, outputs.systems, random=False)]
        if outputs.segment is not None:
            effects.append(Effect("segment", outputs.segment[rows.item], outputs.segments))
        effects.append(raters)
        if self.rater_system:
            pairs, codes = np.unique(rows.rater * outputs.systems + system, return_inverse=True)
            effects.append(Effect("rater:system", np.asarray(codes, dtype=np.int64), len(pairs)))
        used, item = np.unique(rows.item, return_inverse=True)
        effects.append(Effect("system:segment", np.asarray(item, dtype=np.int64), len(used)))
        return MixedDesign(rows.score, rows.weight, tuple(effects), len(effects) - 1)

    def _fit(
        self, judgments: Judgments, outputs: Outputs, rows: _RatingRows, notes: tuple[str, ...]
    ) -> CrossedFit:
        reml = fit_reml(self._design(rows, outputs))
        dense, eliminated = _combinations(reml.solved, outputs, rows, self.target)
        joint = _joint(reml, dense, eliminated, self.quantile)
        about = {"unit": "system", "target": target_in_words(self.target, "new")}
        settings = {**about, **({"rater_system": True} if self.rater_system else {})}
        provenance = replace(
            provenance_of(self.name, settings, judgments, self.seed),
            items=outputs.systems,
            converged=reml.converged,
            iterations=reml.steps,
        )
        count = sum_by(outputs.system[rows.item], rows.weight, outputs.systems)
        fitted = (outputs.labels, count, JointNormal(joint), provenance)
        few = small_samples(sample_counts(outputs, rows.item, len(np.unique(rows.rater))), self.target, "new")
        return CrossedFit(*fitted, notes=(*notes, *outputs.notes, *few), reml=reml)


@dataclass(frozen=True, eq=False)
class _RatingRows:
    """Ratings of items that belong to a system."""

    score: Vector
    weight: Vector
    item: Codes
    rater: Codes


@dataclass(frozen=True, eq=False, kw_only=True)
class CrossedFit(Fit):
    """Means of systems with the REML fit.

    Parameters
    ----------
    reml
        Estimated variance components and effects. See `Fit` for the other fields.
    """

    reml: Reml

    @property
    def variances(self) -> dict[str, float]:
        """Variance of each random effect and of the residual, in squared units of the scores."""
        return self.reml.solved.variances

    @property
    def reml_criterion(self) -> float:
        """Minus twice the restricted log-likelihood."""
        return self.reml.solved.criterion

    def systems(self, target: Sample = "new", raters: Sample = "new") -> Fit:
        """Return this fit, which already is a scale of systems.

        Parameters
        ----------
        target
            Must equal the `target` of the model.
        raters
            Must be `"new"`.

        Returns
        -------
        Fit
            This fit.
        """
        wanted = self.provenance.settings["target"]
        if target_in_words(target, raters) != wanted:
            raise BadSetting(
                "target", f"this fit describes {wanted}. Set target of the model Crossed instead."
            )
        return self


def _nameless(count: int) -> tuple[str, ...]:
    """Return a note about ratings without a rater."""
    if not count:
        return ()
    ratings = "1 rating names" if count == 1 else f"{count:,} ratings name"
    return (f"{ratings} no rater. They are assigned to one additional rater.",)


def _combinations(
    solved: Solved, outputs: Outputs, rows: _RatingRows, target: str
) -> tuple[Matrix, Matrix | None]:
    """Return the weight of each estimated level in the mean of each system."""
    design = solved.design
    dense = np.zeros((outputs.systems, design.starts[-1]))
    if target == "new":
        dense[:, design.places("system")] = np.eye(outputs.systems)
        return dense, None
    system = outputs.system[np.unique(rows.item)]
    items = np.zeros((outputs.systems, len(system)))
    items[system, np.arange(len(system))] = 1.0
    return dense, items / items.sum(axis=1, keepdims=True)


def _joint(reml: Reml, dense: Matrix, eliminated: Matrix | None, quantile: str) -> Joint:
    solved = reml.solved
    largest = solved.effect(solved.design.largest.name)
    place = dense @ (solved.levels[0] * solved.scale) + (0.0 if eliminated is None else eliminated @ largest)
    covariance = solved.covariance(dense, eliminated)
    if quantile == "normal":
        return Joint(place, covariance)
    first, second = np.triu_indices(len(place))

    def variances(near: Solved, noise: float) -> Vector:
        moved = near.covariance(dense, eliminated) * (noise / near.noise_variance)
        own = np.diag(moved)
        apart = own[first] + own[second] - 2.0 * moved[first, second]
        return np.where(first == second, own[first], apart)

    freedom = np.empty((len(place), len(place)))
    freedom[first, second] = freedom[second, first] = np.maximum(satterthwaite(reml, variances), 1.0)
    return Joint(place, covariance, freedom)
