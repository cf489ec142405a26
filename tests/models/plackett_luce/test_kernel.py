import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.models import worths
from steelyard.models.plackett_luce import twin
from steelyard.models.plackett_luce.likelihood import RankingLikelihood
from steelyard.models.plackett_luce.rankings import Rankings

ITEMS = 6
stages = st.lists(st.integers(0, 2), min_size=1, max_size=5)
some = st.lists(st.tuples(stages, st.permutations(range(ITEMS)), st.floats(0.1, 3.0)), min_size=1, max_size=8)


def rankings_from(rows):
    entries = [
        (order[: len(stage)], np.unique(np.sort(stage), return_inverse=True)[1]) for stage, order, _ in rows
    ]
    return Rankings(
        ITEMS,
        np.r_[0, np.cumsum([len(item) for item, _ in entries])],
        np.concatenate([item for item, _ in entries]).astype(np.int64),
        np.concatenate([stage for _, stage in entries]).astype(np.int64),
        np.array([weight for _, _, weight in rows]),
    )


@given(some, st.integers(0, 2**32))
def test_the_kernel_and_its_twin_agree(rows, seed):
    rankings = rankings_from(rows)
    likelihood = RankingLikelihood(rankings, rankings.orders)
    parameters = np.random.default_rng(seed).normal(0.0, 2.0, likelihood.size)
    slope = likelihood.at(parameters)
    value, gradient, information = twin.likelihood(rankings, rankings.orders, parameters)
    assert slope.value == pytest.approx(value, abs=1e-10)
    assert slope.gradient == pytest.approx(gradient, abs=1e-10)
    assert slope.matrix == pytest.approx(information, abs=1e-10)


@given(some)
def test_a_sparse_matrix_holds_the_same_information(rows):
    rankings = rankings_from(rows)
    parameters = np.linspace(-1.0, 1.0, RankingLikelihood(rankings, rankings.orders).size)
    full = RankingLikelihood(rankings, rankings.orders).at(parameters)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worths, "FULL_ITEMS", 2)
        sparse = RankingLikelihood(rankings, rankings.orders).at(parameters)
    assert sparse.matrix.toarray() == pytest.approx(full.matrix, abs=1e-12)
    assert sparse.gradient == pytest.approx(full.gradient, abs=1e-12)


def weak_orders(items):
    """Every ranking with ties of these items, as lists of tied groups."""
    if not items:
        yield []
    for mask in range(1, 2 ** len(items)):
        top = [item for at, item in enumerate(items) if mask >> at & 1]
        for rest in weak_orders([item for item in items if item not in top]):
            yield [top, *rest]


@pytest.mark.parametrize(("size", "expected"), [(2, 3), (3, 13), (4, 75)])
def test_the_chances_of_all_rankings_with_ties_add_up_to_one(size, expected):
    # 3, 13, 75: the ordered Bell numbers.
    theta = np.array([0.3, -1.2, 0.8, 2.0])[:size]
    tau, orders = np.array([-0.4, 0.7, -2.0])[: size - 1], np.arange(1, size + 1)
    total, every = 0.0, list(weak_orders(list(range(size))))
    for groups in every:
        item = np.array([i for group in groups for i in group])
        stage = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        one = Rankings(size, np.array([0, size]), item, stage, np.ones(1))
        total += np.exp(RankingLikelihood(one, orders).at(np.r_[theta, tau]).value)
    assert len(every) == expected
    assert total == pytest.approx(1.0, abs=1e-12)


def test_long_rankings_with_large_ties_stay_finite():
    size = 60
    stage = np.repeat(np.arange(6), 10)
    one = Rankings(size, np.array([0, size]), np.arange(size), stage, np.ones(1))
    slope = RankingLikelihood(one, one.orders).at(np.r_[np.linspace(-30.0, 30.0, size), 0.0])
    assert np.isfinite(slope.value)
    assert np.all(np.isfinite(slope.matrix))
    assert slope.matrix[:size, :size].sum(axis=1) == pytest.approx(np.zeros(size), abs=1e-9)
