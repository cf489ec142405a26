"""Information for comparisons: informative pairs, links, open tasks, met pairs and aims."""

import numpy as np
import pytest

from steelyard import Thurstone
from steelyard.errors import BadSetting
from steelyard.models.thurstone.belief import ThurstoneBelief
from steelyard.selection.pair_information import PairInformation
from steelyard.selection.pairing import pairs_among
from tests.selection.test_match_quality import count_parts, make_pool


def make_belief(position, variance=1.0, full=True):
    position = np.array(position, dtype=float)
    variances = np.broadcast_to(np.asarray(variance, dtype=float), position.shape).copy()
    return believed(position, variances, np.diag(variances) if full else None)


def believed(position, variance, covariance):
    labels = np.array([f"i{at:02}" for at in range(len(position))], dtype=object)
    return ThurstoneBelief(labels, position, variance, np.zeros(len(position)), covariance)


def chosen(pool, belief, tasks, seed=0, **settings):
    return PairInformation(**settings).choose(pool, belief, tasks, np.random.default_rng(seed))


@pytest.mark.parametrize("full", [True, False])
def test_items_have_four_answers_before_information_counts(full):
    pool = make_pool([0] * 20)
    first = chosen(pool, make_belief(np.zeros(20), full=full), 40)
    shown = np.bincount([item for choice in first for item in choice.items], minlength=20)
    assert shown.tolist() == [4] * 20


def test_close_and_uncertain_items_are_compared():
    belief = make_belief([0.0, 0.1, 5.0, 9.0], [1.0, 1.0, 0.01, 0.01])
    (choice,) = chosen(make_pool([4] * 4), belief, 1)
    assert set(choice.items) == {0, 1}


def test_tasks_of_a_round_do_not_all_resolve_the_same_uncertainty():
    apart = np.repeat([0.5, -0.5], 8)  # two groups whose distance is the main uncertainty
    covariance = 0.5 * np.eye(16) + 2.0 * np.outer(apart, apart)
    belief = believed(2.0 * apart, np.diag(covariance), covariance)
    across = [
        (choice.items[0] < 8) != (choice.items[1] < 8) for choice in chosen(make_pool([4] * 16), belief, 16)
    ]
    assert across[0]
    assert sum(across) <= 12  # all 16 if pairs were scored once


@pytest.mark.parametrize(("full", "most"), [(True, 5), (False, 2)])
def test_no_item_is_in_more_tasks_of_a_round_than_the_limit(full, most):
    rng = np.random.default_rng(1)
    belief = make_belief(rng.normal(size=30), rng.uniform(0.1, 2.0, 30), full)
    tasks = chosen(make_pool([4] * 30), belief, 30)
    shown = np.bincount([item for choice in tasks for item in choice.items], minlength=30)
    assert tasks
    assert shown.max() <= most


@pytest.mark.parametrize("full", [True, False])
def test_parts_that_no_comparison_links_are_linked_first(full):
    linked = np.array([0, 0, 0, 0, 4, 4, 6, 6])
    belief = make_belief(np.arange(8.0) * 3, full=full)
    tasks = [choice.items for choice in chosen(make_pool([4] * 8, linked=linked), belief, 2)]
    links = [(0, 1), (1, 2), (2, 3), (4, 5), (6, 7)]
    assert count_parts(8, [*links, *tasks]) == 1


@pytest.mark.parametrize("full", [True, False])
def test_a_rater_meets_no_pair_twice(full):
    met = frozenset(pairs_among(range(4)))
    belief = make_belief([0.0, 0.1, 0.2, 0.3, 0.4], full=full)
    tasks = chosen(make_pool([4] * 5, met=met), belief, 2)
    assert tasks
    assert all(4 in choice.items for choice in tasks)


@pytest.mark.parametrize("full", [True, False])
def test_pairs_stay_inside_a_segment(full):
    segment = np.array([0, 0, 0, 1, 1, 1])
    belief = make_belief([0.0, 2.0, 4.0, 0.1, 2.1, 4.1], full=full)
    tasks = chosen(make_pool([4] * 6, segment=segment), belief, 3)
    assert tasks
    assert all(len(set(segment[list(choice.items)])) == 1 for choice in tasks)


def test_open_tasks_count_as_future_answers():
    belief = make_belief([0.0, 0.1, 0.2, 0.3])
    pending = np.array([2, 2, 0, 0])
    (choice,) = chosen(make_pool([4] * 4, pending=pending), belief, 1)
    assert set(choice.items) == {2, 3}


@pytest.mark.parametrize("size", [3, 4])
@pytest.mark.parametrize("full", [True, False])
def test_rankings_and_best_worst_tasks_are_filled(size, full):
    belief = make_belief(np.linspace(0, 3, 12), full=full)
    tasks = chosen(make_pool([4] * 12), belief, 3, size=size, least=size)
    assert len(tasks) == 3
    assert all(len(set(choice.items)) == size for choice in tasks)


def test_the_top_of_the_ranking_is_asked_about_where_it_is_the_aim():
    belief = make_belief(np.arange(20.0), 1.0)
    tasks = chosen(make_pool([4] * 20), belief, 3, aim="top_k", top_k=3)
    assert all(min(choice.items) >= 13 for choice in tasks)


def test_systems_of_items_are_compared_where_they_are_the_aim():
    system = np.array([0, 0, 0, 0, 0, 0, 1, 2])  # outputs of large systems matter less one by one
    belief = make_belief(np.zeros(8))
    (choice,) = chosen(make_pool([4] * 8, system=system), belief, 1, aim="systems")
    assert set(choice.items) == {6, 7}


def test_systems_themselves_can_be_the_unit():
    system = np.tile(np.arange(4), 3)
    pool = make_pool([4] * 12, system=system, segment=np.repeat(np.arange(3), 4), by_system=True)
    (choice,) = chosen(pool, make_belief([0.0, 0.1, 4.0, 8.0], [1.0, 1.0, 0.1, 0.1]), 1)
    assert set(system[list(choice.items)]) == {0, 1}


def test_another_model_is_refused_by_name():
    with pytest.raises(BadSetting, match="thurstone"):
        chosen(make_pool([4] * 4), None, 1)


def test_a_belief_of_the_model_is_taken():
    belief = Thurstone().start(np.array(list("abcd"), dtype=object))
    assert len(chosen(make_pool([4] * 4), belief, 2)) == 2
