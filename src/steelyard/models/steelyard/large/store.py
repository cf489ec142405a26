"""Ratings and messages in files: blocks of raters, one of which is in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.maths.arrays import Codes, Vector
from steelyard.models.steelyard.arrays import Messages, Ratings
from steelyard.models.steelyard.layout import Layout

MESSAGE = np.dtype(np.float32)  # messages of single ratings; sums over items keep double precision
MESSAGES = ("rating_precision", "rating_pull", "answer", "blur")
LISTS = ("list_precision", "list_pull")


@dataclass(frozen=True, slots=True)
class Store:
    """Arrays in a folder, one file per name and block."""

    folder: Path

    def put(self, name: str, block: int, values: Any) -> None:
        """Write an array.

        Parameters
        ----------
        name
            Name of the array.
        block
            Index of the block.
        values
            Content.
        """
        np.asarray(values).tofile(self.folder / f"{name}.{block}")

    def add(self, name: str, block: int, values: Any) -> None:
        """Append to an array.

        Parameters
        ----------
        name
            Name of the array.
        block
            Index of the block.
        values
            What is appended.
        """
        with (self.folder / f"{name}.{block}").open("ab") as file:
            np.asarray(values).tofile(file)

    def get(self, name: str, block: int, kind: Any) -> Any:
        """Read an array.

        Parameters
        ----------
        name
            Name of the array.
        block
            Index of the block.
        kind
            Type of the numbers.

        Returns
        -------
        array
            The content.
        """
        return np.fromfile(self.folder / f"{name}.{block}", dtype=kind)

    def remove(self, name: str, block: int) -> None:
        """Delete an array, if it exists."""
        (self.folder / f"{name}.{block}").unlink(missing_ok=True)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Ratings in files, by blocks of raters.

    Attributes
    ----------
    store
        The files.
    count
        Number of blocks.
    items, raters
        Numbers of items and raters, including one for ratings without a rater.
    unnamed
        Whether there are ratings without a rater.
    shared_tasks
        Whether some task contains several items.
    ends
        Lower and upper censoring points, infinite if answers at the ends are not censored.
    """

    store: Store
    count: int
    items: int
    raters: int
    unnamed: bool
    shared_tasks: bool
    ends: tuple[float, float] = (-np.inf, np.inf)

    @property
    def censored(self) -> bool:
        """Whether answers at the ends are censored."""
        return bool(np.isfinite(self.ends[0]))

    @property
    def empty(self) -> Layout:
        """A layout without ratings, for what needs only the numbers of items and raters."""
        nothing, none = np.empty(0), np.empty(0, dtype=np.int64)
        ratings = Ratings(nothing, nothing, none, none, np.zeros(1, dtype=np.int64), none, *self.ends)
        return self._layout(ratings)

    def layouts(self) -> Iterator[tuple[int, Layout]]:
        """Yield the number of each block and its ratings in lists."""
        for block in range(self.count):
            yield block, self._layout(self._ratings(block))

    def _layout(self, ratings: Ratings) -> Layout:
        return Layout(ratings, self.items, self.raters, self.unnamed, self.shared_tasks)

    def _ratings(self, block: int) -> Ratings:
        get = self.store.get
        score = get("score", block, np.float64)
        sides = np.where(score <= 0.0, -1, np.where(score >= 1.0, 1, 0)) if self.censored else 0
        ends = np.broadcast_to(sides, score.shape).astype(np.int64)
        return Ratings(
            score=score,
            weight=get("weight", block, np.float64),
            item=get("item", block, np.int32).astype(np.int64),
            ends=ends,
            start=get("start", block, np.int64),
            rater=get("rater", block, np.int64),
            low=self.ends[0],
            high=self.ends[1],
        )

    def read(self, name: str, block: int, ratings: Ratings, moved: Messages) -> Messages:
        """Return the messages of a variant in a block, rescaled as `moved` was since they were written.

        Parameters
        ----------
        name
            Name of the variant; empty before the first pass.
        block
            Number of the block.
        ratings
            Ratings of the block.
        moved
            Messages of all items and raters, with the messages of `probe`.

        Returns
        -------
        Messages
            Messages of the block, with those of all items and raters.
        """
        none, lists = np.zeros(len(ratings.score)), np.zeros(len(ratings.rater))
        if not name:
            return moved._replace(
                rating_precision=none,
                rating_pull=none,
                list_precision=lists,
                list_pull=lists,
                answer=ratings.score,
                blur=none,
            )
        precision, pull = (
            self.store.get(f"{name}.{which}", block, MESSAGE).astype(np.float64) for which in MESSAGES[:2]
        )
        list_precision, list_pull = (self.store.get(f"{name}.{which}", block, np.float64) for which in LISTS)
        scale = np.sqrt(moved.rating_precision[0])
        answer, blur = self._answers(name, block, ratings)
        return moved._replace(
            rating_precision=precision * scale**2,
            rating_pull=pull * scale + moved.rating_pull[0] * precision,
            list_precision=list_precision,
            list_pull=list_pull + moved.list_pull[0] * list_precision,
            answer=answer,
            blur=blur,
        )

    def _answers(self, name: str, block: int, ratings: Ratings) -> tuple[Vector, Vector]:
        """Return latent answers and their variances, which differ from the scores only at the ends of the scale."""
        answer, blur = ratings.score, np.zeros(len(ratings.score))
        at = np.flatnonzero(ratings.ends)
        if len(at) and (self.store.folder / f"{name}.blur.{block}").exists():
            answer = answer.copy()
            answer[at] = self.store.get(f"{name}.answer", block, MESSAGE)
            blur[at] = self.store.get(f"{name}.blur", block, MESSAGE)
        return answer, blur

    def write(self, name: str, block: int, ratings: Ratings, messages: Messages) -> None:
        """Write the messages of a variant in a block.

        Parameters
        ----------
        name
            Name of the variant.
        block
            Index of the block.
        ratings
            Ratings of the block.
        messages
            Messages of the variant.
        """
        at = np.flatnonzero(ratings.ends)
        chosen: dict[str, Codes | slice] = dict.fromkeys(MESSAGES[:2], slice(None))
        if len(at):
            chosen |= dict.fromkeys(MESSAGES[2:], at)
        for which, rows in chosen.items():
            self.store.put(f"{name}.{which}", block, getattr(messages, which)[rows].astype(MESSAGE))
        for which in LISTS:
            self.store.put(f"{name}.{which}", block, getattr(messages, which))


def probe(messages: Messages) -> Messages:
    """Return messages of all items and raters, with one rating and one list that record how messages are rescaled.

    A rescaling is linear in precision and pull. Its effect on precision 1 and pull 0 determines that on all others.
    """
    one, zero = np.ones(1), np.zeros(1)
    return messages._replace(
        rating_precision=one, rating_pull=zero, list_precision=one, list_pull=zero, answer=zero, blur=zero
    )
