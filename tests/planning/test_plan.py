import math
import tomllib
from dataclasses import replace

import numpy as np
import pytest

from steelyard.errors import BadSetting
from steelyard.judgments.table import Judgments
from steelyard.models.bradley_terry.model import BradleyTerry
from steelyard.planning import search as searching
from steelyard.planning.calibration import noise_factor
from steelyard.planning.costs import Pay, times_of_pilot, timing_of
from steelyard.planning.designs import collect, make_design
from steelyard.planning.leaderboard import votes_needed
from steelyard.planning.pilots import world_of_pilot
from steelyard.planning.plan import Wish, make_plan, study_toml
from steelyard.planning.search import Searching, search
from steelyard.planning.targets import Distinguish, Reliability, Width
from steelyard.planning.worlds import World, draw_world, shares_for, stated_world, stretched
from steelyard.simulation.scenarios import SCENARIOS

FEW = Searching(repetitions=3, seed=2)
WORLD = stated_world("full", "uniform")


def pilot(protocol, items=40, raters=12, turns=4, seed=3, scenario="full"):
    rng = np.random.default_rng(seed)
    design = make_design(protocol, items, raters)
    world = draw_world(stated_world(scenario, "uniform"), items, raters, rng)
    return collect(design, world, turns, rng).judgments


@pytest.fixture(scope="module")
def made():
    wish = Wish(Reliability(0.85), (24,), 10, ("list", "rating"), pay=Pay(hourly=10.0), searching=FEW)
    return make_plan(wish, WORLD)


def test_a_plan_reaches_its_target_and_orders_protocols_by_hours(made):
    hours = made.columns()["hours"]
    assert hours == sorted(hours)
    assert all(each.expected >= 0.84 for each in made.plans)


def test_cost_is_the_hours_times_the_rate(made):
    columns = made.columns()
    assert columns["cost"] == pytest.approx([10.0 * each for each in columns["hours"]])


def test_the_study_of_a_plan_asks_for_its_answers_and_stops_at_its_target(made):
    settings = tomllib.loads(study_toml(made.best))
    assert settings["choosing"]["redundancy"] == made.best.answers
    assert settings["stop"]["reliability"] == 0.85


def test_a_higher_target_needs_more_answers():
    design = make_design("list", 24, 16)
    low, high = (search(design, WORLD, Reliability(each), FEW).needed for each in (0.8, 0.95))
    assert low < high


def test_a_target_beyond_the_raters_is_not_reached_and_the_remark_says_so():
    plan = make_plan(Wish(Reliability(0.99), (20,), 2, ("rating",), searching=FEW), WORLD)
    assert plan.best is None
    assert "not reached" in plan.remarks[0]


def test_narrower_intervals_are_the_level_of_a_width():
    assert Width(0.1).wanted_level > Width(0.2).wanted_level
    assert Width(0.1).value(Width(0.1).wanted_level) == pytest.approx(0.1)


def test_power_rises_with_items():
    target, rng = Distinguish(0.15), np.random.default_rng(4)

    def level(items):
        design = make_design("rating", items, 12, systems=2)
        drawn = target.draw(WORLD, design, rng)
        return target.measure(design, collect(design, drawn, 4, rng).judgments, drawn)

    few, many = (np.mean([level(items) for _ in range(3)]) for items in (10, 40))
    assert target.value(few) < target.value(many)


@pytest.mark.parametrize(("target", "value"), [(Reliability, 1.2), (Width, 0.0), (Distinguish, 0.9)])
def test_impossible_targets_are_refused(target, value):
    with pytest.raises(BadSetting):
        target(value)


def test_a_pilot_of_ratings_gives_its_raters_and_items_back():
    world = world_of_pilot(pilot("list", items=80, raters=20))
    assert world.scenario.base_noise == pytest.approx(0.15, rel=0.35)
    assert world.positions.std() == pytest.approx(0.29, rel=0.3)
    assert sum(world.share) == pytest.approx(1.0)


def test_a_pilot_of_noisier_raters_has_noisier_raters():
    calm, hard = (world_of_pilot(pilot("list", scenario=each)).scenario for each in ("iid", "hard iid"))
    assert hard.base_noise > 1.3 * calm.base_noise


def test_noise_and_positions_are_those_before_answers_are_limited_to_the_scale():
    worlds = [world_of_pilot(pilot("list", 100, 30, seed=seed, scenario="hard full")) for seed in range(2)]
    assert np.mean([world.scenario.base_noise for world in worlds]) == pytest.approx(0.28, rel=0.12)
    assert np.mean([world.positions.std() for world in worlds]) == pytest.approx(0.29, rel=0.1)


