"""Agreement between raters, and of raters with themselves."""

from steelyard.quality.agreement.agreement import STATISTICS, Agreement, agreement_of
from steelyard.quality.agreement.best_worst import Choices, best_worst_split_half
from steelyard.quality.agreement.between_raters import leave_one_out, mean_pairwise_spearman
from steelyard.quality.agreement.concordance import kendall_w
from steelyard.quality.agreement.intraclass import intraclass
from steelyard.quality.agreement.kappas import cohen_kappa, fleiss_kappa, light_kappa
from steelyard.quality.agreement.krippendorff import alpha_over_items, krippendorff_alpha
from steelyard.quality.agreement.paired_values import alpha_over_pairs
from steelyard.quality.agreement.self_consistency import self_consistency
from steelyard.quality.agreement.source import AgreementSettings
from steelyard.quality.agreement.split_halves import split_half
from steelyard.quality.agreement.variance_components import variance_components

__all__ = [
    "STATISTICS",
    "Agreement",
    "AgreementSettings",
    "Choices",
    "agreement_of",
    "alpha_over_items",
    "alpha_over_pairs",
    "best_worst_split_half",
    "cohen_kappa",
    "fleiss_kappa",
    "intraclass",
    "kendall_w",
    "krippendorff_alpha",
    "leave_one_out",
    "light_kappa",
    "mean_pairwise_spearman",
    "self_consistency",
    "split_half",
    "variance_components",
]
