"""Probes measure only the consistency of a rater."""

import numpy as np
import pytest

from steelyard.judgments.probes import without_probes
from steelyard.judgments.read import read
from steelyard.quality.probes import probe_changes
from steelyard.report.contents import Cover, report_of_study
from steelyard.study.collecting.fitting import fit_question
from steelyard.study.collecting.learning import Learner
from steelyard.study.definition.items import Item
from steelyard.study.results.exports import export_columns
from steelyard.study.results.watch import Watch
from tests.study.making import answer_with

SEQUENCES = {"selection": "sequences", "probes": {"every": 3}, "model": "direct_assessment"}


def watch(session):
    return Watch(session.study, session.log, session.roster)


def answer_all(session, name, first=20.0, probe=90.0, own=0.0):
    """Let one rater finish their sequence; probes get another answer than all other tasks."""
    rater = session.join(name, "link").id
    while (assignment := session.next_task(rater).assignment) is not None:
        scores = [probe if assignment.task.probe else first + own] * len(assignment.task.items)
        session.accept(rater, answer_with(assignment, scores))
    return rater


def probes_in(session):
    tasks = session.ledger.tasks
    return sum(tasks[answer.task].probe for answer in session.ledger.answers.values())


def test_probes_do_not_move_a_position(make):
    session = make(6, redundancy=2, **SEQUENCES)
    for name in ("Ann", "Bob"):
        answer_all(session, name)
    assert probes_in(session) == 6
    assert set(fit_question(session.ledger, 0).scale.position) == {20.0}


def test_probes_do_not_change_the_live_belief(make):
    session = make(6, redundancy=1, **{**SEQUENCES, "model": "easl"})
    answer_all(session, "Ann")
    belief = Learner(session.ledger).belief()
    assert belief.count.tolist() == [1.0] * 6


def test_probes_do_not_count_towards_the_judgments_wanted(make):
    session = make(6, redundancy=2, **SEQUENCES)
    for name in ("Ann", "Bob"):
        answer_all(session, name)
    overview = watch(session).overview()
    assert (overview.judgments, overview.wanted, overview.probes) == (12, 12, 6)
    assert [line.answers for line in overview.raters] == [6, 6]
    assert [line.tasks for line in overview.raters] == [9, 9]
    collected = dict(report_of_study(overview, Cover("", 0.0)).collection.facts())
    assert collected["Judgments"].startswith("12")
    assert "6 probes left out" in collected["Judgments"]


def test_cannot_judge_in_a_probe_is_not_counted_with_the_others(make):
    session = make(6, redundancy=1, **SEQUENCES)
    answer_all(session, "Ann", probe=None)
    assert watch(session).overview().cannot_judge == 0


def test_habits_of_raters_are_computed_without_probes(make):
    session = make(6, redundancy=3, **SEQUENCES)
    raters = [answer_all(session, name, own=at) for at, name in enumerate(("Ann", "Bob", "Cem"))]
    session.note("excluded", raters[0])
    lines = {line.rater.id: line for line in watch(session).overview().raters}
    assert {rater: lines[rater].habits.answers for rater in raters} == dict.fromkeys(raters, 6)
    assert lines[raters[1]].habits.bias == pytest.approx(-1.0)


def test_systems_are_compared_without_probes(make):
    items = [Item(f"{s}{at}", "text", "words", system=s, segment=str(at)) for s in "ab" for at in range(3)]
    session = make(items, redundancy=1, unit="system", **SEQUENCES)
    answer_all(session, "Ann")
    scale = fit_question(session.ledger, 0).scale
    assert dict(zip(scale.item, scale.position, strict=True)) == {"a": 20.0, "b": 20.0}


def test_a_probe_that_is_taken_back_and_answered_again_does_not_count(make):
    session = make(6, redundancy=1, **SEQUENCES)
    rater = session.join("Ann", "link").id
    for _ in range(3):
        assignment = session.next_task(rater).assignment
        session.accept(rater, answer_with(assignment, 90.0 if assignment.task.probe else 20.0))
    assert assignment.task.probe
    again = session.undo(rater, assignment.id).assignment
    session.accept(rater, answer_with(again, 70.0))
    assert probes_in(session) == 1
    assert watch(session).overview().judgments == 2
    assert set(fit_question(session.ledger, 0).scale.position) == {20.0}


def test_probes_of_a_round_change_neither_its_anchors_nor_the_items_asked_again(make):
    session = make(
        4, redundancy=1, rounds={"number": 2, "reannotate": 1}, sequence_length=2,
        protocol="rating", selection="sequences", probes={"every": 2}, model="direct_assessment",
    )  # fmt: skip
    answer_all(session, "Ann")
    session.close_round([])
    events = [entry for entry in session.log.since(0) if getattr(entry, "kind", "") == "round_closed"]
    assert {(anchor["low"], anchor["high"]) for anchor in events[0].facts["anchors"]} == {(20.0, 20.0)}


def test_forecasts_are_made_and_measured_without_probes(make):
    session = make(6, redundancy=3, **{**SEQUENCES, "model": "steelyard"})
    rng = np.random.default_rng(0)
    for at in range(3):
        answer_all(session, f"rater {at}", first=float(rng.integers(20, 80)))
    audit = watch(session).overview().audit
    assert audit.growth[-1].judgments <= 18
    assert audit.calibration.answers <= 12


def test_the_exported_file_marks_probes_and_is_fitted_without_them(make):
    session = make(6, redundancy=2, **SEQUENCES)
    for name in ("Ann", "Bob"):
        answer_all(session, name)
    columns = export_columns(watch(session), "judgments")
    assert columns["probe"].count("yes") == 6
    judgments = read(columns, range=(0, 100))
    assert len(judgments) == 18
    kept, left_out = without_probes(judgments)
    assert (len(kept), left_out) == (12, 6)
    assert len(probe_changes(judgments)) == 2
