"""`WinMatrix`: the probability that one item wins against another, for all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.maths.arrays import Labels, Matrix, Vector
from steelyard.scales.tables import Tabular

HIGHER_POSITION = "Probability that the item of the row has a higher position than the item of the column."
PREFERRED = (
    "Predicted probability that the item of the row is preferred to the item of the column in one comparison. Ties "
    "count one half."
)


@dataclass(frozen=True, eq=False, repr=False)
class WinMatrix(Tabular):
    """Probability that the item of a row wins against the item of a column.

    As a table, it has the column `item` and one column per item.

    Attributes
    ----------
    item
        Item ids, highest position first.
    probability
        Probability for each row and column. NaN on the diagonal, and for pairs that no judgment links.
    meaning
        What the probability is, as a sentence.
    """

    item: Labels
    probability: Matrix
    meaning: str

    @staticmethod
    def of(item: Labels, position: Vector, probability: Matrix, meaning: str) -> WinMatrix:
        """Return the matrix with items in the order of their positions.

        Parameters
        ----------
        item
            Item ids.
        position
            Position of each item.
        probability
            Probability for each row and column, in the order of `item`.
        meaning
            What the probability is, as a sentence.

        Returns
        -------
        WinMatrix
            The matrix, highest position first.
        """
        order = np.lexsort((item.astype(str), -position))
        sorted_rows = probability[np.ix_(order, order)]
        np.fill_diagonal(sorted_rows, np.nan)
        return WinMatrix(item[order], sorted_rows, meaning)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the probability is."""
        return (self.meaning,)

    def __len__(self) -> int:
        return len(self.item)

    def columns(self) -> dict[str, Any]:
        """Return the column `item`, and one column per item."""
        names = [str(item) for item in self.item]
        first = "item" if "item" not in names else "winner"
        return {first: names, **{name: self.probability[:, at] for at, name in enumerate(names)}}

    def pairs(self) -> list[tuple[str, str, float]]:
        """Return item, other item and probability for every two items that are linked.

        Returns
        -------
        list of tuple
            One entry for each row and column, without the diagonal.
        """
        names = [str(item) for item in self.item]
        rows, columns = np.nonzero(np.isfinite(self.probability))
        return [
            (names[i], names[j], float(self.probability[i, j])) for i, j in zip(rows, columns, strict=True)
        ]


def square_of(above: Vector, size: int) -> Matrix:
    """Return a matrix from the probabilities of pairs, in the order of `numpy.triu_indices`.

    >>> square_of(np.array([0.75]), 2).tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    """
    square = np.full((size, size), 0.5)
    first, second = np.triu_indices(size, 1)
    square[first, second], square[second, first] = above, 1.0 - above
    return square
