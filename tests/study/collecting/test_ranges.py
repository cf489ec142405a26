"""Ranges through the session, from the task to the scale and back from a file."""

import numpy as np
import pytest

from steelyard.errors import BadAnswer, BadSetting
from steelyard.judgments.table import Judgments
from steelyard.kinds.range import Bounds
from steelyard.kinds.rating import Score
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.collecting.files.import_results import import_results
from steelyard.study.collecting.fitting import fit_question
from steelyard.study.definition.create import NewStudy, create_study, write_study
from steelyard.study.definition.study import open_study
from steelyard.study.log.entries import Answer
from steelyard.study.results.exports import export_columns
from steelyard.study.results.watch import Watch
from tests.study.making import make_study


def join(session, name="Ann"):
    return session.join(name, "link").id


def place(session, rater, *values, **marks):
    """Answer the next task of the rater with these bounds or this score; return the items that it showed."""
    assignment = session.next_task(rater).assignment
    kind = session.study.definition.asking.way.kind
    cell = Bounds(0, 0, *values, **marks) if kind == "range" else Score(0, 0, *values, **marks)
    session.accept(rater, Answer("", "", assignment.id, (cell,)))
    return assignment.task.items[0]


def crowd_works(session, raters=10, seed=5):
    rng = np.random.default_rng(seed)
    crowd = Crowd.draw(session, SCENARIOS["bias"], raters, "uniform", rng)
    return crowd, simulate(session, crowd, rng)


def test_a_crowd_gives_ranges_and_their_scale_follows_the_truth(make):
    session = make(12, protocol="range", redundancy=6)
    crowd, done = crowd_works(session)
    assert done == 12 * 6
    fit = fit_question(session.ledger, 0)
    order = [session.study.items.index[str(item)] for item in fit.scale.item]
    assert np.corrcoef(fit.scale.position, crowd.truth[0][order])[0, 1] > 0.8
    assert all(row["ambiguity"] > 0 for row in fit.items)


def test_bounds_are_read_back_as_they_were_given(make):
    session = make(3, protocol="range", redundancy=1)
    place(session, join(session), 0.0, 35.5, kept_low=True)
    (answer,) = [entry for entry in session.log.since(0) if isinstance(entry, Answer)]
    assert answer.cells == (Bounds(0, 0, 0.0, 35.5, True, False, False),)
    table = session.ledger.judgments().table("range")
    assert (table.numbers["low"].tolist(), table.numbers["high"].tolist()) == ([0.0], [35.5])


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (Bounds(0, 0, 60.0, 40.0), "above the upper"),
        (Bounds(0, 0, -1.0, 40.0), "outside"),
        (Bounds(0, 0, 10.0, 101.0, outside=True), "outside"),
        (Bounds(0, 0, 10.0, float("nan")), "outside"),
        (Bounds(0, 0, 10.0, None), "both bounds"),
        (Bounds(0, 0, 10.0, 20.0, kept_low=True), "marked as kept is not at its end"),
        (Bounds(0, 0, 10.0, 20.0, kept_high=True), "marked as kept is not at its end"),
        (Score(0, 0, 10.0), "range answers"),
    ],
)
def test_bounds_that_do_not_fit_are_refused(make, cell, message):
    session = make(3, protocol="range")
    rater = join(session)
    assignment = session.next_task(rater).assignment
    with pytest.raises(BadAnswer, match=message):
        session.accept(rater, Answer("", "", assignment.id, (cell,)))
    assert session.ledger.answers == {}


def test_bounds_may_meet_and_may_be_left_out(make):
    session = make(2, protocol="range", redundancy=1)
    rater = join(session)
    place(session, rater, 40.0, 40.0)
    place(session, rater, None, None)
    assert len(session.ledger.judgments()) == 1
    assert session.next_task(rater).finished


@pytest.mark.parametrize("protocol", ["range", "rating"])
def test_a_placement_past_the_scale_is_stored_as_given_and_marked(make, clock, protocol):
    session = make(3, protocol=protocol, scale={"beyond": True}, redundancy=1)
    rater = join(session)
    values = (90.0, 130.0) if protocol == "range" else (130.0,)
    with pytest.raises(BadAnswer, match="not marked"):
        place(session, rater, *values)
    place(session, rater, *values, outside=True)
    columns = export_columns(Watch(session.study, session.log, session.roster), "answers")
    assert columns["outside"] == [True]
    assert session.ledger.judgments().range == (0.0, 130.0)


