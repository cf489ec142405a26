"""Best-worst scaling: how often an item is chosen as best, less how often as worst; or a model of these choices.

Counting scores are (best - worst) / times shown (Louviere, Flynn & Marley 2015; Kiritchenko & Mohammad 2017). The
model is maxdiff: of a task's items, i is called best and j worst with probability in proportion to exp(u_i - u_j)
over all ordered pairs (Marley & Louviere 2005). It is chosen over choosing the best first and the worst of the rest
because its likelihood needs only how often each item was best and worst in a task: published files without raters,
in which the answers to one task cannot be told apart, give the same fit as those with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from steelyard.errors import BadSetting, NothingToFit
from steelyard.judgments.formats.layout import UNKNOWN_RATER
from steelyard.judgments.keys import row_key
from steelyard.judgments.table import Judgments, Table
from steelyard.judgments.tasks import TOGETHER, by_size
from steelyard.maths.arrays import Codes, Labels, Mask, Matrix, Vector, sum_by
from steelyard.models.holding import start_holding, update_holding
from steelyard.models.linking import Preferences, check_without_pseudo, unlinked_parts
from steelyard.models.model import in_sorted_order, provenance_of, rows_of
from steelyard.models.worths import (
    GHOSTLY_VARIANCE,
    Cells,
    Slope,
    WorthPosterior,
    cells_between,
    climb_worths,
    ghost_information,
    place_of,
    posterior_precision,
    zero_at,
)
from steelyard.scales.fit import Fit, Posterior
from steelyard.scales.held import HeldBelief
from steelyard.scales.quantity import Quantity

SIGNS = {"best": 1.0, "worst": -1.0, "none": 0.0}
# An item's own variance counts beside this many degrees of freedom of the variance pooled over all items, so that
# an item that was best twice of twice has an interval (the moderated t of Smyth 2004, df fixed).
POOLED_FREEDOM = 4.0
UNIFORM_VARIANCE = 1.0 / 3.0  # of a score that may lie anywhere from -1 to 1
PAIR_STEEPNESS = 2.0  # of two items, i is best with log-odds 2 (u_i - u_j)


@dataclass(frozen=True, slots=True)
class BestWorst:
    """Best-worst choices to a scale, by counting (from -1 to 1) or by the maxdiff model (log-worths, mean 0).

    In the model every item is also called best and worst `pseudo` times each in tasks of two with a ghost item, so
    that items that were always best stay finite (0 is plain maximum likelihood). `reference` names the item at 0.

    >>> from steelyard import Judgments
    >>> from steelyard.judgments.records import BestWorst as Choice
    >>> chosen = [Choice(r, "t", ("tea", "milk", "soup"), "tea", "soup") for r in ("ann", "bob")]
    >>> BestWorst().fit(Judgments.of(chosen)).scale.position.tolist()
    [1.0, 0.0, -1.0]
    """

    name: ClassVar[str] = "best_worst"
    kinds: ClassVar[tuple[str, ...]] = ("best_worst",)
    method: Literal["counting", "model"] = "counting"
    pseudo: float = 0.5
    reference: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in ("counting", "model"):
            raise BadSetting("method", f"{self.method!r} is neither 'counting' nor 'model'.")
        if not 0.0 <= self.pseudo < np.inf:
            raise BadSetting("pseudo", f"{self.pseudo} is not a number from 0 up.")

    @property
    def quantity(self) -> Quantity:
        """The counting score, or the utility of the maxdiff model."""
        if self.method == "counting":
            return Quantity(
                "best-worst score",
                "the share of its tasks in which the {unit} was chosen as best, minus the share in which it was chosen "
                "as worst",
                "",
                (-1.0, 1.0),
            )
        return Quantity(
            "utility",
            "its utility in the maxdiff model. The probability that one {unit} is chosen as best and another as worst "
            f"grows with the exponential of the difference between their utilities. {zero_at(self.reference)}",
            "utility units",
        )

    def fit(self, judgments: Judgments) -> Fit:
        """The scale that the choices give."""
        judgments, places = in_sorted_order(judgments)
        table = rows_of(judgments, "best_worst", self.name)
        fit = self._counted if self.method == "counting" else self._modelled
        return fit(judgments, table, places)

    def start(self, items: Labels) -> HeldBelief:
        """Nothing chosen yet: every item at 0, anywhere from -1 to 1, or as one that met only the ghost."""
        return start_holding(items, UNIFORM_VARIANCE if self.method == "counting" else GHOSTLY_VARIANCE)

    def update(self, belief: HeldBelief, judgments: Judgments) -> HeldBelief:
        """The belief after these choices too: a fit of all so far."""
        return update_holding(self, belief, judgments)

    def _counted(self, judgments: Judgments, table: Table, places: Codes) -> Fit:
        sign = signs_of(judgments, table)
        cluster, named = clusters_of(judgments, table)
        size = len(judgments.items)
        scores = count_scores(table.codes["item"], sign, table.weights, cluster, size)
        settings = {"method": "counting", "clusters": "rater" if named else "task"}
        provenance = provenance_of(self.name, settings, judgments, self.seed, "best_worst")
        count = sum_by(table.codes["item"], table.weights, size)
        return Fit(
            judgments.items,
            count,
            CountPosterior(scores),
            provenance,
            places=places,
            part=unlinked_parts(_in_one_task(judgments, table).linked()),
        )

    def _modelled(self, judgments: Judgments, table: Table, places: Codes) -> Fit:
        size, reference = len(judgments.items), place_of(self.reference, judgments.items)
        blocks, left_out = choices_of(judgments, table)
        if not blocks:
            raise NothingToFit(self.name, self.kinds, "no task has one best and one other worst item")
        likelihood = ChoiceLikelihood(size, tuple(blocks))
        preferences = likelihood.preferences()
        if self.pseudo == 0.0:
            check_without_pseudo(preferences, judgments.items, self.name)
        helped = likelihood.with_ghost(self.pseudo) if self.pseudo else likelihood
        best = climb_worths(helped, helped.answers)
        theta, ghost = best.place[:size], float(best.place[-1]) if self.pseudo else 0.0
        ghostly = ghost_information(theta, ghost, self.pseudo, PAIR_STEEPNESS)
        precision = posterior_precision(likelihood.at(theta).matrix, preferences.linked(), ghostly)
        posterior: Posterior = WorthPosterior(theta, precision, reference, self.seed)
        settings: dict[str, Any] = {"method": "model", "pseudo": self.pseudo}
        settings |= {} if self.reference is None else {"reference": self.reference}
        settings |= {"tasks_left_out": left_out} if left_out else {}
        told = provenance_of(self.name, settings, judgments, self.seed, "best_worst")
        provenance = replace(told, converged=best.converged, iterations=best.steps)
        notes = [f"{left_out:,} tasks without one best and one other worst item are not used."] * bool(
            left_out
        )
        return Fit(
            judgments.items,
            likelihood.count(),
            posterior,
            provenance,
            places=places,
            part=unlinked_parts(preferences.linked()),
            notes=tuple(notes),
        )


def signs_of(judgments: Judgments, table: Table) -> Vector:
    """1 for best, -1 for worst, 0 for neither."""
    sign = np.array([SIGNS[label] for label in judgments.labels("choice")])
    return sign[table.codes["choice"]]


def _in_one_task(judgments: Judgments, table: Table) -> Preferences:
    """Edges between items that were shown in one task, whichever was chosen."""
    happened = table.where(table.weights > 0.0)
    key = row_key(happened, TOGETHER)
    order = np.argsort(key, kind="stable")
    item, same = happened.codes["item"][order], key[order][1:] == key[order][:-1]
    return Preferences(len(judgments.items), item[:-1][same], item[1:][same])


def clusters_of(judgments: Judgments, table: Table) -> tuple[Codes, bool]:
    """Rows that may depend on each other: those of one rater where raters are known, else those of one task."""
    rater = table.codes.get("rater", np.full(len(table), -1))
    known = np.array([label != UNKNOWN_RATER for label in judgments.raters] + [False])[rater]
    named = bool(known.all()) and len(np.unique(rater)) > 1
    key = rater if named else row_key(table, TOGETHER)
    return np.asarray(np.unique(key, return_inverse=True)[1], dtype=np.int64), named


@dataclass(frozen=True, eq=False)
class Scores:
    """Counting scores with their standard errors and degrees of freedom, and whether the item was shown at all."""

    score: Vector
    error: Vector
    freedom: Vector
    seen: Mask


def count_scores(item: Codes, sign: Vector, weights: Vector, cluster: Codes, size: int) -> Scores:
    """(best - worst) / shown, with moderated cluster-robust standard errors.

    Of an item shown n times to G clusters, with residual sums r_g: variance u / n, u = G / (G - 1) sum r_g^2 / n,
    brought towards the mean of u over all items by 4 degrees of freedom beside the item's own G - 1.
    """
    shown = sum_by(item, weights, size)
    seen = shown > 0.0
    n = np.where(seen, shown, 1.0)
    score = np.where(seen, sum_by(item, weights * sign, size) / n, 0.0)
    group, at = np.unique(item * (int(cluster.max(initial=0)) + 1) + cluster, return_inverse=True)
    residual = sum_by(np.asarray(at), weights * (sign - score[item]), len(group))
    owner = group // (int(cluster.max(initial=0)) + 1)
    clusters = sum_by(owner, (sum_by(np.asarray(at), weights, len(group)) > 0.0).astype(float), size)
    own = np.maximum(clusters - 1.0, 0.0)
    squares = clusters * sum_by(owner, residual**2, size) / n  # (G - 1) u
    pooled = float(squares[own > 0].sum() / own.sum()) if own.sum() > 0 else 0.0
    pooled = (
        pooled if pooled > 0.0 else float(np.mean(sign**2))
    )  # nothing is repeated: as if choices were random
    freedom = own + POOLED_FREEDOM
    return Scores(score, np.sqrt((squares + POOLED_FREEDOM * pooled) / freedom / n), freedom, seen)


@dataclass(frozen=True, eq=False)
class CountPosterior:
    """Independent t distributions around counting scores, intervals cut at -1 and 1.

    Of an item never shown nothing is known: it stands at 0, its interval is the whole scale.
    """

    scores: Scores

    @property
    def position(self) -> Vector:
        """Counting scores."""
        return self.scores.score

    @property
    def spread(self) -> Vector:
        """Standard deviations of the t distributions; uniform on the scale for an item never shown."""
        wide = np.sqrt(self.scores.freedom / (self.scores.freedom - 2.0))
        return np.where(self.scores.seen, self.scores.error * wide, 2.0 / np.sqrt(12.0))

    def interval(self, level: float) -> tuple[Vector, Vector]:
        """Score plus and minus the t quantile times the standard error, cut at the ends."""
        from scipy.special import stdtrit  # late: SciPy would double the time of `import steelyard`

        reach = stdtrit(self.scores.freedom, 0.5 + level / 2.0) * self.scores.error
        low, high = self.position - reach, self.position + reach
        seen = self.scores.seen
        return np.where(seen, np.maximum(low, -1.0), -1.0), np.where(seen, np.minimum(high, 1.0), 1.0)

    def draws(self, n: int, rng: np.random.Generator) -> Matrix:
        """Independent draws, uncut; those of an item never shown are uniform from -1 to 1."""
        noise = rng.standard_t(self.scores.freedom, size=(n, len(self.position)))
        drawn = self.position + noise * self.scores.error
        anywhere = rng.uniform(-1.0, 1.0, size=drawn.shape) if not self.scores.seen.all() else drawn
        return np.where(self.scores.seen, drawn, anywhere)


@dataclass(frozen=True, eq=False)
class Choices:
    """Tasks of one size, a line each: item codes, how often each was best and worst, and how many answers."""

    item: Codes
    best: Matrix
    worst: Matrix
    answers: Vector


def choices_of(judgments: Judgments, table: Table) -> tuple[list[Choices], int]:
    """The tasks, by size, and how many are left out.

    Left out are tasks in which an item is shown more often than another, or best and worst do not add up: what a
    file without raters makes of an item that stood twice on one page.
    """
    key, sign, weight = row_key(table, TOGETHER), signs_of(judgments, table), table.weights
    entry, first, at = np.unique(row_key(table, ("item",), key), return_index=True, return_inverse=True)
    at = np.asarray(at)
    shown, best, worst = (
        sum_by(at, weight * chosen, len(entry)) for chosen in (np.ones(len(sign)), sign > 0, sign < 0)
    )
    task = np.asarray(np.unique(key, return_inverse=True)[1], dtype=np.int64)[first]
    blocks, left_out = [], 0
    for rows in by_size(task):
        answers = best[rows].sum(axis=1)
        sound = np.isclose(worst[rows].sum(axis=1), answers) & np.isclose(shown[rows], answers[:, None]).all(
            axis=1
        )
        sound &= (answers > 0.0) & (rows.shape[1] > 1)
        left_out += int(np.sum(~sound))
        kept = rows[sound]
        if len(kept):
            item = table.codes["item"][first[kept]]
            blocks.append(Choices(item, best[kept], worst[kept], answers[sound]))
    return blocks, left_out


@dataclass(frozen=True, eq=False)
class ChoiceLikelihood:
    """The maxdiff likelihood as a function of log-worths."""

    items: int
    blocks: Sequence[Choices]

    @property
    def size(self) -> int:
        """All parameters are log-worths."""
        return self.items

    @property
    def answers(self) -> Vector:
        """How many choices of a best and a worst there are in each task."""
        return np.concatenate([block.answers for block in self.blocks])

    def at(self, parameters: Vector) -> Slope:
        """Sum over answers of u_best - u_worst - log sum over i != j of exp(u_i - u_j), with gradient and information.

        The gradient of one answer is (best - worst) - (b - w), b and w being each item's chances of either; the
        information is the covariance of best - worst.
        """
        value, gradient = 0.0, np.zeros(self.items)
        cells: list[Vector] = []
        for block in self.blocks:
            log_total, chance = _chances(parameters[block.item])
            mean = chance.sum(axis=2) - chance.sum(axis=1)
            sign = block.best - block.worst
            value += float(np.sum(sign * parameters[block.item]) - np.sum(block.answers * log_total))
            slope = sign - block.answers[:, None] * mean
            gradient = gradient + sum_by(block.item.ravel(), slope.ravel(), self.items)
            cells.append((block.answers[:, None, None] * _covariance(chance, mean)).ravel())
        sums = sum_by(self._slots, np.concatenate(cells), self._cells.count)
        empty = np.empty((self.items, 0))
        return Slope(value, gradient, self._cells.matrix(sums, empty, np.empty((0, 0))))

    @cached_property
    def _pairs(self) -> tuple[Codes, Codes]:
        wide = [(block.item, block.item.shape[1]) for block in self.blocks]
        rows = [np.repeat(item, n, axis=1).ravel() for item, n in wide]
        columns = [np.tile(item, (1, n)).ravel() for item, n in wide]
        return np.concatenate(rows), np.concatenate(columns)

    @cached_property
    def _cells(self) -> Cells:
        return cells_between(self.items, *self._pairs)

    @cached_property
    def _slots(self) -> Codes:
        row, column = self._pairs
        return self._cells.slot if len(self._cells.slot) else row * self.items + column

    def count(self) -> Vector:
        """How often each item was shown in tasks that count."""
        counts = [
            sum_by(block.item.ravel(), np.repeat(block.answers, block.item.shape[1]), self.items)
            for block in self.blocks
        ]
        return np.asarray(np.sum(counts, axis=0))

    def with_ghost(self, pseudo: float) -> ChoiceLikelihood:
        """These tasks, and one of every item with a ghost in which each is best and worst `pseudo` times."""
        every = np.arange(self.items)
        item = np.column_stack([every, np.full(self.items, self.items)])
        chosen = np.full(item.shape, pseudo)
        ghostly = Choices(item, chosen, chosen, np.full(self.items, 2.0 * pseudo))
        return ChoiceLikelihood(self.items + 1, (*self.blocks, ghostly))

    def preferences(self) -> Preferences:
        """Edges from an item that was best to its whole task, and from the whole task to one that was worst."""
        ends = []
        for block in self.blocks:
            row, column = (
                np.repeat(block.item, block.item.shape[1], axis=1),
                np.tile(block.item, block.item.shape[1]),
            )
            above = np.repeat(block.best > 0, block.item.shape[1], axis=1)
            below = np.tile(block.worst > 0, block.item.shape[1])
            kept = above | below
            ends.append((row[kept], column[kept]))
        upper, lower = (np.concatenate(side) for side in zip(*ends, strict=True))
        return Preferences(self.items, upper, lower)


def _chances(worth: Matrix) -> tuple[Vector, Matrix]:
    """Log of the sum over ordered pairs of each task, and the chance of each pair (best, worst)."""
    gap = worth[:, :, None] - worth[:, None, :]
    size = worth.shape[1]
    gap[:, np.arange(size), np.arange(size)] = -np.inf
    top = gap.max(axis=(1, 2))
    weight = np.exp(gap - top[:, None, None])
    total = weight.sum(axis=(1, 2))
    return top + np.log(total), weight / total[:, None, None]


def _covariance(chance: Matrix, mean: Matrix) -> Matrix:
    """Covariance of best - worst in each task: E is b + w on the diagonal, minus both chances elsewhere."""
    moment = -(chance + chance.transpose(0, 2, 1))
    places = np.arange(chance.shape[1])
    moment[:, places, places] = chance.sum(axis=2) + chance.sum(axis=1)
    return moment - mean[:, :, None] * mean[:, None, :]
