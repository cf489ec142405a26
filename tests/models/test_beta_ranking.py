import numpy as np
import pytest
from hypothesis import given
from scipy.stats import spearmanr

from steelyard import BetaRanking, Comparison, Judgments
from steelyard.maths import beta as beta_distribution
from steelyard.maths.arrays import object_cells
from steelyard.scales.belief import BetaBelief
from steelyard.selection.match_quality import match_quality
from tests.models.online import (
    against_truth,
    judge,
    rows,
    simulated,
)


def one_update(model, before, outcome):
    """Two items with these alphas and betas, compared once."""
    alpha, beta = np.array(before[::2]), np.array(before[1::2])
    belief = BetaBelief(object_cells(["i", "j"]), alpha, beta, np.zeros(2), model.score)
    after = model.update(belief, Judgments.of([Comparison("ann", "i", "j", outcome)]))
    return after.alpha[0], after.beta[0], after.alpha[1], after.beta[1]


# Eqns 14-19 of Sakaguchi & Van Durme (2018) with gamma = epsilon = 0.1, in 80-digit arithmetic.
GOLDEN = [
    ((1.0, 1.0, 1.0, 1.0), "left", (1.1012575591104719, 1.0, 1.0, 1.1012575591104719)),
    ((3.0, 2.0, 2.0, 4.0), "left", (3.0556611137321585, 2.0, 2.0, 4.0441754870890145)),
    ((1.05, 9.0, 1.5, 1.5), "left", (1.0680858427126583, 9.0, 1.5, 1.6335000289739898)),
    ((3.0, 2.0, 2.0, 4.0), "tie", (3.0, 2.1257386633428825, 2.099792589954669, 4.0)),
    (
        (1.0, 1.0, 1.0, 1.0),
        "tie",
        (1.1832432566842859, 1.1832432566842859, 1.1832432566842859, 1.1832432566842859),
    ),
]


@pytest.mark.parametrize(("before", "outcome", "expected"), GOLDEN)
def test_an_update_is_as_in_the_paper(before, outcome, expected):
    assert one_update(BetaRanking(), before, outcome) == pytest.approx(expected, rel=4e-16)


def test_a_tie_moves_items_together_whichever_is_higher():
    # Eqns 16-17 mirrored: the lower item on the left.
    alpha_i, beta_i, alpha_j, beta_j = one_update(BetaRanking(), (2.0, 4.0, 3.0, 2.0), "tie")
    assert (alpha_i, beta_i) == pytest.approx((2.099792589954669, 4.0))
    assert (alpha_j, beta_j) == pytest.approx((3.0, 2.1257386633428825))


def test_a_tie_at_exactly_epsilon_is_inside():
    alpha_i, beta_i, alpha_j, beta_j = one_update(BetaRanking(epsilon=0.5), (2.0, 1.0, 2.0, 2.0), "tie")
    assert alpha_i > 2.0
    assert beta_i > 1.0
    assert alpha_j > 2.0
    assert beta_j > 2.0


@pytest.mark.parametrize(
    ("position_i", "variance_i", "position_j", "variance_j", "expected"),
    [
        (0.6666666666666666, 0.04, 0.25, 0.031746031746031744, 0.18126476982248574),
        (0.0, 0.02666666666666667, 1.0, 0.02666666666666667, 0.0005711702050955498),
        (0.8, 0.04, 0.3, 0.09, 0.1586928281671069),
        (0.5, 0.09, 0.5, 0.09, 0.31622776601683794),
    ],
)
def test_match_quality_is_as_in_the_paper(position_i, variance_i, position_j, variance_j, expected):
    # Eqns 11 and 23, in 80-digit arithmetic.
    quality = match_quality(position_i, variance_i, np.array([position_j]), np.array([variance_j]), 0.1)
    assert quality[0] == pytest.approx(expected, rel=4e-15)


def test_the_variance_may_grow_with_a_judgment():
    # The paper's "uncertainty always decreases" is false: for Beta(1, 10), and after a win in ranking.
    def variance(alpha, beta):
        return float(beta_distribution.variance(np.array([alpha]), np.array([beta]))[0])

    assert variance(2.0, 10.0) > variance(1.0, 10.0)
    alpha, beta, _, _ = one_update(BetaRanking(), (1.05, 9.0, 1.5, 1.5), "left")
    assert variance(alpha, beta) > variance(1.05, 9.0)


def test_the_step_may_be_proportional_to_minus_log_p():
    # Beta(1, 1) twice: V = 1/12, c^2 = 0.02 + 1/6, P(win) = 1 / (1 + exp(0.1)).
    step = (1 / 12) / np.sqrt(0.02 + 1 / 6) * np.log1p(np.exp(0.1))
    after = one_update(BetaRanking(surprisal="minus_log_p"), (1.0, 1.0, 1.0, 1.0), "left")
    assert after == pytest.approx((1.0 + step, 1.0, 1.0, 1.0 + step), rel=1e-15)


def test_the_position_may_be_the_mean():
    # Means 3/5 and 1/3: P(win) = 1 / (1 + exp(0.1 - 4/15)).
    v_i, v_j = 6 / (25 * 6), 8 / (36 * 7)
    surprise = 1.0 - 1.0 / (1.0 + np.exp(0.1 - 4 / 15))
    c = np.sqrt(0.02 + v_i + v_j)
    after = one_update(BetaRanking(score="mean"), (3.0, 2.0, 2.0, 4.0), "left")
    assert after == pytest.approx((3.0 + v_i / c * surprise, 2.0, 2.0, 4.0 + v_j / c * surprise), rel=1e-15)
    fit = BetaRanking(score="mean").fit(judge([(("milk", "tea"), "left", 1.0)]))
    alpha, beta = fit.posterior.belief.alpha, fit.posterior.belief.beta
    assert fit.posterior.position.tolist() == (alpha / (alpha + beta)).tolist()


@given(rows)
def test_positions_and_intervals_stay_on_the_scale(rows):
    posterior = BetaRanking().fit(judge(rows)).posterior
    low, high = posterior.interval(0.95)
    assert ((low >= 0) & (low <= posterior.position)).all()
    assert ((posterior.position <= high) & (high <= 1)).all()


def test_default_settings_recover_the_order_but_not_the_width_of_a_simulated_truth():
    rng = np.random.default_rng(1)
    truth = rng.random(60)
    fit = BetaRanking().fit(simulated(rng, truth, 60))
    wanted, position = against_truth(fit, truth), fit.posterior.position
    assert spearmanr(position, wanted).statistic > 0.95
    assert np.corrcoef(position, wanted)[0, 1] > 0.9
    one_sided = BetaRanking().fit(simulated(rng, 0.8 + 0.2 * truth, 60, tie_width=0.02, noise=0.03))
    assert abs(one_sided.posterior.position.mean() - 0.5) < 0.05  # the truth lies from 0.8 to 1


def test_the_probabilities_of_the_next_comparison_are_those_of_rao_and_kupper():
    fit = BetaRanking().fit(judge([(("milk", "tea"), "tie", 1.0)]))
    left, tie, right = fit.posterior.outcomes(np.array([0]), np.array([1]))
    # Equal positions, in 80-digit arithmetic.
    assert (left[0], tie[0], right[0]) == pytest.approx(
        (0.47502081252106, 0.04995837495787997, 0.47502081252106)
    )
