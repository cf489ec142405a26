"""Checks mixed into the tasks of a rater, the rules that follow from failures, and the places asked again."""

from dataclasses import replace

import numpy as np
import pytest

from steelyard.errors import BadAnswer, BadSetting, NothingToUndo
from steelyard.kinds.rating import Score
from steelyard.study.collecting.checking import checks_left, is_due
from steelyard.study.definition.items import Item
from steelyard.study.definition.study_file import define
from steelyard.study.log.check_results import check_results, tally
from steelyard.study.log.entries import Answer, Event
from steelyard.study.log.ledger import Ledger
from tests.study.making import answer_with, make_session

GOLD = [{"item": f"c{at}", "answer": 80} for at in range(4)]
END = {"act": "end", "failed": 2}


@pytest.fixture
def make(tmp_path, clock):
    made = []

    def build(items=12, **settings):
        asked = [Item(f"i{at}", "text", f"Item number {at}") for at in range(items)]
        golden = [Item(f"c{at}", "text", f"Check number {at}") for at in range(4)]
        made.append(
            make_session(tmp_path / f"study{len(made)}", clock, [*asked, *golden], store="memory", **settings)
        )
        return made[-1]

    return build


def cells_of(session, task, honest, rng):
    """What a rater answers who knows the references, or who does not look at the items."""
    definition = session.study.definition
    check = session.study.checks.by_name.get(task.check)
    if honest and check is not None and check.right:
        return tuple(check.right)
    seen = np.array([0.2 if item.startswith("c") else 0.9 for item in task.items])
    if not honest:
        seen = rng.uniform(0, 0.4, len(seen))
    return tuple(definition.kind.simulate(seen, 0, definition.asked(0), rng))


def work(session, rater, tasks=None, honest=True, milliseconds=4000):
    rng, seen = np.random.default_rng(1), []
    while tasks is None or len(seen) < tasks:
        assignment = session.next_task(rater).assignment
        if assignment is None:
            break
        cells = cells_of(session, assignment.task, honest, rng)
        session.accept(rater, Answer("", "", assignment.id, cells, milliseconds=milliseconds))
        seen.append(assignment.task)
    return seen


def events(session, *kinds):
    return [each for each in session.log.since(0) if isinstance(each, Event) and each.kind in kinds]


def test_a_set_share_of_tasks_are_checks_at_random_places():
    due = [[at for at in range(200) if is_due(0.1, at, (seed,))] for seed in range(3)]
    assert [len(each) for each in due] == [20, 20, 20]
    assert due[0] != due[1]
    assert not any(is_due(0.0, at, (1,)) for at in range(50))


def test_check_items_are_not_asked_and_checks_count_nowhere(make):
    session = make(redundancy=1, checks={"rate": 0.25, "tasks": GOLD})
    rater = session.join("ann", "link").id
    tasks = work(session, rater)
    ledger = session.ledger
    assert sum(bool(task.check) for task in tasks) in (3, 4)
    assert sorted(task.items[0] for task in tasks if not task.check) == sorted(f"i{at}" for at in range(12))
    assert int(ledger.answered.sum()) == int(ledger.wanted.sum()) == 12
    assert not ledger.pending.any()
    assert len(ledger.counted_answers()) == len(ledger.judgments(probes=True)) == 12
    assert {each.passed for each in check_results(ledger, rater)} == {True}


def test_a_spammer_is_ended_and_their_places_are_asked_again(make):
    rules = [{"act": "warn", "failed": 1, "message": "Look closely."}, END]
    session = make(redundancy=1, checks={"rate": 0.4, "tasks": GOLD, "rules": rules})
    spammer, honest = session.join("sam", "link").id, session.join("ann", "link").id
    done = work(session, spammer, honest=False)
    assert [each.kind for each in events(session, "warned", "rater_paused", "ended")] == ["warned", "ended"]
    assert events(session, "ended")[0].facts["reason"] == "failed 2 of 2 checks"
    record = session.record(spammer)
    assert (record.ended, record.excluded, record.reason) == (True, True, "failed 2 of 2 checks")
    assert session.next_task(spammer).finished
    assert not session.ledger.answered.any()
    asked_again = work(session, honest)
    assert {task.items[0] for task in done if not task.check} <= {task.items[0] for task in asked_again}
    assert int(session.ledger.answered.sum()) == 12
    assert not session.record(honest).warnings


def test_a_reinstated_rater_counts_again_and_starts_without_failed_checks(make):
    session = make(redundancy=1, checks={"rate": 0.4, "tasks": GOLD, "rules": [END]})
    rater = session.join("sam", "link").id
    done = work(session, rater, honest=False)
    session.note("included", rater)
    record = session.record(rater)
    assert not record.excluded
    assert not record.ended
    assert int(session.ledger.answered.sum()) == sum(not task.check for task in done)
    assert work(session, rater, honest=True)
    assert not session.record(rater).ended


