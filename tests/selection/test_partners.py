import numpy as np
import pytest
from scipy.stats import chisquare

from steelyard.selection import partners
from steelyard.selection.match_quality import match_quality
from steelyard.selection.partners import NOBODY, MatchBelief, fill, scan

ITEMS = 400
GAMMA = 0.1


def make_belief(shape, gamma=GAMMA, met=frozenset(), part=None, items=ITEMS):
    rng = np.random.default_rng(5)
    even = rng.random(items)
    position, variance = {
        "fresh": (np.full(items, 0.5), np.full(items, 1 / 12)),
        "half known": (even, rng.uniform(0.01, 1 / 12, items)),
        "converged": (even, 1e-4 * rng.uniform(0.5, 1.5, items)),
        "clustered": (
            rng.choice([0.1, 0.3, 0.9], items) + 0.01 * rng.standard_normal(items),
            np.full(items, 0.005),
        ),
        "extreme variances": (even, 10.0 ** rng.uniform(-9, 0.5, items)),
        "an outlier": (np.append(even[1:], 40.0), np.full(items, 0.01)),
    }[shape]
    return MatchBelief(position, variance, gamma, met, part)


SHAPES = ["fresh", "half known", "converged", "clustered", "extreme variances", "an outlier"]


def groups_led_by(head, rows, size):
    groups = np.full((rows, size), NOBODY)
    groups[:, 0] = head
    return groups


def expected_shares(belief, head, candidates):
    """Return the paper's match quality, normalised to sum to one; the head is not its own partner."""
    position, variance = belief.position, belief.variance
    quality = match_quality(
        position[head], variance[head], position[candidates], variance[candidates], belief.gamma
    )
    quality = np.where(candidates == head, 0.0, quality)
    return quality / quality.sum()


def p_value(drawn, candidates, share):
    """Chi-square of draws against shares, candidates with few expected draws taken together."""
    observed = np.bincount(np.searchsorted(candidates, drawn), minlength=len(candidates))
    expected = len(drawn) * share
    order = np.argsort(share)
    bins = np.cumsum(expected[order]) // 20.0
    observed, expected = (
        np.bincount(bins.astype(int), observed[order]),
        np.bincount(bins.astype(int), expected[order]),
    )
    kept = expected > 0.0
    assert observed[~kept].sum() == 0
    return chisquare(observed[kept], expected[kept]).pvalue


@pytest.mark.parametrize("gamma", [0.1, 0.01])
@pytest.mark.parametrize("shape", SHAPES)
def test_partners_follow_match_quality(shape, gamma):
    belief, rng = make_belief(shape, gamma), np.random.default_rng(7)
    candidates = np.arange(ITEMS)
    for head in (0, int(np.argmax(belief.position[:-1])), int(np.argmin(belief.variance))):
        drawn = fill(belief, groups_led_by(head, 40_000, 2), candidates, rng)[:, 1]
        assert p_value(drawn, candidates, expected_shares(belief, head, candidates)) > 0.0005


@pytest.mark.parametrize("shape", SHAPES)
def test_the_scan_follows_match_quality_too(shape):
    belief, rng = make_belief(shape), np.random.default_rng(8)
    candidates = np.arange(0, ITEMS, 5)
    group = groups_led_by(10, 1, 2)[0]
    drawn = np.array([scan(belief, group, candidates, rng)[1] for _ in range(4_000)])
    assert p_value(drawn, candidates, expected_shares(belief, 10, candidates)) > 0.0005


def test_different_heads_in_one_call_each_have_their_own_distribution():
    belief, rng = make_belief("half known"), np.random.default_rng(9)
    heads, candidates = np.arange(40), np.arange(50, ITEMS)
    groups = fill(belief, groups_led_by(np.repeat(heads, 3_000), 120_000, 2), candidates, rng)
    values = [
        p_value(groups[groups[:, 0] == head, 1], candidates, expected_shares(belief, head, candidates))
        for head in heads
    ]
    assert min(values) > 0.0005
    assert 0.2 < np.median(values) < 0.8


