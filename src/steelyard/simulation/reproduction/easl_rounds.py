"""Rounds of annotation as in Sakaguchi & Van Durme (2018): direct assessment, ranking aggregation and EASL.

Lists of 5, 10 rounds of one answer per item each. Every simulated answer passes through the session of a study. Ranking
aggregation uses only the n (n - 1) / 2 pairwise outcomes of each list, and chooses lists by its own variance and match
quality.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.judgments.conversions import convert
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.known import model_named
from steelyard.scales.belief import Belief
from steelyard.simulation.crowd_at_work import Crowd, answer_as
from steelyard.simulation.scenarios import Scenario, draw_raters, participation
from steelyard.study.collecting.session import Session
from steelyard.study.definition.items import Item, Items
from steelyard.study.definition.study import Study
from steelyard.study.definition.study_file import define
from steelyard.study.log.interface import Rater

ROUNDS = 10
RATERS = 40
LIST_SIZE = 5
LISTS: Mapping[str, Any] = {"protocol": "list", "list_size": LIST_SIZE, "update": "round"}
METHODS: Mapping[str, Mapping[str, Any]] = {
    "direct assessment": {"protocol": "rating", "update": "round"},
    "random lists": LISTS,
    "EASL": {**LISTS, "model": "easl", "selection": "easl"},
    "TrueSkill ranking": {**LISTS, "model": "trueskill", "selection": "match_quality"},
    "Beta ranking": {**LISTS, "model": "beta_ranking", "selection": "match_quality"},
}
RANKINGS = ("trueskill", "beta_ranking")
MEAN = "easl"  # the mode of EASL's belief is the mean score


@dataclass(frozen=True, eq=False)
class World:
    """What the raters of one simulated experiment see, and how they differ.

    Attributes
    ----------
    truth
        True position of each item, from 0 to 1.
    scenario
        How raters differ.
    seed
        Random seed of raters, answers and the study.
    """

    truth: Vector
    scenario: Scenario
    seed: int


@dataclass(frozen=True, eq=False)
class Run:
    """One method in one simulated experiment.

    Attributes
    ----------
    positions
        Positions after each round (row) of each item (column), by estimate.
    judgments
        All answers.
    belief
        Belief after each round, of the method's own estimate.
    """

    positions: Mapping[str, Matrix]
    judgments: Judgments
    beliefs: tuple[Belief, ...]


def run_method(method: str, world: World, make_log: Callable[[], Any], rounds: int = ROUNDS) -> Run:
    """Collect and estimate with one method.

    Parameters
    ----------
    method
        Name of the method in `METHODS`.
    world
        Items and raters.
    make_log
        Function that returns an empty log.
    rounds
        Number of rounds.

    Returns
    -------
    Run
        Positions after each round, and the answers.
    """
    rng = np.random.default_rng([world.seed, 1])  # another stream than that of the items
    raters = tuple(draw_raters(world.scenario, RATERS, rng))
    crowd = Crowd(world.scenario, raters, world.truth[None, :])
    session = _session(method, len(world.truth), world.seed, make_log)
    people = [session.join(str(at), "simulated") for at in range(RATERS)]
    estimates = _Estimates(session, method)
    beliefs = []
    for number in range(1, rounds + 1):
        run_round(session, crowd, people, number * len(world.truth), rng)
        beliefs.append(estimates.take_round())
    positions = {name: np.array([each[name].position for each in beliefs]) for name in estimates.names}
    own = tuple(each[own_estimate(method)] for each in beliefs)
    return Run(positions, session.ledger.judgments(), own)


def own_estimate(method: str) -> str:
    """Return the estimate that belongs to a method."""
    own = METHODS[method].get("model")
    return str(own) if own in RANKINGS else MEAN


def _session(method: str, items: int, seed: int, make_log: Callable[[], Any]) -> Session:
    table = {
        "title": "reproduction",
        "items": {"file": "none"},
        "questions": [{"text": "How much?"}],
        "seed": seed,
        "redundancy": ROUNDS,
        **METHODS[method],
    }
    everything = tuple(Item(str(at), "text", "x") for at in range(items))
    log = make_log()
    return Session(Study(Path(), define(table), Items(everything)), log, log, lambda: 0.0)


def run_round(
    session: Session, crowd: Crowd, people: Sequence[Rater], answers_wanted: int, rng: np.random.Generator
) -> None:
    """Let raters answer, by participation, until the round is complete. A rater without further tasks leaves.

    Parameters
    ----------
    session
        Session of the study.
    crowd
        Simulated raters.
    people
        The same raters in the study.
    answers_wanted
        Number of answers, over all items, at which the round is complete.
    rng
        Source of randomness.
    """
    weights = participation(len(people))
    present = np.ones(len(people), dtype=bool)
    while int(session.ledger.answered.sum()) < answers_wanted and present.any():
        share = np.where(present, weights, 0.0)
        at = int(rng.choice(len(people), p=share / share.sum()))
        assignment = session.next_task(people[at].id).assignment
        if assignment is None:
            present[at] = False
        else:
            session.accept(people[at].id, answer_as(crowd, at, assignment, session, rng))


class _Estimates:
    """Beliefs after each round, each by folding the answers of the round into the belief before it.

    Lists that no model chose have every estimate.
    """

    def __init__(self, session: Session, method: str) -> None:
        self.names = (MEAN, *RANKINGS) if method == "random lists" else (own_estimate(method),)
        self._ledger, self._position = session.ledger, 0
        self._models: dict[str, Any] = {name: model_named(name) for name in self.names}
        items = session.ledger.items.ids
        self._beliefs: dict[str, Any] = {name: model.start(items) for name, model in self._models.items()}

    def take_round(self) -> dict[str, Belief]:
        fresh, self._position = self._ledger.judgments(0, self._position), self._ledger.log_position
        pairs = convert(fresh, to="comparison") if set(self.names) & set(RANKINGS) else None
        for name, model in self._models.items():
            self._beliefs[name] = model.update(self._beliefs[name], fresh if name == MEAN else pairs)
        return dict(self._beliefs)


def correlations(positions: Matrix, truth: Vector) -> Matrix:
    """Return the Spearman and Pearson correlations (columns) with the truth after each round (rows)."""
    from scipy.stats import spearmanr  # SciPy is slow to import

    return np.array(
        [(spearmanr(each, truth).statistic, np.corrcoef(each, truth)[0, 1]) for each in positions]
    )


def answers_needed(curve: Vector, target: float) -> float:
    """Return the answers per item at which a mean curve reaches a target, by linear interpolation.

    >>> answers_needed(np.array([0.5, 0.7, 0.9]), 0.8)
    2.5
    >>> answers_needed(np.array([0.5, 0.7]), 0.8)
    inf
    """
    if curve[0] >= target:
        return 1.0
    for at in range(1, len(curve)):
        if curve[at] >= target:
            return float(at + (target - curve[at - 1]) / (curve[at] - curve[at - 1]))
    return float("inf")


def fifths(position: Vector) -> Vector:
    """Return the share of items in each fifth of the scale; those beyond its ends count in the outer ones."""
    bins = np.clip((position * 5).astype(int), 0, 4)
    return np.asarray(np.bincount(bins, minlength=5) / len(position))


def rescaled(position: Vector) -> Vector:
    """Return positions stretched so that the lowest item is at 0 and the highest at 1."""
    return np.asarray((position - position.min()) / (position.max() - position.min()))
