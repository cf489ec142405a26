from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard import Comparison, Judgments
from steelyard.quality.triads import circular_triads, consistence, tournaments

# Kendall & Babington Smith (1940), the distribution of circular triads among all tournaments.
PRINTED = {
    3: [6, 2],
    4: [24, 16, 24],
    5: [120, 120, 240, 240, 280, 24],
    6: [720, 960, 2240, 2880, 6240, 3648, 8640, 4800, 2640],
}


def answers(edges, rater="ann"):
    """One answer for each edge: the first is preferred."""
    return [Comparison(rater, str(over), str(under), "left") for over, under in edges]


def circles_of(edges):
    """Circular triads and triads without an open pair, by looking at every three items."""
    beats = {(str(over), str(under)) for over, under in edges}
    items = {name for edge in beats for name in edge}
    triads = circular = 0
    for three in combinations(sorted(items), 3):
        pairs = [pair for pair in combinations(three, 2) if pair in beats or pair[::-1] in beats]
        wins = [sum((one, other) in beats for other in three) for one in three]
        triads += len(pairs) == 3
        circular += len(pairs) == 3 and wins == [1, 1, 1]
    return triads, circular


def random_edges(items, rng, share=1.0):
    pairs = [pair for pair in combinations(range(items), 2) if rng.random() < share]
    return [pair if rng.random() < 0.5 else pair[::-1] for pair in pairs]


@pytest.mark.parametrize("items", PRINTED)
def test_the_exact_distribution_is_the_printed_one(items):
    distribution = tournaments(items)
    assert [distribution[circles] for circles in range(len(PRINTED[items]))] == PRINTED[items]


