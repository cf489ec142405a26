"""Experiments 1 and 2 of Sakaguchi & Van Durme (2018) with simulated raters: Figures 6 to 10 and Table 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.maths.gaussian import NORMAL_95
from steelyard.quality.agreement.between_raters import mean_pairwise_spearman
from steelyard.simulation.reproduction.easl_rounds import (
    ROUNDS,
    Run,
    World,
    answers_needed,
    correlations,
    own_estimate,
    run_method,
)
from steelyard.simulation.reproduction.reproduction import Request
from steelyard.simulation.scenarios import SCENARIOS, Scenario, answer_task, draw_raters

DA, RA, EASL = "direct assessment", "Beta ranking", "EASL"
COMPARED = (DA, RA, EASL)
SHORT = {DA: "DA", RA: "RA", EASL: "EASL"}
FEW_SPAMMERS = 0.05  # the paper's raters had at least 98% approved tasks
CALIBRATION_STEPS = 12
CALIBRATION_RATERS = 30
CALIBRATION_WORLDS = 5


@dataclass(frozen=True, eq=False)
class Experiment:
    """Runs of all methods over the repetitions of one experiment.

    Attributes
    ----------
    truths
        True positions of each repetition.
    runs
        Runs of each method.
    scenario
        How raters differ.
    """

    truths: tuple[Vector, ...]
    runs: Mapping[str, tuple[Run, ...]]
    scenario: Scenario

    def curves(self, method: str) -> Matrix:
        """Return repetitions x rounds x (Spearman, Pearson)."""
        name = own_estimate(method)
        return np.array(
            [
                correlations(run.positions[name], truth)
                for run, truth in zip(self.runs[method], self.truths, strict=True)
            ]
        )

    def mean_curve(self, method: str, measure: int = 0) -> Vector:
        """Return the mean curve of a method: Spearman (0) or Pearson (1)."""
        return np.asarray(self.curves(method)[:, :, measure].mean(axis=0))

    def needed(self, method: str, level: int) -> float:
        """Return the answers per item that a method needs for direct assessment's Spearman at this many answers."""
        return answers_needed(self.mean_curve(method), float(self.mean_curve(DA)[level - 1]))

    def last(self, method: str) -> list[Vector]:
        """Return the positions after the last round of each repetition."""
        return [run.positions[own_estimate(method)][-1] for run in self.runs[method]]

    def agreement(self) -> tuple[float, float]:
        """Return the mean over repetitions of the mean pairwise Spearman correlation of raters, and its error."""
        return mean_and_reach(np.array([_agreement(run) for run in self.runs[DA]]))


def mean_and_reach(values: Vector) -> tuple[float, float]:
    """Return the mean and half of its 95% interval over repetitions; infinite for one repetition."""
    if len(values) < 2:
        return float(values.mean()), float("inf")
    return float(values.mean()), float(NORMAL_95 * values.std(ddof=1) / np.sqrt(len(values)))


def run_experiment(
    draw: Callable[[np.random.Generator], Vector],
    scenario: Scenario,
    methods: tuple[str, ...],
    repetitions: int,
    request: Request,
) -> Experiment:
    """Run methods on the same items and raters, several times.

    Parameters
    ----------
    draw
        Function that draws the true positions.
    scenario
        How raters differ.
    methods
        Methods to run.
    repetitions
        Number of simulated experiments.
    request
        Seed, log and progress.

    Returns
    -------
    Experiment
        All runs.
    """
    if request.make_log is None:
        raise TypeError("A simulated experiment needs a log.")
    runs: dict[str, list[Run]] = {method: [] for method in methods}
    truths = []
    for at in range(repetitions):
        seed = 1000 * (request.seed + 1) + at
        truths.append(draw(np.random.default_rng(seed)))
        for method in methods:
            runs[method].append(
                run_method(method, World(truths[-1], scenario, seed), request.make_log, ROUNDS)
            )
            request.step()
    return Experiment(tuple(truths), {method: tuple(each) for method, each in runs.items()}, scenario)


def calibrated(
    draw: Callable[[np.random.Generator], Vector], agreement: float, rng: np.random.Generator
) -> Scenario:
    """Return raters whose mean pairwise Spearman correlation is that of the paper.

    Noise and the offset of a task are multiplied by a common factor, which is found by bisection.

    Parameters
    ----------
    draw
        Function that draws the true positions.
    agreement
        Mean pairwise Spearman correlation.
    rng
        Source of randomness.

    Returns
    -------
    Scenario
        How raters differ.
    """
    truths, seed = [draw(rng) for _ in range(CALIBRATION_WORLDS)], int(rng.integers(2**31))
    base = replace(SCENARIOS["full"], spam=FEW_SPAMMERS)
    low, high = 0.0, 5.0
    for _ in range(CALIBRATION_STEPS):
        middle = (low + high) / 2.0
        raters = np.random.default_rng(seed)
        reached = np.mean([_expected_agreement(scaled(base, middle), truth, raters) for truth in truths])
        low, high = (middle, high) if reached > agreement else (low, middle)
    return scaled(base, (low + high) / 2.0)


def scaled(scenario: Scenario, factor: float) -> Scenario:
    """Return raters with noise and task offsets multiplied by a factor."""
    return replace(scenario, base_noise=scenario.base_noise * factor, offset_sd=scenario.offset_sd * factor)


def _expected_agreement(scenario: Scenario, truth: Vector, rng: np.random.Generator) -> float:
    """Return the agreement of raters who each rate every item, one at a time.

    Offsets of single ratings are independent, so they are added to the noise.
    """
    alone = replace(scenario, offset_sd=0.0, list_noise_factor=1.0, contrast=0.0)
    raters = draw_raters(scenario, CALIBRATION_RATERS, rng)
    noisy = [replace(rater, noise_sd=float(np.hypot(rater.noise_sd, scenario.offset_sd))) for rater in raters]
    answers = np.array([answer_task(rater, alone, truth, 0.5, rng) for rater in noisy])
    return mean_pairwise_spearman(answers.T).mean


def _agreement(run: Run) -> float:
    """Return the mean pairwise Spearman correlation of the raters of a run."""
    table = run.judgments.table("rating")
    shape = (len(run.judgments.items), len(run.judgments.raters))
    matrix = np.full(shape, np.nan)
    matrix[table.codes["item"], table.codes["rater"]] = table.numbers["score"]
    return mean_pairwise_spearman(matrix).mean
