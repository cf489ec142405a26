"""Raters with tastes of their own, against brute-force integration over the raters' effects."""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import chi2, t
from typer.testing import CliRunner

from steelyard import BradleyTerry, Judgments
from steelyard.cli.main import app
from steelyard.errors import BadSetting

ORDER = 0.3


def simulate(items, raters, sd, seed, repeats=2, truth=None, ties=0.0):
    """Rows of (rater, left, right, outcome): every rater compares every pair `repeats` times, sides in turn."""
    rng = np.random.default_rng(seed)
    worth = np.linspace(0.6, -0.6, items) if truth is None else np.asarray(truth)
    rows = []
    for rater in range(raters):
        own = worth + sd * rng.standard_normal(items)
        for again, (one, other) in product(range(repeats), product(range(items), repeat=2)):
            if one >= other:
                continue
            left, right = (one, other) if again % 2 == 0 else (other, one)
            half = 0.5 * (ORDER + own[left] - own[right])
            weights = np.array([np.exp(half), ties, np.exp(-half)])
            outcome = rng.choice(3, p=weights / weights.sum())
            rows.append((rater, left, right, outcome))
    return rows


def judgments_of(rows, kept=(0, 1, 2)):
    names = ("left", "tie", "right")
    used = [row for row in rows if row[3] in kept]
    return Judgments.from_columns(
        "comparison",
        {
            "rater": [f"r{rater:02d}" for rater, *_ in used],
            "left": [f"i{left}" for _, left, _, _ in used],
            "right": [f"i{right}" for _, _, right, _ in used],
            "outcome": [names[outcome] for *_, outcome in used],
        },
    )


class Brute:
    """The marginal log-likelihood with the last item at 0, integrated over differences of effects from the last item.

    d_i = u_i - u_last are normal with covariance sd^2 (I + 11'); a plain grid of Gauss-Hermite points, or draws, that
    knows nothing of where a rater's likelihood is high.
    """

    def __init__(self, rows, items, z, log_weight, order=True, tie=False):
        self.items, self.order, self.tie = items, order, tie
        self.log_weight = log_weight
        self.z = z @ np.linalg.cholesky(np.eye(items - 1) + 1.0).T
        self.raters = []
        for rater in sorted({row[0] for row in rows}):
            own = [row for row in rows if row[0] == rater]
            signs = np.zeros((len(own), items))
            for at, (_, left, right, _) in enumerate(own):
                signs[at, left], signs[at, right] = 1.0, -1.0
            self.raters.append((signs[:, :-1], np.array([row[3] for row in own])))

    def __call__(self, place):
        """`place` holds worths, then the order effect, then log nu of ties, then the sd."""
        worth, rest = np.asarray(place[: self.items - 1]), list(place[self.items - 1 :])
        delta = rest.pop(0) if self.order else 0.0
        nu = np.exp(rest.pop(0)) if self.tie else 0.0
        sd = rest.pop(0)
        total = 0.0
        for signs, outcome in self.raters:
            half = 0.5 * (delta + signs @ worth + sd * (self.z @ signs.T))
            norm = np.log(np.exp(half) + nu + np.exp(-half))
            won = np.where(outcome == 0, half, np.where(outcome == 2, -half, np.log(max(nu, 1e-300))))
            logs = self.log_weight + np.sum(won - norm, axis=1)
            top = logs.max()
            total += top + np.log(np.exp(logs - top).sum())
        return total


def gauss_hermite(dimensions, points):
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    z = np.array(list(product(nodes, repeat=dimensions)))
    log_weight = np.array(list(product(np.log(weights / weights.sum()), repeat=dimensions))).sum(axis=1)
    kept = log_weight > log_weight.max() - 45.0
    return z[kept], log_weight[kept]


def place_of(fit, items):
    coefficients = fit.coefficients()
    names = [f"i{at}" for at in range(items - 1)] + [
        name for name in ("order", "tie") if name in coefficients.name
    ]
    return np.array([coefficients[name]["estimate"] for name in names] + [fit.taste_sd]), names


def hessian(function, place, step=2e-3):
    size = len(place)
    second_derivatives = np.zeros((size, size))
    steps = step * np.eye(size)
    for one in range(size):
        for other in range(one + 1):
            corners = [
                function(place + a * steps[one] + b * steps[other]) for a, b in product((1, -1), (1, -1))
            ]
            second_derivatives[one, other] = second_derivatives[other, one] = (
                corners[0] - corners[1] - corners[2] + corners[3]
            ) / (4.0 * step**2)
    return second_derivatives


