"""`Fit`: the result that every model returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import BadSetting, UnknownName
from steelyard.maths.arrays import Codes, Labels, Matrix, Vector
from steelyard.scales.fit_comparisons import ALPHA, INTERVAL_LEVEL, FitComparisons, Sample
from steelyard.scales.joint import Joint, JointPosterior, joint_of_draws
from steelyard.scales.plotting import plot_named
from steelyard.scales.posterior import Posterior
from steelyard.scales.provenance import Provenance, whole_or_short
from steelyard.scales.quantity import Quantity
from steelyard.scales.ranks import rank_interval, rank_interval_of_many, ranks_of
from steelyard.scales.scale import Scale
from steelyard.scales.summary import summary_of, unlinked_in_words
from steelyard.scales.tables import Rows, Tabular, as_rows

__all__ = ["ALPHA", "INTERVAL_LEVEL", "Fit", "Posterior", "Provenance", "Sample", "whole_or_short"]

JOINT_ITEMS = 2_000  # largest number of items for which all pairs are compared
JOINT_DRAWS = 2_000  # draws from which the covariance is estimated if the model does not provide it


@dataclass(frozen=True, eq=False)
class Fit(FitComparisons):
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

    # Of `coefficients` and `summary`, if users can choose one.
    parametrisations: ClassVar[tuple[str, ...]] = ()
    item: Labels
    count: Vector
    posterior: Posterior
    provenance: Provenance
    raters: Rows = field(default_factory=Rows)
    places: Codes | None = None
    part: Codes | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "raters", as_rows(self.raters))

    @cached_property
    def scale(self) -> Scale:
        """Positions of the items with spreads, 95% intervals and rank intervals.

        The scale is computed on first use, because rank intervals take most of the time.
        """
        position = self.posterior.position
        low, high = self.posterior.interval(INTERVAL_LEVEL)
        rank_low, rank_high = self._rank_interval()
        rank = ranks_of(position)
        scale = Scale(
            self.item,
            position,
            self.posterior.spread,
            low,
            high,
            rank,
            np.minimum(rank_low, rank),
            np.maximum(rank_high, rank),
            self.count,
            self.provenance.described_in_words,
        )
        return scale if self.places is None else scale.in_order(self.places)

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

    def __getstate__(self) -> dict[str, object]:
        """Return the state without the joint distribution, which is large and can be computed again."""
        return {name: value for name, value in self.__dict__.items() if name != "joint"}

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
            f"the model {self.provenance.model} cannot estimate systems. Choose another model, or unit item.",
        )

    @property
    def items(self) -> Rows:
        """Per-item diagnostics besides the position, one row per item in the order of `scale`. Often empty."""
        return Rows()

    def coefficients(self) -> Tabular:
        """Return the parameters of the model with standard errors, if it has others than positions.

        Returns
        -------
        Tabular
            One row per coefficient.

        Raises
        ------
        BadSetting
            If the model has no coefficients besides the positions of the scale.
        """
        raise BadSetting(
            "coefficients",
            f"the model {self.provenance.model} has no coefficients besides the positions of the scale. Use the scale.",
        )

    def bootstrapped(
        self, replicates: int, rng: np.random.Generator, show: Callable[[int], None] | None = None
    ) -> Fit:
        """Return the fit with intervals from a bootstrap of raters.

        Parameters
        ----------
        replicates
            Number of bootstrap samples.
        rng
            Random number generator.
        show
            Called with the number of finished samples, to report progress. Default: none.

        Returns
        -------
        Fit
            The same estimates with other intervals.

        Raises
        ------
        BadSetting
            If the model has no bootstrap.
        """
        del replicates, rng, show
        raise BadSetting(
            "bootstrap", f"the model {self.provenance.model} has no bootstrap. Use its intervals."
        )

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
    def correlation_of_kinds(self) -> Mapping[str, float]:
        """Correlation of kinds of judgment with the common scale, if the model estimates it."""
        return {}

    @property
    def quantity(self) -> Quantity | None:
        """Meaning of the positions, if it differs from that of other fits of the model."""
        return None

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences that a reader of the scale needs: convergence, unlinked parts and omissions."""
        steps = self.provenance.iterations
        stopped = (
            f"The fit did NOT converge in {steps} steps. Do not report its numbers. The judgments may be too few, or "
            "may contradict each other. Add judgments, or choose a model with fewer parameters, such as "
            "direct_assessment for ratings. If there are several kinds of judgment, fit one kind alone."
        )
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

    def plot(self, what: str = "scale", **options: Any) -> Any:
        """Return a chart of the fit. Needs Altair.

        The charts are functions of `steelyard.report.plots`, which documents their options. They are imported by
        name when a chart is made, because fits do not depend on a chart library.

        Parameters
        ----------
        what
            `"scale"` (default): positions with 95% intervals. `"ranks"`: ranks with 95% intervals. `"matrix"`:
            win probabilities of all pairs. `"raters"`: statistics of raters. `"histogram"`: distribution of the
            positions, beside gold values if there are some. `"ambiguity"`: position against width of ranges.
        **options
            Options of the chart, such as `labels` or `most`.

        Returns
        -------
        altair.Chart
            The chart. Notebooks show it, and its method `save` writes a file.

        Raises
        ------
        MissingLibrary
            If Altair is not installed.
        """
        return plot_named(what)(self, **options)
