import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.maths import beta

# Expected values: 80-digit arithmetic on Eqns 12 and 13 of Sakaguchi & Van Durme (2018).


@pytest.mark.parametrize(("alpha", "b", "expected"), [(1.0, 1.0, 0.5), (1.9, 2.1, 0.45), (2.0, 1.0, 1.0)])
def test_the_mode_is_as_in_the_paper_and_one_half_before_any_score(alpha, b, expected):
    assert beta.mode(np.array([alpha]), np.array([b]))[0] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("alpha", "b", "expected"),
    [
        (1.0, 1.0, 0.08333333333333333),
        (1.9, 2.1, 0.049875),
        (1.0, 10.0, 0.006887052341597796),
        (2.0, 10.0, 0.010683760683760684),
    ],
)
def test_the_variance_is_as_in_the_paper(alpha, b, expected):
    assert beta.variance(np.array([alpha]), np.array([b]))[0] == pytest.approx(expected, rel=2e-15)


def test_a_score_can_make_the_variance_grow():
    before = beta.variance(np.array([1.0]), np.array([10.0]))[0]
    after = beta.variance(np.array([2.0]), np.array([10.0]))[0]
    assert after > before


@given(st.floats(1.0, 1e6), st.floats(1.0, 1e6))
def test_an_interval_stays_inside_the_scale_and_holds_the_mode(alpha, b):
    low, high = beta.interval(np.array([alpha]), np.array([b]))
    middle = beta.mode(np.array([alpha]), np.array([b]))
    assert 0.0 <= low[0] <= middle[0] <= high[0] <= 1.0
