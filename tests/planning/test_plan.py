import math
import tomllib

import numpy as np
import pytest

from steelyard.errors import BadSetting
from steelyard.judgments.table import Judgments
from steelyard.models.bradley_terry.model import BradleyTerry
from steelyard.planning.costs import Pay, times_of_pilot, timing_of
from steelyard.planning.designs import collect, make_design
from steelyard.planning.leaderboard import votes_needed
from steelyard.planning.pilots import world_of_pilot
from steelyard.planning.plan import Wish, make_plan, study_toml
from steelyard.planning.search import Searching, search
from steelyard.planning.targets import Distinguish, Reliability, Width
from steelyard.planning.worlds import draw_world, shares_for, stated_world

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
    target = Distinguish(0.15)
    few, many = (
        search(make_design("rating", items, 12, systems=2), WORLD, target, FEW).curve for items in (10, 40)
    )
    assert target.value(few.middle[-1]) < target.value(many.middle[-1])


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
