"""A ledger that continues from a snapshot equals one that has folded the whole log."""

import zlib
from typing import get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steelyard.errors import LogRewritten
from steelyard.kinds.comparison import Verdict
from steelyard.kinds.rating import Score
from steelyard.storage.cached_results import PART
from steelyard.storage.forgetting import forget_rater
from steelyard.storage.memory import Memory
from steelyard.study.collecting import refitter as upkeep
from steelyard.study.collecting import snapshots
from steelyard.study.collecting.refitter import Refitter
from steelyard.study.collecting.session import Session
from steelyard.study.collecting.snapshots import NAME, Snapshots, snapshot_key
from steelyard.study.log.entries import Answer, Chosen, Event, EventKind, Task
from steelyard.study.log.ledger import Ledger
from tests.stores import STORES, create_store
from tests.study.making import answer_with, make_study, work

ITEMS = 8
RATERS = {"r-01": "main", "r-02": "main", "r-03": "other"}  # with their arms
COMPUTED = ("groups", "others", "_wanted_in_all", "links", "links_lost")
NOT_STATE = ("definition", "items", "checks", "condition", "stored", *COMPUTED)


class Kept:
    """A cache in memory."""

    def __init__(self):
        self.held = {}

    def newest(self, name, settings, after):
        found = self.held.get(name)
        return found[1:] if found and found[0] == settings and found[1] > after else None

    def keep(self, name, settings, position, content):
        self.held[name] = (settings, position, content)


class Writing:
    """Appends entries that are possible at this point of a log, drawn at random."""

    def __init__(self, study, rng):
        self.log, self.rng = Memory(), rng
        self.ledger = Ledger(study.definition, study.items, study.checks)
        self.compares = study.definition.compares
        self.number = 0

    def add(self, entry):
        with self.log.writing() as writer:
            self.ledger.fold([writer.append(entry)])

    def some(self, values):
        listed = list(values)
        return listed[int(self.rng.integers(len(listed)))] if listed else None

    def task(self):
        self.number += 1
        items = tuple(f"i{at}" for at in self.rng.permutation(ITEMS)[:2])
        sequence = self.some((None, None, 1, 2))
        task = Task(
            f"t{self.number}", items, ("q",), "p", Chosen("s", 0, (7,)), condition=self.some(RATERS.values()),
            round=self.ledger.round, assignments=int(self.rng.integers(1, 3)), sequence=sequence,
            check=self.some(("", "", "", "check")), at=float(self.number),
        )  # fmt: skip
        self.add(task)

    def answer(self):
        rater = self.some(RATERS)
        tasks = self.ledger.tasks
        task = self.some(each for each in self.ledger.open_places if tasks[each].condition == RATERS[rater])
        if task is None:
            return
        self.number += 1
        cells = (Verdict(1, 0, "left"),) if self.compares else (Score(0, 0, 20.0), Score(1, 0, None))
        self.add(
            Answer(task, rater, f"a{self.number}", cells, "ok", 900, [[1]], {"width": 9}, float(self.number))
        )

    def event(self, kind):
        rater, self.number = self.some(RATERS), self.number + 1
        record = self.ledger.rater(rater)
        if kind == "superseded" and not record.answers:
            return
        if kind == "withdrawn" and not self.ledger.open_places:
            return
        anchors = [{"item": "i1", "low": 10.0, "high": 20.0}]
        facts = {
            "superseded": lambda: {"answer": self.some(record.answers)},
            "withdrawn": lambda: {"task": self.some(self.ledger.open_places), "places": 1},
            "round_closed": lambda: {
                "round": self.ledger.round, "anchors": anchors, "reannotate": ["i2", "i3"],
                "mapping": self.some((None, {"from": [0.0, 100.0], "to": [10.0, 90.0]})),
            },
            "seeds_drawn": lambda: {"items": ["i1", "i4"], "shared": self.some((True, False)), "agreed": True},
            "placed": lambda: {"positions": {"i1": 30.0}},
            "seeds_closed": lambda: {"anchors": anchors},
            "noted": lambda: {"text": "slow"},
            "attempted": lambda: {"task": 1, "done": True},
            "warned": lambda: {"rule": "too fast", "message": "slower"},
            "rater_paused": lambda: {"rule": "gold", "until": self.some((None, 5.0))},
            "ended": lambda: {"rule": "gold", "reason": "failed"},
            "assigned": lambda: {"condition": RATERS[rater], "stratum": ["a"]},
            "joined": lambda: {"fields": {"age": "30"}},
            "surveyed": lambda: {"age": 30},
            "surveyed_after": lambda: {"remark": "é"},
            "excluded": lambda: {"reason": "spam"},
            "machine_answers": lambda: {
                "kind": "rating", "columns": {"rater": ["m"], "item": ["i1"], "score": [0.5], "family": [None]},
            },
        }.get(kind, dict)()  # fmt: skip
        self.add(
            Event(
                kind,
                "" if kind in ("paused", "forgotten", "machine_answers") else rater,
                facts,
                float(self.number),
            )
        )

    def write(self, kinds, entries):
        for rater, arm in RATERS.items():
            self.add(Event("assigned", rater, {"condition": arm, "stratum": []}))
        for _ in range(3):
            self.task()
        for _ in range(entries):
            self.task()
            self.answer()
            self.answer()
            self.event(self.some(kinds))
        for kind in kinds:
            self.event(kind)


