import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, spearmanr

from steelyard import WinRate
from steelyard.errors import BadSetting
from steelyard.maths.arrays import object_cells
from steelyard.scales.saved import load_belief, save_belief
from tests.models.online import (
    against_truth,
    check_folding,
    check_merging,
    check_prior_kept,
    check_swapping,
    judge,
    rows,
    simulated,
)

WAYS = [
    WinRate(ties, average, cluster="none")
    for ties in ("ignore", "half")
    for average in ("pooled", "opponents")
]

# a: 3 wins, 1 tie and 1 loss against b, 1 win against c, 2 ties with d. b: 2 losses against c.
TABLE = [
    (("a", "b"), "left", 3.0),
    (("a", "b"), "tie", 1.0),
    (("b", "a"), "left", 1.0),
    (("c", "a"), "right", 1.0),
    (("d", "a"), "tie", 2.0),
    (("b", "c"), "right", 2.0),
]


@pytest.mark.parametrize(
    ("ties", "average", "expected"),
    [
        ("ignore", "pooled", {"a": 4 / 5, "b": 1 / 6, "c": 2 / 3, "d": 0.5}),
        ("half", "pooled", {"a": 5.5 / 8, "b": 1.5 / 7, "c": 2 / 3, "d": 0.5}),
        ("ignore", "opponents", {"a": (3 / 4 + 1) / 2, "b": (1 / 4 + 0) / 2, "c": (0 + 1) / 2, "d": 0.5}),
        ("half", "opponents", {"a": (0.7 + 1 + 0.5) / 3, "b": (0.3 + 0) / 2, "c": (0 + 1) / 2, "d": 0.5}),
    ],
)
def test_rates_are_those_counted_by_hand(ties, average, expected):
    fit = WinRate(ties, average).fit(judge(TABLE))
    assert dict(zip(fit.item, fit.posterior.position, strict=True)) == pytest.approx(expected, rel=1e-15)


def test_the_interval_against_one_opponent_is_that_of_jeffreys():
    fit = WinRate(cluster="none").fit(judge([(("a", "b"), "left", 14.0), (("a", "b"), "right", 6.0)]))
    low, high = fit.posterior.interval(0.95)
    # Brown, Cai & DasGupta (2001): Beta(wins + 1/2, losses + 1/2).
    assert (low[0], high[0]) == pytest.approx(beta(14.5, 6.5).ppf([0.025, 0.975]), rel=1e-12)


def test_an_item_that_won_every_time_is_not_sure_to_win():
    scale = WinRate().fit(judge([(("a", "b"), "left", 5.0)])).scale
    assert scale.position[0] == scale.high[0] == 1.0
    assert scale.low[0] == pytest.approx(beta(5.5, 0.5).ppf(0.025))


def test_an_item_without_a_decision_may_stand_anywhere():
    fit = WinRate().fit(judge(TABLE))
    at = fit.item.tolist().index("d")
    low, high = fit.posterior.interval(0.95)
    assert fit.posterior.position[at] == 0.5
    assert low[at] < 0.01
    assert high[at] > 0.99


@pytest.mark.parametrize("model", WAYS)
@given(rows=rows)
def test_relabelling_items_relabels_the_scale(model, rows):
    check_relabelling_nearly(model, rows)


def check_relabelling_nearly(model, rows):
    """As `check_relabelling`, but sums over opponents may end in another digit when these sort differently."""
    from tests.models.online import RELABELLED, positions

    other = [((RELABELLED[i], RELABELLED[j]), outcome, count) for (i, j), outcome, count in rows]
    renamed = positions(model, other)
    for item, values in positions(model, rows).items():
        assert renamed[RELABELLED[item]] == pytest.approx(values, rel=1e-12)


@pytest.mark.parametrize("model", WAYS)
@given(rows=rows)
def test_swapping_sides_and_outcomes_changes_nothing(model, rows):
    check_swapping(model, rows)


@given(rows, st.integers(0, 25))
def test_merging_files_is_fitting_all_rows(rows, cut):
    check_merging(WinRate(cluster="none"), rows, cut)


