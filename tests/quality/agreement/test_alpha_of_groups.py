"""Krippendorff's alpha from sums over random groups of items, against the same bootstrap over all items."""

from __future__ import annotations

import numpy as np
import pytest

from steelyard import read
from steelyard.quality.agreement import AgreementSettings, agreement_of
from steelyard.quality.agreement.alpha_of_groups import (
    GROUPED_ITEMS,
    GROUPS,
    alpha_over_item_groups,
    can_be_grouped,
)
from steelyard.quality.agreement.krippendorff import alpha_over_items, krippendorff_alpha
from steelyard.quality.agreement.ratings import as_ratings
from steelyard.quality.agreement.value_counts import count_values


def scores(items: int, points: int, seed: int = 0) -> np.ndarray:
    """Ratings of three raters in whole numbers, with a fifth of them missing."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(0.0, 1.0, items)[:, None] + rng.normal(0.0, 0.8, (items, 3))
    table = np.clip(np.round(worth * points / 6.0 + points / 2.0), 1, points)
    table[rng.random(table.shape) < 0.2] = np.nan
    return table


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_groups_of_items_give_the_interval_of_a_bootstrap_over_items(level):
    table = scores(GROUPED_ITEMS + 4_000, 5)
    whole = alpha_over_items(table, level, np.random.default_rng(1), 1000)
    grouped = alpha_over_item_groups(count_values(as_ratings(table)), level, np.random.default_rng(2), 1000)
    value, width = krippendorff_alpha(table, level), whole.high - whole.low
    assert grouped.low < value < grouped.high
    assert (grouped.low, grouped.high) == pytest.approx((whole.low, whole.high), abs=0.12 * width)


def test_groups_need_many_items_and_sums_that_suffice():
    few, many = count_values(as_ratings(scores(500, 5))), count_values(as_ratings(scores(14_000, 5)))
    fine = count_values(as_ratings(scores(14_000, 100)))
    assert [can_be_grouped(each, "ordinal") for each in (few, many, fine)] == [False, True, False]
    assert can_be_grouped(fine, "interval")
    assert not can_be_grouped(many, "ratio")


def test_a_table_of_agreement_states_the_groups():
    table = scores(14_000, 100)
    item, rater = np.nonzero(~np.isnan(table))
    rows = {
        "item": [f"i{at}" for at in item],
        "rater": [f"r{at}" for at in rater],
        "score": table[item, rater],
    }
    chosen = AgreementSettings(statistics=("alpha",), levels=("interval",))
    (row,) = agreement_of(read(rows, range=(0, 100)), chosen).statistics
    assert row.interval == f"bootstrap over {GROUPS:,} random groups of items, 1,000 samples"
    assert row.low < row.value < row.high
