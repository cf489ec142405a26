"""The owner's results of a study with several protocols: one scale, and what each kind contributes."""

import numpy as np
import pytest

from steelyard import Steelyard, read
from steelyard.report.words import kinds_combined
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.results.exports import answer_columns, judgment_columns
from steelyard.study.results.watch import Watch
from tests.study.making import Clock, make_session


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    """The results of a finished study, and the true positions."""
    settings = {"protocol": ["list", "comparison"], "list_size": 4, "redundancy": 8}
    session = make_session(tmp_path_factory.mktemp("mixed") / "study", Clock(), 20, "memory", **settings)
    rng = np.random.default_rng(3)
    crowd = Crowd.draw(session, SCENARIOS["full"], 8, "uniform", rng)
    simulate(session, crowd, rng)
    return Watch(session.study, session.log, session.roster), crowd.truth[0]


def test_the_scale_of_all_kinds_is_on_the_range_of_the_study(collected):
    watch, truth = collected
    overview = watch.overview()
    view = overview.views[0]
    assert view.span == (0.0, 100.0)
    assert np.corrcoef(view.fit.scale.position, truth)[0, 1] > 0.85
    assert set(view.by_kind) == {"rating", "comparison"}
    assert overview.judgments == sum(view.by_kind.values()) == overview.wanted
    assert kinds_combined(view.by_kind, view.fit.correlation_of_kinds).startswith("The scale combines")


def test_agreement_is_reported_for_each_kind(collected):
    agreement = next(iter(collected[0].overview().agreement.values()))
    firsts = [agreement.statistics[at].statistic for at in agreement.heads]
    assert [name.rsplit(", ", 1)[1] for name in firsts] == ["rating judgments", "comparison judgments"]


def test_exported_judgments_of_all_kinds_are_read_and_fitted_like_the_study(collected):
    watch, _ = collected
    exported = read(judgment_columns(watch), range=(0.0, 100.0))
    view = watch.overview().views[0]
    assert exported.kinds == ("rating", "comparison")
    refitted = Steelyard(seed=watch.overview().definition.seed).fit(exported)
    own = dict(zip(view.fit.scale.item, view.fit.scale.position, strict=True))
    again = dict(zip(refitted.scale.item, refitted.scale.position, strict=True))
    assert again == pytest.approx(own)


def test_answers_of_all_protocols_are_in_one_table(collected):
    columns = answer_columns(collected[0])
    assert len({len(values) for values in columns.values()}) == 1
    rated = [score is not None for score in columns["score"]]
    compared = [outcome is not None for outcome in columns["outcome"]]
    assert [one != other for one, other in zip(rated, compared, strict=True)] == [True] * len(rated)
