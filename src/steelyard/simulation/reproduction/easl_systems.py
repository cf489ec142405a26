"""Experiment 3 of Sakaguchi & Van Durme (2018): ranking systems with few judgments. Figure 11.

Judgments of real raters are replayed: a method chooses whose output is judged next, and receives a stored score. The
oracle is the mean of all scores of a system, as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steelyard.maths import beta
from steelyard.maths.arrays import Codes, Matrix, Vector
from steelyard.maths.sampling import shuffled_order, weighted_sample
from steelyard.selection.match_quality import match_quality
from steelyard.simulation.reproduction.claims import Check, Claim
from steelyard.simulation.reproduction.easl_data import SystemScores, read_ratings
from steelyard.simulation.reproduction.easl_experiments import mean_and_reach
from steelyard.simulation.reproduction.easl_rounds import LIST_SIZE
from steelyard.simulation.reproduction.figures import Figure, Grid, Lines, Series
from steelyard.simulation.reproduction.reproduction import Request, Section

BUNDLED = Path(__file__).parent / "data" / "mqm_sxs23.parquet"
BUDGETS = (5, 10, 20, 40, 80, 160, 320)  # judgments per system
METHODS = ("DA", "EASL")
SIMULATED = "simulated in the paper's shape"
SHAPE = (10, 2999, 33760)  # systems, segments and judgments of the paper
SYSTEM_SPAN = (0.5, 0.75)  # mean adequacy of the worst and best simulated system
SEGMENT_SD, OUTPUT_SD, RATER_SD = 0.12, 0.12, 0.2
EARLY = 40  # judgments per system at which the methods are compared


@dataclass(frozen=True, eq=False)
class Replay:
    """Results of one data set.

    Attributes
    ----------
    scores
        The judgments.
    spearman
        Correlation with the oracle: repetitions x budgets, by method.
    position
        Mean position of each system at the largest budget, by method.
    budgets
        Judgments per system.
    """

    scores: SystemScores
    spearman: dict[str, Matrix]
    position: dict[str, Vector]
    budgets: tuple[int, ...]


def systems_steps(given: int) -> int:
    """Return the number of steps of this part, with this many data sets of the user."""
    return 3 + given


def systems_section(repetitions: int, given: tuple[SystemScores, ...], request: Request) -> Section:
    """Return experiment 3: bundled and given judgments replayed, and simulated judgments.

    Parameters
    ----------
    repetitions
        Number of simulated experiments.
    given
        Judgments of systems from files.
    request
        Seed, log and progress.

    Returns
    -------
    Section
        Claims and figures.
    """
    rng = request.rng(3)
    replays = []
    for scores in (*read_ratings(BUNDLED), *given, simulated_scores(rng)):
        replays.append(replay(scores, repetitions, rng))
        request.step()
    claims = tuple(claim for each in replays for claim in _claims(each))
    figures: tuple[Figure, ...] = (_figure(replays), *(_list(each) for each in replays))
    text = (
        "The direct assessments of WMT16 German-English are not part of this program. Their place is taken by MQM "
        "scores of WMT23 (10 systems each, Apache License 2.0), which are replayed, and by simulated scores in "
        "the shape of the paper: 10 systems, 2,999 segments, 33,760 judgments. Pass other ratings or rankings of "
        "systems with --data FILE.",
        "DA draws outputs at random. EASL chooses lists of five systems on one segment by variance and match "
        f"quality. Both estimate the mean score of a system. {repetitions} replays each.",
    )
    return Section("Experiment 3: ranking systems", text, claims, figures)


def simulated_scores(rng: np.random.Generator) -> SystemScores:
    """Return scores of simulated systems in the shape of the paper's data."""
    systems, segments, rows = SHAPE
    level = np.linspace(*SYSTEM_SPAN, systems)
    quality = (
        level[:, None]
        + SEGMENT_SD * rng.standard_normal(segments)
        + OUTPUT_SD * rng.standard_normal((systems, segments))
    )
    place = np.concatenate(
        [rng.permutation(systems * segments), rng.integers(systems * segments, size=rows)]
    )[:rows]
    system, segment = place // segments, place % segments
    score = np.clip(quality[system, segment] + RATER_SD * rng.standard_normal(rows), 0.0, 1.0)
    names = tuple(f"system {chr(65 + at)}" for at in range(systems))
    return SystemScores(SIMULATED, names, segments, system, segment, score)