def state_of(ledger):
    every = {name: value for name, value in vars(ledger).items() if name not in NOT_STATE}
    arrays = {name: value.tolist() for name, value in every.items() if isinstance(value, np.ndarray)}
    in_order = {
        "tasks": list(every["tasks"]),
        "answers": list(every["answers"]),
        "seen": {rater: list(record.seen.items()) for rater, record in ledger.raters.items()},
        "linked": ledger.linked().tolist(),
    }
    return {**every, **arrays, "in order": in_order}


def ledgers_of(study, conditions=(None,)):
    return [Ledger(study.definition, study.items, study.checks, condition=each) for each in conditions]


def folded(study, log, until=None, conditions=(None,)):
    made = ledgers_of(study, conditions)
    entries = list(log.since(0))
    for ledger in made:
        ledger.fold(entries[:until])
    return made


@pytest.mark.parametrize("protocol", ["list", "comparison"])
@pytest.mark.parametrize("conditions", [(None,), ("", "main", "other")])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1), share=st.floats(0.0, 1.0))
def test_a_snapshot_and_the_entries_after_it_equal_the_whole_log(tmp_path, protocol, conditions, seed, share):
    study = make_study(tmp_path, ITEMS, protocol=protocol, redundancy=3)
    writing = Writing(study, np.random.default_rng(seed))
    writing.write(get_args(EventKind), 15)
    assert {each.kind for each in writing.log.since(0) if isinstance(each, Event)} == set(get_args(EventKind))
    log, cache = writing.log, Kept()
    at = 1 + int(share * (log.head() - 1))
    Snapshots(cache, log).keep(folded(study, log, at, conditions))
    restored = ledgers_of(study, conditions)
    assert Snapshots(cache, log).fill(restored)
    assert {ledger.log_position for ledger in restored} == {at}
    for one, other in zip(restored, folded(study, log, conditions=conditions), strict=True):
        one.fold(log.since(at))
        assert state_of(one) == state_of(other)
        assert one.counted_answers() == other.counted_answers()


@pytest.mark.parametrize("conditions", [(None,), ("", "main", "other")])
def test_ledgers_that_let_go_of_their_entries_equal_those_that_hold_them(tmp_path, conditions):
    study = make_study(tmp_path, ITEMS, protocol="list", redundancy=3)
    writing = Writing(study, np.random.default_rng(2))
    writing.write(get_args(EventKind), 15)
    log = writing.log
    held, let_go = folded(study, log, conditions=conditions), ledgers_of(study, conditions)
    for entry in log.since(0):
        for ledger in let_go:
            ledger.fold([entry])
            if entry.log_position % 7 == 0:
                ledger.let_go(log)
    for one, other in zip(let_go, held, strict=True):
        assert any(one.answers.in_memory(position) is None for position in one.answers) or not one.answers
        assert state_of(one) == state_of(other)
        assert one.counted_answers() == other.counted_answers()


