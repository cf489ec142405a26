"""Sentences about models for the methods section of a paper, with references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.models.model import Model

BELL = (
    "Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage "
    "samples. Survey Methodology, 28, 169-181."
)
BRADLEY = (
    "Bradley, R. A., & Terry, M. E. (1952). Rank analysis of incomplete block designs: I. The method of paired "
    "comparisons. Biometrika, 39, 324-345."
)
CAMERON = (
    "Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). Robust inference with multiway clustering. Journal of "
    "Business & Economic Statistics, 29, 238-249."
)
CHEN = (
    "Chen, Q. Z., Weld, D. S., & Zhang, A. X. (2021). Goldilocks: Consistent crowdsourced scalar annotations with "
    "relative uncertainty. Proceedings of the ACM on Human-Computer Interaction, 5(CSCW2)."
)
DAVIDSON = (
    "Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in paired comparison "
    "experiments. Journal of the American Statistical Association, 65, 317-328."
)
GRAHAM = (
    "Graham, Y., Baldwin, T., Moffat, A., & Zobel, J. (2013). Continuous measurement scales in human evaluation of "
    "machine translation. Proceedings of the 7th Linguistic Annotation Workshop."
)
LOUVIERE = (
    "Louviere, J. J., Flynn, T. N., & Marley, A. A. J. (2015). Best-worst scaling: Theory, methods and applications. "
    "Cambridge University Press."
)
MINKA = "Minka, T. P. (2001). Expectation propagation for approximate Bayesian inference. UAI."
RAO = (
    "Rao, P. V., & Kupper, L. L. (1967). Ties in paired-comparison experiments: A generalization of the "
    "Bradley-Terry model. Journal of the American Statistical Association, 62, 194-204."
)
SAKAGUCHI = (
    "Sakaguchi, K., & Van Durme, B. (2018). Efficient online scalar annotation with bounded support. ACL."
)
SMYTH = (
    "Smyth, G. K. (2004). Linear models and empirical Bayes methods for assessing differential expression in "
    "microarray experiments. Statistical Applications in Genetics and Molecular Biology, 3(1)."
)
WALD = "95% intervals are Wald intervals."
MODERATED = "95% intervals are t intervals with moderated variances (Smyth, 2004)."


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence about one value of a setting, with its references."""

    sentence: str
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Methods:
    """What a model does, in sentences that a paper can use.

    A model of another package can have an attribute `methods` of this class.

    Parameters
    ----------
    estimation
        How positions were estimated, as a sentence in the past tense. `{unit}` is replaced by "item" or "system".
    intervals
        What the 95% intervals are, as a sentence.
    references
        References of these sentences.
    settings
        Further sentences by setting, as NAME=VALUE in the form that signatures use.
    """

    estimation: str
    intervals: str
    references: tuple[str, ...] = ()
    settings: Mapping[str, Clause] = field(default_factory=dict)

    def clauses(self, settings: Mapping[str, Any]) -> tuple[Clause, ...]:
        """Return the sentences about the settings of a fit.

        >>> clause = Clause("Ties counted half.")
        >>> Methods("", "", settings={"ties=half": clause}).clauses({"ties": "half"}) == (clause,)
        True
        """
        named = (f"{name}={value}" for name, value in settings.items())
        return tuple(self.settings[key] for key in named if key in self.settings)


