"""Clustered standard errors of a Plackett-Luce fit: scores of rankings by rater and segment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.models.clusters import Clustering, Scored, Way
from steelyard.models.plackett_luce.likelihood import RankingLikelihood


@dataclass(frozen=True, eq=False)
class RankedScores:
    """Scores and information of answers. Each answer is one of the distinct rankings of a likelihood."""

    likelihood: RankingLikelihood
    parameters: Vector
    ranking: Codes  # ranking of each answer
    weight: Vector

    def scores(self, codes: Codes, count: int) -> Any:
        """Return the sums of scores by cluster as a sparse matrix, clusters x parameters."""
        from scipy.sparse import csr_array  # SciPy is slow to import

        shape = (count, len(self.likelihood.rankings))
        return csr_array((self.weight, (codes, self.ranking)), shape=shape) @ self.likelihood.scores(
            self.parameters
        )

    def information(self, codes: Codes, count: int) -> Matrix:
        """Return the information by cluster: clusters x parameters x parameters."""
        size = self.likelihood.size
        information = np.zeros((count, size, size))
        for at in range(count):
            inside = codes == at
            rankings, which = np.unique(self.ranking[inside], return_inverse=True)
            some = self.likelihood.rankings.chosen(rankings, sum_by(which, self.weight[inside]))
            matrix = RankingLikelihood(some, self.likelihood.orders).at(self.parameters).matrix
            information[at] = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        return information


def clustering_of(
    answers: RankedScores, ways: tuple[Way, ...], bread: Matrix, few_clusters: str
) -> Clustering:
    """Return the clustered covariance of log-worths and tie parameters.

    Parameters
    ----------
    answers
        Scores of the answers.
    ways
        One or two types of clustering.
    bread
        Inverse information matrix.
    few_clusters
        `guarded` or `plain`.

    Returns
    -------
    Clustering
        Covariance with degrees of freedom.
    """
    items, size = answers.likelihood.items, answers.likelihood.size
    tastes = np.diag((np.arange(size) < items).astype(float))
    judged = Scored(answers.scores, answers.weight, bread, answers.information, tastes)
    return Clustering.of(judged, ways, few_clusters)
