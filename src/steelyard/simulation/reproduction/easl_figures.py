"""Figures 6 to 10 of Sakaguchi & Van Durme (2018) from simulated experiments."""

from __future__ import annotations

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.scales.belief import Belief
from steelyard.selection.match_quality import match_quality
from steelyard.simulation.reproduction.easl_experiments import (
    COMPARED,
    EASL,
    SHORT,
    Experiment,
    mean_and_reach,
)
from steelyard.simulation.reproduction.easl_rounds import fifths, own_estimate
from steelyard.simulation.reproduction.figures import Heatmaps, Histograms, Lines, Series

MEASURES = ("Spearman", "Pearson")
BINS = ("0-20", "20-40", "40-60", "60-80", "80-100")
HEAT_CELLS = 15
HEAT_ROUNDS = (0, 1, 5, 10)


def correlation_figure(number: int, what: str, experiment: Experiment) -> Lines:
    """Return correlations with the truth by answers per item, for Figures 6 and 9.

    Parameters
    ----------
    number
        Number of the figure in the paper.
    what
        What the experiment is about.
    experiment
        Runs of all methods.

    Returns
    -------
    Lines
        The figure, with a panel per kind of correlation.
    """
    panels = {}
    for at, measure in enumerate(MEASURES):
        series = []
        for method in COMPARED:
            curves = experiment.curves(method)[:, :, at]
            ends = [mean_and_reach(curves[:, each]) for each in range(curves.shape[1])]
            points = tuple((float(each + 1), mean) for each, (mean, _) in enumerate(ends))
            bands = (
                tuple((mean - reach, mean + reach) for mean, reach in ends) if np.isfinite(ends[0][1]) else ()
            )
            series.append(Series(SHORT[method], points, bands))
        panels[measure] = tuple(series)
    caption = "Mean over simulated experiments, with 95% intervals. RA is bounded ranking aggregation."
    return Lines(
        f"Figure {number}: correlation with the truth, {what}",
        caption,
        panels,
        "answers per item",
        "correlation",
    )


def shares(experiment: Experiment) -> dict[str, Vector]:
    """Return the mean share of items in each fifth of the scale: of the truth and of each method at the end."""
    found = {"oracle": np.mean([fifths(truth) for truth in experiment.truths], axis=0)}
    for method in COMPARED:
        found[SHORT[method]] = np.mean([fifths(each) for each in experiment.last(method)], axis=0)
    return found


def histogram_figure(number: int, what: str, experiment: Experiment) -> Histograms:
    """Return histograms of positions at the end, for Figures 7 and 10.

    Parameters
    ----------
    number
        Number of the figure in the paper.
    what
        What the experiment is about.
    experiment
        Runs of all methods.

    Returns
    -------
    Histograms
        The figure, with a panel per method.
    """
    panels = {name: tuple(each.tolist()) for name, each in shares(experiment).items()}
    caption = "Share of the items in each fifth of the scale after ten answers per item."
    return Histograms(f"Figure {number}: histograms, {what}", caption, panels, BINS, "position", "share")


def misplaced(experiment: Experiment, method: str) -> float:
    """Return the total variation distance between the histograms of a method and of the truth."""
    found = shares(experiment)
    return float(np.abs(found[SHORT[method]] - found["oracle"]).sum() / 2.0)


def spread_ratio(experiment: Experiment, method: str) -> float:
    """Return the spread of the positions of a method relative to that of the truth."""
    pairs = zip(experiment.last(method), experiment.truths, strict=True)
    return float(np.mean([np.std(position) / np.std(truth) for position, truth in pairs]))


def quality_matrix(belief: Belief | None, truth: Vector) -> Matrix:
    """Return the match quality of all pairs, items sorted by the truth; None is the belief before any answer."""
    order = np.argsort(truth)
    position = np.full(len(truth), 0.5) if belief is None else belief.position[order]
    variance = np.full(len(truth), 1.0 / 12.0) if belief is None else belief.variance[order]
    pairs = zip(position, variance, strict=True)
    return np.array([match_quality(float(at), float(spread), position, variance) for at, spread in pairs])


def belief_after(experiment: Experiment, number: int) -> Belief | None:
    """Return EASL's belief after a round of the first repetition; None before the first."""
    return None if number == 0 else experiment.runs[EASL][0].beliefs[number - 1]


def match_quality_figure(experiment: Experiment) -> Heatmaps:
    """Return Figure 8: the match quality of all pairs after several rounds of EASL."""
    panels = {}
    for number in HEAT_ROUNDS:
        matrix = quality_matrix(belief_after(experiment, number), experiment.truths[0])
        panels[f"iteration {number}"] = _coarse(matrix / matrix.max())
    caption = (
        "Match quality relative to the largest one, means of blocks of items. Items are sorted by the truth."
    )
    return Heatmaps("Figure 8: match quality", caption, panels, "quality")


def _coarse(matrix: Matrix) -> tuple[tuple[float, ...], ...]:
    parts = np.array_split(np.arange(len(matrix)), HEAT_CELLS)
    return tuple(tuple(float(matrix[np.ix_(rows, columns)].mean()) for columns in parts) for rows in parts)


def positions_at(experiment: Experiment, method: str, gold: Vector) -> Vector:
    """Return the mean position that a method gives to items with these true positions, from 0 to 100.

    Parameters
    ----------
    experiment
        Runs of all methods.
    method
        Name of the method.
    gold
        True positions, from 0 to 1.

    Returns
    -------
    Vector
        Positions from 0 to 100.
    """
    found = []
    name = own_estimate(method)
    for run, truth in zip(experiment.runs[method], experiment.truths, strict=True):
        levels, at = np.unique(truth, return_inverse=True)
        means = np.bincount(at, run.positions[name][-1]) / np.bincount(at)
        found.append(np.interp(gold, levels, means))
    return np.asarray(100.0 * np.mean(found, axis=0))
