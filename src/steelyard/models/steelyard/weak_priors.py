"""Weak priors of variances and of the share of spammers, which count as much as a few raters or tasks each.

They matter only if there are few raters or tasks.
"""

from __future__ import annotations

# Number of cases that a prior counts as, and share of the variance of scores.
SCATTER_PRIOR = (2.0, 1.0 / 12.0)  # two answers with the variance of a uniform scale
ITEM_PRIOR = (2.0, 0.5)  # two items
NOISE_PRIOR = (2.0, 0.4)  # two answers
BIAS_PRIOR = (2.0, 0.02)  # two raters
OFFSET_PRIOR = (2.0, 0.02)
SLOPE_PRIOR = (4.0, 0.04)  # four raters with a standard deviation of 0.2
SPAM_PRIOR = (0.5, 10.0)  # of the share of spammers: half a spammer in ten raters
SPAM_LIMITS = (0.005, 0.3)  # of the share of spammers


def blended(variance: float, size: float, prior: tuple[float, float], unit: float = 1.0) -> float:
    """Return a variance estimated from `size` cases, combined with a prior that counts as a few cases.

    Parameters
    ----------
    variance
        Estimate.
    size
        Number of cases of the estimate.
    prior
        Number of cases that the prior counts as, and its variance in units of `unit`.
    unit
        Variance of scores.

    Returns
    -------
    float
        Mean of both, weighted by their numbers of cases.
    """
    count, share = prior
    return (size * variance + count * share * unit) / (size + count)
