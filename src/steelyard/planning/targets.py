"""What a study is planned for: a reliability, the width of intervals, or a difference between two systems."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from steelyard.errors import (
    BadSetting,
    NothingToFit,
    NoTies,
    OnlyTies,
    Separated,
    TooFewItems,
    Unconnected,
)
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Vector
from steelyard.maths.gaussian import NORMAL_95
from steelyard.models.units import fit_unit
from steelyard.planning.designs import Design, to_fit
from steelyard.planning.worlds import DrawnWorld, World, draw_world
from steelyard.scales.fit import Fit
from steelyard.selection.forecast import level_of, reliability_at
from steelyard.selection.stopping import mean_width

NOT_YET = (NothingToFit, TooFewItems, NoTies, OnlyTies, Unconnected, Separated)  # more answers resolve these
LEAST_RELIABILITY, MOST_RELIABILITY = 0.05, 0.9999
LEAST_RATIO = 0.05  # of a difference to its standard error
LEVEL = 0.05  # of a two-sided test


class Target(ABC):
    """A number that improves with answers. Its `level` grows about linearly with the logarithm of the answers.

    Attributes
    ----------
    name
        Name of the number in tables.
    words
        What it is, for charts and texts.
    systems
        Number of systems whose outputs are judged; 0 if items stand for themselves.
    """

    name: ClassVar[str]
    words: ClassVar[str]
    systems: ClassVar[int] = 0
    wanted: float

    @abstractmethod
    def level(self, value: float) -> float:
        """Return the level of a value; levels rise where the study gets better."""

    @abstractmethod
    def value(self, level: float) -> float:
        """Return the value at a level."""

    @abstractmethod
    def measure(self, design: Design, judgments: Judgments, drawn: DrawnWorld) -> float:
        """Return the level that a simulated study reached with these judgments.

        Parameters
        ----------
        design
            Protocol and numbers.
        judgments
            Judgments so far.
        drawn
            True positions and raters.

        Returns
        -------
        float
            Level; a low one if there are too few judgments.
        """

    def draw(self, world: World, design: Design, rng: np.random.Generator) -> DrawnWorld:
        """Return the items and raters of a simulated study.

        Parameters
        ----------
        world
            What studies are simulated from.
        design
            Protocol and numbers.
        rng
            Source of randomness.

        Returns
        -------
        DrawnWorld
            Items and raters.
        """
        return draw_world(world, design.items, design.raters, rng)

    @property
    def wanted_level(self) -> float:
        """Level of the wanted value."""
        return self.level(self.wanted)

    @property
    def stop(self) -> dict[str, float]:
        """Keys of [choosing] in study.toml that end a study at this target; empty if there is no such rule."""
        return {}


@dataclass(frozen=True, slots=True)
class Reliability(Target):
    """Correlation of the positions with the true ones. The level is the log odds of its square.

    Parameters
    ----------
    wanted
        Wanted correlation, such as 0.95.
    """

    name: ClassVar[str] = "reliability"
    words: ClassVar[str] = "correlation with the true positions"
    wanted: float

    def __post_init__(self) -> None:
        _check("--reliability", self.wanted, LEAST_RELIABILITY, 0.999)

    def level(self, value: float) -> float:
        """Return log(r² / (1 - r²))."""
        return level_of(min(max(value, LEAST_RELIABILITY), MOST_RELIABILITY))

    def value(self, level: float) -> float:
        """Return the correlation."""
        return reliability_at(level)

    def measure(self, design: Design, judgments: Judgments, drawn: DrawnWorld) -> float:
        """Return the level of the correlation of estimated and true positions.

        Parameters
        ----------
        design
            Protocol and numbers.
        judgments
            Judgments so far.
        drawn
            True positions and raters.

        Returns
        -------
        float
            Level; a low one if there are too few judgments.
        """
        fit = fitted(design, judgments)
        if fit is None:
            return self.level(0.0)
        position, truth = fit.posterior.position, true_positions(fit, drawn)
        if np.ptp(position) == 0.0 or np.ptp(truth) == 0.0:
            return self.level(0.0)
        return self.level(float(np.corrcoef(position, truth)[0, 1]))

    @property
    def stop(self) -> dict[str, float]:
        """The rule that ends a study at a predicted reliability."""
        return {"reliability": self.wanted}


@dataclass(frozen=True, slots=True)
class Width(Target):
    """Mean width of 95% intervals, as a share of the scale. The level is minus the log of its square.

    Parameters
    ----------
    wanted
        Wanted width, such as 0.1.
    """

    name: ClassVar[str] = "width"
    words: ClassVar[str] = "mean width of 95% intervals, as a share of the scale"
    wanted: float

    def __post_init__(self) -> None:
        _check("--width", self.wanted, 0.005, 1.0)

    def level(self, value: float) -> float:
        """Return -2 log(width)."""
        return -2.0 * math.log(min(max(value, 1e-4), 4.0))

    def value(self, level: float) -> float:
        """Return the width."""
        return math.exp(-level / 2.0)

    def measure(self, design: Design, judgments: Judgments, drawn: DrawnWorld) -> float:
        """Return the level of the mean width.

        Where positions have no unit, they are converted to the scale by regression of the true positions on them.

        Parameters
        ----------
        design
            Protocol and numbers.
        judgments
            Judgments so far.
        drawn
            True positions and raters.

        Returns
        -------
        float
            Level; a low one if there are too few judgments.
        """
        fit = fitted(design, judgments)
        if fit is None:
            return self.level(4.0)
        posterior, asked = fit.posterior, design.definition.asked(0).scale
        if design.definition.kind.placed:
            unit = 1.0 / (asked.high - asked.low)
        else:
            unit = _unit(posterior.position, true_positions(fit, drawn))
        return self.level(mean_width((unit * posterior.spread) ** 2))

    @property
    def stop(self) -> dict[str, float]:
        """The rule that ends a study at a width."""
        return {"interval_width": self.wanted}


@dataclass(frozen=True, slots=True)
class Distinguish(Target):
    """A difference between the mean positions of two systems, found with a power in a two-sided test at 5%.

    The level is 2 log(difference / standard error). It reaches 2 log(1.96 + z(power)) at the wanted power.

    Parameters
    ----------
    gap
        Difference of the two means, as a share of the scale.
    power
        Probability of a significant difference. Default 0.8.
    shared
        Share of the variance of outputs that both outputs of a segment have in common. Default 0.5.
    """

    name: ClassVar[str] = "power"
    words: ClassVar[str] = "power to distinguish the two systems"
    systems: ClassVar[int] = 2
    gap: float
    power: float = 0.8
    shared: float = 0.5

    def __post_init__(self) -> None:
        _check("--distinguish", self.gap, 0.001, 0.5)
        _check("--power", self.power, 0.1, 0.999)
        _check("--shared", self.shared, 0.0, 1.0)

    @property
    def wanted(self) -> float:  # type: ignore[override]
        """The power."""
        return self.power

    def level(self, value: float) -> float:
        """Return the level at a power."""
        from scipy.special import ndtri  # SciPy is slow to import

        return 2.0 * math.log(max(NORMAL_95 + float(ndtri(value)), LEAST_RATIO))

    def value(self, level: float) -> float:
        """Return the power; the other side of the test counts as no success."""
        from scipy.special import ndtr  # SciPy is slow to import

        return float(ndtr(math.exp(level / 2.0) - NORMAL_95))

    def draw(self, world: World, design: Design, rng: np.random.Generator) -> DrawnWorld:
        """Return outputs of two systems that differ by the gap on average.

        Parameters
        ----------
        world
            What studies are simulated from.
        design
            Protocol and numbers.
        rng
            Source of randomness.

        Returns
        -------
        DrawnWorld
            Items and raters.
        """
        drawn = draw_world(world, design.items, design.raters, rng)
        segment, system = design.outputs
        own = drawn.truth - drawn.truth.mean()
        common = rng.choice(own, len(own))[segment]
        sign = system - system.mean()
        truth = drawn.truth.mean() + math.sqrt(self.shared) * common + math.sqrt(1.0 - self.shared) * own
        return drawn.at(truth + self.gap * sign)

    def measure(self, design: Design, judgments: Judgments, drawn: DrawnWorld) -> float:
        """Return the level of the expected difference over its standard error.

        Where positions have a unit, the difference is the true one, which leaves out its error by chance.

        Parameters
        ----------
        design
            Protocol and numbers.
        judgments
            Judgments so far.
        drawn
            True positions and raters.

        Returns
        -------
        float
            Level; a low one if there are too few judgments.
        """
        fit = fitted(design, judgments, "system")
        if fit is None or len(fit.item) != self.systems:
            return 2.0 * math.log(LEAST_RATIO)
        first, second = np.array([0]), np.array([1])
        error = math.sqrt(float(fit.joint.variances(first, second)[0]))
        gap = self._expected(design, fit)
        return 2.0 * math.log(max(gap / error, LEAST_RATIO)) if error > 0.0 else 2.0 * math.log(LEAST_RATIO)

    def _expected(self, design: Design, fit: Fit) -> float:
        asked = design.definition.asked(0).scale
        if design.definition.kind.placed:
            return self.gap * (asked.high - asked.low)
        return abs(float(np.diff(fit.posterior.position)[0]))


def fitted(design: Design, judgments: Judgments, unit: str = "item") -> Fit | None:
    """Return the fit of the study's model to simulated judgments.

    Parameters
    ----------
    design
        Protocol and numbers.
    judgments
        Simulated judgments.
    unit
        "item" or "system".

    Returns
    -------
    Fit or None
        None if there are too few judgments.
    """
    try:
        return fit_unit(design.definition.make_model(), to_fit(design, judgments).compact(), unit)
    except NOT_YET:
        return None


def true_positions(fit: Fit, drawn: DrawnWorld) -> Vector:
    """Return the true positions of the items of a fit, in its order and inside the scale."""
    at = {name: truth for name, truth in zip(drawn.names, drawn.truth.tolist(), strict=True)}
    return np.asarray(np.clip([at[str(item)] for item in fit.item], 0.0, 1.0))


def _unit(position: Vector, truth: Vector) -> float:
    """Return the true difference that a difference of one on the fitted scale stands for."""
    variance = float(np.var(position))
    return abs(float(np.cov(position, truth, bias=True)[0, 1])) / variance if variance > 0.0 else 1.0


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise BadSetting(name, f"{value:g} is outside {low:g} to {high:g}.")
