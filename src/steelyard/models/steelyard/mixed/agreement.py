"""How far kinds of judgment agree on one scale: discrepancies, their evidence, and the items that differ most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Labels, Vector
from steelyard.models.steelyard.mixed.joint import JointSolution
from steelyard.models.steelyard.mixed.learning import DISCREPANCIES, discrepancy_evidence
from steelyard.models.steelyard.mixed.term import layers_of

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
        Correlation of this kind's quality with the common scale, over items.
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
            f"The {words} judgments disagree with the others: the correlation of their quality with the common scale "
            f"is about {self.correlation:.2f}, and items differ most in: {named}. They may be about another quality. "
            f"Fit each kind separately: Steelyard().fit_separately(judgments) in Python, --kind {self.kind} on the "
            "command line."
        )


def agreement_of_kinds(solution: JointSolution) -> tuple[KindAgreement, ...]:
    """Return the agreement of each kind that orders items with the common scale."""
    return tuple(_agreement(solution, at) for at in range(len(solution.terms)))


def _agreement(solution: JointSolution, at: int) -> KindAgreement:
    term, base = solution.terms[at], solution.base
    others = [layers_of(each) for place, each in enumerate(solution.terms) if place != at]
    logs = np.zeros(1)
    if others or base.rated:
        logs = np.array(discrepancy_evidence(base, others, term, base.variance))
    link, variance = term.link, base.variance
    layer = layers_of(term).kind
    return KindAgreement(
        kind=term.kind,
        answers=float(term.opinions.orders.weight.sum()),
        discrimination=link.discrimination,
        tie_width=link.tie_width,
        side=link.side,
        taste=float(np.sqrt(link.taste)),
        discrepancy=float(np.sqrt(link.discrepancy)),
        correlation=float(np.sqrt(variance / (variance + link.discrepancy))),
        log_evidence=float(logs[1:].max() - logs[0]) if len(logs) == len(DISCREPANCIES) else 0.0,
        difference=layer.mean(solution.mean) - solution.mean,
        is_informative=bool(link.discrimination * np.sqrt(variance) > LEAST_INFORMATION),
    )
