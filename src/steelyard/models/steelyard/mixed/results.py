"""The fit of several kinds of judgment on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.counting import count_judgments
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Vector, sum_by
from steelyard.models.model import provenance_of
from steelyard.models.steelyard.mixed.agreement import KindAgreement, agreement_of_kinds
from steelyard.models.steelyard.mixed.joint import JointSolution
from steelyard.models.steelyard.mixed.unit import integrated_over_unit, most_answered
from steelyard.scales.fit import Fit, Sample
from steelyard.scales.joint import Joint, JointNormal
from steelyard.scales.provenance import Provenance
from steelyard.scales.quantity import Quantity
from steelyard.scales.tables import Rows

NO_UNIT = (
    "There are no ratings, so the scale has no unit and no zero. Positions are relative to their mean, in units of the "
    "noise of one {kind} difference by an average rater."
)
UNRATED = Quantity(
    "position",
    "its distance from the mean of all {unit}s, in units of the noise of one difference between two {unit}s by an "
    "average rater",
    "units of the noise",
)
NOT_INFORMATIVE = "The {kind} judgments hardly depend on the items and contribute little to the scale."


@dataclass(frozen=True, eq=False)
class MixedFit(Fit):
    """Scale from several kinds of judgment, or from kinds that order items.

    Parameters
    ----------
    orders
        Positions and parameters of the kinds that order items.
    unit
        Converts the latent scale to that of the positions.
    """

    orders: JointSolution | None = None
    unit: float = 1.0

    @cached_property
    def agreement(self) -> tuple[KindAgreement, ...]:
        """Agreement of each kind that orders items with the common scale."""
        return () if self.orders is None else agreement_of_kinds(self.orders)

    @property
    def correlation_of_kinds(self) -> Mapping[str, float]:
        """Correlation of the positions by each kind that orders items with those by the other judgments."""
        return {each.kind: each.correlation for each in self.agreement}

    @property
    def kinds(self) -> Rows:
        """One row per kind that orders items: noise, ties, side preference, tastes, and agreement with the others.

        `noise`, `tie_width`, `side_preference`, `taste` and `discrepancy` (standard deviations) are in units of the
        scale. `correlation` is that of the positions by this kind alone and by the other judgments alone, over items,
        corrected for their errors. `log_evidence` is the log ratio of the
        probabilities of the answers with and without a discrepancy.
        """
        return Rows([each.row(self.unit) for each in self.agreement])

    @property
    def items(self) -> Rows:
        """One row per item: number of judgments, position, and the difference of each kind from the common scale."""
        order = range(len(self.item)) if self.places is None else self.places.tolist()
        columns = {f"{each.kind}_difference": self.unit * each.difference for each in self.agreement}
        position = self.posterior.position
        return Rows(
            [
                {
                    "item": str(self.item[at]),
                    "answers": float(self.count[at]),
                    "position": float(position[at]),
                    **{name: float(values[at]) for name, values in columns.items()},
                }
                for at in order
            ]
        )

    @property
    def quantity(self) -> Quantity | None:
        """Meaning of the positions without ratings; None with ratings, which give them the meaning of the model."""
        return UNRATED if self.provenance.range is None else None

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences that a reader of the scale needs: those of every fit, and disagreement of kinds."""
        apart = [each.warning(self.item, self.unit) for each in self.agreement if each.disagrees]
        random = [
            NOT_INFORMATIVE.format(kind=each.kind.replace("_", "-"))
            for each in self.agreement
            if not each.is_informative
        ]
        return (*super().remarks, *apart, *random)

    def systems(self, target: Sample = "new", raters: Sample = "new") -> Fit:
        """Raise an error: several kinds of judgment give a scale of items only."""
        del target, raters
        raise BadSetting(
            "unit",
            "steelyard estimates systems from ratings only. Select ratings: judgments.only('rating') in Python, --kind "
            "rating on the command line. Or choose another model for the other kinds.",
        )


def judged_times(judgments: Judgments) -> Vector:
    """Return the number of rows of any kind about each item, with their counts."""
    count = np.zeros(len(judgments.items))
    for table in judgments.tables.values():
        for column in table.kind.items:
            code = table.codes[column]
            count += sum_by(code[code >= 0], table.weights[code >= 0], len(count))
    return count


def provenance_of_kinds(
    judgments: Judgments, model: tuple[str, Mapping[str, Any], int], solution: JointSolution
) -> Provenance:
    """Return the provenance of a fit to several kinds.

    Parameters
    ----------
    judgments
        All judgments.
    model
        Name of the model, settings that the signature names, and seed.
    solution
        Positions from the kinds that order items.

    Returns
    -------
    Provenance
        With the kinds as a setting, and the range if there are ratings or ranges.
    """
    name, settings, seed = model
    kinds = tuple(kind for kind, table in judgments.tables.items() if len(table))
    shown = {"kinds": ",".join(kinds), **settings}
    one = provenance_of(name, shown, judgments, seed, kinds[0])
    return replace(
        one,
        judgments=count_judgments(judgments, kinds),
        range=judgments.score_range if judgments.placed else None,
        converged=solution.converged,
        iterations=solution.sweeps,
    )


def unrated_fit(
    judgments: Judgments, solution: JointSolution, provenance: Provenance, places: Codes, raters: Rows
) -> MixedFit:
    """Return the fit without ratings: centred positions in units of the noise of a difference.

    Parameters
    ----------
    judgments
        Judgments that order items.
    solution
        Positions in units of their prior standard deviation.
    provenance
        Model, settings and size of the data.
    places
        Index of each row of the scale.
    raters
        Diagnostics of raters.

    Returns
    -------
    MixedFit
        With a note that the scale has no unit and no zero.
    """
    main = most_answered(solution)
    integrated = integrated_over_unit(solution)
    note = NO_UNIT.format(kind=main.kind.replace("_", "-"))
    return MixedFit(
        judgments.items,
        judged_times(judgments),
        JointNormal(Joint(integrated.position, integrated.covariance)),
        provenance,
        raters,
        places,
        notes=(note,),
        orders=solution,
        unit=main.link.discrimination,
    )


def rater_columns(
    judgments: Judgments, solution: JointSolution, rows: Sequence[Mapping[str, Any]] = ()
) -> Rows:
    """Return one row per rater with the terms that all kinds share.

    Parameters
    ----------
    judgments
        All judgments.
    solution
        Discrimination and spam of raters.
    rows
        Rows of the rating model, one per rater, to which columns are added.

    Returns
    -------
    Rows
        `orders` is the number of answers that order items, `discrimination` the factor on the average
        discrimination, and `spam` the probability of spam from all kinds.
    """
    terms = solution.raters
    none = [np.zeros(len(terms.spam))]
    answered = np.sum([*none, *(term.answered for term in solution.terms)], axis=0)
    factor = np.exp(terms.mean)
    made = []
    for at, label in enumerate(judgments.raters):
        own = dict(rows[at]) if rows else {"rater": str(label)}
        added = {
            "orders": float(answered[at]),
            "discrimination": float(factor[at]),
            "spam": float(terms.spam[at]),
        }
        made.append({**own, **added})
    return Rows(made)