def test_what_a_range_study_exports_can_be_imported_into_another(make):
    session = make(6, protocol="range", redundancy=2)
    crowd_works(session, raters=4)
    judgments = session.ledger.judgments()
    other = make(6, protocol="range", redundancy=2)
    assert import_results(other, judgments).answers == 12
    assert import_results(other, judgments).repeated == 12
    again = other.ledger.judgments()
    for name in ("low", "high"):
        given, taken = (each.table("range").numbers[name].tolist() for each in (judgments, again))
        assert sorted(given) == sorted(taken)


def test_a_file_of_ranges_on_another_scale_is_rescaled(make):
    session = make(2, protocol="range", redundancy=1)
    columns = {"rater": ["ann"], "item": ["i0"], "low": [0.2], "high": [0.5]}
    import_results(session, Judgments.from_columns("range", columns, (0.0, 1.0)))
    table = session.ledger.judgments().table("range")
    assert [*table.numbers["low"], *table.numbers["high"]] == pytest.approx([20.0, 50.0])


def test_a_bound_outside_the_scale_refuses_the_whole_file(make):
    session = make(2, protocol="range")
    columns = {"rater": ["ann", "ann"], "item": ["i0", "i1"], "low": [20, 30], "high": [50, 130]}
    with pytest.raises(BadSetting, match="130"):
        import_results(session, Judgments.from_columns("range", columns))
    assert session.ledger.answers == {}


def test_the_owner_and_files_see_ranges(make, clock):
    session = make(6, protocol="range", redundancy=2)
    crowd_works(session, raters=3)
    watch = Watch(session.study, session.log, session.roster)
    assert " to " in watch.overview().views[0].newest[0].answer
    for what in ("judgments", "answers", "scale", "raters"):
        columns = export_columns(watch, what)
        assert len({len(values) for values in columns.values()}) == 1
    assert {"low", "high", "kept_low", "kept_high", "round"} <= set(export_columns(watch, "answers"))


def test_a_new_range_study_has_comments_on_its_settings(tmp_path):
    (tmp_path / "items.csv").write_text("id,text\na,A\nb,B\n")
    study = create_study(tmp_path / "new", NewStudy(tmp_path / "items.csv", protocol="range"))
    assert study.definition.learning.model == "goldilocks"
    assert 'lower = "definitely lower"' in (tmp_path / "new" / "study.toml").read_text()


def test_a_new_study_copies_its_anchors_and_training_images(tmp_path):
    (tmp_path / "items.csv").write_text("id,text\na,A\nb,B\n")
    (tmp_path / "anchors.csv").write_text("item,position\na,4\n")
    (tmp_path / "one.png").write_bytes(b"picture")
    text = """
title = "T"
protocol = "range"
items = {file = "items.csv"}
questions = [{text = "How much?"}]
anchors = {file = "anchors.csv"}
training = {tasks = [{image = "one.png", low = 3, high = 5}]}
"""
    study = write_study(tmp_path / "new", text, tmp_path / "items.csv")
    assert study.folder == tmp_path / "new"
    assert open_study(tmp_path / "new").anchors == study.anchors != ()
    assert (tmp_path / "new" / "one.png").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"protocol": "comparison", "anchors": {"file": "a.csv"}},
            "exactly one question and a protocol with",
        ),
        (
            {"anchors": {}, "questions": [{"text": "A?"}, {"text": "B?"}]},
            "exactly one question and a protocol with",
        ),
        ({"anchors": {"file": "a.csv", "show": ["labels"]}}, "the file contains examples"),
        ({"anchors": {"show": ["pictures"]}}, "labels"),
        ({"anchors": {"distance": 2.0}}, "share of the scale"),
        ({"anchors": {"file": "a.csv"}, "cold_start": {}}, "is not needed with an anchors file"),
        ({"scale": {"beyond": True, "levels": 5}}, "levels = 0"),
        ({"scale": {"beyond": True}, "selection": "information"}, "do not use estimates"),
        ({"rounds": {"number": 2}, "update": "round"}, "cannot be combined with update"),
        ({"rounds": {"number": 0}}, "at least 1"),
        ({"probes": {"every": 5}}, "sequences"),
        ({"probes": {"every": 1}, "selection": "sequences"}, "at least 2"),
        ({"cold_start": {"size": 1}}, "at least 2"),
    ],
)
def test_invalid_grounding_settings_are_refused(tmp_path, settings, message):
    with pytest.raises(BadSetting, match=message):
        make_study(tmp_path, **settings)
