"""Update of the messages of a term from the positions: expectation propagation through statements and tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Matrix, Vector
from steelyard.models.steelyard.mixed.layers import Layer, Stack, inverse_of
from steelyard.models.steelyard.mixed.opinions import Group, Tasks
from steelyard.models.steelyard.mixed.rater_terms import GRID, RaterTerms
from steelyard.models.steelyard.mixed.statements import Cavity, Link, chance_of, message_of, mixed_chance
from steelyard.models.steelyard.mixed.tasks import Perceived, Within, propagate
from steelyard.models.steelyard.mixed.term import Layers, TaskMessages, Term
from steelyard.models.steelyard.sums import sums_by

DAMPING = 0.7  # share of each step that is taken; whole steps can oscillate
LEAST_CAVITY = 1e-6  # precision of a difference without one of its statements, relative to that with it
TASK_GRID = 2  # steps of the grid of epsilon between the three values at which answers are evaluated
# Three-point Gauss-Hermite quadrature over the posterior of epsilon of a rater.
NODES = np.sqrt(3.0) * np.array([-1.0, 0.0, 1.0])
NODE_WEIGHTS = np.array([1.0, 4.0, 1.0]) / 6.0


@dataclass(frozen=True, eq=False)
class _Opinion:
    """Mean and covariance of the opinions of one group."""

    mean: Stack
    covariance: Stack


def _opinion(group: Group, layer: Layer, mean: Vector, covariance: Matrix) -> _Opinion:
    """Return the opinions of a group from the quality of the kind, with a place for padding."""
    level = np.append(mean, 0.0)[group.item]
    items = len(mean)
    padded = np.zeros((items + 1, items + 1))
    padded[:items, :items] = covariance
    below = padded[group.item[:, :, None], group.item[:, None, :]]
    return _Opinion(layer.mean(level), layer.covariance(below))


def updated(
    term: Term,
    layers: Layers,
    posterior: tuple[Vector, Matrix],
    raters: RaterTerms,
    damping: float = DAMPING,
) -> Term:
    """Return the term with new messages.

    Parameters
    ----------
    term
        Term with its present messages.
    layers
        Layers at these messages.
    posterior
        Posterior means and covariance of the positions.
    raters
        Discrimination and spam of raters.
    damping
        Share of each step that is taken.

    Returns
    -------
    Term
        New messages, and the evidence about the raters.
    """
    level, spread = layers.kind.mean(posterior[0]), layers.kind.covariance(posterior[1])
    groups = [
        _opinion(group, layer, level, spread)
        for group, layer in zip(term.opinions.groups, layers.groups, strict=True)
    ]
    if term.opinions.orders.shared:
        return _updated_tasks(term, groups, raters, damping)
    gap, variance = np.empty(len(term.precision)), np.empty(len(term.precision))
    for group, opinion in zip(term.opinions.groups, groups, strict=True):
        gap[group.rows], variance[group.rows] = group.differences(opinion.mean, opinion.covariance)
    left = np.maximum(1.0 / variance - term.precision, LEAST_CAVITY / variance)
    cavity = Cavity((gap / variance - term.pull) / left, 1.0 / left)
    return _updated_statements(term, cavity, raters, damping)


def _updated_statements(term: Term, cavity: Cavity, raters: RaterTerms, damping: float) -> Term:
    discrimination = term.link.discrimination * np.exp(GRID)[:, None] * np.ones(len(cavity.mean))
    chance = chance_of(cavity, term.stated, term.link, discrimination)
    log_chance = np.log(chance.value)
    rater, weight = term.opinions.rater, term.opinions.weight
    evidence = np.stack([sums_by(rater, weight * row, len(term.evidence)) for row in log_chance], axis=1)
    share = raters.shares_without(rater, log_chance if np.any(raters.evidence) else 0.0 * log_chance)
    mixed = mixed_chance(chance, share, raters.spam[rater], term.opinions.random_chance)
    precision, pull = message_of(mixed, cavity)
    return replace(
        term,
        precision=term.precision + damping * (precision - term.precision),
        pull=term.pull + damping * (pull - term.pull),
        evidence=evidence,
        cavity=cavity,
    )


def _updated_tasks(term: Term, groups: list[_Opinion], raters: RaterTerms, damping: float) -> Term:
    orders, sent, evidence = term.opinions.orders, [], np.zeros_like(term.evidence)
    epsilon, deviation, rater_of = raters.mean, raters.deviation, term.answer_rater
    for tasks, old in zip(term.opinions.tasks, term.tasks, strict=True):
        mean, covariance = _task_cavity(tasks, old, groups[tasks.group])
        rater = rater_of[tasks.answer]
        factors = term.link.discrimination * np.exp(epsilon[rater] + NODES[:, None] * deviation[rater])
        start = old.within if old.precision.any() else None
        within = propagate(_perceived(term.link, tasks, mean, covariance, factors[1]), start)
        low, high = (
            propagate(_perceived(term.link, tasks, mean, covariance, factors[at]), within) for at in (0, 2)
        )
        messages = [
            _through_noise(tasks, each, factor)
            for each, factor in zip((low, within, high), factors, strict=True)
        ]
        keep = damping * (1.0 - raters.spam[rater]), 1.0 - damping
        sent.append(_sent(within, old, _mixed_message(mean, covariance, messages), keep))
        logs = [
            propagate(
                _perceived(
                    term.link, tasks, mean, covariance, term.link.discrimination * np.exp(GRID[at])[None]
                ),
                within,
            ).log_probability
            for at in _task_values()
        ]
        each = _parabola(np.stack(logs, axis=1)) * orders.weight[tasks.answer][:, None]
        np.add.at(evidence, rater, each)
    return replace(term, tasks=tuple(sent), evidence=evidence)


def _task_values() -> tuple[int, int, int]:
    middle = len(GRID) // 2
    return middle - TASK_GRID, middle, middle + TASK_GRID


def _parabola(logs: Stack) -> Stack:
    """Return log probabilities on the whole grid of epsilon from three values, answers x values."""
    _, middle, high = _task_values()
    step = GRID[high] - GRID[middle]
    slope = (logs[:, 2] - logs[:, 0]) / (2.0 * step)
    bend = np.minimum((logs[:, 2] - 2.0 * logs[:, 1] + logs[:, 0]) / step**2, 0.0)
    return np.asarray(
        logs[:, 1][:, None] + slope[:, None] * GRID + 0.5 * bend[:, None] * np.maximum(GRID**2, 0.0)
    )


def _task_cavity(tasks: Tasks, old: TaskMessages, opinion: _Opinion) -> tuple[Stack, Stack]:
    """Return mean and covariance of the opinions of each answer, without the answer."""
    mean = opinion.mean[tasks.at[:, None], tasks.place]
    covariance = opinion.covariance[tasks.at[:, None, None], tasks.place[:, :, None], tasks.place[:, None, :]]
    if not old.precision.any():
        return mean, covariance
    precision = inverse_of(covariance)
    without = inverse_of(precision - old.precision)
    pull = np.einsum("tij,tj->ti", precision, mean) - old.pull
    return np.einsum("tij,tj->ti", without, pull), without


def _perceived(link: Link, tasks: Tasks, mean: Stack, covariance: Stack, factor: Vector) -> Perceived:
    """Return the perceptions: opinions with the noise of a rater of this discrimination."""
    noise = np.broadcast_to(0.5 / factor**2, (len(mean),))
    size = mean.shape[1]
    margin = np.broadcast_to(link.tie_width / factor, (len(mean),))
    return Perceived(
        mean, covariance + noise[:, None, None] * np.eye(size), tasks.signs, tasks.is_tie, margin
    )


def _through_noise(tasks: Tasks, within: Within, factor: Vector) -> tuple[Stack, Stack]:
    """Return precision and pull of the messages of answers through the noise of perception."""
    matrix, vector = within.summed(tasks.signs)
    noise = 0.5 / factor**2
    inverse = inverse_of(np.eye(matrix.shape[-1]) + noise[:, None, None] * matrix)
    return inverse @ matrix, np.einsum("tij,tj->ti", inverse, vector)


def _mixed_message(
    mean: Stack, covariance: Stack, messages: Sequence[tuple[Stack, Stack]]
) -> tuple[Stack, Stack]:
    """Return the message with the moments of the mixture over the nodes of epsilon.

    Parameters
    ----------
    mean, covariance
        Opinions of each answer, without the answer.
    messages
        Precision and pull of the message at each node.

    Returns
    -------
    precision, pull : Stack
        The message; that of the middle node if the mixture is wider than the opinions without the answer.
    """
    prior = inverse_of(covariance)
    level = np.einsum("tij,tj->ti", prior, mean)
    after = [inverse_of(prior + precision) for precision, _ in messages]
    means = [
        np.einsum("tij,tj->ti", one, level + pull) for one, (_, pull) in zip(after, messages, strict=True)
    ]
    middle = sum(weight * each for weight, each in zip(NODE_WEIGHTS, means, strict=True))
    whole = sum(
        weight * (one + (each - middle)[:, :, None] * (each - middle)[:, None, :])
        for weight, one, each in zip(NODE_WEIGHTS, after, means, strict=True)
    )
    inverse = inverse_of(np.asarray(whole))
    precision, pull = inverse - prior, np.einsum("tij,tj->ti", inverse, middle) - level
    precision = (precision + np.swapaxes(precision, -1, -2)) / 2.0
    sound = np.linalg.eigvalsh(precision)[:, 0] > -LEAST_CAVITY * np.linalg.eigvalsh(prior)[:, -1]
    first, second = messages[1]
    return np.where(sound[:, None, None], precision, first), np.where(sound[:, None], pull, second)


def _sent(
    within: Within, old: TaskMessages, message: tuple[Stack, Stack], keep: tuple[Vector, float]
) -> TaskMessages:
    """Return messages of answers: a share of the new ones, by the honesty of the rater, and a share of the old ones."""
    (precision, pull), (now, before) = message, keep
    return TaskMessages(
        within,
        before * old.precision + now[:, None, None] * precision,
        before * old.pull + now[:, None] * pull,
    )