@pytest.mark.parametrize("items", [7, 8])
def test_all_tournaments_are_counted_with_the_known_mean_and_variance(items):
    distribution = tournaments(items)
    total, triads = sum(distribution.values()), items * (items - 1) * (items - 2) / 6
    mean = sum(circles * times for circles, times in distribution.items()) / total
    square = sum(circles**2 * times for circles, times in distribution.items()) / total
    assert total == 2 ** (items * (items - 1) // 2)
    assert mean == pytest.approx(triads / 4)
    assert square - mean**2 == pytest.approx(3 * triads / 16)


@given(st.integers(0, 10_000), st.integers(3, 9), st.sampled_from([0.4, 0.7, 1.0]))
@settings(max_examples=60, deadline=None)
def test_circular_triads_are_those_that_looking_at_every_three_finds(seed, items, share):
    edges = random_edges(items, np.random.default_rng(seed), share)
    if edges:
        triads = circular_triads(Judgments.of(answers(edges)))[0]
        assert (triads.triads, triads.circular) == circles_of(edges)
        assert triads.expected == triads.triads / 4


def test_an_order_without_a_circle_is_fully_consistent():
    triads = circular_triads(Judgments.of(answers(combinations(range(7), 2))))[0]
    assert (triads.circular, triads.zeta, triads.open, triads.method) == (0, 1.0, 0, "exact")
    assert triads.p == pytest.approx(5040 / 2**21)


@pytest.mark.parametrize("items", [5, 7, 9])
def test_as_many_circles_as_can_be_have_consistence_zero(items):
    edges = [(one, (one + step) % items) for one in range(items) for step in range(1, items // 2 + 1)]
    triads = circular_triads(Judgments.of(answers(edges)))[0]
    assert triads.circular == (items**3 - items) // 24
    assert triads.zeta == pytest.approx(0.0)
    assert triads.p > 0.99


def test_consistence_of_an_even_number_of_items_has_its_own_largest_number():
    assert consistence(6, 8) == pytest.approx(0.0)
    assert consistence(6, 2) == pytest.approx(0.75)


def third_moment(pairs):
    """Mean, variance and third central moment of circular triads over all ways to answer these pairs."""
    collected = []
    for ways in product((0, 1), repeat=len(pairs)):
        collected.append(circles_of([p if way else p[::-1] for p, way in zip(pairs, ways, strict=True)])[1])
    values = np.array(collected, dtype=float)
    return values.mean(), values.var(), np.mean((values - values.mean()) ** 3)


@pytest.mark.parametrize(
    ("pairs", "triads", "fours"),
    [
        (list(combinations(range(4), 2)), 4, 1),
        ([*combinations(range(4), 2), (0, 4), (1, 4)], 5, 1),
        ([(0, 1), *((0, at) for at in (2, 3, 4)), *((1, at) for at in (2, 3, 4))], 3, 0),
        ([p for p in combinations(range(5), 2) if p != (0, 1)], 7, 2),
    ],
)
def test_moments_with_open_pairs_are_those_that_the_docstring_states(pairs, triads, fours):
    moments = (triads / 4, 3 * triads / 16, 3 * (triads - 4 * fours) / 32)
    assert third_moment(pairs) == pytest.approx(moments, abs=1e-12)


def drawn_circles(pairs, items, draws, rng):
    """Circular triads of random answers."""
    beats = np.zeros((draws, items, items))
    for one, other in pairs:
        won = rng.random(draws) < 0.5
        beats[won, one, other] = 1.0
        beats[~won, other, one] = 1.0
    return np.rint(np.einsum("dij,djk,dki->d", beats, beats, beats, optimize=True) / 3)


@pytest.mark.parametrize(
    ("items", "share", "order"), [(7, 0.8, 0.7), (12, 0.8, 0.8), (12, 0.4, 0.8), (20, 0.3, 0.7)]
)
def test_p_with_open_pairs_comes_near_the_simulated_one(items, share, order):
    rng = np.random.default_rng(5)
    pairs = [pair for pair in combinations(range(items), 2) if rng.random() < share]
    edges = [pair if rng.random() < order else pair[::-1] for pair in pairs]
    triads = circular_triads(Judgments.of(answers(edges)))[0]
    simulated = np.mean(drawn_circles(pairs, items, 4000, rng) <= triads.circular)
    assert (triads.method, triads.zeta, triads.open) == ("chi2", None, items * (items - 1) // 2 - len(pairs))
    assert triads.p == pytest.approx(simulated, abs=0.04)


def test_several_answers_to_a_pair_count_as_what_most_say_and_equal_halves_are_open():
    rows = answers([("a", "b"), ("b", "c"), ("a", "c")])
    rows += [
        Comparison("ann", "b", "a", "left", {"round": 1}),
        Comparison("ann", "b", "a", "right", {"round": 2}),
    ]
    assert circular_triads(Judgments.of(rows))[0].circular == 0
    rows += [Comparison("ann", "c", "b", "left", {"round": 1})]
    triads = circular_triads(Judgments.of(rows))[0]
    assert (triads.open, triads.triads, triads.p, triads.method) == (1, 0, None, "no triads")


def test_counts_weigh_as_often_as_they_happened():
    rows = [
        Comparison("ann", "a", "b", "left", {"count": 5}),
        Comparison("ann", "a", "b", "right", {"count": 4}),
    ]
    rows += [
        Comparison("ann", "b", "c", "left", {"count": 2}),
        Comparison("ann", "c", "a", "left", {"count": 1}),
    ]
    assert circular_triads(Judgments.of(rows))[0].circular == 1


def test_raters_are_kept_apart_and_the_nameless_left_out():
    rows = answers([("a", "b"), ("b", "c"), ("c", "a")]) + answers(
        [("a", "b"), ("b", "c"), ("a", "c")], "bob"
    )
    rows += answers([("a", "b"), ("b", "c"), ("c", "a")], "unknown")
    assert [(each.rater, each.circular) for each in circular_triads(Judgments.of(rows))] == [
        ("ann", 1),
        ("bob", 0),
    ]
    assert circular_triads(Judgments({}, {})) == ()


@given(st.permutations(range(6)), st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_other_names_and_swapped_sides_change_nothing(names, seed):
    edges = random_edges(6, np.random.default_rng(seed))
    renamed = [Comparison("ann", f"n{names[under]}", f"n{names[over]}", "right") for over, under in edges]
    here, there = (circular_triads(Judgments.of(rows))[0] for rows in (answers(edges), renamed))
    assert here == there
