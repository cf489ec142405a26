"""The readable twin of `score_kernel.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Matrix, Vector


def summed_scores(
    units: Any, entry: Codes, cluster: Codes, weight: Vector, count: int
) -> tuple[Matrix, Vector]:
    """Return the sums of scores by cluster, and the weight by entry of judgments without a cluster.

    Parameters
    ----------
    units
        Scores of one judgment by entry, entries x parameters, sparse.
    entry
        Entry of each judgment.
    cluster
        Cluster of each judgment, -1 for a judgment that is a cluster of its own.
    weight
        Weight of each judgment.
    count
        Number of clusters.

    Returns
    -------
    tuple
        Clusters x parameters, and one weight per entry.
    """
    from scipy.sparse import csr_array  # SciPy is slow to import

    named = cluster >= 0
    shape = (count, units.shape[0])
    gather = csr_array((weight[named], (cluster[named], entry[named])), shape=shape)
    alone = np.bincount(entry[~named], weight[~named], minlength=units.shape[0])
    return np.asarray((gather @ units).toarray()), alone.astype(np.float64)
