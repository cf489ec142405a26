"""One process refits; all others take its belief, and then agree."""

import numpy as np
import pytest

from steelyard.storage.database import open_database
from steelyard.study.collecting.plain_records import from_text, to_text
from steelyard.study.collecting.refitter import Refitter
from steelyard.study.collecting.session import Session
from steelyard.study.collecting.shared_beliefs import SharedBeliefs
from tests.stores import STORES, create_store
from tests.study.making import answer_with, make_study


class Crowd:
    """Two workers and the process that refits, on one study."""

    def __init__(self, folder, clock, store, **settings):
        folder.mkdir()
        create_store(folder, store)
        study = make_study(folder, 12, protocol="list", list_size=3, redundancy=20, **settings)
        self.databases = [open_database(folder) for _ in range(3)]
        self.workers = [Session(study, each, each, clock, cache=each) for each in self.databases[:2]]
        self.refitter = Refitter(study, self.databases[2], self.databases[2])
        self.rng = np.random.default_rng(3)
        self.raters = [self.workers[0].join("", "open").id for _ in range(4)]

    def answer(self, tasks):
        for at in range(tasks):
            worker, rater = self.workers[at % 2], self.raters[at % 4]
            assignment = worker.next_task(rater).assignment
            if assignment is not None:
                scores = self.rng.uniform(0, 100, len(assignment.task.items)).tolist()
                worker.accept(rater, answer_with(assignment, scores))

    def positions(self):
        for worker in self.workers:
            worker.fresh_ledger()
        return [worker.follower.planner.learner.belief().position for worker in self.workers]


@pytest.fixture(params=STORES)
def store(request):
    return request.param


def test_workers_agree_after_the_refits_of_another_process(tmp_path, clock, store):
    crowd = Crowd(tmp_path / "study", clock, store, selection="information", model="steelyard")
    for _ in range(3):
        crowd.answer(4)
        assert crowd.refitter.turn()
        crowd.answer(3)
        one, other = crowd.positions()
        np.testing.assert_allclose(one, other, atol=1e-9)
    assert not crowd.refitter._follower.problems
    assert crowd.workers[0].follower.planner.learner.refits == 0
    crowd.refitter.turn()
    assert not crowd.refitter.turn()  # nothing new


def test_a_worker_that_starts_later_takes_the_stored_belief(tmp_path, clock, store):
    crowd = Crowd(tmp_path / "study", clock, store, selection="information", model="steelyard")
    crowd.answer(6)
    crowd.refitter.turn()
    late = Session(
        crowd.workers[0].study, crowd.databases[0], crowd.databases[0], clock, cache=crowd.databases[0]
    )
    late.fresh_ledger()
    np.testing.assert_allclose(
        late.follower.planner.learner.belief().position, crowd.positions()[0], atol=1e-9
    )


def test_a_belief_that_includes_a_removed_answer_is_not_taken(tmp_path, clock):
    crowd = Crowd(tmp_path / "study", clock, "sqlite", selection="information", model="steelyard")
    crowd.answer(6)
    crowd.refitter.turn()
    crowd.workers[0].note("excluded", crowd.raters[0])
    crowd.answer(2)
    learner = crowd.workers[0].follower.planner.learner
    assert learner._shared_at == 0
    crowd.refitter.turn()
    crowd.answer(2)
    learner.belief()
    assert learner._shared_at > 0


def test_a_belief_of_other_settings_is_not_used(tmp_path, clock):
    crowd = Crowd(tmp_path / "study", clock, "sqlite", selection="information", model="steelyard")
    crowd.answer(6)
    crowd.refitter.turn()
    other = make_study(tmp_path / "study", 11, protocol="list", list_size=3, redundancy=20)
    ledger = Session(other, crowd.databases[0], crowd.databases[0], clock).ledger
    assert SharedBeliefs(crowd.databases[0], crowd.workers[0].ledger).newest(0) is not None
    assert SharedBeliefs(crowd.databases[0], ledger).newest(0) is None


@pytest.mark.parametrize(
    "text",
    [b'{"class": "os:stat_result", "fields": {}}', b'{"class": "steelyard.cli.main:main", "fields": {}}'],
)
def test_stored_text_creates_only_records_of_steelyard(text):
    with pytest.raises(ValueError, match="is not a"):
        from_text(text)


def test_every_value_of_a_record_is_read_as_it_was_written():
    values = (np.array([1.5, np.inf]), {"a": 1, 2: (0.1, None)}, np.array(["x", "é"], dtype=object))
    read = from_text(to_text(values))
    np.testing.assert_array_equal(read[0], values[0])
    assert read[1] == values[1]
    assert read[2].tolist() == ["x", "é"]
