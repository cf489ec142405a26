"""One sentence on what each statistic says."""

from __future__ import annotations

from steelyard.quality.gold.intervals import Statistic

MEANINGS = {
    Statistic.PEARSON: "Linear correlation of positions with {gold}: 1 is a perfect straight line, 0 none.",
    Statistic.SPEARMAN: "Correlation of ranks: how well the order of the {unit}s is reproduced.",
    Statistic.TAU_B: "Share of pairs in the same order minus share in opposite order, corrected for ties.",
    Statistic.PAIRWISE_ACCURACY: "Share of pairs that differ in {gold} and have the same order on the scale.",
    Statistic.ACC_EQ: "Share of all pairs with the same relation in both, where a tie in {gold} must be a tie.",
    Statistic.ACC_EQ_CALIBRATED: "acc_eq if positions within the tie threshold count as tied. Optimistic, because "
    "the threshold was chosen on the same pairs.",
    Statistic.ACC_EQ_HELD_OUT: "acc_eq_calibrated with the threshold chosen on one random half and evaluated on the "
    "other.",
    Statistic.TIE_THRESHOLD: "Largest difference of positions that counts as a tie in acc_eq_calibrated.",
    Statistic.SLOPE: "Change of {gold} per unit of position. Below 1 on the same scale: positions are too spread out.",
    Statistic.INTERCEPT: "Predicted {gold} at position 0.",
    Statistic.RESIDUAL_SD: "Standard deviation of {gold} around the regression line, in units of {gold}.",
    Statistic.RMSE: "Root mean squared difference between position and {gold}, in units of the scale.",
    Statistic.COVERAGE: "Share of 95% intervals that contain {gold}. Noise in {gold} lowers it.",
}
WITHIN = {
    Statistic.TAU_B: "Mean over segments of Kendall's tau-b between the outputs of one segment.",
    Statistic.ACC_EQ: "Mean over segments of the share of pairs of outputs with the same relation in both.",
}


def meaning_of(statistic: Statistic, level: str, gold: str) -> str:
    """Return what a statistic says, as one sentence.

    Parameters
    ----------
    statistic
        The statistic.
    level
        `"item"`, `"segment"` or `"system"`.
    gold
        Name of the reference.

    Returns
    -------
    str
        The sentence.

    Examples
    --------
    >>> meaning_of(Statistic.SPEARMAN, "system", "gold")
    'Correlation of ranks: how well the order of the systems is reproduced.'
    """
    sentence = WITHIN.get(statistic, MEANINGS[statistic]) if level == "segment" else MEANINGS[statistic]
    return sentence.format(unit=level, gold=gold)
