import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.maths.rao_kupper import outcome_probabilities


@pytest.mark.parametrize(
    ("position_i", "position_j", "epsilon", "expected"),
    [
        (0.5, 0.5, 0.1, (0.47502081252106, 0.04995837495787997, 0.47502081252106)),
        (0.9, 0.2, 0.0, (0.6681877721681662, 0.0, 0.3318122278318339)),
        (0.3, 0.8, 0.6, (0.2497398944048824, 0.2752392930740576, 0.47502081252106)),
    ],
)
def test_win_tie_and_loss_are_as_in_the_paper(position_i, position_j, epsilon, expected):
    # Eqns 20-22 of Sakaguchi & Van Durme (2018), in 80-digit arithmetic.
    assert outcome_probabilities(position_i - position_j, epsilon) == pytest.approx(expected, rel=2e-15)


@given(st.floats(-5, 5), st.floats(0, 5))
def test_the_three_outcomes_are_all_there_is_and_mirror_each_other(gap, epsilon):
    win, tie, loss = outcome_probabilities(gap, epsilon)
    assert win + tie + loss == pytest.approx(1.0, abs=1e-14)
    assert outcome_probabilities(-gap, epsilon) == pytest.approx((loss, tie, win), rel=1e-14)
