"""Ratings and messages in files: blocks of raters, one of which is in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
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
    """Arrays in a folder, one file per name and block.

    `scratch` has arrays that are used again for every block, because new memory costs as much as the sums in it.
    """

    folder: Path
    scratch: dict[str, Any] = field(default_factory=dict)

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

    def again(self, name: str, block: int, kind: Any, wanted: Any = None) -> Any:
        """Read an array into the memory of the same array of an earlier block, which it replaces.

        Parameters
        ----------
        name
            Name of the array.
        block
            Index of the block.
        kind
            Type of the numbers in the file.
        wanted
            Type of the numbers that are returned. Default: that of the file.

        Returns
        -------
        array
            The content, until the next block is read.
        """
        path = self.folder / f"{name}.{block}"
        values = self.space(name, path.stat().st_size // np.dtype(kind).itemsize, kind)
        with path.open("rb", buffering=0) as file:
            _fill(file, memoryview(values).cast("B"))
        if wanted is None:
            return values
        turned = self.space(f"{name} turned", len(values), wanted)
        np.copyto(turned, values)
        return turned

    def space(self, name: str, size: int, kind: Any) -> Any:
        """Return an array of this size with any content, in memory that is used again.

        Parameters
        ----------
        name
            Name of the memory.
        size
            Number of elements.
        kind
            Type of the elements.

        Returns
        -------
        Vector
            The array, until the next call with this name.
        """
        held = self.scratch.get(name)
        if held is None or len(held) < size:
            self.scratch[name] = held = np.zeros(size, dtype=kind)
        return held[:size]

    def zeros(self, name: str, size: int, kind: Any) -> Any:
        """Return zeros in memory that is used again. They must not be changed.

        Parameters
        ----------
        name
            Name of the memory.
        size
            Number of elements.
        kind
            Type of the elements.

        Returns
        -------
        Vector
            The zeros.
        """
        return self.space(f"{name} zeros", size, kind)

    def remove(self, name: str, block: int) -> None:
        """Delete an array, if it exists."""
        (self.folder / f"{name}.{block}").unlink(missing_ok=True)


def _fill(file: Any, space: memoryview) -> None:
    """Read a file until the space is full; one call reads at most 2 GB."""
    done = 0
    while done < len(space):
        done += file.readinto(space[done:])


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
        """Yield the number of each block and its ratings in lists, which the next block replaces."""
        for block in range(self.count):
            yield block, self._layout(self._ratings(block))

    def _layout(self, ratings: Ratings) -> Layout:
        return Layout(ratings, self.items, self.raters, self.unnamed, self.shared_tasks)

    def _ratings(self, block: int) -> Ratings:
        again = self.store.again
        score = again("score", block, np.float64)
        return Ratings(
            score=score,
            weight=again("weight", block, np.float64),
            item=again("item", block, np.int32, np.int64),
            ends=sides(score) if self.censored else self.store.zeros("ends", len(score), np.int64),
            start=again("start", block, np.int64),
            rater=again("rater", block, np.int64),
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
        if not name:
            none = self.store.zeros("message", len(ratings.score), np.float64)
            lists = np.zeros(len(ratings.rater))
            return moved._replace(
                rating_precision=none,
                rating_pull=none,
                list_precision=lists,
                list_pull=lists,
                answer=ratings.score,
                blur=none,
            )
        precision, pull = self.scaled(name, block, moved)
        list_precision, list_pull = (self.store.get(f"{name}.{which}", block, np.float64) for which in LISTS)
        answer, blur = self._answers(name, block, ratings)
        return moved._replace(
            rating_precision=precision,
            rating_pull=pull,
            list_precision=list_precision,
            list_pull=list_pull + moved.list_pull[0] * list_precision,
            answer=answer,
            blur=blur,
        )

    def scaled(self, name: str, block: int, moved: Messages) -> tuple[Vector, Vector]:
        """Return precision and pull of the ratings of a block: p s² and q s + l p, from `moved` with s and l.

        Parameters
        ----------
        name
            Name of the messages.
        block
            Number of the block.
        moved
            Messages with the scale s and the lift l.

        Returns
        -------
        precision, pull : Vector
            Arrays in memory that the next call uses again.
        """
        scale, lift = np.sqrt(moved.rating_precision[0]), moved.rating_pull[0]
        written, pulls = (self.store.again(f"{name}.{which}", block, MESSAGE) for which in MESSAGES[:2])
        precision, pull = (
            self.store.space(f"{name} {which} scaled", len(written), np.float64) for which in MESSAGES[:2]
        )
        np.multiply(pulls, scale, out=pull, dtype=np.float64)
        if lift != 0.0:
            np.multiply(written, lift, out=precision, dtype=np.float64)
            np.add(pull, precision, out=pull)
        np.multiply(written, scale**2, out=precision, dtype=np.float64)
        return precision, pull

    def _answers(self, name: str, block: int, ratings: Ratings) -> tuple[Vector, Vector]:
        """Return latent answers and their variances, which differ from the scores only at the ends of the scale."""
        if not (self.censored and (self.store.folder / f"{name}.blur.{block}").exists()):
            return ratings.score, self.store.zeros("message", len(ratings.score), np.float64)
        at = np.flatnonzero(ratings.ends)
        answer, blur = ratings.score.copy(), np.zeros(len(ratings.score))
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
        for which in MESSAGES[:2]:
            values = getattr(messages, which)
            turned = self.store.space(f"{which} to write", len(values), MESSAGE)
            np.copyto(turned, values, casting="same_kind")
            self.store.put(f"{name}.{which}", block, turned)
        at = np.flatnonzero(ratings.ends) if self.censored else np.empty(0, dtype=np.int64)
        if len(at):
            for which in MESSAGES[2:]:
                self.store.put(f"{name}.{which}", block, getattr(messages, which)[at].astype(MESSAGE))
        for which in LISTS:
            self.store.put(f"{name}.{which}", block, getattr(messages, which))


def sides(score: Vector) -> Codes:
    """Return -1 for answers at the lower end of the scale, +1 at the upper end, and 0 between."""
    return (score >= 1.0).astype(np.int64) - (score <= 0.0)


def probe(messages: Messages) -> Messages:
    """Return messages of all items and raters, with one rating and one list that record how messages are rescaled.

    A rescaling is linear in precision and pull. Its effect on precision 1 and pull 0 determines that on all others.
    """
    one, zero = np.ones(1), np.zeros(1)
    return messages._replace(
        rating_precision=one, rating_pull=zero, list_precision=one, list_pull=zero, answer=zero, blur=zero
    )