def test_one_dimension_is_the_maximum_of_the_integral_by_quad():
    rows = simulate(items=2, raters=6, sd=1.0, seed=4, repeats=8)
    fit = BradleyTerry(order=True, reference="i1", rater_items="random").fit(judgments_of(rows))

    def negative(place):
        worth, delta, sd = place
        total = 0.0
        for rater in range(6):
            own = [(1.0 if left == 0 else -1.0, outcome) for r, left, _, outcome in rows if r == rater]

            def height(u, own=own):
                # the difference of two effects has twice the variance of one
                gap = worth + np.sqrt(2.0) * sd * u
                logs = [
                    -np.logaddexp(0.0, -(1 if out == 0 else -1) * (delta + side * gap)) for side, out in own
                ]
                return np.exp(sum(logs) - 0.5 * u * u) / np.sqrt(2.0 * np.pi)

            total += np.log(quad(height, -9.0, 9.0, epsabs=1e-14, epsrel=1e-10)[0])
        return -total

    best = minimize(negative, [0.5, 0.2, 0.8], method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-9})
    place, _ = place_of(fit, 2)
    assert place == pytest.approx(best.x, abs=2e-5)
    assert fit.log_likelihood_kernel == pytest.approx(-best.fun, abs=1e-6)


@pytest.mark.parametrize(("items", "raters", "points"), [(2, 10, 60), (3, 8, 40), (4, 6, 22), (5, 3, 15)])
def test_up_to_four_dimensions_agree_with_a_dense_grid(items, raters, points):
    rows = simulate(items, raters, sd=0.9, seed=items, repeats=3)
    fit = BradleyTerry(order=True, reference=f"i{items - 1}", rater_items="random").fit(judgments_of(rows))
    assert fit.converged
    assert fit.taste_sd > 0.1
    brute = Brute(rows, items, *gauss_hermite(items - 1, points))
    place, names = place_of(fit, items)
    assert fit.log_likelihood_kernel == pytest.approx(brute(place), abs=1e-3)
    slope = [brute(place + step) - brute(place - step) for step in 1e-3 * np.eye(len(place))]
    assert np.abs(slope).max() / 2e-3 < 2e-2  # a place where the brute-force likelihood is flat
    if items < 4:
        errors = np.sqrt(np.diag(np.linalg.inv(-hessian(brute, place))))
        coefficients = [fit.coefficients()[name]["se"] for name in names] + [fit.taste_sd_error]
        assert coefficients == pytest.approx(errors, rel=5e-3)


def test_ties_by_davidson_agree_with_a_dense_grid():
    rows = simulate(items=3, raters=10, sd=0.8, seed=5, repeats=4, ties=0.7)
    fit = BradleyTerry(ties="davidson", order=True, reference="i2", rater_items="random").fit(
        judgments_of(rows)
    )
    brute = Brute(rows, 3, *gauss_hermite(2, 50), tie=True)
    place, names = place_of(fit, 3)
    assert fit.log_likelihood_kernel == pytest.approx(brute(place), abs=1e-4)
    errors = np.sqrt(np.diag(np.linalg.inv(-hessian(brute, place))))
    coefficients = [fit.coefficients()[name]["se"] for name in names] + [fit.taste_sd_error]
    assert coefficients == pytest.approx(errors, rel=5e-3)


def test_thirteen_points_agree_with_many_and_laplace_does_not():
    rows = simulate(items=4, raters=20, sd=0.8, seed=11, repeats=4)
    judgments = judgments_of(rows)
    default, many, laplace = (
        BradleyTerry(order=True, **settings).fit(judgments)
        for settings in (
            {"rater_items": "random"},
            {"rater_items": "random", "quadrature_points": 17},
            {"rater_items": "laplace"},
        )
    )
    assert default.log_likelihood == pytest.approx(many.log_likelihood, abs=1e-3)
    assert default.taste_sd == pytest.approx(many.taste_sd, abs=1e-3)
    assert default.log_likelihood - laplace.log_likelihood > 0.3
    assert laplace.converged


def test_beyond_four_dimensions_draws_agree_with_many_plain_ones_and_report_their_error():
    rows = simulate(items=7, raters=3, sd=0.6, seed=2, repeats=1)
    fit = BradleyTerry(order=True, reference="i6", rater_items="random").fit(judgments_of(rows))
    assert fit.taste_sd > 0.0
    assert 0.0 < fit.log_likelihood_error < 0.02
    assert "Monte Carlo standard error of the log-likelihood" in fit.summary()
    draws = np.random.default_rng(1).standard_normal((400_000, 6))
    brute = Brute(rows, 7, draws, np.full(len(draws), -np.log(len(draws))))
    place, _ = place_of(fit, 7)
    assert fit.log_likelihood_kernel == pytest.approx(brute(place), abs=0.03)


def test_a_rater_who_compared_few_items_needs_only_as_many_dimensions():
    rows = [
        row for row in simulate(items=7, raters=30, sd=0.8, seed=4, repeats=6) if (row[1] - row[0]) % 7 < 3
    ]
    rows = [row for row in rows if (row[2] - row[0]) % 7 < 3]
    fit = BradleyTerry(rater_items="random").fit(judgments_of(rows))
    assert fit.rater_tastes.dimensions == 2
    assert fit.log_likelihood_error == 0.0