def replay(scores: SystemScores, repetitions: int, rng: np.random.Generator) -> Replay:
    """Replay the judgments with both methods.

    Parameters
    ----------
    scores
        Judgments of systems.
    repetitions
        Number of replays.
    rng
        Source of randomness.

    Returns
    -------
    Replay
        Correlations by budget, and positions.
    """
    fewest = int(np.bincount(scores.system_code).min())
    budgets = tuple(budget for budget in BUDGETS if budget <= fewest) or (fewest,)
    takers = {"DA": _at_random, "EASL": _by_lists}
    spearman, position = {}, {}
    for name, take in takers.items():
        runs = [_curve(take(scores, budgets, rng), scores, budgets) for _ in range(repetitions)]
        spearman[name] = np.array([curve for curve, _ in runs])
        position[name] = np.mean([last for _, last in runs], axis=0)
    return Replay(scores, spearman, position, budgets)


def _at_random(scores: SystemScores, budgets: tuple[int, ...], rng: np.random.Generator) -> Codes:
    """Return the judgments that direct assessment takes, in order: outputs at random, without replacement."""
    return rng.permutation(len(scores.score))[: budgets[-1] * len(scores.system)]


def _by_lists(scores: SystemScores, budgets: tuple[int, ...], rng: np.random.Generator) -> Codes:
    """Return the judgments that EASL takes, in order: lists of systems on one segment (Algorithm 1)."""
    size = len(scores.system)
    stock = _Stock(scores, rng)
    alpha, beta_parameter = np.ones(size), np.ones(size)
    taken: list[int] = []
    while len(taken) < budgets[-1] * size and not stock.empty:
        for systems in _lists(alpha, beta_parameter, rng):
            rows = stock.take(systems)
            alpha, beta_parameter = alpha.copy(), beta_parameter.copy()
            np.add.at(alpha, scores.system_code[rows], scores.score[rows])
            np.add.at(beta_parameter, scores.system_code[rows], 1.0 - scores.score[rows])
            taken += rows.tolist()
    return np.array(taken[: budgets[-1] * size])


