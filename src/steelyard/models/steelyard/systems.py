"""Systems from ratings of their outputs: the position of an output is system + segment + interaction.

Given the raters' slopes, the model is linear. Systems are fixed effects. Segments, outputs, raters, raters on
systems and task offsets are random effects. Answers are weighted as in the rater model: less if a rater is noisy
or likely to be a spammer. Variances are estimated by REML. A slope multiplies an unknown position, so the model
is linearised around the last positions and slopes, with slopes relative to their mean, until positions converge.
The mean slope is uncertain because raters are a sample, and its error stretches all differences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.errors import TooFewRatings
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector, sum_by
from steelyard.maths.mixed import Effect, MixedDesign, Solved
from steelyard.maths.reml import Reml, fit_reml, satterthwaite
from steelyard.maths.sandwich import at_least, clustered
from steelyard.models.outputs import Outputs, sample_counts
from steelyard.models.samples import small_samples
from steelyard.models.steelyard.layout import Layout
from steelyard.models.steelyard.variant import Variant
from steelyard.scales.provenance import MODEL_ERRORS

MOST_DENSE = 2_500  # largest number of levels in the dense part
MANY_DENSE = 600  # with more levels, slopes of the rater model are used unchanged
MOST_ROUNDS = 12  # largest number of linearisations
FULL_ROUNDS = 2  # rounds with a full step
STILL = 0.02  # tolerance: largest change of a position, in standard deviations of positions
LEAST_FREEDOM = 2.0
LEAST_HONEST = 1e-3  # smallest probability that a rater is honest
LEAST_BEYOND = 2  # smallest number of ratings beyond one per system
UNSETTLED = (
    "Estimating the raters' slopes together with the systems did not converge. The slopes of the rater model are used, "
    "and variances are at least the clustered ones."
)
LEAST_START = 0.05  # smallest relative standard deviation at which a search for variances starts


@dataclass(frozen=True, eq=False)
class _Answers:
    """Ratings of items that belong to a system, on the unit scale relative to the centre."""

    score: Vector
    weight: Vector
    item: Codes
    rater: Codes
    task: Codes | None
    raters: int
    named: int  # number of identified raters
    share: Vector  # of each rater in the mean slope; sums to 1


@dataclass(frozen=True, eq=False)
class SystemEstimate:
    """The linearised model of the last round."""

    reml: Reml
    outputs: Outputs
    answers: _Answers
    position: Vector  # of each output, relative to the centre
    slope_unit: float  # standard deviation of positions, the unit of slopes
    slope_variance: float  # of slopes from the rater model; 0 if slopes are estimated here
    fallen_back: bool = False  # slopes did not converge, so those of the rater model are used

    @property
    def converged(self) -> bool:
        """Whether the estimation of variances converged."""
        return self.reml.converged

    def notes(self, target: str, raters: str) -> tuple[str, ...]:
        """Return notes on slopes that did not converge, and on few raters or segments."""
        counts = sample_counts(self.outputs, self.answers.item, self.answers.named)
        unsettled = (UNSETTLED,) if self.fallen_back else ()
        return (*unsettled, *small_samples(counts, target, raters))

    def positions(self, target: str) -> Vector:
        """Return the position of each system relative to the centre: for new segments, or the mean of its outputs."""
        if target == "new":
            return self.reml.solved.effect("system")
        outputs = self.outputs
        counted = outputs.has_system
        size = sum_by(outputs.system[counted], np.ones(int(counted.sum())), outputs.systems)
        return sum_by(outputs.system[counted], self.position[counted], outputs.systems) / size

    def covariance(self, target: str, raters: str) -> Matrix:
        """Return the covariance of the systems' positions.

        If rater effects on systems are too many to estimate, or if slopes did not converge, the covariance is at
        least that clustered by rater, and for new segments also by segment.
        """
        solved = self.reml.solved
        modelled = self._covariance(solved, solved.noise_variance, target, raters)
        return at_least(modelled, self._clustered(target)) if self._is_guarded(raters) else modelled

    def errors(self, target: str, raters: str) -> dict[str, str]:
        """Return the error type as a setting of the signature, if standard errors are not only model-based."""
        if not self._is_guarded(raters):
            return {}
        by_segment = target == "new" and self.outputs.segment is not None
        return {
            "errors": f"{MODEL_ERRORS}, at least clustered by rater{' and segment' if by_segment else ''}"
        }

    def _is_guarded(self, raters: str) -> bool:
        """Whether variances are at least the clustered ones."""
        complete = self._knows("rater:system") and not self.fallen_back
        return not complete and raters == "new" and self.answers.raters > 1

    def _knows(self, name: str) -> bool:
        return name in [effect.name for effect in self.reml.solved.design.effects]

    def _clustered(self, target: str) -> Matrix:
        """Return the clustered covariance for new segments, from residuals around systems or outputs."""
        solved, answers = self.reml.solved, self.answers
        design = solved.design
        dense = self._combinations("new", "new")[0]
        stretch = design.effects[0].column
        about = solved.effect("system")[self.outputs.system] if target == "new" else self.position
        influence = (solved.influence(dense) * (design.score - stretch * about[answers.item])).T
        ways = [np.unique(answers.rater, return_inverse=True)[1]]
        if target == "new" and self.outputs.segment is not None:
            ways.append(self.outputs.segment[answers.item])
        return clustered(influence, ways)

    def freedom(self, target: str, raters: str) -> Matrix:
        """Return the degrees of freedom of each difference, and of each position on the diagonal."""
        first, second = np.triu_indices(self.outputs.systems)

        def variances(solved: Solved, noise: float) -> Vector:
            return _contrast_variances(self._covariance(solved, noise, target, raters), first, second)

        of_pairs = np.maximum(satterthwaite(self.reml, variances), LEAST_FREEDOM)
        freedom = np.empty((self.outputs.systems, self.outputs.systems))
        freedom[first, second] = freedom[second, first] = of_pairs
        return freedom

    def _covariance(self, solved: Solved, noise: float, target: str, raters: str) -> Matrix:
        dense, eliminated = self._combinations(target, raters)
        covariance = solved.covariance(dense, eliminated) * (noise / solved.noise_variance)
        if raters == "these":
            return covariance
        slope = self.slope_variance
        if self._knows("slope"):
            at = [effect.name for effect in solved.design.random].index("slope")
            slope = float(solved.deviations[at] ** 2 * noise / self.slope_unit**2)
        positions = self.positions(target)
        return covariance + slope * np.sum(self.answers.share**2) * np.outer(positions, positions)

    def _combinations(self, target: str, raters: str) -> tuple[Matrix, Matrix | None]:
        """Return the weights of the dense and of the eliminated levels in each system's position."""
        design, outputs = self.reml.solved.design, self.outputs
        systems = outputs.systems
        dense, eliminated = np.zeros((systems, design.starts[-1])), None
        dense[:, design.places("system")] = np.eye(systems)
        if target == "these":
            eliminated = _means_by_system(outputs, np.arange(len(outputs.system)), len(outputs.system))
            if outputs.segment is not None:
                dense[:, design.places("segment")] = _means_by_system(
                    outputs, outputs.segment, outputs.segments
                )
        if raters == "these":
            dense[:, design.places("rater")] = self.answers.share
            if self._knows("rater:system"):
                among = np.kron(self.answers.share, np.eye(systems))  # levels are rater x systems + system
                dense[:, design.places("rater:system")] = among
        return dense, eliminated


