"""`Fit`: what every model returns."""

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
from steelyard.scales.ranks import rank_interval, rank_interval_of_many, ranks_of
from steelyard.scales.scale import Scale
from steelyard.version import VERSION

Sample = Literal[
    "new", "these"
]  # segments or raters that a result is about: others like these, or just these
INTERVAL_LEVEL = 0.95
ALPHA = 1.0 - INTERVAL_LEVEL
JOINT_ITEMS = 2_000  # items up to which all pairs are compared
JOINT_DRAWS = 2_000  # behind a covariance that the model does not write out
LISTED_PARTS, LISTED_ITEMS = 4, 3  # parts and items of each that a remark names


class Posterior(Protocol):
    """What a model knows about positions after fitting."""

    @property
    def position(self) -> Vector:
        """Point estimates, in units of the scale."""

    @property
    def spread(self) -> Vector:
        """Standard deviation of each position."""

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Lower and upper ends of the interval of each position."""

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """`n` joint draws of all positions, one row each."""


def whole_or_short(number: float) -> str:
    """A count as it is written in a signature.

    >>> whole_or_short(18200), whole_or_short(0.00123456789)
    ('18200', '0.00123457')
    """
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.6g}"


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a fit was made from: everything its signature says."""

    model: str
    settings: Mapping[str, Any]
    items: int
    judgments: float  # as judgments/counting.py counts them: whole, unless counts are fractions
    raters: int
    range: tuple[float, float] | None  # None where positions have no ends, as with comparisons
    seed: int
    converged: bool = True
    iterations: int = 1

    def signature(self) -> str:
        """One line that lets others reproduce the fit."""
        settings = " ".join(f"{name}={value}" for name, value in self.settings.items())
        done = f"converged in {self.iterations}" if self.converged else f"NOT converged in {self.iterations}"
        parts = [
            f"{self.model} {settings}".strip(),
            f"steelyard {VERSION}",
            f"items {self.items}",
            f"judgments {whole_or_short(self.judgments)}",
            f"raters {self.raters}",
            *([] if self.range is None else [f"range {self.range[0]:g} to {self.range[1]:g}"]),
            f"seed {self.seed}",
            done,
        ]
        return " | ".join(parts)