def _lists(alpha: Vector, beta_parameter: Vector, rng: np.random.Generator) -> list[Codes]:
    """Return k = N / n lists: the most uncertain systems as heads, each with partners by match quality."""
    size = len(alpha)
    position, variance = beta.mode(alpha, beta_parameter), beta.variance(alpha, beta_parameter)
    count = max(min(-(-size // LIST_SIZE), size - (LIST_SIZE - 1)), 1)
    heads = shuffled_order(variance, rng)[:count]
    others = np.setdiff1d(np.arange(size), heads)
    lists = []
    for head in heads:
        quality = match_quality(
            float(position[head]), float(variance[head]), position[others], variance[others]
        )
        partners = others[weighted_sample(quality, min(LIST_SIZE - 1, len(others)), rng)]
        lists.append(np.append(head, partners))
    return lists


class _Stock:
    """Judgments that were not used yet, by system and segment."""

    def __init__(self, scores: SystemScores, rng: np.random.Generator) -> None:
        self._rng = rng
        self._rows: dict[tuple[int, int], list[int]] = {}
        self._left = np.zeros((len(scores.system), scores.segments), dtype=np.int64)
        for row in rng.permutation(len(scores.score)).tolist():
            place = int(scores.system_code[row]), int(scores.segment_code[row])
            self._rows.setdefault(place, []).append(row)
            self._left[place] += 1

    @property
    def empty(self) -> bool:
        """Whether every judgment was used."""
        return not self._left.any()

    def take(self, systems: Codes) -> Codes:
        """Return one judgment of each system on the segment that has most of them, drawn at random among equals."""
        available = (self._left[systems] > 0).sum(axis=0)
        segment = int(self._rng.choice(np.flatnonzero(available == available.max())))
        rows = []
        for system in systems.tolist():
            if self._left[system, segment] > 0:
                self._left[system, segment] -= 1
                rows.append(self._rows[system, segment].pop())
        return np.array(rows, dtype=np.int64)


def _curve(taken: Codes, scores: SystemScores, budgets: tuple[int, ...]) -> tuple[list[float], Vector]:
    """Return the Spearman correlation with the oracle at each budget, and the mean scores at the last."""
    from scipy.stats import spearmanr  # SciPy is slow to import

    size, oracle = len(scores.system), scores.oracle
    curve, means = [], np.full(size, 0.5)
    for budget in budgets:
        rows = taken[: budget * size]
        count = np.bincount(scores.system_code[rows], None, size)
        total = np.bincount(scores.system_code[rows], scores.score[rows], size)
        means = np.where(count > 0, total / np.maximum(count, 1), 0.5)
        curve.append(float(spearmanr(means, oracle).statistic))
    return curve, means


def _claims(found: Replay) -> tuple[Claim, ...]:
    early = max(budget for budget in found.budgets if budget <= EARLY)
    at = found.budgets.index(early)
    one, other = (found.spearman[name][:, at] for name in METHODS)
    mean, reach = mean_and_reach(other - one)
    last = [float(found.spearman[name][:, -1].mean()) for name in METHODS]
    first = [float(found.spearman[name][:, 0].mean()) for name in METHODS]
    real = "Simulated scores." if found.scores.name == SIMULATED else "Real judgments, replayed."
    return (
        Claim(
            "Figure 11",
            f"{found.scores.name}: EASL ranks systems better than DA with few annotations.",
            "better",
            f"Spearman {other.mean():.3f} and {one.mean():.3f} at {early} per system; difference {mean:+.3f} ± "
            f"{reach:.3f}",
            (Check(mean - reach, low=0.0),),
            because=_why(mean, reach, found.scores),
            note=real,
        ),
        Claim(
            "Figure 11",
            f"{found.scores.name}: the ranking of both methods approaches the oracle.",
            "increases",
            f"EASL {first[1]:.3f} to {last[1]:.3f}, DA {first[0]:.3f} to {last[0]:.3f} from {found.budgets[0]} to "
            f"{found.budgets[-1]} per system",
            tuple(Check(end - start, low=0.0) for start, end in zip(first, last, strict=True)),
            note=real,
        ),
    )


def _why(mean: float, reach: float, scores: SystemScores) -> str:
    if abs(mean) <= reach or mean > 0.0:
        return (
            "The 95% interval of the difference includes 0. A stored score does not change with its list, so a "
            "replay shows only the choice of outputs and the effect of judging systems on the same segments."
        )
    if scores.relative:
        return (
            "Scores from rankings are relative to the page. EASL compares similar systems, so the mean scores of "
            "good and bad systems move together. Random pages do not have this effect."
        )
    return (
        "EASL judges systems with a large Beta variance more often, not those that are hard to distinguish."
    )


def _figure(replays: list[Replay]) -> Lines:
    panels = {}
    for each in replays:
        series = []
        for name in METHODS:
            ends = [mean_and_reach(each.spearman[name][:, at]) for at in range(len(each.budgets))]
            points = tuple((float(b), mean) for b, (mean, _) in zip(each.budgets, ends, strict=True))
            bands = (
                tuple((mean - reach, mean + reach) for mean, reach in ends) if np.isfinite(ends[0][1]) else ()
            )
            series.append(Series(name, points, bands))
        panels[each.scores.name] = tuple(series)
    caption = (
        "Spearman correlation of the ranking of systems with the oracle, with 95% intervals over replays."
    )
    return Lines("Figure 11: ranking systems", caption, panels, "annotations per system", "Spearman")


def _list(found: Replay) -> Grid:
    oracle = found.scores.oracle
    order = np.argsort(-oracle)
    head = ("system", "oracle", f"DA at {found.budgets[-1]}", f"EASL at {found.budgets[-1]}")
    rows = tuple(
        (
            found.scores.system[at],
            *(f"{value[at]:.3f}" for value in (oracle, *(found.position[m] for m in METHODS))),
        )
        for at in order.tolist()
    )
    caption = "Mean scores from 0 to 1, best system first. The oracle is the mean of all scores."
    return Grid(f"Systems: {found.scores.name}", caption, head, rows)
