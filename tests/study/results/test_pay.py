"""What raters are paid: base only after failed checks, a top-up to the hourly rate, and measured time."""

import numpy as np
import pytest

from steelyard.judgments.features import item_columns
from steelyard.judgments.table import Judgments
from steelyard.kinds.rating import Score
from steelyard.models.bradley_terry.model import BradleyTerry
from steelyard.study.definition.items import Item
from steelyard.study.log.entries import Answer
from steelyard.study.results.exports import export_columns
from steelyard.study.results.pay import pay_lines
from steelyard.study.results.watch import Watch
from tests.study.making import answer_with, make_session

PAY = {"base": 1.0, "per_task": 0.05, "completion": 0.5, "hourly": 12.0, "idle_minutes": 5}
CHECKS = {
    "rate": 0.3,
    "tasks": [{"item": f"c{at}", "answer": 80} for at in range(4)],
    "rules": [{"act": "end", "failed": 2}],
}


@pytest.fixture
def session(tmp_path, clock):
    items = [Item(name, "text", name) for name in (*(f"i{at}" for at in range(10)), "c0", "c1", "c2", "c3")]
    return make_session(
        tmp_path / "study", clock, items, store="memory", redundancy=1, checks=CHECKS, pay=PAY, survey=[]
    )


def work(session, clock, rater, score, minutes):
    """Answer every task with one score, and check items with 80 if the score is above 50."""
    while (assignment := session.next_task(rater).assignment) is not None:
        clock.pass_minutes(minutes)
        given = 80.0 if assignment.task.check and score > 50 else score
        session.accept(rater, Answer("", "", assignment.id, (Score(0, 0, given),), milliseconds=1000))


def test_a_spammer_is_paid_base_only_and_an_honest_rater_is_topped_up(session, clock):
    spammer, honest = session.join("sam", "link").id, session.join("ann", "link").id
    for rater in (spammer, honest):
        session.note("consented", rater)
    work(session, clock, spammer, 5.0, minutes=1)
    work(session, clock, honest, 60.0, minutes=2)
    by_rater = {line.rater.id: line for line in pay_lines([session.ledger], session.roster.all())}
    assert (by_rater[spammer].status, by_rater[spammer].total) == ("failed checks", 1.0)
    line = by_rater[honest]
    tasks = len(session.record(honest).answers)
    assert tasks > 10
    assert line.status == "finished"
    assert line.hours == pytest.approx(
        ((tasks - 1) * 2 + 5) / 60
    )  # the first gap, before the spammer ended, is capped
    assert line.base + line.per_task + line.completion == pytest.approx(1.0 + 0.05 * tasks + 0.5)
    assert line.total == pytest.approx(12.0 * line.hours)
    columns = export_columns(Watch(session.study, session.log, session.roster), "pay")
    assert dict(zip(columns["rater"], columns["total"], strict=True))[spammer] == 1.0
    overview = Watch(session.study, session.log, session.roster).overview()
    assert overview.pay.median_hourly == pytest.approx(12.0)
    assert overview.items == 10
    checks = export_columns(Watch(session.study, session.log, session.roster), "checks")
    assert checks["passed"].count(False) == 2
    assert overview.checks.failed == 2


def test_a_long_gap_counts_up_to_the_idle_minutes(session, clock):
    rater = session.join("ann", "link").id
    session.note("consented", rater)
    for minutes in (1, 600, 2):
        clock.pass_minutes(minutes)
        session.accept(rater, answer_with(session.next_task(rater).assignment))
    assert session.record(rater).active_seconds == pytest.approx(60.0 * (1 + 5 + 2))


def test_who_answered_nothing_is_paid_nothing_unless_they_were_screened_out(tmp_path, clock):
    session = make_session(tmp_path / "study", clock, store="memory", pay={**PAY, "screened_out": 0.2})
    visitor, screened = session.join("a", "link").id, session.join("b", "link").id
    session.note("screened_out", screened)
    totals = {line.rater.id: line.total for line in pay_lines([session.ledger], session.roster.all())}
    assert totals == {visitor: 0.0, screened: 0.2}


def test_survey_answers_and_item_columns_join_exported_judgments(tmp_path, clock):
    items = [Item(f"i{at}", "text", f"Item {at}", covariates=(("length", float(at)),)) for at in range(6)]
    survey = [
        {"id": "native", "text": "Native speaker?", "kind": "choice", "choices": ["yes", "no"]},
        {"id": "item", "text": "?", "required": False, "when": "after"},
    ]
    session = make_session(
        tmp_path / "study", clock, items, store="memory", protocol="comparison", redundancy=12, survey=survey
    )
    rng, native = np.random.default_rng(1), {}
    for number in range(8):
        rater = session.join(f"r{number}", "link").id
        native[rater] = "yes" if number % 2 else "no"
        session.note("surveyed", rater, {"native": native[rater]})
        session.note("surveyed_after", rater, {"item": "tea"})
        while (assignment := session.next_task(rater).assignment) is not None:
            seen = rng.normal([int(item[1:]) for item in assignment.task.items], 2.0)
            cells = session.study.definition.kind.simulate(
                seen / 6, 0, session.study.definition.asked(0), rng
            )
            session.accept(rater, Answer("", "", assignment.id, tuple(cells)))
    columns = export_columns(Watch(session.study, session.log, session.roster), "judgments")
    assert columns["native"] == [native[rater] for rater in columns["rater"]]
    assert columns["length_left"] == [float(item[1:]) for item in columns["left"]]
    assert set(columns["survey_item"]) == {"tea"}
    judgments = Judgments.from_columns("comparison", columns)
    fit = BradleyTerry(rater_covariates=["native"], penalty="firth").fit(judgments)
    assert any("native" in name for name in fit.coefficients())
    assert item_columns(judgments, ["length"])["length"] == {f"i{at}": float(at) for at in range(6)}
