"""Properties of every model that processes comparisons in order."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import BetaRanking, Elo, Judgments, Rating, TrueSkill
from steelyard.errors import BadSetting, NothingToFit, UnknownItem
from steelyard.maths.arrays import object_cells
from steelyard.models.beta_ranking import WIDEST_TIE
from steelyard.models.online import (
    beta_ranking_kernel,
    beta_ranking_twin,
    elo_kernel,
    elo_twin,
    trueskill_kernel,
    trueskill_twin,
)
from steelyard.models.online.settings import LEAST, MOST
from steelyard.scales.saved import load_belief, save_belief
from tests.models.online import (
    check_folding,
    check_merging,
    check_prior_kept,
    check_relabelling,
    check_swapping,
    judge,
    random_steps,
    reordered,
    rows,
    simulated,
)

ENDLESS = (np.nan, np.inf, -np.inf, 1e300)
SIMPLE = [Elo(), TrueSkill(), BetaRanking()]
VARIANTS = [
    BetaRanking(score="mean"),
    BetaRanking(surprisal="minus_log_p"),
    BetaRanking(gamma=0.3, epsilon=0.4, score="mean", surprisal="minus_log_p"),
]
TWINS = {
    "elo": (elo_kernel, elo_twin, (np.linspace(700.0, 1300.0, 12), np.linspace(100.0, 40_000.0, 12)), 1e-12),
    "trueskill": (trueskill_kernel, trueskill_twin, (np.linspace(0.1, 0.9, 12), np.full(12, 1 / 12)), 1e-11),
    "beta_ranking": (
        beta_ranking_kernel,
        beta_ranking_twin,
        (np.linspace(1.0, 3.0, 12), np.linspace(2.0, 1.0, 12)),
        1e-13,
    ),
}


def signature_of(model):
    """The name of the model and the settings that differ from the defaults."""
    stated = [f"{each.name}={getattr(model, each.name)}" for each in fields(model)]
    defaults = [f"{each.name}={each.default}" for each in fields(model)]
    return " ".join([model.name, *(one for one, other in zip(stated, defaults, strict=True) if one != other)])


def each_of(*models):
    return pytest.mark.parametrize("model", models, ids=signature_of)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("elo", (20.0, 400.0)),
        *(("trueskill", each) for each in ((0.1, 0.1), (0.01, 0.0001), (1.0, 3.0), (0.1, 0.0))),
        ("beta_ranking", (0.1, 0.1, False, False)),
        ("beta_ranking", (0.1, 0.1, True, False)),
        ("beta_ranking", (0.1, 0.1, False, True)),
        ("beta_ranking", (0.3, 0.4, True, True)),
    ],
)
def test_the_kernel_agrees_with_its_twin(name, settings):
    kernel, twin, start, tolerance = TWINS[name]
    steps = random_steps(np.random.default_rng(3))
    ours, readable = kernel.fold(*start, steps, *settings), twin.fold(*start, steps, *settings)
    np.testing.assert_allclose(ours, readable, rtol=tolerance)


@each_of(*SIMPLE, *VARIANTS)
@given(rows=rows)
def test_relabelling_items_relabels_the_scale(model, rows):
    check_relabelling(model, rows)


@each_of(*SIMPLE)
@given(rows=rows)
def test_swapping_sides_and_outcomes_changes_nothing(model, rows):
    check_swapping(model, rows, exactly=model.name == "trueskill")


@each_of(*SIMPLE)
@given(rows=rows, cut=st.integers(0, 25))
def test_merging_files_is_fitting_all_rows(model, rows, cut):
    check_merging(model, rows, cut)


@each_of(*SIMPLE, *VARIANTS)
@given(rows=rows, cut=st.integers(0, 25))
def test_updating_equals_fitting_to_the_last_bit(model, rows, cut):
    check_folding(model, rows, cut)


@each_of(*SIMPLE)
@given(rows=rows)
def test_an_item_nobody_judged_keeps_its_prior(model, rows):
    check_prior_kept(model, rows)


@each_of(*SIMPLE)
def test_a_count_of_two_is_the_row_twice_and_a_fraction_a_part_of_the_step(model):
    def moved(*counts):
        after = model.fit(judge([(("milk", "tea"), "left", count) for count in counts])).posterior.belief
        before, moving = model.start(after.item), "alpha" if model.name == "beta_ranking" else "position"
        return getattr(after, moving) - getattr(before, moving)

    assert moved(2.0).tolist() == moved(1.0, 1.0).tolist()
    assert moved(2.5).tolist() == moved(1.0, 1.0, 0.5).tolist()
    assert moved(1 / 3) == pytest.approx(moved(1.0) / 3.0)


@pytest.mark.parametrize(("model", "per_item"), [(Elo(k=16), 60), (TrueSkill(), 30)])
def test_more_passes_reduce_the_effect_of_order(model, per_item):
    rng = np.random.default_rng(11)
    orders = reordered(simulated(rng, rng.random(20), per_item), rng, 8)

    def moved(model):
        return np.std([model.fit(each).posterior.position for each in orders], axis=0).mean()

    assert moved(replace(model, passes=10)) < 0.5 * moved(model)


@each_of(Elo(k=24), TrueSkill(), BetaRanking(), BetaRanking(score="mean"))
def test_a_saved_belief_resumes_exactly(tmp_path, model):
    rows = [
        (("tea", "milk"), "left", 1 / 3),
        (("milk", "egg"), "tie", 1.0),
        (("egg", "tea"), "right", 2.0),
    ] * 9
    belief = model.update(model.start(object_cells(["egg", "milk", "tea"])), judge(rows[:13]))
    save_belief(belief, tmp_path / "belief.json")
    resumed = model.update(load_belief(tmp_path / "belief.json"), judge(rows[13:]))
    whole = model.fit(judge(rows)).posterior.belief
    arrays = ("alpha", "beta") if model.name == "beta_ranking" else ()
    for name in ("item", "count", "position", "variance", *arrays):
        assert getattr(resumed, name).tolist() == getattr(whole, name).tolist()


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        (Elo, "elo k=4.0 scale=400.0 start_rating=1000.0 start_spread=200.0"),
        (TrueSkill, "trueskill gamma=0.1 epsilon=0.1 prior_mean=0.5 prior_variance=0.08333333333333333"),
        (BetaRanking, "beta_ranking gamma=0.1 epsilon=0.1 score=mode surprisal=one_minus_p"),
    ],
)
def test_the_scale_keeps_the_order_of_the_file_and_the_signature_shows_the_settings(model, settings):
    fit = model(seed=5).fit(judge([(("tea", "milk"), "left", 1.0)]))
    assert fit.item.tolist() == ["milk", "tea"]
    assert fit.scale.item.tolist() == ["tea", "milk"]
    assert fit.signature.startswith(f"{settings} passes=1 shuffle=False | ")
    assert "items 2 | judgments 1 | raters 1 | seed 5" in fit.signature


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        *((Elo, each) for each in ({"k": 0.0}, {"scale": -1.0}, {"start_spread": 0.0})),
        *((TrueSkill, each) for each in ({"gamma": 0.0}, {"gamma": np.nan}, {"epsilon": -0.1})),
        (TrueSkill, {"prior_variance": 0.0}),
        *((BetaRanking, each) for each in ({"gamma": 0.0}, {"epsilon": -0.1})),
        *((BetaRanking, each) for each in ({"score": "median"}, {"surprisal": "p"})),
        (BetaRanking, {"epsilon": 0.0, "surprisal": "minus_log_p"}),
        *((model, {"passes": 0}) for model in (Elo, TrueSkill, BetaRanking)),
        *(
            (Elo, {name: value})
            for name in ("k", "scale", "start_rating", "start_spread")
            for value in ENDLESS
        ),
        *((TrueSkill, {name: value}) for name in ("gamma", "epsilon", "prior_mean") for value in ENDLESS),
        *((TrueSkill, {"prior_variance": value}) for value in ENDLESS),
        *((BetaRanking, {name: value}) for name in ("gamma", "epsilon") for value in ENDLESS),
        (BetaRanking, {"epsilon": 800.0}),
        *((Elo, {name: 1e-300}) for name in ("k", "scale", "start_spread")),
    ],
)
def test_invalid_settings_are_refused_by_name(model, settings):
    with pytest.raises(BadSetting, match=next(iter(settings))):
        model(**settings)


@each_of(
    *(Elo(**{name: value}) for name in ("k", "scale", "start_spread") for value in (LEAST, MOST)),
    *(Elo(start_rating=value) for value in (-MOST, MOST)),
    *(Elo(k=MOST, scale=scale, start_spread=LEAST) for scale in (LEAST, MOST)),
    *(TrueSkill(**{name: value}) for name in ("gamma", "prior_variance") for value in (LEAST, MOST)),
    *(TrueSkill(gamma=LEAST, epsilon=epsilon, prior_variance=LEAST) for epsilon in (0.0, MOST)),
    *(TrueSkill(prior_mean=value) for value in (-MOST, MOST)),
    *(BetaRanking(gamma=gamma, epsilon=WIDEST_TIE) for gamma in (LEAST, MOST)),
    BetaRanking(epsilon=WIDEST_TIE, surprisal="minus_log_p"),
)
def test_every_accepted_setting_gives_finite_numbers(model):
    rng = np.random.default_rng(5)
    outcomes = ("left", "right", "tie")
    pairs = [("tea", "milk"), ("milk", "egg"), ("egg", "tea")]
    rows = [(pairs[rng.integers(3)], outcomes[rng.integers(3)], 1.0) for _ in range(400)]
    scale = model.fit(judge(rows)).scale
    for column in (scale.position, scale.spread, scale.low, scale.high):
        assert np.isfinite(column).all()


@each_of(*SIMPLE)
def test_ratings_are_not_comparisons(model):
    with pytest.raises(NothingToFit, match=f"{model.name} needs comparison"):
        model.fit(Judgments.of([Rating("a", "tea", 1)]))


@each_of(*SIMPLE)
def test_an_unknown_item_is_refused_by_name(model):
    with pytest.raises(UnknownItem, match="'milk'"):
        model.update(model.start(object_cells(["tea"])), judge([(("tea", "milk"), "left", 1.0)]))