def estimate_systems(variant: Variant, layout: Layout, outputs: Outputs) -> SystemEstimate:
    """Fit the systems, starting from the positions and slopes of the rater model.

    Parameters
    ----------
    variant
        Fitted variant of the rater model.
    layout
        Ratings in lists.
    outputs
        System and segment of each item.

    Returns
    -------
    SystemEstimate
        Positions of systems with their covariance.
    """
    answers = _answers(variant, layout, outputs)
    if len(answers.score) < outputs.systems + LEAST_BEYOND:
        raise TooFewRatings(len(answers.score), outputs.systems)
    start = _start(variant, answers)
    slopes = variant.solution.parts.slope and not _are_many(answers, outputs)
    settled = _settle(answers, outputs, start) if slopes else None
    if settled is not None:
        return settled
    unit = _unit(start.position, outputs)
    reml = fit_reml(_design(answers, outputs, _About(start.position, start.slope, unit), False))
    slope_variance = variant.solution.learnt.slope_variance if variant.solution.parts.slope else 0.0
    return SystemEstimate(
        reml, outputs, answers, _positions(reml.solved, outputs), unit, slope_variance, slopes
    )


def _settle(answers: _Answers, outputs: Outputs, start: _Start) -> SystemEstimate | None:
    """Repeat the linearisation until positions converge. Return None if they do not.

    From the third round on, half steps are used, because full steps may alternate between two states.
    """
    position, slope = start.position, start.slope
    deviations: Vector | None = None
    for at in range(MOST_ROUNDS):
        unit = _unit(position, outputs)
        reml = fit_reml(_design(answers, outputs, _About(position, slope, unit), True), deviations)
        deviations = np.maximum(reml.solved.deviations, LEAST_START)
        moved = _positions(reml.solved, outputs)
        if float(np.max(np.abs(moved - position)[outputs.has_system])) / unit < STILL:
            return SystemEstimate(reml, outputs, answers, moved, unit, 0.0)
        share = 1.0 if at < FULL_ROUNDS else 0.5
        position = position + share * (moved - position)
        slope = slope + share * (1.0 + reml.solved.effect("slope") / unit - slope)
    return None


def _unit(position: Vector, outputs: Outputs) -> float:
    """Return the standard deviation of positions, always above 0."""
    return max(float(np.std(position[outputs.has_system])), 1e-9)


def _are_many(answers: _Answers, outputs: Outputs) -> bool:
    """Whether there are too many levels to estimate slopes together with them."""
    return outputs.systems + outputs.segments + 2 * answers.raters > MANY_DENSE


