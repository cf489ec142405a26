"""Several variants of the model, averaged by how well each predicts answers it has not seen.

The variants are: bias only; all rater terms; all rater terms with answers at the ends read as "there or
beyond". A message leaves its own rating out, so each variant predicts each answer from the others at no cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.models.steelyard.answers import answer_of
from steelyard.models.steelyard.clipping import with_ends
from steelyard.models.steelyard.features import Features
from steelyard.models.steelyard.inference import Schedule, Solution, infer
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.learn import Parts
from steelyard.models.steelyard.sums import sums_by

# A variant with rater terms has seen, through those terms, a little of each answer it predicts. Where raters
# do not differ that looks like a gain of 2.5 to 3.5 standard errors. One is taken off: chosen on simulations,
# where more would cost answers with differing raters and less would follow a group that agrees among itself.
HANDICAP = 1.0
# Share of answers at the ends for which they are looked at: under it there is nothing to gain, over it there
# is too little between the ends to learn a latent scale from.
PILE_UP = (0.005, 0.5)

SLOPE_ANSWERS, SLOPE_RATERS = 4, 3  # a slope needs this many answers, a spread of slopes this many raters

FIRST = Schedule(quiet=3, spam_after=99, least=6, most=12, tolerance=0.02)
RICH = Schedule(quiet=0, spam_after=0, least=6, most=80)
ENDS = Schedule(quiet=0, spam_after=0, least=5, most=80)


@dataclass(frozen=True, eq=False)
class Average:
    """Variants with their weights, which sum to 1."""

    variants: tuple[Solution, ...]
    weights: tuple[float, ...]

    @property
    def fullest(self) -> Solution:
        """The variant with rater terms that weighs most: it speaks for the raters."""
        return max(zip(self.weights[1:], self.variants[1:], strict=True), key=lambda pair: pair[0])[1]


def average_variants(layout: Layout, features: Features) -> Average:
    """Fit the variants, each from the one before it, and weigh them."""
    offset = layout.in_company
    bias_only = infer(layout, features, Parts(slope=False, noise=False, spam=False, offset=offset), FIRST)
    parts = Parts(slope=_slopes_show(layout), noise=True, spam=True, offset=offset)
    rich = infer(layout, features, parts, RICH, bias_only)
    answered = _without_bias(bias_only, layout)
    plain, predicted = _predictions(bias_only), _predictions(rich)
    at_ends = with_ends(layout.ratings)
    if not PILE_UP[0] <= np.mean(at_ends.ends != 0) <= PILE_UP[1]:
        share = _rich_share(answered, plain, predicted, rich, layout)
        return Average((bias_only, rich), (1.0 - share, share))
    ends = infer(replace(layout, ratings=at_ends), features, parts, ENDS, rich)
    beyond = _predictions(ends) if ends.is_sound else predicted
    part = _best_mix(answered, predicted, beyond, _honesty(rich, layout))
    share = _rich_share(answered, plain, (1.0 - part) * predicted + part * beyond, rich, layout)
    return Average((bias_only, rich, ends), (1.0 - share, share * (1.0 - part), share * part))


def _slopes_show(layout: Layout) -> bool:
    """Do enough raters give enough answers for slopes to show at all?"""
    answers = np.bincount(layout.rater, minlength=layout.raters)
    return bool(np.sum(answers >= SLOPE_ANSWERS) >= SLOPE_RATERS)


def _predictions(solution: Solution) -> Vector:
    """Position of each rating's item without that rating, as an expected answer."""
    item, messages, learnt = solution.ratings.item, solution.messages, solution.learnt
    precision = solution.precision[item] - messages.rating_precision
    pull = (learnt.regression.mean / learnt.item_variance + messages.item_pull)[item] - messages.rating_pull
    return answer_of(solution, learnt.centre + pull / precision)


def _without_bias(bias_only: Solution, layout: Layout) -> Vector:
    """Each answer less its rater's shrunk mean miss on all other answers."""
    learnt, rater, raters = bias_only.learnt, layout.rater, layout.raters
    miss = layout.ratings.score - _predictions(bias_only)
    weight = 1.0 / (learnt.noise_variance + 1.0 / bias_only.precision[layout.ratings.item])
    total = sums_by(rater, weight, raters)[rater] - weight + 1.0 / learnt.bias_variance
    others = sums_by(rater, weight * miss, raters)[rater] - weight * miss
    return layout.ratings.score - others / total


def _honesty(rich: Solution, layout: Layout) -> Vector:
    return (1.0 - rich.learnt.spam[layout.rater]) * layout.ratings.weight


def _best_mix(answered: Vector, one: Vector, other: Vector, trust: Vector) -> float:
    """The share of `other` that predicts best: least squares, kept between 0 and 1."""
    gap = other - one
    power = float(np.sum(trust * gap**2))
    return float(np.clip(np.sum(trust * gap * (answered - one)) / power, 0.0, 1.0)) if power > 0.0 else 0.0


def _rich_share(answered: Vector, plain: Vector, rich: Vector, solution: Solution, layout: Layout) -> float:
    """Phi(z - handicap), z the gain in squared error over its standard error, clustered by rater."""
    from scipy.special import ndtr  # late: SciPy would double the time of `import steelyard`

    trust = _honesty(solution, layout)
    gain = trust * ((answered - plain) ** 2 - (answered - rich) ** 2)
    each = sums_by(layout.rater, gain, layout.raters)
    each = each[np.bincount(layout.rater, minlength=layout.raters) > 0]
    error = float(np.sqrt(np.sum((each - each.mean()) ** 2)))
    return float(ndtr(each.sum() / error - HANDICAP)) if error > 0.0 else 0.5
