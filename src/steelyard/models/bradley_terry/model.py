"""Bradley-Terry model of comparisons: the odds that one item is preferred to another are the ratio of their worths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from steelyard.models.bradley_terry.settings import Settings
from steelyard.models.model import Capabilities
from steelyard.models.worths import log_worth
from steelyard.scales.quantity import Quantity

if TYPE_CHECKING:
    from steelyard.judgments.logs import ComparisonSource
    from steelyard.models.bradley_terry.results import BradleyTerryFit


@dataclass(frozen=True)
class BradleyTerry(Settings):
    r"""Bradley-Terry model of comparisons, with ties, order effects, covariates and rater effects.

    Item i has the log-worth :math:`a_i`. Without ties, and with the order effect :math:`\delta` of the left item,

    .. math::

        \log \frac{P(i > j)}{P(j > i)} = a_i - a_j + \delta .

    Davidson's model adds ties with the parameter :math:`\gamma` (called `tie`):

    .. math::

        P(i = j) \propto e^{\gamma + (a_i + a_j) / 2}, \qquad P(i > j) \propto e^{a_i} .

    This is the log-linear model of Dras (2015), Eq. 1, with :math:`a_i = 2 \lambda_i`. A negative :math:`\gamma`
    means that raters tend to choose rather than to tie. Positions of the scale are log-worths with mean 0.

    Assumptions: one log-worth per item explains all pairs (`fit.deviance` tests this), and raters share these
    log-worths unless rater effects are included. Standard errors allow for dependent answers of one rater, see
    `cluster`.

    Estimates are infinite if some items win every comparison with the others. The fit is then refused with a message
    that names the items. Set `penalty` to obtain finite estimates.

    Parameters
    ----------
    ties
        Treatment of ties. `"auto"` (default): `"davidson"` if there are ties, otherwise `"drop"`; with a probit
        link `"rao_kupper"`. `"davidson"`: a tie parameter as above. `"rao_kupper"`: cumulative model, P(i > j) =
        F(a_i - a_j - t). `"half"`: a tie is half a win for each item; this is not a likelihood, so deviance and
        standard errors are approximate. `"drop"`: ties are excluded. `"kept"`: ties stay in the table without a tie
        parameter, so they are expected as often as the geometric mean of the wins.
    order
        Whether to estimate an order effect in favour of the left item. Default: False.
    rater_covariates
        Columns by which the items' log-worths differ between raters, such as `["group"]`. A mapping selects the
        effects that differ: `{"group": ["items", "order", "tie"]}`. Default: none.
    tie_by
        Column by which the tie parameter differs. Default: none.
    item_covariates
        Properties of items, `{"length": {"a": 3.0, "b": 5.0}}`, each with an effect on the log-worth. Default: none.
    item_effects
        Whether items have log-worths of their own. Default: True. With False, item covariates replace them.
    contest_covariates
        Numeric columns of the comparisons, added to the log-odds in favour of the left item. Default: none.
    categorical
        Numeric columns to treat as categories. Default: none.
    reference_levels
        Reference level of each categorical column, `{"group": "expert"}`. Default: the first in sorted order.
    rater_position
        Normal random effect of each rater in favour of the left item. `"none"` (default), `"laplace"` or
        `"quadrature"` (adaptive Gauss-Hermite).
    rater_items
        Normal random effect of each rater on each item. `"none"` (default), `"random"` (quadrature for up to four
        dimensions, importance sampling for more) or `"laplace"` (as lme4; biased with few answers per rater).
    quadrature_points
        Points per dimension. Default: 25 for `rater_position`; 41, 25, 13 and 13 for `rater_items` in one to four
        dimensions.
    item_draws
        Draws of the importance sampling of `rater_items`, at least 64. Default: 4096.
    link
        `"logit"` (default) or `"probit"`, which is Thurstone's case V. Davidson's ties need `"logit"`.
    penalty
        Penalty that keeps estimates finite. `"none"` (default). `"auto"`: none if all estimates are finite,
        otherwise `"pseudo"`. `"firth"`: Jeffreys prior of the multinomial model. `"firth_poisson"`: Jeffreys prior of
        the Poisson model, as in brglm2. `"ridge"`: log-worths are normal with standard deviation `prior_sd`.
        `"pseudo"`: every item gets `pseudo` wins and `pseudo` losses against a hypothetical item.
    prior_sd
        Standard deviation of log-worths under `penalty="ridge"`. Above 0, default 1.
    pseudo
        Wins and losses against the hypothetical item under `penalty="pseudo"`. Above 0, default 0.5.
    standard_errors
        `"information"` (default): from the information matrix, or as `cluster` states. `"rater"`: sandwich by rater
        (CR0). `"rater_cr1"`: the same with the factor G / (G - 1) (n - 1) / (n - k), for G raters, n judgments and k
        parameters. `"judgment"`: sandwich by judgment (HC0). The sandwich types replace `cluster`.
    reference
        Item whose coefficient is 0 in `fit.coefficients()`. Default: none, coefficients of items sum to 0.
    table
        Table on which the deviance is computed: `"pairs"`, `"ordered"` pairs, pairs by `"raters"`, or single
        `"judgments"`. Default: `"auto"`, the coarsest table that the model allows.
    unconnected
        Items that no comparison connects with the others. `"refuse"` (default) raises an error. `"apart"` gives
        each connected part an origin of its own; `fit.parts` lists the parts.
    cluster
        Clustering of standard errors. `"auto"` (default): by rater if at least two raters are identified and one of
        them answers more than once, otherwise none. `"rater"`, `"segment"`, `"both"` (two-way) or `"none"`
        (independent judgments).
    few_clusters
        `"guarded"` (default): clustered variances are corrected for the influence of each cluster (CR2, up to 100
        clusters). With fewer than ten clusters they are at least those of the model. `"plain"`: the sandwich
        with the factor G / (G - 1) and without these corrections.
    seed
        Seed of simulated quantities. Default: 0.

    References
    ----------
    - Bradley, R. A. & Terry, M. E. (1952). Rank analysis of incomplete block designs: I. The method of paired
      comparisons. Biometrika 39.
    - Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in paired comparison
      experiments. JASA 65.
    - Rao, P. V. & Kupper, L. L. (1967). Ties in paired-comparison experiments: a generalization of the Bradley-Terry
      model. JASA 62.
    - Davidson, R. R. & Beaver, R. J. (1977). On extending the Bradley-Terry model to incorporate within-pair order
      effects. Biometrics 33.
    - Dittrich, R., Hatzinger, R. & Katzenbeisser, W. (1998). Modelling the effect of subject-specific covariates in
      paired comparison studies with an application to university rankings. Applied Statistics 47.
    - Dras, M. (2015). Evaluating human pairwise preference judgments. Computational Linguistics 41.

    Examples
    --------
    >>> from steelyard import BradleyTerry, Judgments
    >>> table = {"left": ["tea"] * 3, "right": ["milk"] * 3, "outcome": ["left", "tie", "right"], "count": [61, 24, 35]}
    >>> fit = BradleyTerry(reference="milk").fit(Judgments.from_columns("comparison", table))
    >>> coefficients = fit.coefficients("lambda")
    >>> round(coefficients["tea"]["estimate"], 4), round(coefficients["tie"]["estimate"], 4)
    (0.2778, -0.6551)
    """

    name: ClassVar[str] = "bradley_terry"
    kinds: ClassVar[tuple[str, ...]] = ("comparison",)
    capabilities: ClassVar[Capabilities] = Capabilities(
        counts=True,
        study_settings={"penalty": "auto"},  # few answers often give infinite estimates
    )

    @property
    def quantity(self) -> Quantity:
        """Meaning of the positions: log-worths, or positions of Thurstone's model with a probit link."""
        if self.link == "logit":
            return log_worth(None)
        return Quantity(
            "Thurstone position",
            "its position in Thurstone’s model. The difference between the positions of two {unit}s is the probit of "
            "the probability that the first is preferred to the second. The mean of all positions is 0",
            "probits",
        )

    def fit(self, judgments: ComparisonSource) -> BradleyTerryFit:
        """Fit the model to comparisons.

        Parameters
        ----------
        judgments
            Comparisons, a table of counts made with `PairCounts`, or a log from `steelyard.connect`.

        Returns
        -------
        BradleyTerryFit
            The scale of log-worths, coefficients, tests and goodness of fit.

        Raises
        ------
        Unconnected
            If no comparison connects some items with the others.
        Separated
            If some estimates would be infinite and no penalty is set.
        NoTies
            If a tie parameter is requested and there are no ties.
        """
        from steelyard.models.bradley_terry.fitting import fit_model  # its modules are slow to import

        return fit_model(self, self.name, judgments)
