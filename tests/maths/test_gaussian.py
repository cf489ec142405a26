import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from steelyard.maths.gaussian import NORMAL_95, outcome_probabilities, tie_correction, win_correction

# gap, margin, v, w: Eqns 5, 6, 9 and 10 of Sakaguchi & Van Durme (2018) unchanged, in arithmetic of 80 digits
# and more. The golden cases of the paper's equations come first.
WINS = [
    (0.3, 0.1, 0.6750731797902919, 0.5907384340302343),
    (0.0, 0.0, 0.7978845608028654, 0.63661977236758134),
    (-40.0, 0.5, 40.52466134256537, 0.99939255571468939),
    (-3.0, 0.5, 3.7513912648576997, 0.9430669950487032),
    (-29.5, 0.5, 30.033259667433677, 0.99889622848810991),
    (-30.5, 0.5, 31.032191276777725, 0.99896585841004661),
    (-5.0, 0.0, 5.1865039671258421, 0.96730356538288777),
    (-100.0, 0.0, 100.00999800099926, 0.99990005995005174),
    (-10000.0, 1.0, 10001.000099989999, 0.9999999900020003),
    (8.0, 0.25, 3.6182944511125338e-14, 2.8041781996122268e-13),
    (2.0, 0.5, 0.13878975045885076, 0.2274472205207062),
]
TIES = [
    (0.3, 0.1, -0.2990013924646497, 0.99667170662582228),
    (0.0, 0.5, 0.0, 0.9194108453991883),
    (9.0, 0.1, -8.971538878597164, 0.9971471065754955),
    (0.4, 0.4, -0.37915243632135167, 0.94805150060331078),
    (1e-09, 0.5, -9.1941084539918836e-10, 0.9194108453991883),
    (2.0, 1e-06, -1.9999999999993333, 0.99999999999966667),
    (40.0, 0.5, -39.525284107407583, 0.99936152868692863),
    (-40.0, 0.5, 39.525284107407583, 0.99936152868692863),
    (1000.0, 0.25, -999.75100024806102, 0.99999899950581839),
    (-3.0, 2.0, 1.525128660943642, 0.8009262545758446),
    (10000.0, 5.0, -9995.000100050023, 0.9999999899899931),
    (12.0, 8.0, -4.2256071444894711, 0.95332716160257737),
    (0.5, 6.0, -1.0743064680833187e-7, 5.940720369858457e-7),
]
gaps = st.floats(-1e4, 1e4)
margins = st.floats(0.0, 50.0)


@pytest.mark.parametrize(("gap", "margin", "v", "w"), WINS)
def test_a_win_moves_as_in_the_paper_in_the_middle_and_in_the_tail(gap, margin, v, w):
    assert win_correction(gap, margin) == pytest.approx((v, w), rel=1e-14, abs=0)


@pytest.mark.parametrize(("gap", "margin", "v", "w"), TIES)
def test_a_tie_moves_as_in_the_paper_in_the_middle_and_in_the_tail(gap, margin, v, w):
    assert tie_correction(gap, margin) == pytest.approx((v, w), rel=1e-14, abs=0)


@pytest.mark.parametrize("gap", [0.0, 0.7, -3.0, 500.0])
def test_a_tie_without_a_margin_says_that_the_difference_is_nought(gap):
    v, w = tie_correction(gap, 0.0)
    assert (v, w) == (-gap, 1.0)


@given(gaps, margins)
def test_ties_are_the_same_from_either_side(gap, margin):
    v, w = tie_correction(gap, margin)
    mirrored_v, mirrored_w = tie_correction(-gap, margin)
    assert v == -mirrored_v
    assert w == mirrored_w


@given(gaps, margins)
def test_every_correction_is_finite_and_takes_a_share_of_the_variance(gap, margin):
    for v, w in (win_correction(gap, margin), tie_correction(gap, margin)):
        assert np.isfinite(v)
        assert 0.0 <= w <= 1.0


@given(st.floats(-60, 60), margins)
def test_the_more_surprising_a_win_the_more_it_moves(gap, margin):
    sooner, later = win_correction([gap, gap + 0.01], margin)[0]
    assert sooner >= later


@pytest.mark.parametrize(
    ("mean_i", "mean_j", "noise_sd", "expected"),
    [(0.7, 0.4, 0.25, 0.801928045423963), (0.5, 0.5, 0.2, 0.5)],  # Eqn 1 in 80-digit arithmetic
)
def test_thurstones_probability_is_a_win_without_a_margin(mean_i, mean_j, noise_sd, expected):
    win, tie, loss = outcome_probabilities((mean_i - mean_j) / (np.sqrt(2.0) * noise_sd), 0.0)
    assert win == pytest.approx(expected, rel=2e-15)
    assert (float(tie), float(win + loss)) == (0.0, 1.0)


@given(st.floats(-50, 50), margins)
def test_win_tie_and_loss_are_all_there_is(gap, margin):
    win, tie, loss = outcome_probabilities(gap, margin)
    assert min(win, tie, loss) >= 0.0
    assert win + tie + loss == pytest.approx(1.0, abs=1e-15)


def test_the_width_of_a_95_percent_interval_is_the_normal_quantile():
    assert pytest.approx(ndtri(0.975), rel=1e-15) == NORMAL_95
