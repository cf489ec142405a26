"""The posterior of a model fitted in blocks: what needs single ratings is summed over the blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.steelyard import variant as in_memory
from steelyard.models.steelyard.averaging import Average
from steelyard.models.steelyard.errors import (
    CommonErrors,
    common_errors_from,
    estimated_weights,
    following,
)
from steelyard.models.steelyard.features import Features
from steelyard.models.steelyard.joint import PositionErrors
from steelyard.models.steelyard.large.filling import Filled
from steelyard.models.steelyard.large.inference import Variant
from steelyard.models.steelyard.levels import LevelErrors
from steelyard.models.steelyard.lists import residuals, shifts_of
from steelyard.models.steelyard.posterior import LEAST_WEIGHT, SteelyardPosterior, item_deviations
from steelyard.models.steelyard.sums import sums_by


@dataclass(frozen=True, eq=False)
class IndependentErrors:
    """Errors of positions that are independent of each other, given the means over raters."""

    variance: Vector

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return `n` draws of the errors, one row each."""
        return np.asarray(rng.standard_normal((n, len(self.variance))) * np.sqrt(self.variance))


@dataclass(frozen=True, eq=False)
class LargeVariant(in_memory.Variant):
    """A variant whose sums over ratings were computed in blocks.

    Attributes
    ----------
    followed
        Sums of `errors.following`.
    widened
        Factors of `errors.estimated_weights`.
    rated
        Number of answers of each rater.
    """

    followed: Vector
    widened: Vector
    rated: Vector

    @cached_property
    def joint(self) -> PositionErrors:
        """Errors of positions given the variances and the means over raters."""
        return IndependentErrors(self.solution.latent_variance)

    @cached_property
    def errors(self) -> CommonErrors:
        """Errors due to the means over raters and the effects of features."""
        return common_errors_from(self.solution, self.followed, self.features)

    @cached_property
    def inflation(self) -> Vector:
        """Factor by which variances increase because raters' noise is estimated."""
        return self.widened

    @cached_property
    def answers(self) -> Vector:
        """Number of answers of each rater."""
        return self.rated


@dataclass(frozen=True, eq=False)
class LargePosterior(SteelyardPosterior):
    """Weighted variants whose ratings are no longer in memory.

    Attributes
    ----------
    counted
        The variants with their sums over ratings.
    deviations
        Standard deviation of honest answers to each item, on the unit scale.
    """

    counted: tuple[LargeVariant, ...] = ()
    deviations: Vector | None = None

    @cached_property
    def variants(self) -> tuple[in_memory.Variant, ...]:
        """The variants with a weight that is not negligible."""
        return tuple(each for each in self.counted if each.weight > 0.0)

    @cached_property
    def fullest(self) -> in_memory.Variant:
        """The variant with rater effects that has the largest weight. Rater diagnostics use it."""
        return next(each for each in self.counted if each.solution is self.average.fullest)

    @cached_property
    def levels(self) -> LevelErrors | None:
        """Errors of the levels of parts that no rater links, which are not estimated from files."""
        return None

    @cached_property
    def disagreement(self) -> Vector:
        """Standard deviation of honest answers to each item after rater effects."""
        assert self.deviations is not None
        return self.width * self.deviations


def posterior_of(
    files: Filled,
    features: Features,
    fitted: tuple[Average, tuple[Variant, ...]],
    scale: tuple[float, float],
) -> LargePosterior:
    """Return the posterior, after the last passes through the files.

    Parameters
    ----------
    files
        Ratings in files.
    features
        Features of the items.
    fitted
        The average and its variants.
    scale
        Range of the study.

    Returns
    -------
    LargePosterior
        Positions, standard deviations and intervals.
    """
    average, variants = fitted
    kept = [weight if weight >= LEAST_WEIGHT else 0.0 for weight in average.weights]
    counted = []
    for weight, each in zip(kept, variants, strict=True):
        is_used = weight > 0.0 or each.solution is average.fullest
        followed, widened = _summed(each) if is_used else _nothing(each)
        parts = (weight / sum(kept), each.solution, each.blocks.empty, features)
        counted.append(LargeVariant(*parts, followed, widened, files.answers))
    fullest = next(each for each in variants if each.solution is average.fullest)
    deviations = _deviations(fullest)
    layout = files.blocks.empty
    return LargePosterior(average, layout, features, *scale, tuple(counted), deviations)


def _nothing(variant: Variant) -> tuple[Vector, Vector]:
    """Return the results of `_summed` for a variant that nothing uses."""
    return np.zeros(variant.blocks.items), np.ones(variant.blocks.items)


def _summed(variant: Variant) -> tuple[Vector, Vector]:
    """Return the sums of `following`, and the factors of `estimated_weights`."""
    followed, widened = np.zeros(variant.blocks.items), np.ones(variant.blocks.items)
    for block, layout in variant.blocks.layouts():
        solution = variant.at(block, layout)
        followed += following(solution, layout)
        widened += estimated_weights(solution, layout) - 1.0
    return followed, widened


def _deviations(variant: Variant) -> Vector:
    """Return the disagreement of each item on the unit scale, see `SteelyardPosterior.disagreement`."""
    size = variant.blocks.items
    count, total, squares = np.zeros(size), np.zeros(size), np.zeros(size)
    for block, layout in variant.blocks.layouts():
        solution = variant.at(block, layout)
        item = layout.ratings.item
        trust = layout.ratings.weight * (1.0 - solution.learnt.spam[layout.rater])
        left = residuals(solution, layout, shifts_of(solution, layout))
        count += sums_by(item, trust, size)
        total += sums_by(item, trust * left, size)
        squares += sums_by(item, trust * left**2, size)
    around = np.maximum(squares - total**2 / np.maximum(count, 1e-300), 0.0)
    return item_deviations(count, around, float(squares.sum()))
