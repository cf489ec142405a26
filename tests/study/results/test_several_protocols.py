"""The owner's results of a study with several protocols: one scale, and what each kind contributes."""

import re

import numpy as np
import pytest

from steelyard import Steelyard, read
from steelyard.kinds.comparison import Verdict
from steelyard.kinds.rating import Score
from steelyard.report.contents import Cover, report_of_study
from steelyard.report.page import render_report
from steelyard.report.words import kinds_combined
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.log.entries import Answer
from steelyard.study.results.exports import answer_columns, judgment_columns
from steelyard.study.results.watch import Watch
from tests.report.test_page import AT, Outline
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


def _answer(assignment, rng):
    """An answer of a rater who sees item 7 at 35, and prefers the item with the smaller position."""
    seen = [5.0 * int(item[1:]) + 8.0 * rng.standard_normal() for item in assignment.task.items]
    if assignment.task.protocol == "list":
        return [Score(at, 0, float(np.clip(value, 0.0, 100.0))) for at, value in enumerate(seen)]
    return [Verdict(1, 0, "left" if seen[0] < seen[1] else "right")]


@pytest.fixture(scope="module")
def opposed(tmp_path_factory):
    """A study whose raters compare in the opposite direction."""
    settings = {"protocol": ["list", "comparison"], "list_size": 4, "redundancy": 16, "shares": [0.3, 0.7]}
    session = make_session(tmp_path_factory.mktemp("opposed") / "study", Clock(), 20, "memory", **settings)
    rng = np.random.default_rng(4)
    for rater in [session.join(f"r{at}", "link").id for at in range(8)]:
        while (assignment := session.next_task(rater).assignment) is not None:
            session.accept(rater, Answer("", "", assignment.id, tuple(_answer(assignment, rng))))
    return Watch(session.study, session.log, session.roster)


def test_the_report_warns_if_kinds_disagree_and_names_items_and_the_remedy(opposed):
    page_words = Outline(render_report(report_of_study(opposed.overview(), Cover("", AT)))).words
    assert "The comparison judgments disagree with the others" in page_words
    assert "items differ most in:" in page_words
    assert "Fit each kind separately" in page_words
    correlation = re.search(r"Correlation with the other judgments: comparison (\S+)\d", page_words)[1]
    assert correlation.startswith(("-", "−"))
