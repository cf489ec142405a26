"""How far kinds of judgment agree on one scale: discrepancies, their evidence, and the items that differ most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Labels, Matrix, Vector
from steelyard.models.steelyard.mixed.joint import Base, JointSolution, posterior_of
from steelyard.models.steelyard.mixed.layers import inverse_of
from steelyard.models.steelyard.mixed.learning import DISCREPANCIES, discrepancy_evidence
from steelyard.models.steelyard.mixed.term import Layers, Term, layers_of, passed_by

LEAST_EVIDENCE = (
    3.0  # log ratio of the probabilities with and without a discrepancy, from which users are warned
)
MOST_CORRELATION = 0.9  # up to which users are warned
LISTED = 5  # items that a warning names
LEAST_INFORMATION = (
    0.25  # discrimination times standard deviation of positions, below which answers look random
)


@dataclass(frozen=True, eq=False)
class KindAgreement:
    """Agreement of one kind with the common scale.

    Attributes
    ----------
    kind
        Name of the kind.
    answers
        Number of answers.
    discrimination
        Inverse of the noise of a difference, in units of the latent scale.
    tie_width, side
        Tie width and preference for the left side, in units of this noise.
    taste
        Standard deviation of raters' own opinions of an item, in units of the latent scale.
    discrepancy
        Standard deviation of the difference between this kind's quality and the common scale.
    correlation
        Correlation over items of the positions by this kind alone and by the other judgments alone, corrected for their
        errors. It may be negative. 1 if there are no other judgments.
    log_evidence
        Log ratio of the probabilities of the answers with and without a discrepancy.
    difference
        Estimated difference of each item.
    is_informative
        Whether answers of this kind depend on the positions.
    """

    kind: str
    answers: float
    discrimination: float
    tie_width: float
    side: float
    taste: float
    discrepancy: float
    correlation: float
    log_evidence: float
    difference: Vector
    is_informative: bool

    @property
    def disagrees(self) -> bool:
        """Whether this kind seems to be about another quality."""
        return (
            self.log_evidence > LEAST_EVIDENCE and self.correlation < MOST_CORRELATION and self.is_informative
        )

    def row(self, unit: float) -> dict[str, float | str]:
        """Return the numbers as a row of a table; `unit` converts the latent scale to that of the study."""
        return {
            "kind": self.kind,
            "answers": self.answers,
            "noise": unit / self.discrimination,
            "tie_width": unit * self.tie_width / self.discrimination,
            "side_preference": unit * self.side / self.discrimination,
            "taste": unit * self.taste,
            "discrepancy": unit * self.discrepancy,
            "correlation": self.correlation,
            "log_evidence": self.log_evidence,
        }

    def warning(self, items: Labels, unit: float) -> str:
        """Return a sentence about the disagreement, with the items that differ most and the remedy.

        Parameters
        ----------
        items
            Item ids.
        unit
            Converts the latent scale to that of the study.

        Returns
        -------
        str
            Two sentences.
        """
        order = np.argsort(-np.abs(self.difference), kind="stable")[:LISTED]
        named = ", ".join(f"{items[at]} ({unit * self.difference[at]:+.3g})" for at in order)
        words = self.kind.replace("_", "-")
        return (
            f"The {words} judgments disagree with the others: the correlation of the positions by them alone with "
            f"those by the other judgments is about {self.correlation:.2f}, and items differ most in: {named}. They "
            "may be about another quality. "
            f"Fit each kind separately: Steelyard().fit_separately(judgments) in Python, --kind {self.kind} on the "
            "command line."
        )


def agreement_of_kinds(solution: JointSolution) -> tuple[KindAgreement, ...]:
    """Return the agreement of each kind that orders items with the other judgments."""
    return tuple(_agreement(solution, at) for at in range(len(solution.terms)))


def _agreement(solution: JointSolution, at: int) -> KindAgreement:
    term, base = solution.terms[at], solution.base
    others = [layers_of(each) for place, each in enumerate(solution.terms) if place != at]
    logs = np.zeros(1)
    if others or base.rated:
        logs = np.array(discrepancy_evidence(base, others, term, base.variance))
    link = term.link
    layer = layers_of(term).kind
    return KindAgreement(
        kind=term.kind,
        answers=float(term.opinions.orders.weight.sum()),
        discrimination=link.discrimination,
        tie_width=link.tie_width,
        side=link.side,
        taste=float(np.sqrt(link.taste)),
        discrepancy=float(np.sqrt(link.discrepancy)),
        correlation=_correlation(base, others, term) if others or base.rated else 1.0,
        log_evidence=float(logs[1:].max() - logs[0]) if len(logs) == len(DISCREPANCIES) else 0.0,
        difference=layer.mean(solution.mean) - solution.mean,
        is_informative=bool(link.discrimination * np.sqrt(base.variance) > LEAST_INFORMATION),
    )


def _correlation(base: Base, others: Sequence[Layers], term: Term) -> float:
    """Return the correlation of the positions by one kind and by the others: r / sqrt(reliability of each).

    r is the correlation of the two posterior means. The messages of each part are those of the joint fit.
    """
    own = passed_by(term).layers(0.0).kind
    judged = np.diag(own.precision) > 0.0
    prior = np.eye(len(judged)) / (base.variance + term.link.discrepancy)
    covariance = inverse_of(own.precision + prior)
    scales = ((covariance @ own.pull, covariance), posterior_of(base, others))
    one, other = (mean[judged] - mean[judged].mean() for mean, _ in scales)
    reliability = [_reliability(mean[judged], spread[np.ix_(judged, judged)]) for mean, spread in scales]
    size = np.sqrt(np.mean(one**2) * np.mean(other**2) * np.prod(reliability))
    return float(np.clip(np.mean(one * other) / size, -1.0, 1.0)) if size > 0.0 else 0.0


def _reliability(mean: Vector, covariance: Matrix) -> float:
    """Return the share of the variance of positions that their posterior means have."""
    between = float(np.var(mean))
    error = float(np.mean(np.diag(covariance)) - np.mean(covariance))
    return between / (between + error) if between > 0.0 else 0.0
