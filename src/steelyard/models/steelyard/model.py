"""`Steelyard`: positions of items and habits of raters from ratings and other kinds of judgment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np

from steelyard.errors import BadSetting
from steelyard.judgments.coding import Vocabulary
from steelyard.judgments.findings import listed
from steelyard.judgments.linked import parts_by_rater, parts_in_words
from steelyard.judgments.logs import HeldJudgments, StreamedRatings
from steelyard.judgments.table import Judgments
from steelyard.maths.arrays import Codes, Labels
from steelyard.models.model import Capabilities, in_sorted_order, provenance_of, rows_of
from steelyard.models.outputs import outputs_of, shared_labels
from steelyard.models.steelyard.averaging import average_variants
from steelyard.models.steelyard.belief import SteelyardBelief, folded, fresh
from steelyard.models.steelyard.features import SEGMENT, SYSTEM, Features, features_of
from steelyard.models.steelyard.forecast import Forecast, forecast
from steelyard.models.steelyard.inference import Solution
from steelyard.models.steelyard.large.model import fit_blocks
from steelyard.models.steelyard.layout import lay_out
from steelyard.models.steelyard.machine import machine_scores
from steelyard.models.steelyard.mixed.believing import believed_from_all, with_orders
from steelyard.models.steelyard.mixed.model import fit_mixed, is_mixed
from steelyard.models.steelyard.mixed.ranges import as_ratings
from steelyard.models.steelyard.mixed.results import MixedFit
from steelyard.models.steelyard.ordinal import average_levels
from steelyard.models.steelyard.posterior import SteelyardPosterior
from steelyard.models.steelyard.raters import rater_rows
from steelyard.models.steelyard.refit import believed
from steelyard.models.steelyard.results import SteelyardFit
from steelyard.scales.fit import Fit
from steelyard.scales.provenance import Provenance
from steelyard.scales.quantity import Quantity
from steelyard.scales.tables import Rows

ONE_RATER = (
    "All ratings are by one rater, so the differences between raters cannot be estimated. Intervals apply to this "
    "rater only. With few ratings, positions are moved towards the mean of all items; the model direct_assessment "
    "takes plain means."
)


@dataclass(frozen=True, slots=True)
class Steelyard:
    r"""Rating model that estimates item positions together with the habits of raters.

    The model of the score of item i by rater a in task t is

    .. math::

        \mathrm{score} = \mathrm{centre} + \mathrm{slope}_a\,\theta_i + \mathrm{bias}_a
            + \mathrm{offset}_t + \mathrm{noise}, \qquad
        \mathrm{noise} \sim N(0, \sigma_a^2)

        \theta_i \sim N(\mathrm{features}_i \cdot \beta, \tau^2)

    Biases, slopes and offsets are normal, and the noise variances of raters are shrunk to a common value. A rater
    may be a spammer, whose scores do not depend on the items. All variances are estimated, so effects that the
    ratings do not support shrink to zero. The position of an item is the expected answer of an average honest
    rater. Positions are averaged over variants of the model, weighted by how well each predicts the answers of
    raters it was not fitted to: a shrunk mean without rater effects; bias only; all rater effects; all rater effects
    with answers at the ends of the scale treated as censored.

    Assumptions: raters err independently given their effects, and slopes of raters average 1. Task offsets need a
    `task` column with several items per task. Slopes need at least three raters with four answers each. The model
    does not improve on the mean if raters are alike or give only a few answers each. See
    docs/explanation/models/steelyard.md.

    Parameters
    ----------
    features
        Columns of the items by name, each a mapping from item to a number or a label. They determine the prior
        mean of the items. The columns `system` and `segment` of the judgments are added if they exist. Default:
        None.
    seed
        Seed of random draws. Default: 0.
    levels
        Number of levels of the rating scale, such as 5, to treat ratings as ordered categories with estimated
        cut-points. Scores must be evenly numbered over the range. Beliefs of studies treat them as numbers. Default:
        None, scores are numbers.
    machine
        Whether answers of machine judges beside people's ratings determine the prior mean of the items, as features
        with estimated weights. Default: True.

    References
    ----------
    Minka, T. P. (2001). Expectation propagation for approximate Bayesian inference. UAI.

    Meier, P. (1953). Variance of a weighted mean. Biometrics, 9, 59-73.

    Kackar, R. N., & Harville, D. A. (1984). Approximations for standard errors of estimators of fixed and random
    effects in mixed linear models. Journal of the American Statistical Association, 79, 853-862.

    Examples
    --------
    >>> from steelyard import Judgments, Rating
    >>> scores = {"ann": (20, 45, 70), "bob": (40, 60, 95), "cy": (25, 40, 80)}
    >>> ratings = [Rating(rater, item, s) for rater, row in scores.items() for item, s in zip("xyz", row)]
    >>> fit = Steelyard().fit(Judgments.of(ratings, range=(0, 100)))
    >>> fit.scale.ordered().item.tolist()
    ['z', 'y', 'x']
    >>> max(fit.raters, key=lambda row: row["bias"])["rater"]
    'bob'
    """

    name: ClassVar[str] = "steelyard"
    kinds: ClassVar[tuple[str, ...]] = ("rating",)
    capabilities: ClassVar[Capabilities] = Capabilities(
        online=True,
        refits=True,
        predicts_answers=True,
        needs_range=True,
        takes_features=True,
        counts=True,
        belief=frozenset({"answer_variance", "rater_worth", "kinds", "intervals"}),
        also_fits=("comparison", "ranking", "best_worst", "range"),
        machine_beside=("rating", "range"),
    )
    quantity: ClassVar[Quantity] = Quantity(
        "expected answer", "the expected answer of an average honest rater about the {unit}", "points"
    )
    features: Mapping[str, Mapping[str, Any]] | None = None
    seed: int = 0
    levels: int | None = None
    machine: bool = True

    def fit(self, judgments: Judgments | HeldJudgments) -> SteelyardFit | MixedFit:
        """Fit the model to ratings, to other kinds of judgment, or to any mix of them on one scale.

        Parameters
        ----------
        judgments
            Ratings, comparisons, rankings, best-worst choices and ranges, alone or mixed, or a log from
            `steelyard.connect`. A log of more ratings than memory holds is fitted in blocks of raters that are kept in
            temporary files.

        Returns
        -------
        SteelyardFit or MixedFit
            The scale, with one row of diagnostics per rater in `fit.raters`. A `MixedFit` if there are judgments of
            other kinds than ratings; its `kinds` reports how far they agree.

        Raises
        ------
        NothingToFit
            If there are no judgments of these kinds.
        """
        if isinstance(judgments, StreamedRatings) and not judgments.fits_memory:
            return self._fit_files(judgments)
        if isinstance(judgments, HeldJudgments):
            judgments = judgments.judgments()
        if is_mixed(judgments, self.kinds):
            return fit_mixed(self, judgments)
        judgments, places = in_sorted_order(judgments)
        posterior = self.posterior(judgments)
        raters = rater_rows(judgments.raters, posterior.fullest, posterior.width)
        solutions = posterior.average.variants
        names = (*posterior.features.score_names, *posterior.features.level_names)
        settings: dict[str, Any] = {"features": ",".join(names)} if names else {}
        if self.levels is not None:
            settings["levels"] = self.levels
        provenance = _stated(provenance_of(self.name, settings, judgments, self.seed), solutions)
        count = posterior.layout.count
        outputs = outputs_of(judgments) if "system" in judgments.table("rating").codes else None
        parts = (judgments.items, count, posterior, provenance, Rows(raters), places)
        unlinked = parts_by_rater(judgments)
        notes = (
            *((ONE_RATER,) if len(raters) == 1 else ()),
            *((parts_in_words(unlinked),) if unlinked else ()),
            *self.machine_notes(judgments),
        )
        return SteelyardFit(*parts, notes=notes, outputs=outputs)

    def _fit_files(self, log: StreamedRatings) -> SteelyardFit:
        """Fit a log of ratings that are too many for memory."""
        if self.features or self.levels is not None:
            setting = "levels" if self.features is None else "features"
            raise BadSetting(
                setting, "this setting needs the ratings in memory, and the log has too many. Leave it out."
            )
        with TemporaryDirectory(prefix="steelyard-") as folder:
            fitted = fit_blocks(log, Path(folder))
        posterior, solutions = fitted.posterior, fitted.posterior.average.variants
        total = float(fitted.count.sum())
        provenance = Provenance(
            self.name,
            {"ratings": "in files"},
            len(fitted.items),
            int(total) if total.is_integer() else total,
            len(fitted.raters),
            log.score_range,
            self.seed,
        )
        raters = rater_rows(fitted.raters, posterior.fullest, posterior.width)
        parts = (fitted.items, fitted.count, posterior, _stated(provenance, solutions), Rows(raters))
        return SteelyardFit(*parts, np.arange(len(fitted.items)), notes=fitted.notes)

    def fit_separately(self, judgments: Judgments) -> dict[str, Fit]:
        """Fit each kind of judgment on a scale of its own, for kinds that disagree.

        Parameters
        ----------
        judgments
            Judgments of several kinds.

        Returns
        -------
        dict of Fit
            The fit of each kind, by its name.
        """
        kinds = [kind for kind, table in judgments.tables.items() if len(table)]
        return {kind: self.fit(judgments.only(kind)) for kind in kinds}

    def start(self, items: Labels) -> SteelyardBelief:
        """Return the belief before any rating: every item at the middle of the scale.

        Parameters
        ----------
        items
            Item ids.

        Returns
        -------
        SteelyardBelief
            The prior belief, with default variances of rater effects.
        """
        return fresh(items)

    def update(self, belief: SteelyardBelief, judgments: Judgments) -> SteelyardBelief:
        """Return the belief after more ratings or other judgments, without a refit.

        Positions and biases are updated in time proportional to the number of judgments. Variances, slopes, noise
        and spam probabilities keep the values of the last refit.

        Parameters
        ----------
        belief
            Belief returned by `start`, `update` or `believe`.
        judgments
            Judgments of items that the belief contains.

        Returns
        -------
        SteelyardBelief
            The new belief. The argument is not changed.
        """
        if is_mixed(judgments, self.kinds):
            return with_orders(folded(belief, as_ratings(self, judgments)), judgments)
        return folded(belief, judgments)

    def believe(self, items: Labels, judgments: Judgments) -> SteelyardBelief:
        """Return the belief after a refit on all judgments.

        Parameters
        ----------
        items
            All items of the study, with or without judgments.
        judgments
            All ratings, and judgments of other kinds.

        Returns
        -------
        SteelyardBelief
            Belief about `items`, in their order.
        """
        whole = Judgments.concat([judgments, Judgments({}, {"item": Vocabulary(items)})])
        if is_mixed(judgments, self.kinds):
            return believed_from_all(replace(self, levels=None), items, whole)
        if not len(judgments.table("rating")):
            return fresh(items)
        return believed(items, replace(self, levels=None).posterior(whole), whole)

    def forecast(self, belief: SteelyardBelief, rater: str, at: Codes) -> Forecast:
        """Return the predictive distribution of a rater's answers.

        Parameters
        ----------
        belief
            Current belief.
        rater
            Rater id. A rater without answers gets the average rater effects.
        at
            Indices of the items in the belief.

        Returns
        -------
        Forecast
            Distribution of one answer to each item, on the unit scale.
        """
        return forecast(belief, rater, at)

    def posterior(self, judgments: Judgments) -> SteelyardPosterior:
        """Return the posterior of the positions, without the ranks and tables of a `Fit`.

        Parameters
        ----------
        judgments
            Ratings.

        Returns
        -------
        SteelyardPosterior
            Positions, standard deviations, intervals and draws.
        """
        rows_of(judgments, "rating", self.name)
        layout = lay_out(judgments)
        features = self.features_of(judgments)
        if self.levels is None:
            average = average_variants(layout, features)
        else:
            average = average_levels(layout, features, self.levels)
        return SteelyardPosterior(average, layout, features, *judgments.score_range)

    def machine_notes(self, judgments: Judgments) -> tuple[str, ...]:
        """Return what is done with the answers of machine judges beside ratings.

        Parameters
        ----------
        judgments
            Ratings, with machine answers beside them or not.

        Returns
        -------
        tuple of str
            One sentence; none without machine answers.
        """
        if judgments.machine is None:
            return ()
        judges = f"{len(judgments.machine):,} answers of machine judges ({listed(judgments.machine.raters)})"
        if not self.machine:
            return (f"{judges} are left out.",)
        return (
            f"{judges} determine the prior means of the items, with weights estimated from people's answers.",
        )

    def features_of(self, judgments: Judgments) -> Features:
        """Return the features of the items: the setting `features` and the system and segment columns.

        Parameters
        ----------
        judgments
            Ratings, which name the items.

        Returns
        -------
        Features
            Standardised numeric columns and coded labels.
        """
        columns = {} if self.features is None else dict(self.features)
        for name in (SYSTEM, SEGMENT):
            shared = shared_labels(judgments, name)
            if shared and name not in columns:
                columns[name] = shared
        features = features_of(columns, judgments.items)
        if judgments.machine is None or not self.machine:
            return features
        return features.with_machine(machine_scores(judgments.machine, judgments.items, features.system))


def _stated(provenance: Provenance, solutions: Sequence[Solution]) -> Provenance:
    """Return the provenance with whether the variants converged, and their number of passes."""
    return replace(
        provenance,
        converged=all(solution.converged for solution in solutions if solution.parts.noise),
        iterations=sum(solution.sweeps for solution in solutions),
    )