def test_without_tastes_the_sd_is_0_and_all_else_is_the_plain_fit():
    rng = np.random.default_rng(0)
    rows = [
        (rater, a, b, out) for rater in range(6) for a, b in ((0, 1), (1, 2), (0, 2)) for out in (0, 0, 2)
    ]
    rng.shuffle(rows)
    judgments = judgments_of([tuple(map(int, row)) for row in rows])
    fit = BradleyTerry(rater_items="random").fit(judgments)
    plain = BradleyTerry(table="raters").fit(judgments)
    assert fit.taste_sd == 0.0
    assert np.isnan(fit.taste_sd_error)
    assert fit.coefficients().estimate == pytest.approx(plain.coefficients().estimate)
    assert fit.coefficients().se == pytest.approx(plain.coefficients().se)
    assert fit.random_effect_test().p == 1.0
    assert fit.compare(plain).p == 1.0


def test_the_test_of_tastes_is_half_a_chi_square_and_counts_one_parameter():
    judgments = judgments_of(simulate(items=3, raters=15, sd=0.9, seed=8, repeats=4))
    fit = BradleyTerry(rater_items="random").fit(judgments)
    plain = BradleyTerry(table="raters").fit(judgments)
    test = fit.random_effect_test()
    assert test.p == pytest.approx(0.5 * chi2.sf(test.chi_square, 1))
    assert fit.compare(plain).chi_square == pytest.approx(test.chi_square, abs=1e-6)
    assert fit.compare(plain).p == pytest.approx(test.p, rel=1e-5)
    assert fit.parameters == plain.parameters + 1
    assert fit.aic == pytest.approx(2 * fit.parameters - 2 * fit.log_likelihood)


def test_tastes_and_their_sd_are_recovered():
    collected = []
    for seed in range(4):
        judgments = judgments_of(simulate(items=3, raters=40, sd=0.8, seed=100 + seed, repeats=6))
        fit = BradleyTerry(rater_items="random").fit(judgments)
        collected.append(fit.taste_sd)
        assert fit.taste_sd == pytest.approx(0.8, abs=4 * fit.taste_sd_error)
    assert np.mean(collected) == pytest.approx(0.8, abs=0.15)


def test_a_rater_who_always_prefers_an_item_has_a_taste_for_it():
    rows = simulate(items=3, raters=12, sd=0.5, seed=6, repeats=4)
    rows = [(r, a, b, out) for r, a, b, out in rows if r]
    rows += [(0, 2, other, 0) for other in (0, 1) for _ in range(8)]
    fit = BradleyTerry(rater_items="random").fit(judgments_of(rows))
    tastes = {row["item"]: row["taste"] for row in fit.raters if row["rater"] == "r00"}
    assert max(tastes, key=tastes.get) == "i2"
    assert sum(tastes.values()) == pytest.approx(0.0, abs=1e-9)
    assert all(0.0 < row["taste_sd"] <= fit.taste_sd + 1e-12 for row in fit.raters)


@pytest.mark.parametrize(
    "settings",
    [
        {"rater_position": "quadrature"},
        {"penalty": "firth"},
        {"standard_errors": "rater"},
        {"link": "probit", "ties": "drop"},
        {"quadrature_points": 0},
        {"item_draws": 1},
    ],
)
def test_settings_that_do_not_go_together_are_refused(settings):
    with pytest.raises(BadSetting):
        BradleyTerry(rater_items="random", **settings)


def test_a_fit_without_random_effects_has_no_test_of_them():
    fit = BradleyTerry().fit(judgments_of(simulate(items=3, raters=4, sd=0.0, seed=1, repeats=6)))
    assert fit.taste_sd is None
    with pytest.raises(BadSetting, match="rater_items"):
        fit.random_effect_test()


def test_a_difference_with_random_effects_is_tested_by_t_over_the_raters():
    fit = BradleyTerry(rater_items="random").fit(
        judgments_of(simulate(items=3, raters=8, sd=0.8, seed=8, repeats=4))
    )
    difference = fit.difference("i0", "i2")
    assert difference.df == 7.0
    assert difference.p == pytest.approx(2.0 * t.sf(abs(difference.estimate / difference.se), 7))
    assert difference.high - difference.low == pytest.approx(2.0 * t.ppf(0.975, 7) * difference.se)
    assert "Only 8 raters" in fit.summary()


def test_the_command_line_fits_tastes_and_prints_their_sd(tmp_path):
    path = tmp_path / "c.csv"
    rows = simulate(items=3, raters=6, sd=1.0, seed=8, repeats=4)
    names = ("left", "tie", "right")
    lines = [f"r{r},i{a},i{b},{names[o]},{at}" for at, (r, a, b, o) in enumerate(rows)]
    path.write_text("rater,left,right,outcome,round\n" + "\n".join(lines) + "\n")
    arguments = ["fit", str(path), "--model", "bradley_terry", "--set", "rater_items=random", "--summary"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "Random effects of raters on items: sd " in done.output
    assert "Test of sd = 0" in done.output