def test_answers_after_a_position_are_read_without_the_others(tmp_path):
    study = make_study(tmp_path, ITEMS, protocol="list", redundancy=3)
    writing = Writing(study, np.random.default_rng(1))
    writing.write(("noted",), 20)
    cache, log = Kept(), writing.log
    Snapshots(cache, log).keep(folded(study, log))
    (restored,) = ledgers_of(study)
    Snapshots(cache, log).fill([restored])
    after = list(writing.ledger.answers)[-5]
    assert restored.counted_answers(after) == writing.ledger.counted_answers(after)
    assert restored.answers.in_memory(after) is None
    assert restored.answers.in_memory(max(restored.answers)) is not None


@pytest.fixture(params=STORES)
def study(tmp_path, clock, request, monkeypatch):
    """A study with answers and a snapshot of its ledger, on each database."""
    monkeypatch.setattr(upkeep, "LEAST_TAIL", 1)
    return Collected(tmp_path / "study", clock, request.param)


class Collected:
    """A study on a database, of which a process beside the server takes snapshots."""

    def __init__(self, folder, clock, store, **changes):
        folder.mkdir()
        self.database, self.clock = create_store(folder, store)[0], clock
        self.study = make_study(folder, ITEMS, protocol="list", list_size=3, redundancy=20, **changes)
        self.session = self.restart()
        self.raters = [self.session.join("", "open").id for _ in RATERS]
        for rater in self.raters:
            work(self.session, rater, 2)

    def restart(self, study=None):
        study = self.study if study is None else study
        return Session(study, self.database, self.database, self.clock, cache=self.database)

    def take_snapshot(self):
        assert Refitter(self.study, self.database, self.database, learns=False).turn()

    def stored(self):
        return self.database.newest(NAME, snapshot_key(self.session.follower.ledgers), 0)


def test_a_restart_continues_from_the_snapshot_and_raters_notice_nothing(study):
    study.take_snapshot()
    again = study.restart()
    assert again.fresh_ledger().stored.until == study.session.ledger.log_position
    for rater in study.raters:
        before, after = study.session.next_task(rater), again.next_task(rater)
        assert before == after
        undone = again.undo(rater, after.last)
        assert again.accept(rater, answer_with(undone.assignment, 70.0))
        work(again, rater)
    study.session.fresh_ledger()
    assert state_of(again.ledger) == state_of(study.session.ledger)
    assert study.database.head() == again.ledger.log_position


def test_a_second_snapshot_is_taken_from_the_first_one_and_the_entries_after_it(study):
    study.take_snapshot()
    work(study.session, study.raters[0])
    beside = Refitter(study.study, study.database, study.database, learns=False)
    assert beside.turn()
    assert study.stored()[0] == study.database.head()
    assert not beside.turn()  # nothing new
    assert state_of(study.restart().fresh_ledger()) == state_of(study.session.fresh_ledger())


def test_a_transaction_that_failed_is_followed_by_a_start_from_the_snapshot(study):
    study.take_snapshot()
    session = study.restart()
    with pytest.raises(ZeroDivisionError), session.transaction() as transaction:
        transaction.note("paused")
        _ = 1 / 0
    assert session.fresh_ledger().stored is not None
    assert not session.ledger.paused
    assert state_of(session.ledger) == state_of(study.session.fresh_ledger())


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-40],
        lambda content: content[:50] + b"\x00" + content[51:],
        lambda content: zlib.compress(b"[1, 2"),
        lambda content: zlib.compress(b'{"row": ["", {"class": "os:stat_result", "fields": {}}]}'),
        lambda content: zlib.compress(zlib.decompress(content).replace(b'"sequences"', b'"sequence"')),
        lambda content: zlib.compress(zlib.decompress(content).replace(b'["log_position", ', b'["log_position", 1')),
    ],
)  # fmt: skip
def test_a_damaged_snapshot_is_ignored(study, damage):
    study.take_snapshot()
    position, content = study.stored()
    study.database.keep(NAME, snapshot_key(study.session.follower.ledgers), position, damage(content))
    again = study.restart().fresh_ledger()
    assert again.stored is None
    assert state_of(again) == state_of(study.session.fresh_ledger())


