from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import BadSetting
from steelyard.selection.known import selection_named
from steelyard.selection.match_quality import MatchQuality
from steelyard.selection.pairing import pairs_among
from steelyard.selection.pool import Pool


@dataclass
class Believed:
    """Positions and variances of any model."""

    position: np.ndarray
    variance: np.ndarray


def make_belief(units, position=None, variance=None):
    return Believed(
        np.full(units, 0.5) if position is None else np.array(position, dtype=float),
        np.full(units, 1 / 12) if variance is None else np.array(variance, dtype=float),
    )


def make_pool(answers, wanted=10, **facts):
    answers = np.array(answers)
    zeros = np.zeros(len(answers), dtype=np.int64)
    facts = {"segment": zeros, "system": zeros, "pending": zeros, **facts}
    facts.setdefault("allowed", np.ones(len(answers), dtype=bool))
    return Pool(answers=answers, wanted=wanted, **facts)


def count_parts(items, tasks):
    part = list(range(items))
    for task in tasks:
        joining = {part[item] for item in task}
        part = [min(joining) if each in joining else each for each in part]
    return len(set(part))


def run_study(size, items, wanted, seed, batch, segment=None):
    """Return the tasks of a study in which every task is answered before the next batch is chosen."""
    rng = np.random.default_rng(seed)
    answers, linked, tasks = np.zeros(items, dtype=np.int64), np.arange(items), []
    belief = make_belief(items, rng.random(items), rng.uniform(0.001, 0.08, items))
    while True:
        facts = {} if segment is None else {"segment": segment}
        pool = make_pool(answers, wanted, linked=linked, **facts)
        choices = MatchQuality(size).choose(pool, belief, batch, rng)
        if not choices:
            return tasks
        for choice in choices:
            answers[list(choice.items)] += 1
            linked[np.isin(linked, linked[list(choice.items)])] = linked[list(choice.items)].min()
            tasks.append(choice.items)


