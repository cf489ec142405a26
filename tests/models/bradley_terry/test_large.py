"""Very many items go another way, by graphs and conjugate gradients: it must end where the short way ends."""

import numpy as np
import pytest

from steelyard import BradleyTerry
from steelyard.errors import BadSetting
from steelyard.models.bradley_terry import inference, solve
from tests.models.bradley_terry.simulating import simulate, table_of


@pytest.fixture
def by_graph(monkeypatch):
    """Every fit as if it were large."""
    monkeypatch.setattr(solve, "SMALL", 3)
    monkeypatch.setattr("steelyard.models.bradley_terry.estimating.SMALL", 3)
    monkeypatch.setattr("steelyard.models.bradley_terry.estimating.LARGEST", 3)


SETTINGS = [
    {"ties": "davidson"},
    {"ties": "drop", "order": True},
    {"ties": "rao_kupper", "order": True},
    {"ties": "davidson", "penalty": "ridge", "prior_sd": 1.0},
    {"ties": "davidson", "penalty": "pseudo"},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_way_for_large_tables_gives_the_same_positions(settings, by_graph, monkeypatch):
    judgments, _ = simulate(items=40, rows=2500, seed=2)
    large = BradleyTerry(**settings, cluster="none").fit(judgments)
    monkeypatch.undo()
    small = BradleyTerry(**settings, cluster="none").fit(judgments)
    assert isinstance(large.covariance, inference.ImplicitCovariance)
    np.testing.assert_allclose(large.posterior.position, small.posterior.position, atol=1e-7)
    if settings.get("penalty") != "pseudo":  # whose errors leave the pseudo-comparisons out
        spread = small.standard_errors(leading=10)
        assert large.standard_errors(leading=10) == pytest.approx(spread, rel=1e-6)


def test_spreads_and_draws_of_large_fits_agree_with_the_written_covariance(by_graph, monkeypatch):
    judgments, _ = simulate(items=40, rows=2500, seed=3)
    large = BradleyTerry(ties="davidson", order=True, cluster="none").fit(judgments)
    spread = large.posterior.spread
    drawn = large.draws(2000, np.random.default_rng(1))
    pair = large.probabilities("i00001", "i00002")
    monkeypatch.undo()
    small = BradleyTerry(ties="davidson", order=True, cluster="none").fit(judgments)
    np.testing.assert_allclose(spread, small.posterior.spread, rtol=0.03)
    np.testing.assert_allclose(drawn.std(axis=0), small.posterior.spread, rtol=0.1)
    assert pair["left"] == pytest.approx(small.probabilities("i00001", "i00002")["left"], rel=1e-5)


@pytest.mark.parametrize("settings", [{"penalty": "pseudo"}, {"penalty": "ridge"}, {"unconnected": "apart"}])
def test_spreads_of_large_fits_agree_whatever_holds_the_items(settings, by_graph, monkeypatch):
    rows = [
        (f"{g}{a}", f"{g}{b}", 3 + a % 3, 1, 2 + b % 4) for g in "xy" for a in range(12) for b in range(a)
    ]
    large = BradleyTerry(**settings).fit(table_of(rows))
    spread, drawn = large.posterior.spread, large.draws(4000, np.random.default_rng(1))
    assert len(spread) == drawn.shape[1] == 24
    monkeypatch.undo()
    small = BradleyTerry(**settings).fit(table_of(rows))
    np.testing.assert_allclose(large.posterior.position, small.posterior.position, atol=1e-7)
    np.testing.assert_allclose(spread, small.posterior.spread, rtol=0.08)
    np.testing.assert_allclose(drawn.std(axis=0), small.posterior.spread, rtol=0.08)


@pytest.mark.parametrize(
    "settings", [{"penalty": "firth"}, {"standard_errors": "rater"}, {"rater_position": "laplace"}]
)
def test_what_needs_the_written_covariance_is_refused_for_very_many_items(settings, by_graph):
    judgments, _ = simulate(items=10, rows=500, seed=2)
    with pytest.raises(BadSetting, match="too many"):
        BradleyTerry(**settings).fit(judgments)


def test_very_many_parameters_that_are_no_plain_items_are_fitted_row_by_row(monkeypatch):
    judgments, _ = simulate(items=6, rows=1500, seed=4, raters=3)
    settings = {"ties": "davidson", "rater_covariates": ["rater"]}
    small = BradleyTerry(**settings).fit(judgments)
    monkeypatch.setattr(solve, "SMALL", 3)
    monkeypatch.setattr(solve, "FEW_OTHERS", 3)
    rowwise = BradleyTerry(**settings).fit(judgments)
    np.testing.assert_allclose(rowwise.theta, small.theta, atol=1e-6)


def test_a_chain_of_items_converges():
    rows = [(f"i{at:04d}", f"i{at + 1:04d}", 3, 1, 2) for at in range(600)]
    fit = BradleyTerry(ties="davidson").fit(table_of(rows))
    position = dict(zip(fit.item, fit.posterior.position, strict=True))
    steps = -np.diff([position[f"i{at:04d}"] for at in range(601)])
    assert fit.converged
    np.testing.assert_allclose(steps, np.log(3 / 2), atol=1e-6)
