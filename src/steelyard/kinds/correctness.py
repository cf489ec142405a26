"""`Correctness`: the part of a kind that knows which answers to exercises and checks are correct."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from steelyard.kinds.asked import AskedQuestion, Reference
from steelyard.kinds.cell import Cell

AnyCell = TypeVar("AnyCell", bound=Cell)
LOW, HIGH, ELSE = "low", "high", ""  # side of a wrong answer to an exercise


class Correctness(ABC, Generic[AnyCell]):
    """Correct answers of practice, training and checks, and what is wrong with others."""

    @abstractmethod
    def practice_cells(self, dots: Sequence[int]) -> tuple[AnyCell, ...]:
        """Return the correct answer for pictures with these numbers of dots; more dots are more of the quality."""

    @abstractmethod
    def reference_cells(
        self, reference: Reference, shown: int, asked: AskedQuestion
    ) -> tuple[AnyCell, ...] | None:
        """Return the correct answer of an exercise.

        Parameters
        ----------
        reference
            Entry of study.toml with the correct answer.
        shown
            Number of items in the exercise.
        asked
            The question.

        Returns
        -------
        tuple of Cell, or None
            One cell per item that the exercise asks about. None if the reference does not fit the exercise.
        """

    def mistake(self, right: AnyCell, attempted: AnyCell, tolerance: float, step: int | None) -> str | None:
        """Return which side of an attempt at an exercise is wrong.

        Parameters
        ----------
        right
            Correct answer about an item.
        attempted
            The rater's answer about the same item.
        tolerance
            Largest difference that counts as correct, in units of the scale.
        step
            Step of the page that is checked, from 1. None checks all steps.

        Returns
        -------
        str or None
            LOW, HIGH, or ELSE for a mistake without a side. None for a correct attempt.
        """
        return None if right.value == attempted.value else ELSE

    def wrong_side(
        self, side: str, right: AnyCell, attempted: AnyCell, examples: Sequence[tuple[float, float]]
    ) -> tuple[int, ...]:
        """Return which examples along the scale are on the wrong side of an attempt.

        Parameters
        ----------
        side
            LOW, HIGH or ELSE, from `mistake`.
        right
            Correct answer about an item.
        attempted
            The rater's answer about the same item.
        examples
            Lower and upper bound of each example.

        Returns
        -------
        tuple of int
            Indexes of the examples between the attempt and the correct answer; none by default.
        """
        return ()

    def feedback(self, side: str, right: AnyCell, attempted: AnyCell) -> str:
        """Return the text for a mistake in an exercise.

        Parameters
        ----------
        side
            LOW, HIGH or ELSE, from `mistake`.
        right
            Correct answer about an item.
        attempted
            The rater's answer about the same item.

        Returns
        -------
        str
            A sentence for the rater, or "" for the general text.
        """
        return ""

    def is_above(self, upper: AnyCell, lower: AnyCell, least: float) -> bool | None:
        """Whether an answer about one item is above an answer of the same rater about another item.

        Parameters
        ----------
        upper
            Answer about the item that should be above.
        lower
            Answer about the item that should be below.
        least
            Smallest difference that is accepted, in units of the scale. 0 accepts any difference.

        Returns
        -------
        bool or None
            None if the kind does not give items positions, or if an answer is "can't judge".
        """
        return None

    def is_repeat(self, earlier: Sequence[AnyCell], later: Sequence[AnyCell], tolerance: float) -> bool:
        """Whether two answers of a rater to the same task agree.

        Parameters
        ----------
        earlier
            Cells of the first answer, to one question.
        later
            Cells of the second answer.
        tolerance
            Largest accepted difference, in units of the scale.

        Returns
        -------
        bool
            By default, whether `mistake` finds no difference in any cell.
        """
        again = {cell.item: cell for cell in later}
        return all(self.mistake(cell, again[cell.item], tolerance, None) is None for cell in earlier)