@given(st.integers(2, 40), st.integers(2, 6), st.integers(0, 300))
def test_the_first_tasks_cover_every_item_and_repeat_none_in_a_task(items, size, seed):
    pool = make_pool([0] * items, linked=np.arange(items))
    choices = MatchQuality(size).choose(
        pool, make_belief(items), -(-items // size), np.random.default_rng(seed)
    )
    assert {item for choice in choices for item in choice.items} == set(range(items))
    assert all(len(set(choice.items)) == len(choice.items) == min(size, items) for choice in choices)


@given(st.integers(2, 30), st.integers(2, 5), st.integers(1, 12), st.integers(0, 300))
def test_everything_is_linked_soon_after_it_was_covered(items, size, batch, seed):
    tasks = run_study(size, items, 4, seed, batch)
    covering = -(-items // size)
    # After covering there are at most as many parts as tasks; tasks of one batch may join the same two parts.
    assert count_parts(items, tasks[: 3 * covering]) == 1
    assert len(tasks) >= -(-4 * items // size)


def test_pairs_chosen_one_at_a_time_link_n_items_in_n_minus_1_tasks():
    tasks = run_study(2, 16, 3, 0, batch=1)
    assert count_parts(16, tasks[:15]) == 1


@given(st.integers(0, 200))
def test_tasks_stay_inside_a_segment_and_link_it(seed):
    segment = np.array([0, 0, 0, 0, 0, 1, 1, 1, 2])
    tasks = run_study(2, 9, 4, seed, batch=3, segment=segment)
    assert all(len({segment[item] for item in task}) == 1 for task in tasks)
    assert count_parts(9, tasks) == 3
    assert not any(8 in task for task in tasks)  # alone in its segment, it cannot be compared


def test_parts_are_linked_by_answers_to_come_as_well():
    paired = {(0, 1): 1, (1, 2): 1, (2, 3): 1}
    pool = make_pool([1] * 5, linked=np.arange(5), paired=paired)
    (choice,) = MatchQuality(2).choose(pool, make_belief(5), 1, np.random.default_rng(0))
    assert 4 in choice.items


def test_the_most_uncertain_items_lead_different_tasks():
    variance = np.full(20, 0.001)
    variance[[3, 8, 11]] = 0.08
    belief = make_belief(20, variance=variance)
    choices = MatchQuality(2).choose(make_pool([4] * 20), belief, 3, np.random.default_rng(0))
    for head in (3, 8, 11):
        assert sum(head in choice.items for choice in choices) == 1


def test_partners_are_believed_to_stand_near_their_head():
    position, variance = [0.5] * 11 + [0.95] * 10, [0.05] + [0.001] * 20
    rng, near = np.random.default_rng(1), 0
    for _ in range(400):
        (choice,) = MatchQuality(2).choose(make_pool([4] * 21), make_belief(21, position, variance), 1, rng)
        near += sum(0 < item <= 10 for item in choice.items)
    # exp(-(0.45^2) / (2 (0.02 + 0.051))) = 0.24 of the quality: 81% of partners are near.
    assert near / 400 == pytest.approx(0.806, abs=0.06)


def test_items_with_comparisons_to_come_wait():
    pool = make_pool([2] * 6, pending=np.array([5, 5, 5, 0, 5, 5]))
    (choice,) = MatchQuality(2).choose(pool, make_belief(6), 1, np.random.default_rng(0))
    assert 3 in choice.items


def test_equal_variances_are_broken_at_random():
    rng = np.random.default_rng(4)
    heads = {
        item
        for _ in range(100)
        for item in MatchQuality(2).choose(make_pool([2] * 9), make_belief(9), 1, rng)[0].items
    }
    assert heads == set(range(9))


def test_both_sides_of_a_pair_come_first_equally_often():
    rng = np.random.default_rng(5)
    belief = make_belief(2, variance=[0.08, 0.001])
    first = [MatchQuality(2).choose(make_pool([1, 1]), belief, 1, rng)[0].items[0] for _ in range(400)]
    assert 150 < sum(first) < 250


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_rater_meets_every_pair_once_and_none_twice(size):
    rng, met, items = np.random.default_rng(6), set(), 9
    while True:
        pool = make_pool([3] * items, wanted=1000, met=frozenset(met), linked=np.zeros(items, dtype=np.int64))
        choices = MatchQuality(size).choose(pool, make_belief(items, rng.random(items)), 1, rng)
        if not choices:
            break
        fresh = set(pairs_among(choices[0].items))
        assert not fresh & met
        met |= fresh
    assert len(met) == items * (items - 1) // 2


def test_met_pairs_are_kept_apart_while_items_are_covered():
    met = frozenset(pairs_among(range(5)))
    pool = make_pool([0] * 10, met=met)
    for seed in range(20):
        for choice in MatchQuality(3).choose(pool, make_belief(10), 4, np.random.default_rng(seed)):
            assert not met & set(pairs_among(choice.items))


def test_items_that_may_not_be_shown_are_not():
    allowed = np.array([True, False, True, True, False, True])
    choices = MatchQuality(2).choose(
        make_pool([1] * 6, allowed=allowed, linked=np.arange(6)), make_belief(6), 5, np.random.default_rng(0)
    )
    assert choices
    assert all(allowed[list(choice.items)].all() for choice in choices)


def test_nothing_is_chosen_past_the_budget_or_of_a_single_item():
    rng = np.random.default_rng(0)
    assert MatchQuality(2).choose(make_pool([3] * 4, wanted=3), make_belief(4), 5, rng) == []
    assert MatchQuality(2).choose(make_pool([0]), make_belief(1), 5, rng) == []


def test_systems_are_compared_by_outputs_for_one_segment():
    system, segment = np.tile(np.arange(6), 5), np.repeat(np.arange(5), 6)
    pool = make_pool([0] * 30, 1, segment=segment, system=system, by_system=True, linked=np.arange(30))
    choices = MatchQuality(2).choose(pool, make_belief(6), 9, np.random.default_rng(0))
    shown = [item for choice in choices for item in choice.items]
    assert len(shown) == len(set(shown))
    for choice in choices:
        assert len({segment[item] for item in choice.items}) == 1
        assert len({system[item] for item in choice.items}) == 2
    assert count_parts(6, [tuple(system[list(choice.items)]) for choice in choices]) == 1


def test_outputs_that_a_rater_has_met_do_not_come_together_again():
    system, segment = np.tile(np.arange(2), 3), np.repeat(np.arange(3), 2)
    pool = make_pool(
        [0] * 6, 5, segment=segment, system=system, by_system=True, met=frozenset({(0, 1), (4, 5)})
    )
    for seed in range(10):
        choices = MatchQuality(2).choose(pool, make_belief(2), 1, np.random.default_rng(seed))
        assert {item for choice in choices for item in choice.items} == {2, 3}


def test_it_asks_for_a_belief():
    with pytest.raises(BadSetting, match="learns online"):
        MatchQuality(2).choose(make_pool([0] * 4), None, 1, np.random.default_rng(0))


def test_the_same_seed_chooses_the_same_whatever_the_number_of_items():
    for items in (12, 2_000):
        belief = make_belief(items, np.linspace(0, 1, items))
        runs = [
            MatchQuality(3).choose(make_pool([1] * items), belief, 9, np.random.default_rng(9))
            for _ in range(2)
        ]
        assert runs[0] == runs[1]


def test_it_is_found_by_name_with_the_settings_it_has():
    assert selection_named("match_quality", size=4, top_k=3, least=2) == MatchQuality(4)