def test_folding_the_log_again_gives_the_same_acts(make):
    session = make(redundancy=1, checks={"rate": 0.4, "tasks": GOLD, "rules": [END]})
    rater = session.join("sam", "link").id
    work(session, rater, honest=False)
    again = Ledger(session.study.definition, session.study.items, session.study.checks)
    for entry in session.log.since(0):
        again.fold([entry])
    assert again.raters[rater] == session.ledger.raters[rater]
    assert (again.answered == session.ledger.answered).all()


def test_a_warned_rater_reads_the_message_and_cannot_take_the_answer_back(make):
    rules = [{"act": "warn", "failed": 1, "message": "Look closely."}]
    session = make(redundancy=1, checks={"rate": 0.5, "tasks": GOLD, "rules": rules})
    rater = session.join("sam", "link").id
    while not session.record(rater).warnings:
        work(session, rater, 1, honest=False)
    state = session.next_task(rater)
    assert (state.notice, state.can_undo) == ("Look closely.", False)
    with pytest.raises(NothingToUndo):
        session.undo(rater, state.last)
    session.accept(rater, answer_with(state.assignment))
    assert session.next_task(rater).notice == ""
    assert session.rater_state(rater).can_undo


def test_a_paused_rater_continues_after_the_pause_or_when_reinstated(make, clock):
    rules = [{"act": "pause", "failed": 1, "minutes": 15}, {"act": "pause", "failed": 2, "minutes": 0}]
    session = make(redundancy=1, checks={"rate": 0.5, "tasks": GOLD, "rules": rules})
    rater = session.join("sam", "link").id
    work(session, rater, honest=False)
    state = session.next_task(rater)
    assert state.paused
    assert not state.finished
    assert "break" in state.notice
    assert session.rater_state(rater).paused
    clock.pass_minutes(16)
    assert session.next_task(rater).assignment is not None
    work(session, rater, honest=False)
    clock.pass_minutes(10_000)
    assert session.next_task(rater).paused
    session.note("reinstated", rater)
    assert session.next_task(rater).assignment is not None


def test_an_undone_check_is_given_again_and_only_the_new_answer_counts(make):
    session = make(redundancy=1, checks={"rate": 0.5, "tasks": GOLD, "rules": [END]})
    rater = session.join("sam", "link").id
    while not check_results(session.ledger, rater):
        work(session, rater, 1, honest=False)
    again = session.undo(rater, session.rater_state(rater).last).assignment
    assert again.task.check
    assert not check_results(session.ledger, rater)
    cells = tuple(session.study.checks.by_name[again.task.check].right)
    session.accept(rater, Answer("", "", again.id, cells, milliseconds=4000))
    assert [each.passed for each in check_results(session.ledger, rater)] == [True]


def test_a_study_goes_on_without_checks_when_a_rater_has_answered_them_all(make):
    session = make(30, checks={"rate": 0.5, "tasks": GOLD[:1]}, redundancy=1)
    rater = session.join("ann", "link").id
    tasks = work(session, rater)
    assert sum(bool(task.check) for task in tasks) == 1
    assert len(tasks) == 34  # three of the four check items have no check, so they are ordinary items
    assert not list(checks_left(session.ledger, rater))


def test_a_study_without_checks_has_none(make):
    session = make(checks={"rate": 0.5})
    rater = session.join("ann", "link").id
    assert not any(task.check for task in work(session, rater))


def test_a_degraded_copy_must_score_below_the_raters_own_answer_to_the_original(make):
    session = make(
        redundancy=1,
        checks={"rate": 0.4, "tasks": [{"item": "c0", "below": "i0"}, {"item": "c1", "below": "i1"}]},
    )
    rater = session.join("ann", "link").id
    tasks = work(session, rater)
    results = check_results(session.ledger, rater)
    assert results
    assert {each.passed for each in results} == {True}  # copies score 20, originals 90
    for result in results:
        order = [task.items[0] for task in tasks]
        assert order.index(result.items[0]) > order.index(result.items[0].replace("c", "i"))


def test_repeats_are_probes_that_compare_a_rater_with_their_earlier_answers(make):
    session = make(20, redundancy=1, checks={"repeats": {"rate": 0.2, "apart": 3}})
    rater, rng = session.join("ann", "link").id, np.random.default_rng(2)
    while (assignment := session.next_task(rater).assignment) is not None:
        score = float(np.round(rng.uniform(0, 100)))
        session.accept(rater, answer_with(assignment, score))
    results = check_results(session.ledger, rater)
    assert len(results) >= 3
    assert {each.type for each in results} == {"repeat"}
    assert False in {each.passed for each in results}
    assert len(session.ledger.judgments()) == 24
    assert len(session.ledger.judgments(probes=True)) == 24 + len(results)


