"""Simulated raters answer checks: honest raters pass most of them, and spammers are ended and replaced."""

from dataclasses import replace

import numpy as np

from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.definition.items import Item
from steelyard.study.log.check_results import check_results, tally
from steelyard.study.results.pay import pay_lines
from tests.study.making import Clock, make_session

CHECKS = {
    "rate": 0.3,
    "tasks": [
        *({"item": f"c{at}", "answer": 30 + 10 * at, "type": "attention", "tolerance": 5} for at in range(6)),
        {"item": "c6", "below": "i0"},
    ],
    "rules": [{"act": "end", "failed": 2, "types": ["attention"]}],
}


def test_spammers_fail_checks_are_ended_and_paid_base_only_and_others_answer_in_their_place(tmp_path):
    items = [
        Item(name, "text", name) for name in (*(f"i{at}" for at in range(30)), *(f"c{at}" for at in range(7)))
    ]
    pay = {"base": 1.0, "per_task": 0.1}
    session = make_session(
        tmp_path / "study", Clock(), items, store="memory", redundancy=3, checks=CHECKS, pay=pay
    )
    rng = np.random.default_rng(4)
    crowd = Crowd.draw(session, replace(SCENARIOS["full"], spam=0.4), 8, "uniform", rng)
    spam = [rater.spam is not None for rater in crowd.raters]
    assert any(spam)
    simulate(session, crowd, rng)
    people, ledger = session.roster.all(), session.ledger
    ended = [ledger.raters[person.id].ended for person in people]
    assert ended == [
        is_spammer and tally(check_results(ledger, person.id), ["attention"]).failed >= 2
        for person, is_spammer in zip(people, spam, strict=True)
    ]
    assert any(ended)
    assert (ledger.answered[ledger.items.asked] >= 3).all()
    lines = {line.rater.id: line for line in pay_lines([ledger], people)}
    for person, is_out in zip(people, ended, strict=True):
        tasks = len(ledger.raters[person.id].answers)
        assert abs(lines[person.id].total - (1.0 if is_out else 1.0 * bool(tasks) + 0.1 * tasks)) < 1e-9