def test_a_snapshot_of_another_log_is_ignored(study, tmp_path, clock):
    study.take_snapshot()
    position, content = study.stored()
    other = Collected(tmp_path / "other", clock, study.database.engine.dialect.name.removesuffix("ql"))
    other.database.keep(NAME, snapshot_key(other.session.follower.ledgers), position, content)
    again = other.restart().fresh_ledger()
    assert again.stored is None
    assert state_of(again) == state_of(other.session.fresh_ledger())


@pytest.mark.parametrize("changed", [{"items": ITEMS + 1}, {"redundancy": 21}, {"seed": 3}])
def test_other_settings_or_items_do_not_use_the_snapshot(study, changed):
    study.take_snapshot()
    folder, wanted = study.study.folder, {"redundancy": 20, "items": ITEMS, **changed}
    edited = make_study(folder, protocol="list", list_size=3, **wanted)
    again = study.restart(edited).fresh_ledger()
    assert again.stored is None
    (other,) = folded(edited, study.database)
    assert state_of(again) == state_of(other)


def test_forgetting_a_rater_deletes_the_snapshot_and_later_ones_know_nothing_of_them(study):
    study.take_snapshot()
    running = study.restart()
    running.fresh_ledger()
    forget_rater(study.database, study.raters[0], 5.0)
    assert study.stored() is None
    (whole,) = folded(study.study, study.database)
    for session in (running, study.restart()):
        assert state_of(session.fresh_ledger()) == state_of(whole)
    study.take_snapshot()
    assert not study.restart().fresh_ledger().rater(study.raters[0]).answers


def test_a_snapshot_from_before_a_rater_was_forgotten_is_not_stored(study):
    snapshots, ledgers = Snapshots(study.database, study.database), study.session.follower.ledgers
    study.session.fresh_ledger()
    forget_rater(study.database, study.raters[0], 5.0)
    snapshots.keep(ledgers)
    assert study.stored() is None


def test_an_answer_that_was_deleted_is_not_replaced_by_nothing(study):
    study.take_snapshot()
    ledger = study.restart().fresh_ledger()
    forget_rater(study.database, study.raters[0], 5.0)
    with pytest.raises(LogRewritten):
        ledger.rater(study.raters[0]).answers.values()


def test_a_large_result_is_stored_in_parts_that_replace_those_of_the_earlier_one(study):
    rng = np.random.default_rng(0)
    for position in (3, 4):
        content = rng.bytes(2 * PART + 10 * position)
        study.database.keep("large", "settings", position, content)
        assert study.database.newest("large", "settings", 0) == (position, content)
    study.database.keep("large", "settings", 5, b"small")
    assert study.database.newest("large", "settings", 0) == (5, b"small")
    assert study.database.newest("large", "settings", 5) is None
    assert study.database.newest("large", "other", 0) is None


def test_a_worker_holds_few_answers_in_memory_and_raters_notice_nothing(study, monkeypatch):
    monkeypatch.setattr(snapshots, "MOST_IN_MEMORY", 5)
    worker, others = study.restart(), study.session
    for rater in study.raters:
        work(worker, rater, 1)
    ledger = worker.fresh_ledger()
    assert ledger.log_position - ledger.stored.until < 5
    earlier = [at for at in ledger.answers if at <= ledger.stored.until]
    in_memory = [at for at in earlier if ledger.answers.in_memory(at) is not None]
    assert len(in_memory) <= len(study.raters) < len(earlier)  # the newest of each
    for rater in study.raters:
        assert worker.rater_state(rater) == others.rater_state(rater)
    undone = worker.undo(study.raters[0], others.rater_state(study.raters[0]).last)
    assert others.accept(study.raters[0], answer_with(undone.assignment, 70.0))
    assert state_of(worker.fresh_ledger()) == state_of(others.fresh_ledger())


def test_the_process_beside_the_server_waits_until_a_snapshot_is_due(study, monkeypatch):
    monkeypatch.setattr(upkeep, "LEAST_TAIL", 10_000)
    assert not Refitter(study.study, study.database, study.database, learns=False).turn()
    assert study.stored() is None
