import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from steelyard.selection.balanced import Balanced
from steelyard.selection.pairing import pairs_among
from steelyard.selection.pool import Pool


def make_pool(
    items, wanted=3, answers=None, segments=None, systems=None, by_system=False, allowed=None, **facts
):
    zeros = np.zeros(items, dtype=np.int64)
    return Pool(
        zeros if answers is None else np.array(answers),
        zeros,
        wanted,
        zeros if segments is None else np.array(segments),
        zeros if systems is None else np.array(systems),
        np.ones(items, dtype=bool) if allowed is None else np.array(allowed),
        by_system,
        **facts,
    )


@given(st.integers(1, 30), st.integers(1, 7), st.integers(1, 4), st.integers(0, 1000))
def test_every_item_ends_with_what_the_study_wants_and_no_list_repeats_one(items, size, wanted, seed):
    choices = Balanced(size).choose(make_pool(items, wanted), None, 10_000, np.random.default_rng(seed))
    shown = np.bincount([item for choice in choices for item in choice.items], minlength=items)
    assert (shown == wanted).all()
    assert all(len(set(choice.items)) == len(choice.items) <= size for choice in choices)


@given(st.integers(0, 1000))
def test_at_no_time_is_an_item_ahead_by_more_than_one(seed):
    choices = Balanced(1).choose(make_pool(7, 5), None, 20, np.random.default_rng(seed))
    shown = np.bincount([choice.items[0] for choice in choices], minlength=7)
    assert shown.max() - shown.min() <= 1


def test_items_with_fewer_answers_come_first():
    pool = make_pool(4, wanted=9, answers=[5, 0, 5, 0])
    (choice,) = Balanced(2).choose(pool, None, 1, np.random.default_rng(0))
    assert set(choice.items) == {1, 3}


def test_a_list_stays_inside_one_segment():
    segments = [0, 0, 0, 1, 1, 1, 2]
    for choice in Balanced(3).choose(make_pool(7, 2, segments=segments), None, 50, np.random.default_rng(0)):
        assert len({segments[item] for item in choice.items}) == 1


def test_items_that_a_rater_has_seen_are_left_out():
    pool = make_pool(4, allowed=[True, False, True, False])
    (choice,) = Balanced(4).choose(pool, None, 1, np.random.default_rng(0))
    assert set(choice.items) == {0, 2}


def test_nothing_is_chosen_when_every_item_has_its_answers():
    assert (
        Balanced(2).choose(make_pool(3, wanted=1, answers=[1, 1, 1]), None, 5, np.random.default_rng(0)) == []
    )


def test_at_system_level_outputs_come_once_and_never_two_of_one_system():
    systems = np.tile(np.arange(4), 10)
    segments = np.repeat(np.arange(10), 4)
    pool = make_pool(40, 1, segments=segments, systems=systems, by_system=True)
    choices = Balanced(2).choose(pool, None, 1000, np.random.default_rng(0))
    shown = [item for choice in choices for item in choice.items]
    assert sorted(shown) == list(range(40))
    for choice in choices:
        assert len({systems[item] for item in choice.items}) == len(choice.items)
        assert len({segments[item] for item in choice.items}) == 1


def test_at_system_level_systems_stay_level_while_outputs_are_left():
    systems, segments = np.tile(np.arange(4), 25), np.repeat(np.arange(25), 4)
    pool = make_pool(100, 1, segments=segments, systems=systems, by_system=True)
    choices = Balanced(2).choose(pool, None, 20, np.random.default_rng(1))
    counts = np.bincount([systems[item] for choice in choices for item in choice.items], minlength=4)
    assert counts.max() - counts.min() <= 2


def test_the_same_seed_chooses_the_same():
    runs = [Balanced(3).choose(make_pool(20), None, 6, np.random.default_rng(9)) for _ in range(2)]
    assert runs[0] == runs[1]


def shown_to_one_rater(size, items, rng, **facts):
    """Return all tasks of one rater until every pair has been shown."""
    met, tasks = set(), []
    while True:
        pool = make_pool(items, wanted=1000, met=frozenset(met), **facts)
        choices = Balanced(size, least=2).choose(pool, None, 1, rng)
        if not choices:
            return tasks
        tasks.append(choices[0].items)
        met |= set(pairs_among(choices[0].items))


