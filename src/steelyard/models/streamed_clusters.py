"""Clustered standard errors from a stream of judgments, for logs whose cells do not fit into memory.

The meat of the sandwich, sum_g s_g s_g', adds up over clusters. The scores s_g of as many clusters as fit into memory
are summed in one pass through the log, and further clusters in further passes. If that takes too many passes, clusters
are joined to random groups, and the variance between groups is used. It has the same expectation, and the degrees of
freedom of the number of groups (random groups method, Wolter 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.counts import PairCounts
from steelyard.judgments.logs import CountedComparisons, LogRows
from steelyard.maths.arrays import Codes, Matrix, Vector
from steelyard.maths.cluster_scores import ClusterScores

MOST_SCORES = 2**26  # clusters x parameters that are summed in one pass (512 MiB)
MOST_PASSES = 4  # through the log; with more clusters, random groups are used
GROUPS = 1000  # number of random groups


def chosen_clusters(log: CountedComparisons, cluster: str) -> tuple[str, ...]:
    """Return the columns of the clusters: `auto` is the rater if one of at least two answers more than once."""
    if cluster in ("none", "both"):
        return () if cluster == "none" else ("rater", "segment")
    if cluster != "auto":
        return (cluster,)
    sizes = log.clusters("rater").weight
    return ("rater",) if len(sizes) > 1 and sizes.max(initial=0.0) > 1.0 else ()


def one_way(names: Sequence[str]) -> str:
    """Return the type of the clusters, or raise `BadSetting` for two types, whose cells a stream cannot join."""
    if len(names) > 1:
        raise BadSetting(
            "cluster",
            "two-way clustering needs the counts by rater and segment in memory, and this log has too many of them. "
            "Use cluster='rater' or cluster='segment'.",
        )
    return names[0]


def streamed_scores(
    log: CountedComparisons, table: PairCounts, name: str, units: Any, bread: Matrix
) -> ClusterScores:
    """Return the sum of squared scores of clusters from a stream of comparisons.

    Parameters
    ----------
    log
        Log with the comparisons.
    table
        Table of counts, whose rows the scores belong to.
    name
        Type of the clusters: "rater" or "segment".
    units
        Score of one comparison of each outcome (FIRST, TIE, SECOND) in each row: (3 x rows) x parameters, sparse.
    bread
        Inverse information matrix.

    Returns
    -------
    ClusterScores
        Scores without the information of single clusters.
    """
    count, parameters = len(log.clusters(name).weight), units.shape[1]
    passes = max(-(-count * parameters // MOST_SCORES), 1)
    if passes > MOST_PASSES:
        return _grouped(log, table, name, units, bread)
    meat, sizes, alone = np.zeros((parameters, parameters)), [], 0.0
    for part in range(passes):
        sums = Sums.empty(-(-(count - part) // passes), units)
        for rows in log.rows(table, name, (part, passes)):
            sums.add(rows, np.where(rows.cluster < 0, -1, rows.cluster // passes))
        meat += sums.meat
        sizes.append(sums.sizes)
        alone += float(sums.alone.sum())
    return _scores(name, np.concatenate(sizes), meat, bread, alone)


def _grouped(
    log: CountedComparisons, table: PairCounts, name: str, units: Any, bread: Matrix
) -> ClusterScores:
    """Return the scores of random groups of clusters. Judgments without a name stay clusters of their own."""
    clusters = len(log.clusters(name).weight)
    group = np.random.default_rng(0).permutation(clusters) % GROUPS
    with_none = np.append(group, -1)  # the code -1 selects the last entry
    sums = Sums.empty(GROUPS, units)
    for rows in log.rows(table, name):
        sums.add(rows, with_none[rows.cluster])
    return _scores(f"{name} group", sums.sizes, sums.meat, bread, float(sums.alone.sum()))


def streamed_blocks(
    log: CountedComparisons, table: PairCounts, name: str, most: int
) -> tuple[Matrix, Vector]:
    """Return the comparisons of blocks of clusters, for a block bootstrap.

    A block has clusters drawn at random. If there are few clusters, each is a block of its own.

    Parameters
    ----------
    log
        Log with the comparisons.
    table
        Table of counts.
    name
        Type of the clusters: "rater" or "segment".
    most
        Largest number of blocks.

    Returns
    -------
    counts : Matrix
        Number of comparisons by outcome and row of the table (FIRST of all rows, then TIE and SECOND), and block.
    alone : Vector
        Number of comparisons without a name, which are in no block.
    """
    clusters, entries = len(log.clusters(name).weight), 3 * len(table)
    block = np.random.default_rng(0).permutation(clusters) % most
    blocks = min(clusters, most)
    sums = np.zeros(entries * (blocks + 1))
    with_none = np.append(block, blocks)  # the code -1 selects the last entry
    for rows in log.rows(table, name):
        place = rows.entry.astype(np.int64) * (blocks + 1) + with_none[rows.cluster]
        np.add.at(sums, place, rows.weight)
    counts = sums.reshape(entries, blocks + 1)
    return np.ascontiguousarray(counts[:, :blocks]), counts[:, blocks].copy()


def _scores(name: str, sizes: Vector, meat: Matrix, bread: Matrix, alone: float) -> ClusterScores:
    """Return the scores of the clusters that have judgments which count."""
    return ClusterScores(name, sizes[sizes > 0.0], meat, bread, alone=alone)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of scores by cluster, which grow with the stream. `alone` has the weight of nameless judgments by entry."""

    sums: Matrix
    sizes: Vector
    alone: Vector
    units: Any

    @staticmethod
    def empty(clusters: int, units: Any) -> Sums:
        """Return sums of 0."""
        entries, parameters = units.shape
        return Sums(np.zeros((clusters, parameters)), np.zeros(clusters), np.zeros(entries), units)

    def add(self, rows: LogRows, cluster: Codes) -> None:
        """Add judgments, in place: the sums may have hundreds of megabytes."""
        from steelyard.maths.score_kernel import add_scores  # numba is slow to import

        arrays = (self.units.data, self.units.indices, self.units.indptr)
        add_scores((self.sums, self.sizes, self.alone), arrays, (rows.entry, cluster, rows.weight))

    @property
    def meat(self) -> Matrix:
        """Sum over clusters of the squared scores."""
        return np.asarray(self.sums.T @ self.sums + _squares(self.units, self.alone))


def _squares(units: Any, weight: Vector) -> Matrix:
    """Return the sum of squared scores of judgments that are clusters of their own."""
    if not weight.any():
        return np.zeros((units.shape[1], units.shape[1]))
    from scipy.sparse import diags_array  # SciPy is slow to import

    return np.asarray((units.T @ diags_array(weight) @ units).toarray())
