"""The default model of a study, before and after it has started."""

import numpy as np
import pytest

from steelyard.kinds.comparison import Verdict
from steelyard.kinds.known import KINDS, PROTOCOLS
from steelyard.models.known import default_model
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS, draw_raters
from steelyard.study.collecting.fitting import fit_question
from steelyard.study.collecting.session import Session
from steelyard.study.definition.items import Item
from steelyard.study.definition.study import open_study
from steelyard.study.definition.study_file import define
from steelyard.study.log.changes import begun_with, reconcile
from steelyard.study.log.entries import Answer, Event

RNG = np.random.default_rng(3)

STUDY = """
title = "Test"
protocol = "{protocol}"
{more}
[items]
file = "items.csv"
[[questions]]
text = "Which has more?"
"""
PLAIN = {"title": "Test", "items": {"file": "items.csv"}, "questions": [{"text": "Which has more?"}]}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_study_and_a_fit_of_its_judgments_have_the_same_default(protocol):
    study = define({**PLAIN, "protocol": protocol})
    assert (
        study.learning.model
        == default_model([study.asking.way.kind])
        == KINDS[study.asking.way.kind].default_model
    )


@pytest.mark.parametrize(
    ("protocol", "selection", "model"),
    [
        ("comparison", "balanced", "bradley_terry"),
        ("comparison", "match_quality", "trueskill"),
        ("ranking", "match_quality", "trueskill"),
        ("list", "match_quality", "trueskill"),
        ("comparison", "easl", "beta_ranking"),
        ("list", "easl", "easl"),
        ("list", "information", "steelyard"),
        ("list", "sequences", "steelyard"),
    ],
)
def test_a_selection_that_needs_estimates_sets_a_model_that_has_them(protocol, selection, model):
    assert define({**PLAIN, "protocol": protocol, "selection": selection}).learning.model == model


def test_a_model_named_in_study_toml_is_used():
    assert define({**PLAIN, "protocol": "comparison", "model": "elo"}).learning.model == "elo"


def write(folder, protocol="comparison", more=""):
    (folder / "study.toml").write_text(STUDY.format(protocol=protocol, more=more))
    (folder / "items.csv").write_text("id,text\n" + "".join(f"i{at},Item {at}\n" for at in range(6)))


def opened(folder, log, clock):
    """The study as commands and pages open it."""
    session = Session(open_study(folder, begun_with(log)), log, log, clock)
    reconcile(session.study, log, clock())
    return session


@pytest.fixture
def log(make):
    return make(6, protocol="comparison").log


def logged_before(log, definition_of, clock):
    """A `defined` event of versions that did not log the default model."""
    session = Session(definition_of, log, log, clock)
    reconcile(session.study, log, clock())
    facts = dict(log.newest_event("defined").facts)
    facts.pop("default_model")
    with log.writing() as writer:
        writer.append(Event("defined", facts=facts, at=clock()))


def test_a_new_study_logs_its_default_and_keeps_it(log, tmp_path, clock, monkeypatch):
    write(tmp_path)
    assert opened(tmp_path, log, clock).study.definition.learning.model == "bradley_terry"
    assert log.newest_event("defined").facts["default_model"] == "bradley_terry"
    monkeypatch.setattr(type(KINDS["comparison"]), "default_model", "elo")
    before = log.newest_event("defined")
    assert opened(tmp_path, log, clock).study.definition.learning.model == "bradley_terry"
    assert log.newest_event("defined") == before


def test_a_log_without_a_default_model_keeps_its_model_and_is_not_changed(log, tmp_path, clock):
    write(tmp_path)
    logged_before(log, open_study(tmp_path, {}), clock)
    before = log.newest_event("defined")
    session = opened(tmp_path, log, clock)
    assert session.study.definition.learning.model == "trueskill"
    assert session.study.definition.settings_hash() == before.facts["settings"]
    assert log.newest_event("defined") == before


def test_a_log_with_tasks_and_without_a_defined_event_keeps_the_earlier_default(log, tmp_path, clock):
    write(tmp_path)
    session = Session(open_study(tmp_path, {}), log, log, clock)
    session.next_task(session.join("Ann", "link").id)
    assert opened(tmp_path, log, clock).study.definition.learning.model == "trueskill"


def test_a_study_that_has_begun_may_name_another_model(log, tmp_path, clock):
    write(tmp_path)
    logged_before(log, open_study(tmp_path, {}), clock)
    write(tmp_path, more='model = "elo"')
    assert opened(tmp_path, log, clock).study.definition.learning.model == "elo"
    write(tmp_path)
    assert opened(tmp_path, log, clock).study.definition.learning.model == "trueskill"


def test_other_kinds_keep_their_default(log, tmp_path, clock):
    write(tmp_path, "ranking")
    assert (
        open_study(tmp_path, {}).definition.learning.model == open_study(tmp_path).definition.learning.model
    )


@pytest.mark.parametrize("outcome", ["left", "tie"])
@pytest.mark.parametrize("segments", [1, 2])
def test_a_comparison_study_has_a_scale_from_its_first_answer(make, outcome, segments):
    items = [Item(f"i{at}", "text", f"Item {at}", segment=f"s{at % segments}") for at in range(6)]
    session = make(items, protocol="comparison", redundancy=2)
    rater = session.join("Ann", "link").id
    while (assignment := session.next_task(rater).assignment) is not None:
        cells = (Verdict(1, 0, outcome),)
        session.accept(rater, Answer("", "", assignment.id, cells, milliseconds=4000))
        fit = fit_question(session.ledger, 0)
        assert fit.provenance.model == "bradley_terry"
        assert fit.converged
        assert np.isfinite(fit.scale.position).all()
        assert np.isfinite(fit.scale.spread).all()
    assert len(session.ledger.answers) == 6


@pytest.mark.parametrize("protocol", ["comparison", "ranking", "best_worst"])
def test_match_quality_without_a_model_chooses_and_learns(make, protocol):
    session = make(8, protocol=protocol, selection="match_quality", list_size=4, redundancy=3)
    crowd = Crowd(SCENARIOS["iid"], tuple(draw_raters(SCENARIOS["iid"], 4, RNG)), RNG.random((1, 8)))
    simulate(session, crowd, RNG)
    assert int(session.ledger.answered.sum()) >= 24
    assert fit_question(session.ledger, 0).provenance.model == "trueskill"
