"""A reproduction: the sections of a paper with their claims and figures, and what a run needs to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.simulation.reproduction.claims import Claim, Verdict, count_verdicts
from steelyard.simulation.reproduction.figures import Figure


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a paper.

    Attributes
    ----------
    title
        Name of the part.
    text
        What was done, as paragraphs.
    claims
        The lines with their verdicts.
    figures
        Figures and tables beside the claims.
    """

    title: str
    text: tuple[str, ...]
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A paper, repeated.

    Attributes
    ----------
    paper
        Name of the paper in the command.
    citation
        The paper.
    lead
        What the reader should know first, as paragraphs.
    sections
        Parts of the paper.
    settings
        Seed and sizes, from which the same report can be computed again.
    """

    paper: str
    citation: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]
    settings: str

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Claims of all sections."""
        return tuple(claim for section in self.sections for claim in section.claims)

    @property
    def counts(self) -> dict[Verdict, int]:
        """Number of claims by verdict."""
        return count_verdicts(self.claims)


@dataclass(frozen=True, slots=True)
class Request:
    """What a reproduction is asked to do.

    Attributes
    ----------
    seed
        Random seed.
    full
        Whether to use the large numbers of repetitions.
    repetitions
        Number of simulated studies; None for the default of the paper.
    data
        Files with data that cannot be distributed with the program.
    make_log
        Function that returns an empty log for a simulated study.
    step
        Function that is called after each step, to show progress.
    """

    seed: int = 0
    full: bool = False
    repetitions: int | None = None
    data: tuple[Path, ...] = ()
    make_log: Callable[[], Any] | None = None
    step: Callable[[], None] = field(default=lambda: None)

    def repeat(self, few: int, many: int) -> int:
        """Return the number of simulated studies: as requested, or `many` with `full`, or `few`."""
        if self.repetitions is not None:
            return self.repetitions
        return many if self.full else few

    def rng(self, stream: int) -> np.random.Generator:
        """Return random numbers of one part, which do not depend on the other parts."""
        return np.random.default_rng([self.seed, stream])
