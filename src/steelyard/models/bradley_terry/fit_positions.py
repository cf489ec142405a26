"""Positions of a Bradley-Terry fit: worths, standard errors, contrasts and quasi-variances."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from steelyard.errors import BadSetting, UnknownItem
from steelyard.maths.arrays import Labels, Matrix, Vector
from steelyard.models.bradley_terry.coefficients import centred_items, covariate_profile, item_rows
from steelyard.models.bradley_terry.contrasts import (
    Contrasts,
    QuasiVariances,
    all_contrasts,
    quasi_variances_of,
)
from steelyard.models.bradley_terry.fit_statistics import FitStatistics
from steelyard.models.bradley_terry.inference import Covariance, DenseCovariance
from steelyard.models.clusters import Clustering
from steelyard.scales.differences import Adjust
from steelyard.scales.fit import Fit
from steelyard.scales.joint import Joint


class FitPositions(FitStatistics, Fit):
    """Positions of the items and what is derived from their covariance."""

    covariance: Covariance
    clustering: Clustering | None

    def freedom_of(self, rows: Matrix) -> Vector | None:
        """Return the degrees of freedom of linear combinations of the parameters.

        Parameters
        ----------
        rows
            One linear combination per row.

        Returns
        -------
        Vector or None
            One number per row; None if standard errors are not clustered.
        """
        if self.clustering is None:
            return None
        return np.diag(self.clustering.freedom(rows[:, np.diag(self._matrix) > 0.0]))

    @property
    def _matrix(self) -> Matrix:
        if not isinstance(self.covariance, DenseCovariance):
            raise BadSetting(
                "coefficients",
                f"the covariance of {len(self.design.names):,} parameters is too large to compute. "
                "Use standard_errors(items) for some of the items.",
            )
        return self.covariance.matrix

    @property
    def aliased(self) -> tuple[str, ...]:
        """Parameters that are not identified beside the others. They are fixed at 0."""
        return self.design.aliased

    def worths(self, **raters: object) -> dict[str, float]:
        """Return the worths exp(log-worth), normalised to sum to 1.

        Parameters
        ----------
        **raters
            Values of rater covariates, such as `group="expert"`. Default: the reference level of each category
            and 0 for a number, not the average over the raters, which `scale` uses.

        Returns
        -------
        dict
            Worth of each item.

        Examples
        --------
        >>> from steelyard import BradleyTerry, read
        >>> fit = BradleyTerry().fit(read({"left": ["tea"], "right": ["milk"], "wins": [3], "losses": [1]}))
        >>> {item: round(worth, 3) for item, worth in fit.worths().items()}
        {'milk': 0.25, 'tea': 0.75}
        """
        position = (
            item_rows(self.design, self.settings, covariate_profile(self.design, self.settings, raters))
            @ self.theta
        )
        worth = np.exp(position - position.max())
        return dict(zip(map(str, self.item), (worth / worth.sum()).tolist(), strict=True))

    def standard_errors(
        self, items: list[str] | Labels | None = None, leading: int | None = None
    ) -> dict[str, float]:
        """Return the standard errors of positions, which sum to 0.

        Parameters
        ----------
        items
            Items to report. Default: all, or the leading ones.
        leading
            Report only this many items with the highest positions. Ignored if `items` is set.

        Returns
        -------
        dict
            Standard error of each item.
        """
        index = {str(item): at for at, item in enumerate(self.item)}
        if items is not None:
            chosen = [self._at(str(item), index) for item in items]
        else:
            order = np.argsort(-self.posterior.position, kind="stable")
            chosen = (order if leading is None else order[:leading]).tolist()
        if isinstance(self.covariance, DenseCovariance):
            errors = self.posterior.spread[chosen]
        else:
            rows = np.zeros((len(chosen), len(self.design.names)))
            rows[:, : len(self.item)] = -1.0 / len(self.item)
            rows[np.arange(len(chosen)), chosen] += 1.0
            errors = np.sqrt(self.covariance.variances(rows.T))
        return {str(self.item[at]): float(se) for at, se in zip(chosen, errors, strict=True)}

    @staticmethod
    def _at(item: str, index: Mapping[str, int]) -> int:
        if item not in index:
            raise UnknownItem(item)
        return index[item]

    @cached_property
    def item_covariance(self) -> Matrix:
        """Covariance of the positions, which sum to 0 within every connected group of items."""
        return centred_items(self.design, self.settings, self.theta, self._matrix)[1]

    def contrasts(self, adjust: Adjust = "none") -> Contrasts:
        """Return the difference between every two positions.

        Parameters
        ----------
        adjust
            Adjustment of p values: `"none"` (default), `"bonferroni"`, `"holm"`, `"bh"` or `"single_step"`.

        Returns
        -------
        Contrasts
            One row per pair of items.
        """
        freedom = None if self.clustering is None else self.joint.freedom
        joint = Joint(self.posterior.position, self.item_covariance, freedom)
        part = self.design.component if self.design.component.any() else None
        return all_contrasts(self.item, joint, adjust, part)

    def quasi_variances(self) -> QuasiVariances:
        """Return quasi-variances: the variance of a difference is about the sum of those of its two items.

        Returns
        -------
        QuasiVariances
            One variance per item, and the largest relative error of this approximation.

        References
        ----------
        - Firth, D. & de Menezes, R. X. (2004). Quasi-variances. Biometrika 91.
        """
        return quasi_variances_of(self.item, self.item_covariance)
