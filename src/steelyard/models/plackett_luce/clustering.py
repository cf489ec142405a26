"""Scores of rankings by rater and segment, for clustered errors of a Plackett-Luce fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector, sum_by
from steelyard.models.clusters import Clustering, Scored, Way
from steelyard.models.plackett_luce.likelihood import RankingLikelihood


@dataclass(frozen=True, eq=False)
class RankedScores:
    """Scores and information of answers, each of which is one of the distinct rankings of a likelihood."""

    likelihood: RankingLikelihood
    parameters: Vector
    ranking: Codes  # of each answer
    weight: Vector

    def scores(self, codes: Codes, count: int) -> Any:
        """Clusters x parameters, sparse."""
        from scipy.sparse import csr_array  # SciPy is slow to import

        shape = (count, len(self.likelihood.rankings))
        return csr_array((self.weight, (codes, self.ranking)), shape=shape) @ self.likelihood.scores(
            self.parameters
        )

    def information(self, codes: Codes, count: int) -> Matrix:
        """Clusters x parameters x parameters."""
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
    """Clustered errors of log-worths and tie parameters."""
    items, size = answers.likelihood.items, answers.likelihood.size
    tastes = np.diag((np.arange(size) < items).astype(float))
    judged = Scored(answers.scores, answers.weight, bread, answers.information, tastes)
    return Clustering.of(judged, ways, few_clusters)