@dataclass(frozen=True, eq=False)
class Fit:
    """A scale with everything behind it.

    `item`, `count`, the posterior and its draws are in sorted order of the items, so that no number depends on the
    order of a file; the rows of `scale` are in the order in which the judgments first name the items. `part` numbers
    the parts of the items that no judgment links; None where all are linked, or where scores have a scale of their
    own. `notes` are sentences about what the model left out or could not estimate.
    """

    item: Labels
    count: Vector
    posterior: Posterior
    provenance: Provenance
    raters: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    places: Codes | None = None  # where each row of `scale` stands in `item`; None where they are the same
    part: Codes | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def scale(self) -> Scale:
        """Positions with intervals and ranks; made when first asked for, since ranks take most of the time."""
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
        """The joint distribution of positions: as the model writes it out, or from joint draws."""
        if isinstance(self.posterior, JointPosterior):
            return self.posterior.joint()
        if len(self.item) > JOINT_ITEMS:
            raise BadSetting(
                "differences",
                f"{len(self.item):,} items have more pairs than can be compared; at most {JOINT_ITEMS:,} items can.",
            )
        drawn = self.draws(JOINT_DRAWS, np.random.default_rng(self.provenance.seed))
        return joint_of_draws(self.posterior.position, drawn)

    def at_unit(self, unit: str, target: Sample = "new", raters: Sample = "new") -> Fit:
        """The scale of the items, or of the systems that made them."""
        if unit not in ("item", "system"):
            raise UnknownName("unit", unit, ("item", "system"))
        return self if unit == "item" else self.systems(target, raters)

    def systems(self, target: Sample = "new", raters: Sample = "new") -> Fit:
        """The scale of the systems that made the items.

        `target` says what it is about: systems on new segments like these (the default), or on these segments only;
        `raters` likewise.
        """
        del target, raters
        raise BadSetting("unit", f"{self.provenance.model} has no scale of systems for these judgments.")

    def differences(
        self,
        unit: str = "item",
        adjust: Adjust = "none",
        *,
        level: float = INTERVAL_LEVEL,
        target: Sample = "new",
        raters: Sample = "new",
    ) -> Differences:
        """Every difference of two positions: estimate, standard error, interval, p value and probability.

        Parameters: `unit` is item or system; `adjust` is none, bonferroni, holm, bh or single_step, over all pairs.
        """
        return self.at_unit(unit, target, raters).compared(adjust, level)

    def compared(self, adjust: Adjust, level: float) -> Differences:
        """Every difference of this fit's own items, tested as the model tests them."""
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
        """Groups, most first, with a line exactly where every pair across it differs significantly."""
        fit = self.at_unit(unit, target, raters)
        tested = fit.compared(adjust, INTERVAL_LEVEL)
        return clusters_of(fit.item, fit.posterior.position, tested, alpha, one_sided)

    @property
    def items(self) -> Sequence[Mapping[str, Any]]:
        """What the model says of each item beside its position, a row each in the order of `scale`, if anything."""
        return ()

    @property
    def span(self) -> tuple[float, float]:
        """The ends of the scale; where it has none, those of the intervals on it."""
        if self.provenance.range is not None:
            return self.provenance.range
        return (float(self.scale.low.min()), float(self.scale.high.max()))

    @property
    def converged(self) -> bool:
        """Did the fit reach its own tolerance?"""
        return self.provenance.converged

    @property
    def signature(self) -> str:
        """One line that lets others reproduce the fit."""
        return self.provenance.signature()

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """The items of each part that no judgment links to another, largest first; empty where all are linked."""
        if self.part is None:
            return ()
        members = [
            tuple(map(str, self.item[self.part == at])) for at in range(int(self.part.max(initial=-1)) + 1)
        ]
        return tuple(sorted(members, key=len, reverse=True))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences that a reader of the scale needs: convergence, unlinked parts, and what was left out."""
        steps = self.provenance.iterations
        stopped = f"The fit did NOT converge in {steps} steps; treat its numbers as provisional."
        parts = self.parts
        return (
            *([] if self.converged else [stopped]),
            *([unlinked_in_words(parts)] if parts else []),
            *self.notes,
        )

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """`n` joint draws of all positions, one row each, items in the order of `item`."""
        return self.posterior.draws(n, rng)

    def predict(self, left: str, right: str, n: int = 4000) -> float:
        """Probability that `left` is above `right`, ties counted half, from joint draws.

        It is 0.5 for two items of parts that no judgment links: nothing is known of them.
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
        """The signature, remarks and the leading items, as plain text."""
        scale = self.scale.ordered()
        width = max([4, *(len(str(item)) for item in scale.item[:most])])
        lines = [
            self.signature,
            *self.remarks,
            "",
            f"{'item':<{width}}  position  spread  95% interval      rank      count",
        ]
        for row in list(scale.rows())[:most]:
            interval = f"{row['low']:7.3f} to {row['high']:7.3f}"
            ranks = f"{row['rank']} ({row['rank_low']}-{row['rank_high']})"
            numbers = f"{row['position']:8.3f} {row['spread']:7.3f}  {interval} {ranks:>11} {row['count']:>6}"
            lines.append(f"{row['item']:<{width}}  {numbers}")
        if len(scale) > most:
            lines.append(f"... and {len(scale) - most} more items")
        return "\n".join(lines)


def unlinked_in_words(parts: Sequence[Sequence[str]]) -> str:
    """One sentence on parts that no judgment links, with the first items of the largest ones.

    >>> unlinked_in_words([("a", "b"), ("c",)])[:62]
    'No judgment links these 2 parts of the items: a, b (2); c (1).'
    """
    shown = [f"{_leading(part)} ({len(part):,})" for part in parts[:LISTED_PARTS]]
    more = [f"and {len(parts) - LISTED_PARTS:,} more"] if len(parts) > LISTED_PARTS else []
    return (
        f"No judgment links these {len(parts):,} parts of the items: {'; '.join([*shown, *more])}. Compare "
        "positions and ranks only within a part; rank intervals allow for any order of the parts."
    )


def _leading(part: Sequence[str]) -> str:
    return ", ".join(part[:LISTED_ITEMS]) + (", ..." if len(part) > LISTED_ITEMS else "")
