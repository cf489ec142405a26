"""`Fit`: the result that every model returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

import numpy as np

from steelyard.errors import BadSetting, UnknownItem, UnknownName
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector
from steelyard.scales.differences import Adjust, Differences, clusters_of, differences_of
from steelyard.scales.joint import Joint, JointPosterior, joint_of_draws
from steelyard.scales.provenance import Provenance, whole_or_short
from steelyard.scales.ranks import rank_interval, rank_interval_of_many, ranks_of
from steelyard.scales.scale import Scale
from steelyard.scales.summary import summary_of, unlinked_in_words

__all__ = ["ALPHA", "INTERVAL_LEVEL", "Fit", "Posterior", "Provenance", "Sample", "whole_or_short"]

# The population of segments or raters that a result describes: new ones like these, or only these.
Sample = Literal["new", "these"]
INTERVAL_LEVEL = 0.95
ALPHA = 1.0 - INTERVAL_LEVEL
JOINT_ITEMS = 2_000  # largest number of items for which all pairs are compared
JOINT_DRAWS = 2_000  # draws from which the covariance is estimated if the model does not provide it


class Posterior(Protocol):
    """Estimated distribution of the positions after fitting."""

    @property
    def position(self) -> Vector:
        """Return the point estimate of each position, in units of the scale."""

    @property
    def spread(self) -> Vector:
        """Return the standard deviation of each position."""

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Return the lower and upper ends of the interval of each position.

        `level` is the nominal coverage of the interval, between 0 and 1.
        """

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return `n` joint draws of all positions, one row per draw."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Result of fitting a model to judgments: the scale, its uncertainty and its diagnostics.

    Models create this object; users read it. The most important parts are :attr:`scale`, :meth:`summary`,
    :meth:`differences` and :meth:`draws`.

    Arrays are sorted by item, so results do not depend on the order of the input file. Only the rows of
    `scale` keep the order in which items first appear in the judgments.

    Parameters
    ----------
    item
        Item ids in sorted order.
    count
        Number of judgments of each item.
    posterior
        Estimated distribution of the positions.
    provenance
        Model, settings and size of the data.
    raters
        One row of diagnostics per rater. Empty if the model has no rater effects.
    places
        Index in `item` of each row of `scale`. None if both have the same order.
    part
        Number of the linked part to which each item belongs. Items of different parts share no chain of
        judgments. None if all items are linked, or if the model places items on the scale of the scores.
    notes
        Sentences about judgments that were left out and quantities that could not be estimated.

    Examples
    --------
    >>> from steelyard import Comparison, Judgments, TrueSkill
    >>> answers = [Comparison("ann", "tea", "milk", "left"), Comparison("bob", "tea", "soup", "left")]
    >>> fit = TrueSkill().fit(Judgments.of(answers))
    >>> fit.converged
    True
    >>> str(fit.scale.ordered().item[0])
    'tea'
    >>> fit.predict("tea", "milk") > 0.5
    True
    """

    item: Labels
    count: Vector
    posterior: Posterior
    provenance: Provenance
    raters: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    places: Codes | None = None
    part: Codes | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def scale(self) -> Scale:
        """Positions of the items with spreads, 95% intervals and rank intervals.

        The scale is computed on first use, because rank intervals take most of the time.
        """
        position = self.posterior.position
        low, high = self.posterior.interval(INTERVAL_LEVEL)
        rank_low, rank_high = self._rank_interval()
        rank = ranks_of(position)
        columns = (
            self.item,
            position,
            self.posterior.spread,
            low,
            high,
            rank,
            np.minimum(rank_low, rank),
            np.maximum(rank_high, rank),
            self.count,
        )
        return Scale(*columns if self.places is None else (column[self.places] for column in columns))

    def _rank_interval(self) -> tuple[Codes, Codes]:
        if len(self.item) > JOINT_ITEMS:
            posterior = self.posterior
            return rank_interval_of_many(posterior.position, posterior.spread, INTERVAL_LEVEL, self.part)
        return rank_interval(self.joint, INTERVAL_LEVEL, self.part)

    @cached_property
    def joint(self) -> Joint:
        """Joint distribution of the positions: estimates, covariance and degrees of freedom.

        If the model does not provide the covariance, it is estimated from joint draws.
        """
        if isinstance(self.posterior, JointPosterior):
            return self.posterior.joint()
        if len(self.item) > JOINT_ITEMS:
            raise BadSetting(
                "differences",
                f"this fit has {len(self.item):,} items. All pairs can be compared for at most {JOINT_ITEMS:,} items.",
            )
        drawn = self.draws(JOINT_DRAWS, np.random.default_rng(self.provenance.seed))
        return joint_of_draws(self.posterior.position, drawn)

    def at_unit(self, unit: str, target: Sample = "new", raters: Sample = "new") -> Fit:
        """Return the fit for items or for the systems that produced them.

        Parameters
        ----------
        unit
            `"item"` returns this fit. `"system"` returns :meth:`systems`.
        target
            Segments that the result describes: `"new"` or `"these"`. Used for systems only.
        raters
            Raters that the result describes: `"new"` or `"these"`. Used for systems only.

        Returns
        -------
        Fit
            A fit whose items are the items or the systems.
        """
        if unit not in ("item", "system"):
            raise UnknownName("unit", unit, ("item", "system"))
        return self if unit == "item" else self.systems(target, raters)

    def systems(self, target: Sample = "new", raters: Sample = "new") -> Fit:
        """Return the scale of the systems that produced the items.

        Parameters
        ----------
        target
            `"new"` (default) generalises to new segments like these. `"these"` describes only the segments in the
            judgments, so standard errors are smaller.
        raters
            `"new"` (default) generalises to new raters like these. `"these"` describes only these raters.

        Returns
        -------
        Fit
            A fit whose items are the systems.

        Raises
        ------
        BadSetting
            If the judgments name no systems, or if the model cannot estimate them.
        """
        del target, raters
        raise BadSetting(
            "unit",
            f"{self.provenance.model} cannot estimate systems from these judgments.",
        )

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
            Segments that the result describes, see :meth:`systems`.
        raters
            Raters that the result describes, see :meth:`systems`.

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
        return self.at_unit(unit, target, raters).compared(adjust, level)

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
    ) -> tuple[tuple[str, ...], ...]:
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
            Segments that the result describes, see :meth:`systems`.
        raters
            Raters that the result describes, see :meth:`systems`.

        Returns
        -------
        tuple of tuple of str
            Item ids of each group, highest position first.
        """
        fit = self.at_unit(unit, target, raters)
        tested = fit.compared(adjust, INTERVAL_LEVEL)
        return clusters_of(fit.item, fit.posterior.position, tested, alpha, one_sided)

    @property
    def items(self) -> Sequence[Mapping[str, Any]]:
        """Per-item diagnostics besides the position, one row per item in the order of `scale`. Often empty."""
        return ()

    @property
    def span(self) -> tuple[float, float]:
        """Ends of the scale, or of the 95% intervals if the scale has no ends."""
        if self.provenance.range is not None:
            return self.provenance.range
        return (float(self.scale.low.min()), float(self.scale.high.max()))

    @property
    def converged(self) -> bool:
        """Whether the estimation reached its tolerance."""
        return self.provenance.converged

    @property
    def signature(self) -> str:
        """One line with everything needed to reproduce the fit."""
        return self.provenance.signature()

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """Items of each part that no judgment links to another, largest part first. Empty if all are linked."""
        if self.part is None:
            return ()
        members = [
            tuple(map(str, self.item[self.part == at])) for at in range(int(self.part.max(initial=-1)) + 1)
        ]
        return tuple(sorted(members, key=len, reverse=True))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences that a reader of the scale needs: convergence, unlinked parts and omissions."""
        steps = self.provenance.iterations
        stopped = f"The fit did NOT converge in {steps} steps. Treat its numbers as provisional."
        parts = self.parts
        return (
            *([] if self.converged else [stopped]),
            *([unlinked_in_words(parts)] if parts else []),
            *self.notes,
        )

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Return joint draws of all positions.

        Parameters
        ----------
        n
            Number of draws.
        rng
            Random number generator.

        Returns
        -------
        Matrix
            One row per draw, one column per item in the order of `item`.
        """
        return self.posterior.draws(n, rng)

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

    def summary(self, most: int = 20) -> str:
        """Return the signature, the remarks and a table of the highest items as plain text.

        Parameters
        ----------
        most
            Largest number of items in the table, 20 by default.

        Returns
        -------
        str
            Several lines of text.
        """
        return summary_of(self.signature, self.remarks, self.scale, most)
