import numpy as np
import pytest

from steelyard.errors import UnknownName
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.results.arm_exports import table_of
from steelyard.study.results.watch import Watch
from tests.study.making import Clock, make_session

ARMS = [{"name": "slider"}, {"name": "range", "protocol": "range", "scale": {"high": 10.0}}]


@pytest.fixture(scope="module")
def watch(tmp_path_factory):
    """A finished study with two arms."""
    folder = tmp_path_factory.mktemp("arms") / "study"
    session = make_session(folder, Clock(), 12, "memory", condition=ARMS, redundancy=6)
    rng = np.random.default_rng(2)
    simulate(session, Crowd.draw(session, SCENARIOS["bias"], 14, "uniform", rng), rng)
    session.join("late", "link")
    return Watch(session.study, session.log, session.roster)


def test_each_arm_has_an_overview_of_its_own(watch):
    slider, ranges = (watch.overview(name) for name in watch.conditions)
    assert (slider.judgments, ranges.judgments) == (72, 72)
    assert (slider.definition.kind.name, ranges.definition.kind.name) == ("rating", "range")
    assert ranges.views[0].fit.provenance.range == (0.0, 10.0)
    raters = [{line.rater.id for line in each.raters} for each in (slider, ranges)]
    assert not raters[0] & raters[1]
    assert len(raters[0] | raters[1]) == 15
    with pytest.raises(UnknownName):
        watch.overview("rnage")


def test_the_arms_are_compared_by_question(watch):
    (compared,) = watch.comparison()
    assert compared.conditions == ("slider", "range")
    assert compared.by_name("disagreement").contrasts
    assert watch.comparison()[0] is compared


def test_tables_of_all_arms_have_a_condition_and_the_columns_of_each(watch):
    judgments, _ = table_of(watch, "judgments")
    assert judgments["condition"] == ["slider"] * 72 + ["range"] * 72
    assert judgments["low"][0] is None
    assert judgments["score"][-1] is None
    scale, _ = table_of(watch, "scale")
    assert scale["condition"] == ["slider"] * 12 + ["range"] * 12
    raters, _ = table_of(watch, "raters")
    assert len(raters["rater"]) == 15


def test_a_table_of_one_arm_is_that_of_a_study(watch):
    judgments, _ = table_of(watch, "judgments", "range")
    assert set(judgments["condition"]) == {"range"}
    assert "score" not in judgments


def test_pay_gives_the_cost_of_equal_reliability(tmp_path):
    arms = [{"name": "a"}, {"name": "b", "pay": {"per_task": 0.4}}]
    settings = {"condition": arms, "redundancy": 6, "pay": {"per_task": 0.2}, "model": "direct_assessment"}
    session = make_session(tmp_path / "paid", Clock(), 12, "memory", **settings)
    rng = np.random.default_rng(2)
    simulate(session, Crowd.draw(session, SCENARIOS["bias"], 14, "uniform", rng), rng)
    (compared,) = Watch(session.study, session.log, session.roster).comparison()
    needed, cost = (
        {each.condition: each.value for each in compared.by_name(name).values}
        for name in ("answers_needed", "cost_needed")
    )
    assert cost["a"] == pytest.approx(0.2 * needed["a"])
    assert cost["b"] == pytest.approx(0.4 * needed["b"])
