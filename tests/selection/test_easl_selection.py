import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import BadSetting
from steelyard.scales.belief import BetaBelief
from steelyard.selection.easl import EaslSelection
from steelyard.selection.match_quality import match_quality
from steelyard.selection.pool import Pool


def belief_of(alpha, beta):
    names = np.empty(len(alpha), dtype=object)
    names[:] = [str(at) for at in range(len(alpha))]
    return BetaBelief(names, np.array(alpha, dtype=float), np.array(beta, dtype=float), np.ones(len(alpha)))


def make_pool(answers, wanted=10, pending=None, segments=None, systems=None, by_system=False):
    answers = np.array(answers)
    zeros = np.zeros(len(answers), dtype=np.int64)
    return Pool(
        answers,
        zeros if pending is None else np.array(pending),
        wanted,
        zeros if segments is None else np.array(segments),
        zeros if systems is None else np.array(systems),
        np.ones(len(answers), dtype=bool),
        by_system,
    )


def test_match_quality_is_as_in_the_paper():
    # Eqns 11 and 23 in 80-digit arithmetic.
    plain = match_quality(0.8, 0.04, np.array([0.3]), np.array([0.09]), 0.1)[0]
    ends = match_quality(0.0, 0.02666666666666667, np.array([1.0]), np.array([0.02666666666666667]), 0.1)[0]
    equal = match_quality(0.5, 0.09, np.array([0.5]), np.array([0.09]), 0.1)[0]
    assert plain == pytest.approx(0.1586928281671069, rel=2e-15)
    assert ends == pytest.approx(0.0005711702050955498, rel=2e-14)
    assert equal == pytest.approx(0.31622776601683794, rel=2e-15)


@given(st.integers(1, 60), st.integers(2, 7), st.integers(0, 500))
def test_the_first_round_covers_every_item_and_repeats_none_in_a_list(items, size, seed):
    selection, pool = EaslSelection(size), make_pool([0] * items)
    belief = belief_of([1.0] * items, [1.0] * items)
    tasks = -(-items // size)
    choices = selection.choose(pool, belief, tasks, np.random.default_rng(seed))
    assert {item for choice in choices for item in choice.items} == set(range(items))
    assert all(len(set(choice.items)) == len(choice.items) == min(size, items) for choice in choices)


@given(st.integers(2, 60), st.integers(2, 7))
def test_a_round_leaves_enough_partners(items, size):
    lists = EaslSelection(size).round_size(make_pool([1] * items))
    assert lists == 1 or (items - lists >= size - 1 and lists <= -(-items // size))


def test_later_rounds_put_the_most_uncertain_items_in_different_lists():
    alpha, beta = np.full(20, 30.0), np.full(20, 30.0)
    alpha[[3, 8, 11, 17]] = beta[[3, 8, 11, 17]] = 1.2
    choices = EaslSelection(5).choose(
        make_pool([5] * 20), belief_of(alpha, beta), 4, np.random.default_rng(0)
    )
    for head in (3, 8, 11, 17):
        assert sum(head in choice.items for choice in choices) == 1


def test_partners_are_believed_to_stand_near_their_head():
    near, far = [4.0, 6.0], [60.0, 2.0]
    pairs = [(1.2, 1.2)] + [near] * 15 + [far] * 15
    belief = belief_of([alpha for alpha, _ in pairs], [beta for _, beta in pairs])
    rng = np.random.default_rng(3)
    chosen = [EaslSelection(5).choose(make_pool([3] * 31), belief, 1, rng)[0].items for _ in range(200)]
    partners = [item for items in chosen for item in items if item != 0]
    assert np.mean([item <= 15 for item in partners]) > 0.6


def test_equal_variances_are_broken_at_random():
    rng = np.random.default_rng(4)
    belief = belief_of([2.0] * 12, [2.0] * 12)
    heads = {EaslSelection(1).choose(make_pool([2] * 12), belief, 1, rng)[0].items[0] for _ in range(200)}
    assert heads == set(range(12))


def test_answers_to_come_count_as_answers():
    belief = belief_of([2.0] * 6, [2.0] * 6)
    pool = make_pool([2] * 6, pending=[5, 5, 5, 0, 5, 5])
    (choice,) = EaslSelection(1).choose(pool, belief, 1, np.random.default_rng(0))
    assert choice.items == (3,)


def test_nothing_is_chosen_past_the_budget():
    belief = belief_of([2.0] * 4, [2.0] * 4)
    assert EaslSelection(2).choose(make_pool([3] * 4, wanted=3), belief, 5, np.random.default_rng(0)) == []


def test_a_list_of_systems_shows_one_output_each_for_one_segment():
    systems, segments = np.tile(np.arange(6), 5), np.repeat(np.arange(5), 6)
    pool = make_pool([0] * 30, 1, segments=segments, systems=systems, by_system=True)
    choices = EaslSelection(4).choose(pool, belief_of([1.0] * 6, [1.0] * 6), 4, np.random.default_rng(0))
    assert choices
    for choice in choices:
        assert len({segments[item] for item in choice.items}) == 1
        assert len({systems[item] for item in choice.items}) == len(choice.items) == 4
    shown = [item for choice in choices for item in choice.items]
    assert len(shown) == len(set(shown))


def test_it_asks_for_a_belief_that_it_can_use():
    with pytest.raises(BadSetting, match="Beta belief"):
        EaslSelection(2).choose(make_pool([0] * 4), None, 1, np.random.default_rng(0))
