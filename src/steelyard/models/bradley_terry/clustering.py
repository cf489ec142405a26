"""Clustered standard errors of a Bradley-Terry fit: scores of comparisons by rater and segment.

The score of a comparison depends only on its row of the design and its outcome. Comparisons are therefore summed by
cluster and row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.judgments.comparison_arrays import SIGNS
from steelyard.judgments.counts import FIRST, SECOND, TIE, Covariate, PairCounts, sides_of
from steelyard.judgments.logs import ComparisonSource, CountedComparisons
from steelyard.judgments.table import MISSING, Judgments
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector
from steelyard.models.bradley_terry.coefficients import item_rows, mean_profile
from steelyard.models.bradley_terry.columns import words_of
from steelyard.models.bradley_terry.design import Design, make_design
from steelyard.models.bradley_terry.inference import centring
from steelyard.models.bradley_terry.likelihoods import Likelihood
from steelyard.models.bradley_terry.residuals import table_of
from steelyard.models.bradley_terry.settings import Settings
from steelyard.models.clusters import Clustering, Scored, Way, rater_codes, segment_codes, ways_of
from steelyard.models.streamed_clusters import chosen_clusters, one_way, streamed_scores

COLUMN = "{} cluster"  # name of the column with the clusters in the table of counts
SHORT = 2**16  # clusters up to which their codes fit into 16 bits
SLOPES = ("ability", "tie", "ability_ability", "ability_tie", "tie_tie")


@dataclass(frozen=True, eq=False)
class FittedDesign:
    """A design with its estimates and `bread`, the inverse information matrix."""

    design: Design
    likelihood: Likelihood
    theta: Vector
    bread: Matrix


def clustering_of(fitted: FittedDesign, settings: Settings, source: ComparisonSource) -> Clustering | None:
    """Return the clustered covariance of the estimates.

    Parameters
    ----------
    fitted
        Design with its estimates.
    settings
        Settings; `cluster` and `few_clusters` select the method.
    source
        Judgments, counts or a log with the raters and segments.

    Returns
    -------
    Clustering or None
        Covariance of the parameters with a positive variance; None if judgments count as independent.
    """
    if isinstance(source, CountedComparisons):
        return _of_log(fitted, settings, source)
    ways = _ways(source, settings.cluster)
    if not ways:
        return None
    design, bread = fitted.design, fitted.bread
    if isinstance(source, Judgments) and not design.table.cells:
        placed = _in_rows(design, source, ways)
    else:
        placed = _split(source, settings, ways)
    active = np.diag(bread) > 0.0
    sums = ScoreSums(placed, fitted.likelihood, settings.ties, fitted.theta, np.flatnonzero(active))
    inside, tastes = bread[np.ix_(active, active)], _tastes(design, active)
    judged = Scored(sums.scores, placed.weight, inside, sums.information, tastes)
    return Clustering.of(judged, placed.ways, settings.few_clusters)


def _of_log(fitted: FittedDesign, settings: Settings, log: CountedComparisons) -> Clustering | None:
    """Return the clustered covariance from a log: from its cells, or from a stream if these are too many."""
    names = chosen_clusters(log, settings.cluster)
    if not names:
        return None
    cells = log.cells(names, settings.columns, settings.ordered)
    if cells is not None:
        return clustering_of(fitted, settings, cells)
    active = np.diag(fitted.bread) > 0.0
    design, inside = fitted.design, fitted.bread[np.ix_(active, active)]
    every_row = np.arange(len(design.left))
    placed = Placed(design, every_row, np.zeros_like(every_row), np.ones(len(every_row)), ())
    sums = ScoreSums(placed, fitted.likelihood, settings.ties, fitted.theta, np.flatnonzero(active))
    scores = streamed_scores(log, design.table, one_way(names), sums.units, inside)
    return Clustering((scores,), None, inside, settings.few_clusters)


def _ways(source: Judgments | PairCounts, cluster: str) -> tuple[Way, ...]:
    if isinstance(source, PairCounts):
        rater, segment = (source.codes_of(name) for name in ("rater", "segment"))
        return ways_of(cluster, rater, segment, source.totals)
    table = source.table("comparison")
    return ways_of(cluster, rater_codes(source, table), segment_codes(table), table.weights)


@dataclass(frozen=True, eq=False)
class Placed:
    """Comparisons by their row of a design, their outcome (FIRST, TIE or SECOND) and their clusters."""

    design: Design
    row: Codes
    outcome: Codes
    weight: Vector
    ways: tuple[Way, ...]


def _in_rows(design: Design, source: Judgments, ways: tuple[Way, ...]) -> Placed:
    """Assign each comparison to its row of a design whose rows are pairs."""
    table = source.table("comparison")
    _, _, left, right = sides_of(source, table)
    signs = np.array([SIGNS[label] for label in source.labels("outcome")], dtype=np.int64)
    outcome = (1 - signs)[table.codes["outcome"]]
    if not design.table.ordered:
        turned = left > right
        left, right = np.where(turned, right, left), np.where(turned, left, right)
        outcome = np.where(turned, 2 - outcome, outcome)
    size, real = len(design.items), np.flatnonzero(design.real)
    place = np.full(size * size, MISSING)
    place[design.left[real].astype(np.int64) * size + design.right[real]] = real
    row, weight = place[left.astype(np.int64) * size + right], table.weights
    used = (row != MISSING) & (weight > 0.0)
    if used.all():
        return Placed(design, row, outcome, weight, ways)
    kept = tuple(way.at(used) for way in ways)
    return Placed(design, row[used], outcome[used], weight[used], kept)


def _split(source: Judgments | PairCounts, settings: Settings, ways: tuple[Way, ...]) -> Placed:
    """Split the counts by the columns of the settings and by cluster, with one entry per row and outcome."""
    columns = tuple(COLUMN.format(way.name) for way in ways)
    by = (*(name for name in settings.columns if name != "row"), *columns)
    split = make_design(table_of(_with_columns(source, ways), by, settings.ordered), settings)
    real = np.flatnonzero(split.real)
    order = np.argsort(split.table.left, kind="stable")  # rows of a design are sorted by their first item
    counts = split.table.counts[:, order]
    at, outcome = np.tile(np.arange(len(real)), 3), np.repeat(np.arange(3), len(real))
    used = counts.ravel() > 0.0
    used_ways = tuple(
        Way(way.name, words_of(split.table.cells[name])[1][order][at]).at(used)
        for way, name in zip(ways, columns, strict=True)
    )
    return Placed(split, real[at[used]], outcome[used], counts.ravel()[used], used_ways)


def _with_columns(source: Judgments | PairCounts, ways: tuple[Way, ...]) -> Judgments | PairCounts:
    """Return the comparisons with one more column for each type of clustering."""
    if isinstance(source, PairCounts):
        added = {COLUMN.format(way.name): Covariate(way.codes) for way in ways}
        return replace(source, cells={**source.cells, **added})
    table = source.table("comparison")
    numbers = {COLUMN.format(way.name): way.codes.astype(np.float64) for way in ways}
    counted = replace(table, numbers={**table.numbers, **numbers})
    return replace(source, tables={**source.tables, "comparison": counted})


@dataclass(frozen=True, eq=False)
class ScoreSums:
    """Sums of scores and information of comparisons by cluster."""

    placed: Placed
    likelihood: Likelihood
    ties: str
    theta: Vector
    active: Codes  # parameters that have a variance

    @cached_property
    def _slopes(self) -> dict[str, Matrix]:
        """Derivatives for one comparison of each outcome (rows FIRST, TIE, SECOND) in each row of the design."""
        ability, tie = self.placed.design.predictors(self.theta)
        by_predictor: dict[str, list[Vector]] = {}
        for outcome in range(self.likelihood.outcomes):
            unit = np.zeros((self.likelihood.outcomes, len(ability)))
            unit[outcome] = 1.0
            slopes = self.likelihood.evaluate(ability, np.asarray(tie), unit)[1]
            for name in SLOPES:
                value = getattr(slopes, name)
                if value is not None:
                    by_predictor.setdefault(name, []).append(np.broadcast_to(value, len(ability)))
        return {name: self._of_answers(values) for name, values in by_predictor.items()}

    def _of_answers(self, values: list[Vector]) -> Matrix:
        """Return the values for the three answers. In a model without ties, a tie is two half wins or nothing."""
        if len(values) == 3:
            return np.stack(values)
        tie = 0.5 * (values[0] + values[1]) if self.ties == "half" else np.zeros_like(values[0])
        by_answer = np.empty((3, len(tie)))
        by_answer[FIRST], by_answer[TIE], by_answer[SECOND] = values[0], tie, values[1]
        return by_answer

    def _by_row(self, name: str, codes: Codes, count: int) -> Any:
        """Return the sums of one derivative as a sparse matrix, clusters x rows of the design."""
        from scipy.sparse import csr_array  # SciPy is slow to import

        placed = self.placed
        rows = len(placed.design.left)
        values = placed.weight * self._slopes[name].ravel()[placed.outcome * rows + placed.row]
        short = codes.astype(np.uint16) if count <= SHORT else codes  # five times faster to sort
        order = np.argsort(short, kind="stable")
        begin = np.r_[0, np.cumsum(np.bincount(codes, minlength=count))]
        return csr_array((values[order], placed.row[order], begin), shape=(count, rows))

    @cached_property
    def _columns(self) -> tuple[Any, Any]:
        """Columns of both predictors for the parameters with a positive variance."""
        design = self.placed.design
        return design.matrix[:, self.active], design.tie_matrix[:, self.active]

    @property
    def _has_ties(self) -> bool:
        return "tie" in self._slopes and self.placed.design.ties.shape[1] > 0

    @cached_property
    def units(self) -> Any:
        """Score of one comparison of each outcome in each row of the table: (3 x rows) x parameters, sparse."""
        from scipy.sparse import csr_array, diags_array, vstack  # SciPy is slow to import

        x, z = self._columns
        rows = _design_rows(self.placed.design)
        parts = []
        for outcome in (FIRST, TIE, SECOND):
            if outcome == TIE and self.ties == "drop":  # without entries: these comparisons do not count
                parts.append(csr_array((len(rows), len(self.active))))
                continue
            part = diags_array(self._slopes["ability"][outcome][rows]) @ x[rows]
            if self._has_ties:
                part = part + diags_array(self._slopes["tie"][outcome][rows]) @ z[rows]
            parts.append(part)
        return vstack(parts, format="csr")

    def scores(self, codes: Codes, count: int) -> Any:
        """Return the sums of scores by cluster as a sparse matrix, clusters x parameters."""
        x, z = self._columns
        sums = self._by_row("ability", codes, count) @ x
        return sums + self._by_row("tie", codes, count) @ z if self._has_ties else sums

    def information(self, codes: Codes, count: int) -> Matrix:
        """Return the information X'WX of both predictors by cluster: clusters x parameters x parameters."""
        x, z = self._columns
        pairs = [("ability_ability", x, x)]
        if self._has_ties:
            pairs += [("ability_tie", x, z), ("ability_tie", z, x), ("tie_tie", z, z)]
        information = np.zeros((count, len(self.active), len(self.active)))
        for name, one, other in pairs:
            weights = self._by_row(name, codes, count)
            for at in range(count):
                some = weights[[at]]
                some.sum_duplicates()
                here = some.indices
                information[at] += (one[here].T @ other[here].multiply(some.data[:, None])).toarray()
        return information


