"""Analysis of deviance: likelihood ratio tests of a sequence of nested models on one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from steelyard.errors import BadSetting, DifferentTables, UnknownName
from steelyard.judgments.counts import PairCounts
from steelyard.models.bradley_terry.design import Design, make_design
from steelyard.models.bradley_terry.goodness import Goodness
from steelyard.models.bradley_terry.prediction import check_likelihood
from steelyard.models.bradley_terry.ratios import (
    LikelihoodRatio,
    clustered_columns,
    independence,
    ratio_between,
)
from steelyard.models.bradley_terry.residuals import table_of
from steelyard.models.bradley_terry.results import BradleyTerryFit
from steelyard.models.bradley_terry.settings import Settings
from steelyard.scales.tables import Tabular

NESTED = 1e-7  # largest share of a column that the larger model may leave unexplained
MOST_CHECKED = 2500  # parameters up to which nesting is checked with the design matrices
NO_TIE_PARAMETER = "kept"  # Davidson's model with a tie parameter of 0


@dataclass(frozen=True, eq=False, repr=False)
class Anova(Tabular):
    """Analysis of deviance of nested models, smallest model first.

    The table has the columns `model` (the terms of the model), `parameters`, `df_residual` and `deviance`, and the
    test of each model against the one before it: `df`, `chi_square` and `p`. If raters answered more than once, it
    also has the F test clustered by rater: `f`, `f_df`, `f_df_within` and `p_clustered`.

    Attributes
    ----------
    model
        Terms of each model, such as "items + order + tie".
    goodness
        Goodness of fit of each model on the common table.
    tests
        Test of each model against the one before it.
    notes
        Sentences about the table and the assumptions of the tests.
    """

    model: tuple[str, ...]
    goodness: tuple[Goodness, ...]
    tests: tuple[LikelihoodRatio, ...]
    notes: tuple[str, ...] = ()

    def columns(self) -> dict[str, Any]:
        """Return the values of each column by name."""
        clustered = [test.clustered for test in self.tests]
        by_rater = clustered_columns(clustered) if any(clustered) else {}
        tested = {name: [getattr(test, name) for test in self.tests] for name in ("df", "chi_square", "p")}
        return {
            "model": list(self.model),
            "parameters": [each.rank for each in self.goodness],
            "df_residual": [each.df_residual for each in self.goodness],
            "deviance": [each.deviance for each in self.goodness],
            **{name: [None, *values] for name, values in (tested | by_rater).items()},
        }


def anova(*fits: BradleyTerryFit) -> Anova:
    """Compare nested Bradley-Terry models, each with the next larger one.

    All models are evaluated on one table, which distinguishes everything that any of them needs. They therefore do
    not need the same setting `table`. A difference of deviances does not depend on the table.

    Parameters
    ----------
    *fits
        Two or more fits to the same judgments. They are ordered by their number of parameters.

    Returns
    -------
    Anova
        One row per model: residual deviance, and the test against the model before it.

    Raises
    ------
    DifferentTables
        If the models were fitted to different judgments, are not nested, or have no likelihood.

    Examples
    --------
    >>> from steelyard import BradleyTerry, anova, read
    >>> columns = {"left": ["a", "a", "b", "b"], "right": ["b", "c", "c", "a"]}
    >>> judgments = read({**columns, "wins": [9, 7, 6, 5], "losses": [3, 2, 4, 4]})
    >>> anova(BradleyTerry().fit(judgments), BradleyTerry(order=True).fit(judgments))
    Anova: 2 rows
    model          parameters  df_residual  deviance  df  chi_square      p
    items                   2            2     2.154
    items + order           3            1     0.133   1       2.021  0.155
    The deviances are computed on a table of 4 rows x 2 outcomes.
    """
    if len(fits) < 2:
        raise BadSetting("anova", "needs two or more fits. Fit another model to the same judgments.")
    for fit in fits:
        check_likelihood(fit)
    ordered = sorted(fits, key=lambda fit: fit.parameters)
    table = _common_table(ordered)
    designs = [make_design(table, fit.settings) for fit in ordered]
    goodness = tuple(_goodness(fit, design) for fit, design in zip(ordered, designs, strict=True))
    tests = []
    for (narrow, wide), (small, large), (before, after) in zip(
        pairwise(ordered), pairwise(designs), pairwise(goodness), strict=True
    ):
        _check_nested(narrow, wide, small, large)
        tests.append(ratio_between(wide, narrow, 2.0 * (after.kernel - before.kernel)))
    terms = tuple(terms_of(fit) for fit in ordered)
    return Anova(terms, goodness, tuple(tests), _notes(ordered, goodness[0], tests))


def terms_of(fit: BradleyTerryFit) -> str:
    """Return the terms of a model in the notation of R's formulas, such as "items + order + tie"."""
    design, count = fit.design, len(fit.design.items)
    blocks = {block.start: f"items:{block.label}".removesuffix(":") for block in design.blocks}
    terms, at = [], 0
    while at < len(design.names):
        terms.append(blocks.get(at, design.names[at]))
        at += 1 if at not in blocks else design.size if at == 0 and design.size else count
    random = [f"random {each}" for each in _random_effects(fit.settings)]
    return " + ".join(dict.fromkeys([*(term.partition("=")[0] for term in terms), *random]))


