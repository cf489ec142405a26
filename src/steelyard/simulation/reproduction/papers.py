"""The papers that can be reproduced, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from steelyard.simulation.reproduction.dras import STEPS, reproduce_dras
from steelyard.simulation.reproduction.easl import easl_steps, reproduce_easl
from steelyard.simulation.reproduction.goldilocks import goldilocks_steps, reproduce_goldilocks
from steelyard.simulation.reproduction.reproduction import Reproduction, Request


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper that can be reproduced.

    Attributes
    ----------
    run
        Function that computes the reproduction.
    steps
        Function that returns how often `run` reports progress.
    """

    run: Callable[[Request], Reproduction]
    steps: Callable[[Request], int]


PAPERS: Mapping[str, Paper] = {
    "easl": Paper(reproduce_easl, easl_steps),
    "dras": Paper(reproduce_dras, lambda request: STEPS),
    "goldilocks": Paper(reproduce_goldilocks, goldilocks_steps),
}