def _design_rows(design: Design) -> Codes:
    """Return the row of the design of each row of its table. Rows of a design are sorted by their first item."""
    rows = np.empty(len(design.table), dtype=np.int64)
    rows[np.argsort(design.table.left, kind="stable")] = np.flatnonzero(design.real)
    return rows


def _tastes(design: Design, active: Mask) -> Matrix | None:
    """Return the covariance of item parameters if items have independent effects of variance 1.

    If one item of a part is fixed at 0, the others share its variance: 1 is added to all their covariances.
    """
    count = len(design.items) if design.size else 0
    if not count or not active[:count].any():
        return None
    covariance = np.zeros((len(active), len(active)))
    covariance[np.arange(count), np.arange(count)] = 1.0
    for part in np.unique(design.component):
        members = np.flatnonzero(design.component == part)
        if not active[members].all():
            covariance[np.ix_(members, members)] += 1.0
    return covariance[np.ix_(active, active)]


def position_rows(design: Design, settings: Settings, bread: Matrix) -> Matrix:
    """Return the matrix that computes centred positions from the parameters with a positive variance.

    Parameters
    ----------
    design
        Design of the fit.
    settings
        Settings of the model.
    bread
        Inverse information matrix of all parameters.

    Returns
    -------
    Matrix
        Items x parameters.
    """
    plain = design.size and not (settings.varying or settings.item_covariates)
    profile = {} if plain else mean_profile(design, settings)
    rows = np.eye(len(design.items), len(design.names)) if plain else item_rows(design, settings, profile)
    rows = rows[:, np.diag(bread) > 0.0]
    return centring(design.component) @ rows if design.component.any() else rows - rows.mean(axis=0)


def embedded(inside: Matrix, bread: Matrix) -> Matrix:
    """Return the covariance of all parameters, with 0 for those that are fixed."""
    active = np.diag(bread) > 0.0
    covariance = np.zeros_like(bread)
    covariance[np.ix_(active, active)] = inside
    return covariance