@pytest.mark.parametrize(("scenario", "low", "high"), [("hard iid", 0.0, 0.15), ("bias", 0.2, 0.4)])
def test_the_noise_of_raters_differs_as_much_as_in_the_pilot(scenario, low, high):
    world = world_of_pilot(pilot("list", 60, 20, turns=10, scenario=scenario))
    assert low <= world.scenario.noise_spread <= high
    drawn = [draw_world(world, 10, 20, np.random.default_rng(at)).raters for at in range(20)]
    spread = np.mean([np.std([math.log(rater.noise_sd) for rater in raters]) for raters in drawn])
    assert spread == pytest.approx(world.scenario.noise_spread, abs=0.06)


def test_noise_is_multiplied_by_what_its_estimate_misses_in_simulated_pilots():
    judgments, seen = pilot("list", 20, 6), []
    world = world_of_pilot(judgments)
    true = world.scenario.base_noise * math.exp(world.scenario.noise_spread**2)

    def too_small(simulated):
        seen.append(simulated)
        return 0.8 * true

    assert noise_factor(judgments, world, too_small) == pytest.approx(1.25)
    for name in ("rater", "item", "task"):
        assert seen[0].cells("rating", name).tolist() == judgments.cells("rating", name).tolist()
    assert seen[0].cells("rating", "score").tolist() != judgments.cells("rating", "score").tolist()
    assert noise_factor(pilot("comparison", 8, 4), world, too_small) == 1.0


def test_simulated_ratings_of_a_task_share_their_offset():
    judgments = pilot("list", 100, 20)
    world = world_of_pilot(judgments)
    calm = replace(
        world.scenario, bias_sd=0.0, slope_sd=0.0, base_noise=1e-3, spam=0.0, offset_sd=0.2, rounding=0.0
    )
    flat = replace(world, scenario=calm, positions=np.full(100, 0.5))
    spreads = []
    noise_factor(judgments, flat, lambda some: spreads.append(task_spreads(some)) or 1.0)
    within, between = np.mean(spreads, axis=0)
    assert within < 0.05 * between


def test_a_simulated_rating_without_a_task_is_not_part_of_a_task_without_a_rater():
    columns = {
        "rater": [None, "ann", "bob"],
        "item": list("aab"),
        "task": ["t", "u", None],
        "score": [0.5] * 3,
    }
    judgments = Judgments.from_columns("rating", columns, (0.0, 1.0))
    calm = replace(SCENARIOS["iid"], base_noise=1e-3, offset_sd=0.2, rounding=0.0)
    gaps = []

    def gap(simulated):
        score = simulated.cells("rating", "score")
        gaps.append(abs(score[0] - score[2]))
        return 1.0

    noise_factor(judgments, World("flat", calm, np.full(2, 0.5)), gap)
    assert max(gaps) > 0.05


def task_spreads(judgments):
    """Mean standard deviation of the scores within tasks, and that of the means of tasks."""
    task, score = judgments.cells("rating", "task"), judgments.cells("rating", "score")
    tasks = [score[task == each] for each in set(task.tolist())]
    return np.mean([each.std() for each in tasks]), np.std([each.mean() for each in tasks])


def test_positions_get_another_variance_inside_the_scale():
    positions = np.random.default_rng(0).normal(0.6, 0.1, 200)
    wider = stretched(positions, 0.09)
    assert np.var(wider) == pytest.approx(0.09, rel=1e-4)
    assert wider.min() >= 0.0
    assert wider.max() <= 1.0
    assert stretched(np.full(3, 0.4), 0.09).tolist() == [0.4, 0.4, 0.4]


def rated(rows):
    raters, items, scores = zip(*rows, strict=True)
    return Judgments.from_columns("rating", {"rater": raters, "item": items, "score": scores}, (0.0, 1.0))


def test_a_pilot_that_shows_nothing_is_refused():
    with pytest.raises(BadSetting, match="equal"):
        world_of_pilot(rated([(rater, item, 0.5) for rater in "abc" for item in "xyz"]))
    with pytest.raises(BadSetting, match="1 item"):
        world_of_pilot(rated([("a", "x", 0.5), ("b", "x", 0.6)]))