METHODS: Mapping[str, Methods] = {
    "direct_assessment": Methods(
        "The position of each {unit} is the mean of its ratings (direct assessment; Graham et al., 2013).",
        MODERATED,
        (GRAHAM, SMYTH),
        {
            "standardise=rater": Clause(
                "The ratings of each rater were standardised to mean 0 and standard deviation 1."
            )
        },
    ),
    "easl": Methods(
        "Positions were estimated by EASL (Sakaguchi & Van Durme, 2018), in which each {unit} has a Beta distribution.",
        "95% intervals are those of the Beta distributions, which do not depend on the agreement between raters.",
        (SAKAGUCHI,),
    ),
    "steelyard": Methods(
        "Positions were estimated with a mixed model of ratings in which raters differ in bias, slope and noise and "
        "may answer at random, averaged over variants of the model by their predictive accuracy.",
        "95% intervals include the uncertainty of all estimated variances.",
        (MINKA,),
    ),
    "crossed": Methods(
        "Means of systems were estimated with a linear mixed model with crossed random effects of segments and "
        "raters, fitted by REML (Bates et al., 2015).",
        "95% intervals are t intervals with Satterthwaite’s degrees of freedom.",
        (
            "Bates, D., Mächler, M., Bolker, B., & Walker, S. (2015). Fitting linear mixed-effects models using lme4. "
            "Journal of Statistical Software, 67(1).",
        ),
    ),
    "goldilocks": Methods(
        "The position of each {unit} is the mean midpoint of its ranges (Goldilocks; Chen et al., 2021). Its ambiguity "
        "is the mean width of the ranges, and disagreement is the standard deviation of midpoints over raters.",
        MODERATED,
        (CHEN, SMYTH),
    ),
    "bradley_terry": Methods(
        "Log-worths were estimated by maximum likelihood in the Bradley-Terry model (Bradley & Terry, 1952).",
        WALD,
        (BRADLEY,),
        {
            "ties=davidson": Clause("Ties were modelled with Davidson’s (1970) tie parameter.", (DAVIDSON,)),
            "ties=rao_kupper": Clause("Ties were modelled by Rao and Kupper’s (1967) threshold.", (RAO,)),
            "ties=half": Clause("A tie counted as half a win for each {unit}."),
            "ties=drop": Clause("Ties were excluded."),
            "order=True": Clause("The model includes the effect of being shown first."),
        },
    ),
    "plackett_luce": Methods(
        "Log-worths were estimated in the Plackett-Luce model (Luce, 1959; Plackett, 1975), with tie parameters and "
        "pseudo-rankings as in Turner et al. (2020).",
        WALD,
        (
            "Luce, R. D. (1959). Individual choice behavior. Wiley.",
            "Plackett, R. L. (1975). The analysis of permutations. Applied Statistics, 24, 193-202.",
            "Turner, H. L., van Etten, J., Firth, D., & Kosmidis, I. (2020). Modelling rankings in R: The PlackettLuce "
            "package. Computational Statistics, 35, 1027-1057.",
        ),
    ),
    "thurstone": Methods(
        "Positions were estimated in Thurstone’s (1927) model with ties as in Rao and Kupper (1967) and a normal prior "
        "whose spread is learned from the data, by expectation propagation (Minka, 2001).",
        "95% intervals are those of the Gaussian approximation of the posterior.",
        (
            "Thurstone, L. L. (1927). A law of comparative judgment. Psychological Review, 34, 273-286.",
            RAO,
            MINKA,
        ),
    ),
    "trueskill": Methods(
        "Skills were estimated with TrueSkill (Herbrich et al., 2006), which updates the estimates after each "
        "comparison.",
        "95% intervals are those of the normal distributions of the skills, given the noise of a comparison.",
        (
            "Herbrich, R., Minka, T., & Graepel, T. (2006). TrueSkill: A Bayesian skill rating system. NIPS 19.",
        ),
    ),
    "beta_ranking": Methods(
        "Strengths were estimated with the Beta ranking of Sakaguchi and Van Durme (2018), which updates the estimates "
        "after each comparison.",
        "95% intervals are those of the Beta distributions.",
        (SAKAGUCHI, RAO),
    ),
    "elo": Methods(
        "Ratings were estimated with the Elo system (Elo, 1978) on the logistic curve, which updates the ratings after "
        "each comparison.",
        "95% intervals combine the remaining uncertainty of the start and the noise of single outcomes.",
        ("Elo, A. E. (1978). The rating of chessplayers, past and present. Arco.",),
    ),
    "win_rate": Methods(
        "The position of each {unit} is the share of its comparisons that it won.",
        "95% intervals are those of Beta distributions.",
        (),
        {
            "ties=half": Clause("A tie counted as half a win."),
            "average=opponents": Clause(
                "Shares were averaged over opponents (expected wins; Bojar et al., 2013)."
            ),
        },
    ),
    "best_worst": Methods(
        "The position of each {unit} is the number of times it was chosen as best minus the number of times it was "
        "chosen as worst, divided by the number of times it was shown (Louviere et al., 2015).",
        "95% intervals are t intervals with moderated variances (Smyth, 2004).",
        (LOUVIERE, SMYTH),
    ),
}


def methods_of(model: Model) -> Methods | None:
    """Return the sentences about a model; None if it has none."""
    own: Methods | None = getattr(model, "methods", None)
    return METHODS.get(model.name) if own is None else own