@given(st.integers(2, 9), st.integers(2, 4), st.integers(0, 200))
def test_a_rater_is_shown_every_pair_once_and_none_twice(items, size, seed):
    tasks = shown_to_one_rater(size, items, np.random.default_rng(seed))
    pairs = [pair for task in tasks for pair in pairs_among(task)]
    assert len(pairs) == len(set(pairs)) == items * (items - 1) // 2


def test_a_rater_is_shown_no_pair_again_where_items_have_segments():
    tasks = shown_to_one_rater(2, 7, np.random.default_rng(0), segments=[0, 0, 0, 1, 1, 1, 2])
    assert sorted(sorted(task) for task in tasks) == [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]]


def test_a_rater_is_shown_no_two_outputs_again_at_system_level():
    systems, segments = np.tile(np.arange(3), 4), np.repeat(np.arange(4), 3)
    tasks = shown_to_one_rater(
        2, 12, np.random.default_rng(0), segments=segments, systems=systems, by_system=True
    )
    assert len({tuple(sorted(task)) for task in tasks}) == len(tasks) == 12


@given(st.integers(2, 30), st.integers(1, 3), st.integers(0, 200))
def test_pairs_give_every_item_what_it_wants_and_an_odd_one_borrows_a_partner(items, wanted, seed):
    pool = make_pool(items, wanted)
    choices = Balanced(2, least=2).choose(pool, None, 10_000, np.random.default_rng(seed))
    shown = np.bincount([item for choice in choices for item in choice.items], minlength=items)
    assert all(len(choice.items) == 2 for choice in choices)
    assert (shown >= wanted).all()
    assert shown.sum() <= items * wanted + wanted


@given(st.integers(2, 40), st.integers(2, 5), st.integers(0, 200))
def test_two_rounds_link_all_items(items, size, seed):
    pool = make_pool(items, wanted=2, linked=np.arange(items))
    choices = Balanced(size, least=2).choose(pool, None, 10_000, np.random.default_rng(seed))
    part = np.arange(items)
    for choice in choices:
        together = part[list(choice.items)]
        part[np.isin(part, together)] = together.min()
    assert len(set(part)) == 1


def test_an_item_alone_in_its_segment_is_not_compared():
    choices = Balanced(2, least=2).choose(
        make_pool(3, segments=[0, 0, 1]), None, 50, np.random.default_rng(0)
    )
    assert {item for choice in choices for item in choice.items} == {0, 1}


@given(st.integers(4, 20), st.integers(1, 4), st.integers(0, 1000))
def test_tasks_of_compared_items_are_full_whenever_enough_items_are_allowed(items, wanted, seed):
    pool = make_pool(items, wanted, linked=np.arange(items))
    choices = Balanced(4, least=3).choose(pool, None, 10_000, np.random.default_rng(seed))
    shown = np.bincount([item for choice in choices for item in choice.items], minlength=items)
    assert all(len(set(choice.items)) == 4 for choice in choices)
    assert shown.min() >= wanted
    assert len(choices) == -(-items * wanted // 4)


def test_a_full_task_is_found_behind_pairs_that_the_rater_has_seen():
    met = {(0, at) for at in range(1, 7)} | {(1, 2), (3, 4), (5, 6)}
    pool = make_pool(8, 1, answers=[0] * 7 + [1], met=met)
    (choice,) = Balanced(4, least=3).choose(pool, None, 1, np.random.default_rng(0))
    assert len(choice.items) == 4
    assert not met & set(pairs_among(choice.items))


def test_an_item_with_all_its_answers_completes_a_task_that_met_pairs_would_shorten():
    met = {(0, 1)}
    pool = make_pool(5, 1, answers=[0, 0, 0, 0, 1], met=met)
    (choice, *_) = Balanced(4, least=3).choose(pool, None, 9, np.random.default_rng(0))
    assert len(choice.items) == 4
    assert 4 in choice.items
