"""Diagnostics of raters from a fitted variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.maths.arrays import Labels, Vector
from steelyard.models.steelyard.answers import answer_noise
from steelyard.models.steelyard.belief import relative_information
from steelyard.models.steelyard.variant import Variant

LEVEL = 0.95


def rater_rows(labels: Labels, variant: Variant, width: float) -> Sequence[Mapping[str, Any]]:
    """Return one row per rater: bias, slope and noise with 95% intervals, spam probability and information.

    Parameters
    ----------
    labels
        Rater ids.
    variant
        Fitted variant.
    width
        Length of the range of the study. Bias and noise (a standard deviation) are in its units.

    Returns
    -------
    sequence of dict
        `information` is the equivalent number of answers of an average honest rater.
    """
    columns = _columns(variant, width)
    values_of = {name: values[: len(labels)].tolist() for name, values in columns.items()}
    rows = enumerate(labels)
    return tuple(
        {"rater": label, **{name: values[at] for name, values in values_of.items()}} for at, label in rows
    )


def _columns(variant: Variant, width: float) -> dict[str, Vector]:
    from scipy.special import chdtri, ndtri  # SciPy is slow to import

    solution, bias = variant.solution, variant.bias
    learnt, reach = solution.learnt, float(ndtri(0.5 + LEVEL / 2.0))
    bias_reach = reach * np.sqrt(variant.bias_variance)
    slope_reach = reach * np.sqrt(learnt.slope_error)
    freedom = learnt.noise_freedom + solution.sums.noise_information
    tail = (1.0 - LEVEL) / 2.0
    per_answer = relative_information(learnt.spam, learnt.slope, learnt.noise, answer_noise(solution))
    return {
        "answers": variant.answers,
        "bias": width * bias,
        "bias_low": width * (bias - bias_reach),
        "bias_high": width * (bias + bias_reach),
        "slope": learnt.slope,
        "slope_low": learnt.slope - slope_reach,
        "slope_high": learnt.slope + slope_reach,
        "noise": width * np.sqrt(learnt.noise),
        "noise_low": width * np.sqrt(learnt.noise * freedom / chdtri(freedom, tail)),
        "noise_high": width * np.sqrt(learnt.noise * freedom / chdtri(freedom, 1.0 - tail)),
        "spam": learnt.spam,
        "information": variant.answers * per_answer,
    }
