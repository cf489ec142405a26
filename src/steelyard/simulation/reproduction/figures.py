"""Content of the figures of a reproduction, without a chart library. `report/reproduction` draws them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one line or cloud.

    Attributes
    ----------
    name
        Name in the legend.
    points
        Pairs of x and y.
    bands
        Ends of the interval at each point; empty without intervals.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    bands: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """What all figures have.

    Attributes
    ----------
    title
        Title, with the figure of the paper that it corresponds to.
    caption
        How to read it.
    """

    title: str
    caption: str


@dataclass(frozen=True, slots=True)
class Lines(Figure):
    """Lines with bands: one panel per name, and the series of each."""

    panels: Mapping[str, tuple[Series, ...]]
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Clouds(Figure):
    """Scatter plots with quadratic trends: one panel per name, and the series of each."""

    panels: Mapping[str, tuple[Series, ...]]
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Histograms(Figure):
    """Shares by bin: one panel per name."""

    panels: Mapping[str, tuple[float, ...]]
    bins: tuple[str, ...]
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Heatmaps(Figure):
    """Square matrices, one per panel; rows and columns have the same order."""

    panels: Mapping[str, tuple[tuple[float, ...], ...]]
    legend: str


@dataclass(frozen=True, slots=True)
class Intervals(Figure):
    """Estimates with 95% intervals, one row each, and a line at the value without an effect."""

    rows: tuple[tuple[str, float, float, float], ...]
    x: str
    none: float = 0.0


@dataclass(frozen=True, slots=True)
class Grid(Figure):
    """A table that is no list of claims: head, and rows of text."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
