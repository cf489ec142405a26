"""Profile likelihood intervals, against closed forms and brute force."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.stats import chi2

from steelyard import BradleyTerry, read
from steelyard.errors import BadSetting, UnknownItem, UnknownName

LIMIT = chi2.ppf(0.95, 1)


def table(*rows):
    names = ("left", "right", "wins", "ties", "losses")
    return read({name: [row[at] for row in rows] for at, name in enumerate(names)})


def binomial_limits(wins, losses):
    """Log-odds at which twice the log-likelihood has dropped by the quantile."""

    def height(odds):
        return -wins * np.logaddexp(0.0, -odds) - losses * np.logaddexp(0.0, odds)

    best = np.log(wins / losses)

    def drop(odds):
        return 2.0 * (height(best) - height(odds)) - LIMIT

    return brentq(drop, best - 20, best), brentq(drop, best, best + 20)


def test_nine_wins_of_nine_have_odds_of_4_20_to_infinity():
    """Closed form: -2 * 9 log p = 3.84 gives p = exp(-3.84 / 18) = 0.808, odds 4.20."""
    fit = BradleyTerry(penalty="firth", reference="old").fit(table(("new", "old", 9, 0, 0)))
    coefficients = fit.coefficients(interval="profile")["new"]
    share = np.exp(-LIMIT / 18.0)
    assert coefficients["low"] == pytest.approx(np.log(share / (1.0 - share)), abs=1e-6)
    assert np.exp(coefficients["low"]) == pytest.approx(4.2035, abs=1e-3)
    assert coefficients["high"] == np.inf
    difference = fit.difference("old", "new", "profile")
    assert (difference.low, difference.high) == (-np.inf, pytest.approx(-coefficients["low"], abs=1e-6))
    assert difference.statistic**2 == pytest.approx(18.0 * np.log(2.0), abs=1e-6)


@pytest.mark.parametrize(("wins", "ties", "losses"), [(61, 0, 35), (61, 24, 35), (3, 1, 1), (1, 7, 12)])
def test_one_pair_has_the_limits_of_the_binomial_likelihood_with_or_without_ties(wins, ties, losses):
    fit = BradleyTerry(reference="b").fit(table(("a", "b", wins, ties, losses)))
    expected = binomial_limits(wins, losses)
    coefficients = fit.coefficients(interval="profile")["a"]
    assert (coefficients["low"], coefficients["high"]) == pytest.approx(expected, abs=1e-6)
    halved = fit.coefficients("lambda", "profile")["a"]
    assert (halved["low"], halved["high"]) == pytest.approx((expected[0] / 2, expected[1] / 2), abs=1e-6)


def test_several_items_agree_with_a_brute_force_profile():
    rows = (("a", "b", 7, 0, 3), ("b", "c", 4, 0, 5), ("a", "c", 9, 0, 2))
    fit = BradleyTerry(reference="c").fit(table(*rows))

    def negative(a, b):
        return sum(
            won * np.logaddexp(0.0, -gap) + lost * np.logaddexp(0.0, gap)
            for (won, lost), gap in zip(((7, 3), (4, 5), (9, 2)), (a - b, b, a), strict=True)
        )

    best = minimize(lambda x: negative(*x), [0.5, 0.0], tol=1e-12).fun

    def drop(a):
        return 2.0 * (minimize(lambda x: negative(a, x[0]), [0.0], tol=1e-12).fun - best) - LIMIT

    middle = fit.coefficients()["a"]["estimate"]
    coefficients = fit.coefficients(interval="profile")["a"]
    assert coefficients["low"] == pytest.approx(brentq(drop, middle - 5, middle), abs=1e-4)
    assert coefficients["high"] == pytest.approx(brentq(drop, middle, middle + 5), abs=1e-4)


@pytest.mark.parametrize("seed", range(12))
def test_an_interval_leaves_out_no_preference_exactly_when_its_test_rejects(seed):
    rng = np.random.default_rng(seed)
    rows = {"rater": [], "left": [], "right": [], "wins": [], "losses": []}
    for rater in range(5):
        for left, right in ("ab", "bc", "ac"):
            wins = rng.binomial(4, 0.72)
            for name, value in zip(rows, (f"r{rater}", left, right, wins, 4 - wins), strict=True):
                rows[name].append(value)
    fit = BradleyTerry(penalty="auto").fit(read(rows))
    for interval in ("wald", "profile", "clustered"):
        for level in (0.8, 0.95):
            difference = fit.difference("a", "b", interval, level)
            assert (difference.low > 0.0 or difference.high < 0.0) == (difference.p < 1.0 - level)


def test_limits_shrink_to_those_of_wald_with_many_answers():
    fit = BradleyTerry(reference="b").fit(table(("a", "b", 6000, 0, 4000)))
    wald, profile = (fit.difference("a", "b", interval) for interval in ("wald", "profile"))
    assert (profile.low, profile.high) == pytest.approx((wald.low, wald.high), abs=1e-3)
    coefficients = fit.coefficients()["a"]
    assert (coefficients["low"], coefficients["high"]) == pytest.approx((wald.low, wald.high))


def test_items_that_were_never_compared_have_no_limits():
    fit = BradleyTerry(penalty="ridge").fit(table(("a", "b", 3, 0, 2), ("c", "d", 3, 0, 2)))
    difference = fit.difference("a", "c", "profile")
    assert (difference.low, difference.high) == (-np.inf, np.inf)


def test_what_has_no_likelihood_of_independent_answers_has_no_profile():
    rows = table(("a", "b", 7, 2, 3), ("b", "c", 4, 1, 5), ("a", "c", 9, 1, 2))
    with pytest.raises(BadSetting, match="wald"):
        BradleyTerry(ties="half").fit(rows).coefficients(interval="profile")
    fit = BradleyTerry().fit(rows)
    with pytest.raises(UnknownName, match="profile"):
        fit.coefficients(interval="profil")
    with pytest.raises(UnknownName, match="profile"):
        fit.difference("a", "b", "profil")
    with pytest.raises(UnknownItem):
        fit.difference("a", "z")
