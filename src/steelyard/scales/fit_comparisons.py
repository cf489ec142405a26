"""Comparisons between the items of a fit: differences, clusters and probabilities."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Literal

import numpy as np

from steelyard.errors import UnknownItem
from steelyard.maths.arrays import Codes, Labels, Matrix
from steelyard.scales.clusters import Clusters
from steelyard.scales.differences import Adjust, Differences, clusters_of, differences_of
from steelyard.scales.joint import Joint
from steelyard.scales.posterior import Posterior
from steelyard.scales.provenance import Provenance
from steelyard.scales.scale import Scale
from steelyard.scales.win_matrix import HIGHER_POSITION, WinMatrix, square_of

# The population of segments or raters that a result describes: new ones like these, or only these.
Sample = Literal["new", "these"]
INTERVAL_LEVEL = 0.95
ALPHA = 1.0 - INTERVAL_LEVEL


class FitComparisons:
    """Comparisons between the items of a fit, or between the systems that produced them."""

    item: Labels
    posterior: Posterior
    provenance: Provenance
    part: Codes | None

    @property
    @abstractmethod
    def scale(self) -> Scale:
        """Positions of the items with their uncertainty."""

    @property
    @abstractmethod
    def joint(self) -> Joint:
        """Joint distribution of the positions."""

    @abstractmethod
    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return joint draws of all positions."""

    @abstractmethod
    def at_unit(self, unit: str, target: Sample = "new", raters: Sample = "new") -> FitComparisons:
        """Return the fit for items or for the systems that produced them."""

    def differences(
        self,
        unit: str = "item",
        adjust: Adjust = "none",
        *,
        level: float = INTERVAL_LEVEL,
        target: Sample = "new",
        raters: Sample = "new",
    ) -> Differences:
        """Return the difference between every two positions, with a test of each.

        Parameters
        ----------
        unit
            `"item"` (default) or `"system"`.
        adjust
            Adjustment of the p values for the number of pairs: `"none"` (default), `"bonferroni"`, `"holm"`,
            `"bh"` (Benjamini-Hochberg) or `"single_step"` (maximum of the test statistics).
        level
            Coverage of the intervals, 0.95 by default. Intervals are not adjusted.
        target
            Segments that the result describes, see `systems`.
        raters
            Raters that the result describes, see `systems`.

        Returns
        -------
        Differences
            One row per pair: estimate, standard error, interval, p value and probability.

        Examples
        --------
        >>> from steelyard import DirectAssessment, Judgments, Rating
        >>> ratings = [Rating("ann", "tea", 20), Rating("bob", "tea", 40), Rating("ann", "soup", 70)]
        >>> fit = DirectAssessment().fit(Judgments.of(ratings, range=(0, 100)))
        >>> differences = fit.differences(adjust="holm")
        >>> differences.left.tolist(), differences.right.tolist(), differences.estimate.tolist()
        (['soup'], ['tea'], [40.0])
        """
        fit = self.at_unit(unit, target, raters)
        return replace(fit.compared(adjust, level), described=fit.provenance.described_in_words)

    def compared(self, adjust: Adjust, level: float) -> Differences:
        """Return the difference between every two items of this fit, with the tests of its model.

        Parameters
        ----------
        adjust
            Adjustment of the p values, see :meth:`differences`.
        level
            Coverage of the intervals.

        Returns
        -------
        Differences
            One row per pair of items.
        """
        return differences_of(self.item, self.joint, adjust, level, self.part)

    def clusters(
        self,
        unit: str = "item",
        adjust: Adjust = "holm",
        *,
        one_sided: bool = False,
        alpha: float = ALPHA,
        target: Sample = "new",
        raters: Sample = "new",
    ) -> Clusters:
        """Return groups of items that the data distinguish from each other, highest group first.

        Items are ordered by position. A line is drawn between two neighbours if every item above it differs
        significantly from every item below it.

        Parameters
        ----------
        unit
            `"item"` (default) or `"system"`.
        adjust
            Adjustment of the p values for the number of pairs, `"holm"` by default. See :meth:`differences`.
        one_sided
            Whether the test of each pair is one-sided. Default: False.
        alpha
            Significance level, 0.05 by default.
        target
            Segments that the result describes, see `systems`.
        raters
            Raters that the result describes, see `systems`.

        Returns
        -------
        Clusters
            A tuple with the item ids of each group, highest position first, that is also a table.
        """
        fit = self.at_unit(unit, target, raters)
        tested = fit.compared(adjust, INTERVAL_LEVEL)
        groups = clusters_of(fit.item, fit.posterior.position, tested, alpha, one_sided)
        return Clusters(groups, fit.scale)

    def predict(self, left: str, right: str, n: int = 4000) -> float:
        """Return the probability that one item has a higher position than another.

        The probability is estimated from joint draws of the positions, and ties count one half. It is 0.5 if no
        judgment links the two items. It does not include the noise of a single judgment.

        Parameters
        ----------
        left
            Id of the first item.
        right
            Id of the second item.
        n
            Number of draws, 4000 by default.

        Returns
        -------
        float
            Probability that `left` is above `right`.
        """
        index = {label: at for at, label in enumerate(self.item)}
        for name in (left, right):
            if name not in index:
                raise UnknownItem(name)
        if self.part is not None and self.part[index[left]] != self.part[index[right]]:
            return 0.5
        drawn = self.draws(n, np.random.default_rng(self.provenance.seed))
        gap = drawn[:, index[left]] - drawn[:, index[right]]
        return float(np.mean(gap > 0) + 0.5 * np.mean(gap == 0))

    def win_matrix(self) -> WinMatrix:
        """Return the probability that one item wins against another, for all pairs.

        Bradley-Terry and Plackett-Luce models predict the outcome of one comparison, in which ties count one half.
        For other models, it is the probability that the first item has the higher position. The `meaning` of the
        result states which.

        Returns
        -------
        WinMatrix
            Items in the order of their positions, with one row and one column per item.
        """
        higher = square_of(self.compared("none", INTERVAL_LEVEL).probability, len(self.item))
        return WinMatrix.of(self.item, self.posterior.position, higher, HIGHER_POSITION)