def test_a_plan_says_that_its_pilot_is_too_small():
    world = world_of_pilot(rated([("a", "x", 0.1), ("b", "x", 0.2), ("a", "y", 0.7)]))
    remarks = make_plan(Wish(Reliability(0.5), (12,), 4, ("rating",), searching=FEW), world).remarks
    assert remarks[0].startswith("The pilot has 3 judgments of 2 items")
    assert "fewer than 3 identified raters" in remarks[1]
    assert world_of_pilot(pilot("list")).remarks == ()


def test_answers_are_searched_again_where_the_first_search_was_wrong(monkeypatch):
    design = make_design("list", 24, 16)
    right = search(design, WORLD, Reliability(0.9), FEW)
    monkeypatch.setattr(searching, "_scouted", lambda *_: 1.0)
    again = search(design, WORLD, Reliability(0.9), FEW)
    assert again.needed == pytest.approx(right.needed, rel=0.4)
    assert again.curve.answers[0] <= again.needed <= again.curve.answers[-1]


def test_raters_of_a_pilot_return_with_their_own_habits():
    rng = np.random.default_rng(6)
    design = make_design("list", 120, 8)
    seen = draw_world(stated_world("bias", "uniform"), 120, 8, rng)
    judgments = collect(design, seen, 6, rng).judgments
    world = world_of_pilot(judgments, same_raters=True)
    answers = np.bincount(judgments.table("rating").codes["rater"])
    names = [judgments.raters[at] for at in np.argsort(-answers, kind="stable")]
    true = [seen.raters[int(name.removeprefix("rater")) - 1] for name in names]
    drawn = [draw_world(world, 10, len(true), np.random.default_rng(at)) for at in range(40)]
    bias = np.mean([[rater.bias for rater in each.raters] for each in drawn], axis=0)
    noise = np.mean([[rater.noise_sd for rater in each.raters] for each in drawn], axis=0)
    assert np.corrcoef(bias, [rater.bias for rater in true])[0, 1] > 0.8
    assert np.corrcoef(noise, [rater.noise_sd for rater in true])[0, 1] > 0.5
    assert drawn[0].weight.tolist() == pytest.approx(np.sort(answers)[::-1] / answers.sum())


def test_new_raters_join_those_of_a_small_pilot():
    for protocol in ("list", "comparison"):
        world = world_of_pilot(pilot(protocol, raters=5), same_raters=True)
        drawn = draw_world(world, 10, 9, np.random.default_rng(0))
        assert len(world.returning) == 5
        assert len(drawn.raters) == len(drawn.weight) == 9
        assert drawn.weight.sum() == pytest.approx(1.0)
        assert len(draw_world(world, 10, 3, np.random.default_rng(0)).raters) == 3


def test_a_pilot_without_raters_has_none_to_return():
    judgments = Judgments.from_columns(
        "rating", {"item": ["a", "b", "c"], "score": [0.1, 0.4, 0.9]}, (0.0, 1.0)
    )
    with pytest.raises(BadSetting, match="--same-raters"):
        world_of_pilot(judgments, same_raters=True)


def test_a_pilot_of_comparisons_has_no_unit():
    world = world_of_pilot(pilot("comparison", items=16, turns=10))
    assert not world.has_unit
    assert world.scenario.bias_sd == 0.0


def test_raters_of_a_plan_share_the_work_like_those_of_the_pilot():
    assert shares_for((0.5, 0.3, 0.2), 3).tolist() == pytest.approx([0.5, 0.3, 0.2])
    assert np.diff(shares_for((0.5, 0.3, 0.2), 9)).max() <= 0.0


def test_times_come_from_the_statement_before_the_pilot_before_the_assumption():
    design = make_design("rating", 20, 5)
    assumed = timing_of(design, {})
    assert assumed.seconds == 27.0
    assert "Chen" in assumed.source
    assert timing_of(design, {"rating": 9.0}).seconds == 9.0
    assert times_of_pilot(pilot("rating")).per_item == {}


def test_a_leaderboard_needs_more_votes_for_closer_neighbours():
    votes = pilot("comparison", items=6, raters=40, turns=60, scenario="iid")
    fit = BradleyTerry().fit(votes)
    table = votes_needed(fit, len(votes))
    close, far = np.argmin(table.difference / table.error), np.argmax(table.difference / table.error)
    assert table.total[close] > table.total[far]
    assert table.columns()["votes_more"][far] == max(math.ceil(table.total[far] - len(votes)), 0)
