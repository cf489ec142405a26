from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.errors import BadSetting
from steelyard.scales.belief import BetaBelief
from steelyard.selection.audit import choose_at_random
from steelyard.selection.information import Information, boundary_weights, density
from steelyard.selection.pool import Pool


@dataclass
class Belief:
    position: np.ndarray
    variance: np.ndarray
    answer_variance: float = 0.04

    @property
    def item(self):
        return np.arange(len(self.position)).astype(object)

    @property
    def count(self):
        return np.ones(len(self.position))


def flat(items, variance=0.05):
    return Belief(np.linspace(0.1, 0.9, items), np.full(items, variance))


def make_pool(answers, wanted=10, **settings):
    answers = np.array(answers)
    zeros = np.zeros(len(answers), dtype=np.int64)
    usual = {
        "pending": zeros,
        "segment": zeros,
        "system": zeros,
        "allowed": np.ones(len(answers), dtype=bool),
    }
    told = {name: np.array(value) if name != "by_system" else value for name, value in settings.items()}
    return Pool(answers=answers, wanted=wanted, **{**usual, **told})


@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 99))
def test_every_item_is_asked_once_before_any_is_asked_twice(items, size, seed):
    selection = Information(size)
    choices = selection.choose(
        make_pool([0] * items),
        flat(items),
        selection.round_size(make_pool([0] * items)),
        np.random.default_rng(seed),
    )
    shown = np.bincount([item for choice in choices for item in choice.items], minlength=items)
    assert shown.min() >= 1
    assert all(len(set(choice.items)) == len(choice.items) for choice in choices)


def test_the_largest_expected_drop_of_variance_comes_first():
    belief = flat(6)
    belief.variance[4] = 0.5
    (choice,) = Information(1).choose(make_pool([2] * 6), belief, 1, np.random.default_rng(0))
    assert choice.items == (4,)


def test_open_leases_count_as_answers_to_come():
    pool = make_pool([2] * 4, pending=[9, 9, 0, 9])
    (choice,) = Information(1).choose(pool, flat(4), 1, np.random.default_rng(0))
    assert choice.items == (2,)


def test_picks_spread_over_equal_items():
    choices = Information(2).choose(make_pool([1] * 12), flat(12), 6, np.random.default_rng(1))
    assert sorted(item for choice in choices for item in choice.items) == list(range(12))


def test_a_list_bridges_items_that_no_rater_has_linked():
    pool = make_pool([1] * 6, linked=[0, 0, 0, 3, 3, 3])
    for choice in Information(2).choose(pool, flat(6), 1, np.random.default_rng(2)):
        assert len({0 if item < 3 else 1 for item in choice.items}) == 2


def test_aiming_at_the_top_asks_about_its_boundary():
    belief = flat(21, 0.002)
    (choice,) = Information(3, aim="top_k", top_k=5).choose(
        make_pool([3] * 21), belief, 1, np.random.default_rng(0)
    )
    assert {15, 16} <= set(choice.items)


def test_aiming_at_the_ranking_asks_where_items_stand_thick():
    position = np.concatenate([np.full(15, 0.5), [0.05, 0.95]]) + np.linspace(0, 0.01, 17)
    weights = density(position, np.full(17, 0.001))
    assert weights[:15].min() > weights[15:].max()
    assert weights.mean() == pytest.approx(1.0)


def test_boundary_weights_are_even_where_there_is_no_boundary():
    assert boundary_weights(np.linspace(0, 1, 5), np.full(5, 0.01), 5).tolist() == [1.0] * 5


def test_nothing_is_asked_past_what_the_study_wants():
    assert Information(2).choose(make_pool([3] * 4, wanted=3), flat(4), 5, np.random.default_rng(0)) == []


def test_it_asks_for_the_rater_model():
    items = np.array(["a", "b"], dtype=object)
    with pytest.raises(BadSetting, match="steelyard"):
        Information(1).choose(make_pool([0, 0]), BetaBelief.fresh(items), 1, np.random.default_rng(0))


def test_an_audit_choice_gives_every_item_the_chance_that_it_logs():
    pool, rng = make_pool([1] * 6), np.random.default_rng(3)
    drawn = [choose_at_random(pool, 2, rng) for _ in range(6000)]
    shown = np.bincount([item for each in drawn for item in each.choice.items], minlength=6) / 6000
    assert {each.probability for each in drawn} == {2 / 6}
    assert shown == pytest.approx(np.full(6, 2 / 6), abs=0.03)


def test_an_audit_choice_in_segments_gives_every_item_the_chance_that_it_logs():
    segments = [0, 0, 0, 0, 1, 1]
    pool, rng = make_pool([1] * 6, segment=segments), np.random.default_rng(4)
    drawn = [choose_at_random(pool, 2, rng) for _ in range(9000)]
    shown = np.bincount([item for each in drawn for item in each.choice.items], minlength=6) / 9000
    assert {each.probability for each in drawn} == {2 / 6}
    assert shown == pytest.approx(np.full(6, 2 / 6), abs=0.03)