def test_a_group_is_drawn_one_after_the_other_without_replacement():
    """The second partner follows match quality among the remaining items: checked by their frequency in groups."""
    belief, rng = make_belief("converged", items=300), np.random.default_rng(10)
    candidates, rows = np.arange(1, 300), 20_000
    fast = fill(belief, groups_led_by(0, rows, 4), candidates, rng)
    share = expected_shares(belief, 0, candidates)
    first = np.bincount(fast[:, 1], minlength=300)[1:] / rows
    # P(second = j) = sum over i != j of share_i share_j / (1 - share_i)
    odds = share / (1.0 - share)
    second = share * (odds.sum() - odds)
    assert p_value(fast[:, 2], candidates, second) > 0.0005
    assert np.abs(first - share).max() < 0.01
    assert all(len(set(row)) == 4 for row in fast.tolist())


def test_pairs_that_were_met_do_not_come_again_and_the_others_keep_their_shares():
    met = frozenset((0, other) for other in range(1, 200))
    belief, rng = make_belief("half known", met=met), np.random.default_rng(11)
    candidates = np.arange(1, ITEMS)
    drawn = fill(belief, groups_led_by(0, 30_000, 2), candidates, rng)[:, 1]
    left = np.arange(200, ITEMS)
    assert drawn.min() >= 200
    assert p_value(drawn, left, expected_shares(belief, 0, left)) > 0.0005


def test_no_two_of_a_group_have_met():
    rng = np.random.default_rng(12)
    pairs = rng.integers(0, ITEMS, (20_000, 2))
    met = frozenset((int(min(pair)), int(max(pair))) for pair in pairs if pair[0] != pair[1])
    groups = fill(make_belief("fresh", met=met), groups_led_by(3, 200, 5), np.arange(ITEMS), rng)
    assert (groups >= 0).all()
    for row in groups.tolist():
        assert not any((min(a, b), max(a, b)) in met for a in row for b in row)


def test_a_linking_group_has_a_second_of_another_part():
    part = (np.arange(ITEMS) >= 30).astype(np.int64)
    belief = make_belief("half known", part=part)
    groups = fill(belief, groups_led_by(350, 500, 3), np.arange(ITEMS), np.random.default_rng(13))
    assert (groups[:, 1] < 30).all()
    assert (groups[:, 2] >= 30).any()


def test_places_stay_empty_where_nobody_suits():
    met = frozenset({(0, 1), (0, 2)})
    belief = make_belief("fresh", met=met, items=4)
    assert fill(belief, groups_led_by(0, 1, 4), np.arange(3), np.random.default_rng(0)).tolist() == [
        [0, NOBODY, NOBODY, NOBODY]
    ]
    assert fill(belief, groups_led_by(0, 1, 4), np.arange(4), np.random.default_rng(0)).tolist() == [
        [0, 3, NOBODY, NOBODY]
    ]


def test_what_rejection_leaves_open_is_drawn_by_the_scan(monkeypatch):
    monkeypatch.setattr(partners, "PASSES", 0)
    belief, rng = make_belief("half known"), np.random.default_rng(14)
    candidates = np.arange(ITEMS)
    drawn = fill(belief, groups_led_by(5, 4_000, 2), candidates, rng)[:, 1]
    assert p_value(drawn, candidates, expected_shares(belief, 5, candidates)) > 0.0005


def test_members_given_beforehand_stay():
    groups = np.array([[0, 7, NOBODY], [1, NOBODY, NOBODY]])
    filled = fill(make_belief("fresh"), groups, np.arange(ITEMS), np.random.default_rng(15))
    assert filled[0, :2].tolist() == [0, 7]
    assert (filled >= 0).all()
    assert groups[1, 1] == NOBODY


def test_a_far_outlier_still_gets_a_partner():
    position = np.append(np.linspace(0.0, 1.0, 299), 1e6)
    belief = MatchBelief(position, np.full(300, 1e-4), 0.1)
    groups = fill(belief, groups_led_by(299, 20, 2), np.arange(300), np.random.default_rng(16))
    assert set(groups[:, 1]) == {298}  # the nearest by far, in units of c