def _random_effects(settings: Settings) -> set[str]:
    effects = {"position": settings.rater_position, "items": settings.rater_items}
    return {name for name, way in effects.items() if way != "none"}


def _common_table(fits: Sequence[BradleyTerryFit]) -> PairCounts:
    """Return the counts split by every column that one of the models needs."""
    columns = tuple(dict.fromkeys(name for fit in fits for name in fit.settings.columns))
    ordered = any(fit.settings.ordered for fit in fits)
    try:
        tables = [table_of(fit.source, columns, ordered) for fit in fits]
    except UnknownName as missing:
        raise DifferentTables(f"they were fitted to different judgments. {missing}") from None
    for table in tables[1:]:
        if not _same(tables[0], table):
            raise DifferentTables("they were fitted to different judgments. Fit all models to the same ones.")
    return tables[0]


def _same(one: PairCounts, other: PairCounts) -> bool:
    pairs = [(one.items, other.items), (one.left, other.left), (one.right, other.right)]
    pairs += [(one.counts, other.counts)]
    pairs += [(one.cells[name].values, other.cells[name].values) for name in one.cells]
    return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


def _goodness(fit: BradleyTerryFit, design: Design) -> Goodness:
    """Return the goodness of fit of the estimates on another table than their own."""
    if design.names != fit.design.names:
        raise DifferentTables("they were fitted to different judgments. Fit all models to the same ones.")
    ability, tie = design.predictors(fit.theta)
    shares = np.exp(fit.likelihood.log_probabilities(ability, tie))
    return Goodness(design.outcomes, shares, fit.parameters, fit.marginal)


def _check_nested(narrow: BradleyTerryFit, wide: BradleyTerryFit, small: Design, large: Design) -> None:
    """Raise `DifferentTables` unless the larger model can reproduce every prediction of the smaller one."""
    names = f"{terms_of(narrow)} and {terms_of(wide)}"
    if narrow.parameters == wide.parameters:
        raise DifferentTables(f"{names} have the same number of parameters, so they are not nested.")
    if narrow.settings.link != wide.settings.link:
        raise DifferentTables(f"{names} have different links. Use the same link for all models.")
    if not _same_outcomes(narrow.settings, wide.settings):
        ties = f"ties={narrow.settings.ties!r} and ties={wide.settings.ties!r}"
        raise DifferentTables(
            f"{names} treat ties differently ({ties}). Use the same setting for all models."
        )
    nested = _random_effects(narrow.settings) <= _random_effects(wide.settings)
    if not nested or not _contained(small, large):
        raise DifferentTables(
            f"{names} are not nested: the larger model does not contain all terms of the smaller one."
        )


def _same_outcomes(narrow: Settings, wide: Settings) -> bool:
    return narrow.ties == wide.ties or (narrow.ties == NO_TIE_PARAMETER and wide.ties == "davidson")


def _contained(small: Design, large: Design) -> bool:
    """Whether every column of the smaller design is a linear combination of columns of the larger one.

    A column x has the residual sum of squares x'x - x'Z (Z'Z)^- Z'x in its regression on the columns Z.
    """
    if max(len(small.names), len(large.names)) > MOST_CHECKED:
        return set(small.names) <= set(large.names)
    mine, theirs = _stacked(small), _stacked(large)
    own = np.asarray(mine.multiply(mine).sum(axis=0)).ravel()
    across = np.asarray((theirs.T @ mine).todense())
    gram = np.asarray((theirs.T @ theirs).todense())
    explained = np.sum(across * (np.linalg.pinv(gram, rcond=1e-12, hermitian=True) @ across), axis=0)
    return bool(np.all(own - explained <= NESTED * np.maximum(own, 1e-300)))


def _stacked(design: Design) -> Any:
    """Return the columns of the ability predictor above those of the tie predictor."""
    from scipy import sparse  # SciPy is slow to import

    return sparse.vstack([design.matrix, design.tie_matrix], format="csr")


def _notes(
    fits: Sequence[BradleyTerryFit], goodness: Goodness, tests: Sequence[LikelihoodRatio]
) -> tuple[str, ...]:
    outcomes = goodness.observed.shape[0]
    table = f"The deviances are computed on a table of {goodness.rows:,} rows x {outcomes} outcomes."
    notes = [table]
    assumed = independence(fits[-1])
    if assumed:
        notes.append(f"The chi-square test {assumed}.")
        if not all(test.clustered for test in tests if test.assumes):
            notes.append("A test without clustered columns could not be clustered by rater.")
    notes += [f"The model {terms_of(fit)} did NOT converge." for fit in fits if not fit.converged]
    return tuple(notes)