def test_hidden_items_are_in_every_list_of_their_segment_and_out_of_the_scale(make, tmp_path, clock):
    items = [
        Item(f"{system}{segment}", "text", f"{system} {segment}", system, f"s{segment}")
        for segment in range(4)
        for system in ("a", "b", "reference", "anchor")
    ]
    hidden = [{"system": "reference", "least": 90}, {"system": "anchor", "below": "reference"}]
    session = make_session(
        tmp_path / "mushra",
        clock,
        items,
        store="memory",
        protocol="list",
        list_size=2,
        redundancy=1,
        unit="system",
        checks={"hidden": hidden, "rules": [{"act": "end", "failed": 3, "share": 0.15}]},
    )
    good, bad = session.join("ann", "link").id, session.join("bob", "link").id
    scores = {"reference": 100.0, "anchor": 10.0, "a": 60.0, "b": 70.0}
    orders = set()
    for _ in range(4):
        assignment = session.next_task(good).assignment
        systems = [
            session.study.items[session.study.items.index[item]].system for item in assignment.task.items
        ]
        assert sorted(systems) == ["a", "anchor", "b", "reference"]
        orders.add(tuple(systems))
        cells = tuple(Score(at, 0, scores[system]) for at, system in enumerate(systems))
        session.accept(good, Answer("", "", assignment.id, cells))
    assert len(orders) > 1
    assert tally(check_results(session.ledger, good)).failed == 0
    assert set(session.ledger.judgments().table("rating").codes["item"].tolist()) == {
        session.study.items.index[f"{system}{at}"] for system in "ab" for at in range(4)
    }
    session.note("excluded", good)
    for _ in range(2):
        assignment = session.next_task(bad).assignment
        session.accept(bad, answer_with(assignment, 50.0))
    assert session.record(bad).ended


@pytest.mark.parametrize(
    ("protocol", "check", "settings"),
    [
        ("list", {"item": ["c0", "c1"], "answer": [80, 10]}, {"list_size": 4}),
        ("comparison", {"item": ["c0", "c1"], "answer": "left"}, {}),
        ("comparison", {"item": "c0", "below": "i0"}, {}),
        ("ranking", {"item": ["c0", "c1", "c2"], "ranks": [2, 1, 3]}, {"list_size": 3}),
        ("ranking", {"item": "c0", "below": "i0"}, {"list_size": 3}),
        ("best_worst", {"item": ["c0", "c1", "c2"], "best": 2, "worst": 3}, {"list_size": 3}),
        ("range", {"item": "c0", "low": 70, "high": 90, "tolerance": 5}, {}),
    ],
)
def test_every_protocol_takes_checks(make, protocol, check, settings):
    session = make(12, protocol=protocol, checks={"rate": 0.5, "tasks": [check]}, **settings)
    honest, rng = session.join("ann", "link").id, np.random.default_rng(3)
    results = []
    while not results:
        assignment = session.next_task(honest).assignment
        cells = cells_of(session, assignment.task, True, rng)
        session.accept(honest, Answer("", "", assignment.id, cells))
        results = check_results(session.ledger, honest)
    assert [each.passed for each in results] == [True]
    assert "c0" not in {session.study.items.ids[at] for at in np.flatnonzero(session.ledger.answered)}


def test_checks_are_mixed_into_batches_and_their_imported_answers_are_checked(make):
    session = make(18, redundancy=1, checks={"rate": 0.1, "tasks": GOLD, "rules": [{"act": "end"}]})
    planned = session.batch(18)
    checks = [task for task in planned if task.check]
    assert len(planned) == 20
    assert len(checks) == 2
    rater = session.join("w1", "file", "w1").id
    for task in planned[:10] + [each for each in checks if each not in planned[:10]]:
        assignment = session.take_task(rater, task.id, task.items, f"file-{task.id}")
        session.accept(rater, answer_with(assignment, 5.0))
    assert session.record(rater).ended
    assert not session.ledger.answered.any()


def test_a_fast_answer_is_warned_about_or_refused(make):
    warns = make(checks={"least_seconds": 5})
    rater = warns.join("ann", "link").id
    work(warns, rater, 1, milliseconds=1000)
    assert (warns.record(rater).too_fast, "quickly" in warns.next_task(rater).notice) == (1, True)
    refuses = make(checks={"least_seconds": 5, "too_fast": "refuse"})
    rater = refuses.join("ann", "link").id
    with pytest.raises(BadAnswer, match="at least 5 seconds"):
        work(refuses, rater, 1, milliseconds=1000)
    assert work(refuses, rater, 1, milliseconds=6000)


@pytest.mark.parametrize(
    ("checks", "words"),
    [
        ({"tasks": [{"item": "nowhere", "answer": 3}]}, "not in the items file"),
        ({"tasks": [{"item": "c0", "answer": 300}]}, "no valid reference answer"),
        ({"tasks": [{"item": "c0", "below": "i0", "answer": 3}]}, "Keep one"),
        ({"tasks": [{"item": "c0", "answer": 3}] * 2}, "exists twice"),
        ({"hidden": [{"system": "reference"}]}, "cannot hide items"),
        ({"rules": [{"act": "end"}]}, "has no checks"),
        ({"rate": 0.9}, "at most"),
    ],
)
def test_mistakes_in_checks_are_reported(make, checks, words):
    with pytest.raises(BadSetting, match=words):
        make(checks=checks)


def test_changing_the_checks_changes_the_settings_hash():
    table = {"title": "T", "items": {"file": "i.csv"}, "questions": [{"text": "?"}]}
    plain = define(table)
    assert replace(plain, seed=0).settings_hash() == plain.settings_hash()
    assert define({**table, "checks": {"least_seconds": 3}}).settings_hash() != plain.settings_hash()
