"""Scales compared with gold values or with each other: correlations, pairwise accuracy, calibration and tests."""

from steelyard.quality.gold.against import AgainstGold, against_gold, seem_on_one_scale
from steelyard.quality.gold.correlations import mean_ranks, pearson, regression, spearman
from steelyard.quality.gold.item_values import ItemValues
from steelyard.quality.gold.matching import MatchedItems, match_items
from steelyard.quality.gold.pair_counts import OrderCounts, pair_counts
from steelyard.quality.gold.reading import read_values
from steelyard.quality.gold.tie_calibration import (
    ItemPairs,
    TieCalibration,
    calibrate_ties,
    held_out_accuracy,
    item_pairs,
)

__all__ = [
    "AgainstGold",
    "ItemPairs",
    "ItemValues",
    "MatchedItems",
    "OrderCounts",
    "TieCalibration",
    "against_gold",
    "calibrate_ties",
    "held_out_accuracy",
    "item_pairs",
    "match_items",
    "mean_ranks",
    "pair_counts",
    "pearson",
    "read_values",
    "regression",
    "seem_on_one_scale",
    "spearman",
]
