from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import norm

from steelyard.errors import UnknownItem
from steelyard.maths.arrays import object_cells
from steelyard.scales.fit import Fit
from steelyard.scales.provenance import Provenance
from steelyard.version import VERSION


@dataclass(frozen=True, eq=False)
class Normal:
    """Independent normal positions with known parameters."""

    position: np.ndarray
    spread: np.ndarray

    def interval(self, level):
        reach = norm.ppf(0.5 + level / 2) * self.spread
        return self.position - reach, self.position + reach

    def draws(self, n, rng):
        return self.position + rng.normal(size=(n, len(self.position))) * self.spread


def fit_of(positions, spread=1.0, seed=0, **provenance):
    position = np.array(list(positions.values()), dtype=float)
    made = Provenance("easl", {"gamma": 0.1}, len(position), 40, 7, (0.0, 100.0), seed, **provenance)
    posterior = Normal(position, np.full(len(position), spread))
    return Fit(object_cells(positions), np.full(len(position), 3.0), posterior, made)


def test_the_scale_holds_positions_and_95_percent_intervals():
    scale = fit_of({"tea": 20, "soup": 70}, spread=2.0).scale
    assert scale.position.tolist() == [20, 70]
    assert scale.low == pytest.approx([20 - 3.92, 70 - 3.92], abs=1e-3)
    assert scale.high == pytest.approx([20 + 3.92, 70 + 3.92], abs=1e-3)
    assert scale.rank.tolist() == [2, 1]


def test_rank_intervals_widen_with_the_spread_and_contain_the_rank():
    positions = {"a": 1, "b": 2, "c": 3, "d": 4}
    sure, unsure = (fit_of(positions, spread).scale for spread in (0.01, 30.0))
    assert sure.rank_low.tolist() == sure.rank.tolist() == sure.rank_high.tolist()
    assert unsure.rank_low.tolist() == [1] * 4
    assert unsure.rank_high.tolist() == [4] * 4


def test_predict_is_the_probability_that_one_item_is_above_the_other():
    fit = fit_of({"tea": 1.0, "soup": 0.0})
    assert fit.predict("tea", "soup", n=100_000) == pytest.approx(norm.cdf(1 / np.sqrt(2)), abs=0.005)
    assert fit.predict("tea", "soup") + fit.predict("soup", "tea") == pytest.approx(1.0)
    assert fit.predict("tea", "tea") == 0.5


def test_ties_count_half():
    assert fit_of({"tea": 1.0, "soup": 1.0}, spread=0.0).predict("tea", "soup") == 0.5


def test_predicting_an_unknown_item_names_it():
    with pytest.raises(UnknownItem, match="'pie'"):
        fit_of({"tea": 1.0}).predict("tea", "pie")


def test_the_signature_contains_everything_needed_to_reproduce_the_fit():
    signature = fit_of({"tea": 1, "soup": 2}, seed=7, iterations=12).signature
    assert signature == (
        f"easl gamma=0.1 | steelyard {VERSION} | items 2 | judgments 40 | raters 7 | range 0 to 100 "
        "| seed 7 | converged in 12 steps"
    )


def test_not_converging_is_reported():
    fit = fit_of({"tea": 1}, converged=False, iterations=99)
    assert not fit.converged
    assert fit.signature.endswith("NOT converged in 99 steps")


def test_the_summary_lists_the_highest_items_and_counts_the_rest():
    lines = fit_of({f"i{at}": at for at in range(5)}).summary(most=2).split("\n")
    assert lines[0].startswith("easl gamma=0.1 | steelyard")
    assert lines[2].split() == ["item", "position", "spread", "95%", "interval", "rank", "count"]
    assert lines[3].split()[:3] == ["i4", "4.000", "1.000"]
    assert lines[4].startswith("i3")
    assert lines[5] == "... and 3 more items"


def test_the_same_seed_gives_the_same_ranks():
    one, two = (fit_of({"a": 1, "b": 1.5, "c": 2}, seed=3).scale for _ in range(2))
    assert one.rank_low.tolist() == two.rank_low.tolist()
    assert one.rank_high.tolist() == two.rank_high.tolist()