def _answers(variant: Variant, layout: Layout, outputs: Outputs) -> _Answers:
    solution, rater = variant.solution, layout.rater
    ratings, learnt = layout.ratings, solution.learnt
    counted: Mask = outputs.has_system[ratings.item]
    honest = np.maximum(1.0 - learnt.spam, LEAST_HONEST)
    weight = honest[rater] * ratings.weight / learnt.noise[rater]
    weight = weight[counted] / np.mean(weight[counted])
    task = np.repeat(np.arange(len(ratings.rater)), np.diff(ratings.start)) if layout.shared_tasks else None
    return _Answers(
        score=ratings.score[counted] - learnt.centre,
        weight=weight,
        item=ratings.item[counted],
        rater=rater[counted],
        task=None if task is None else task[counted],
        raters=layout.raters,
        named=len(np.unique(rater[counted & (rater < layout.raters - layout.unnamed)])),
        share=_slope_shares(variant),
    )


def _slope_shares(variant: Variant) -> Vector:
    """Return the weight of each rater in the mean slope: higher for honest raters with precise slopes."""
    learnt, information = variant.solution.learnt, variant.solution.sums.slope_square
    honest = np.maximum(1.0 - learnt.spam, LEAST_HONEST)
    share = honest * information / (1.0 + learnt.slope_variance * information)
    share = share if np.sum(share) > 0.0 else honest
    return np.asarray(share / np.sum(share))


@dataclass(frozen=True, eq=False)
class _Start:
    """Positions of outputs and slopes of raters from the rater model."""

    position: Vector
    slope: Vector


def _start(variant: Variant, answers: _Answers) -> _Start:
    """Return positions and slopes of the rater model, with slopes relative to their mean."""
    learnt = variant.solution.learnt
    mean = float(np.sum(answers.share * learnt.slope))
    return _Start((variant.solution.latent - learnt.centre) * mean, learnt.slope / mean)


@dataclass(frozen=True, eq=False)
class _About:
    """Point of linearisation: positions of outputs, slopes of raters, and the unit of slopes."""

    position: Vector
    slope: Vector
    unit: float


def _design(answers: _Answers, outputs: Outputs, about: _About, slopes: bool) -> MixedDesign:
    item, rater = answers.item, answers.rater
    system, stretch, position = outputs.system[item], about.slope[rater], about.position[item]
    effects = [Effect("system", system, outputs.systems, False, stretch)]
    if outputs.segment is not None:
        effects.append(Effect("segment", outputs.segment[item], outputs.segments, True, stretch))
    effects.append(Effect("rater", rater, answers.raters))
    score = answers.score
    if slopes:
        basis = _relative_basis(answers.share)
        effects.append(Effect("slope", rater, answers.raters, True, position / about.unit, basis))
        score = score + (stretch - 1.0) * position
    both = Effect("rater:system", rater * outputs.systems + system, answers.raters * outputs.systems)
    effects += _fitting(effects, [both] if answers.raters > 1 and outputs.systems > 1 else [])
    if answers.task is not None:
        effects += _fitting(effects, [Effect("task", answers.task, int(answers.task.max()) + 1)])
    effects.append(Effect("item", item, len(outputs.system), True, stretch))
    return MixedDesign(score, answers.weight, tuple(effects), len(effects) - 1)


def _fitting(effects: list[Effect], more: list[Effect]) -> list[Effect]:
    """Return the additional effects for which the dense part is not too large."""
    size = sum(effect.size for effect in effects)
    return [effect for effect in more if size + effect.size <= MOST_DENSE]


def _relative_basis(share: Vector) -> Matrix:
    """Return orthonormal columns that span the slopes with a mean of 0 over raters."""
    whole = np.column_stack([share / np.linalg.norm(share), np.eye(len(share))])
    return np.asarray(np.linalg.qr(whole)[0][:, 1:])


def _positions(solved: Solved, outputs: Outputs) -> Vector:
    """Return the position of each output; 0 for items without a system."""
    position = solved.effect("system")[outputs.system] + solved.effect("item")
    if outputs.segment is not None:
        position = position + solved.effect("segment")[outputs.segment]
    return np.where(outputs.has_system, position, 0.0)


def _means_by_system(outputs: Outputs, codes: Codes, size: int) -> Matrix:
    """Return a matrix whose row s contains the share of each code among the outputs of system s."""
    counted = outputs.has_system
    rows = np.zeros((outputs.systems, size))
    np.add.at(rows, (outputs.system[counted], codes[counted]), 1.0)
    return np.asarray(rows / np.maximum(rows.sum(axis=1, keepdims=True), 1.0))


def _contrast_variances(covariance: Matrix, first: Codes, second: Codes) -> Vector:
    """Return the variances of differences, or of the position if both indices are equal."""
    own = np.diag(covariance)
    return np.where(first == second, own[first], own[first] + own[second] - 2.0 * covariance[first, second])