@pytest.mark.parametrize("model", WAYS)
@given(rows=rows, cut=st.integers(0, 25))
def test_folding_is_fitting_to_the_last_bit(model, rows, cut):
    check_folding(model, rows, cut)


@pytest.mark.parametrize("model", WAYS)
@given(rows=rows)
def test_an_item_nobody_judged_keeps_its_prior(model, rows):
    check_prior_kept(model, rows)


@pytest.mark.parametrize("model", WAYS)
@given(rows=rows, order=st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(model, rows, order):
    shuffled = order.sample(rows, len(rows))
    one, two = (model.fit(judge(some)).posterior.position for some in (rows, shuffled))
    assert one == pytest.approx(two, rel=1e-12)


@pytest.mark.parametrize("model", WAYS)
@given(rows=rows)
def test_rates_and_intervals_stay_between_nought_and_one(model, rows):
    posterior = model.fit(judge(rows)).posterior
    low, high = posterior.interval(0.95)
    assert ((low >= 0) & (low <= posterior.position)).all()
    assert ((posterior.position <= high) & (high <= 1)).all()
    assert (posterior.spread > 0).all()


@pytest.mark.parametrize("model", WAYS)
def test_intervals_hold_the_rates_that_these_opponents_would_give_in_the_long_run(model):
    rng = np.random.default_rng(2)
    items, size = 12, 240
    held = []
    for _ in range(60):
        skill = 1.5 * rng.standard_normal(items)
        score = 1.0 / (1.0 + np.exp(skill[None, :] - skill[:, None]))
        tie = score * (1.0 - score)
        win = score - tie / 2.0
        left = rng.integers(items, size=size)
        right = (left + 1 + rng.integers(items - 1, size=size)) % items
        chance = rng.random(size)
        won, tied = chance < win[left, right], chance < (win + tie)[left, right]
        games = [
            ((f"i{i:03d}", f"i{j:03d}"), "left" if w else "tie" if t else "right", 1.0)
            for i, j, w, t in zip(left, right, won, tied, strict=True)
        ]
        rate = score if model.ties == "half" else win / (win + win.T)
        met = np.zeros((items, items))
        counts = 1.0 if model.ties == "half" else (1.0 - tie)[left, right]
        np.add.at(met, (left, right), counts)
        np.add.at(met, (right, left), counts)
        met = met if model.average == "pooled" else (met > 0).astype(float)
        truth = (met * rate).sum(axis=1) / met.sum(axis=1)
        fit = model.fit(judge(games))
        low, high = fit.posterior.interval(0.95)
        wanted = against_truth(fit, truth)
        held.append(np.mean((low <= wanted) & (wanted <= high)))
    assert 0.92 < np.mean(held) < 0.99


@pytest.mark.parametrize("model", WAYS)
def test_every_way_recovers_the_order_of_a_simulated_truth(model):
    rng = np.random.default_rng(1)
    truth = rng.random(60)
    fit = model.fit(simulated(rng, truth, 60))
    assert spearmanr(fit.posterior.position, against_truth(fit, truth)).statistic > 0.95


@pytest.mark.parametrize("model", WAYS)
def test_a_saved_belief_resumes_exactly(tmp_path, model):
    rows = [
        (("tea", "milk"), "left", 1 / 3),
        (("milk", "egg"), "tie", 0.7),
        (("egg", "tea"), "right", 2.0),
    ] * 9
    belief = model.update(model.start(object_cells(["egg", "milk", "tea"])), judge(rows[:13]))
    save_belief(belief, tmp_path / "belief.json")
    resumed = model.update(load_belief(tmp_path / "belief.json"), judge(rows[13:]))
    whole = model.fit(judge(rows)).posterior
    assert resumed.position.tolist() == whole.position.tolist()
    assert np.sqrt(resumed.variance).tolist() == whole.spread.tolist()


def test_settings_without_a_meaning_are_refused_by_name():
    with pytest.raises(BadSetting, match="ties"):
        WinRate(ties="third")
    with pytest.raises(BadSetting, match="average"):
        WinRate(average="mean")
