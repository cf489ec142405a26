"""Answers that are taken back leave the belief without a complete refit, and no rater waits for it."""

from concurrent.futures import Future

import pytest
from numpy.linalg import LinAlgError

from steelyard.errors import NothingToUndo, TooManyUndos
from steelyard.models.easl import Easl
from steelyard.study.collecting.learning import MODEL_FAILURES, Learner
from steelyard.study.log.ledger import Ledger
from tests.study.making import answer_with, work

EASL = {"protocol": "list", "list_size": 4, "redundancy": 9, "model": "easl", "selection": "easl"}


class Later:
    """An executor that runs its jobs when the test asks for it."""

    def __init__(self):
        self.jobs = []

    def submit(self, work):
        self.jobs.append((work, Future()))
        return self.jobs[-1][1]

    def work(self):
        for job, future in self.jobs:
            future.set_result(job())
        self.jobs = []


class Counting:
    """A model that counts the judgments it folds."""

    def __init__(self, model):
        self.model, self.folded = model, 0
        self.start, self.capabilities = model.start, model.capabilities

    def update(self, belief, judgments):
        self.folded += len(judgments)
        return self.model.update(belief, judgments)


@pytest.fixture
def crowd(make):
    session = make(20, **EASL)
    raters = [session.join(name, "link").id for name in "abcdef"]
    for rater in raters:
        work(session, rater, 3)
    return session, raters


def counted(session, background=None):
    learner = Learner(session.ledger, background)
    learner._folded.model = Counting(learner._folded.model)
    learner.belief()
    return learner


def take_back(session, rater):
    session.undo(rater, session.rater_state(rater).last)


def whole(session):
    return Easl().update(Easl().start(session.study.items.ids), session.ledger.judgments(0))


def test_an_answer_that_is_taken_back_soon_costs_no_more_than_one_answer(crowd):
    session, raters = crowd
    learner = counted(session)
    for _ in range(3):
        session.accept(raters[0], answer_with(session.next_task(raters[0]).assignment, 20.0))
        learner.belief()
        before = learner._folded.model.folded
        take_back(session, raters[0])
        belief = learner.belief()
        assert learner._folded.model.folded - before <= 4
        assert belief.alpha == pytest.approx(whole(session).alpha)


def test_an_answer_taken_back_late_is_unlearned_with_those_after_it(crowd):
    session, raters = crowd
    learner = counted(session)
    session.accept(raters[0], answer_with(session.next_task(raters[0]).assignment, 20.0))
    learner.belief()
    for rater in raters[1:]:
        session.accept(rater, answer_with(session.next_task(rater).assignment, 80.0))
        learner.belief()
    before = learner._folded.model.folded
    take_back(session, raters[0])
    assert learner.belief().alpha == pytest.approx(whole(session).alpha)
    assert learner._folded.model.folded - before == 4 * len(raters[1:])


def test_an_undo_too_far_back_is_learned_again_in_the_background(crowd):
    session, raters = crowd
    background = Later()
    learner = counted(session, background)
    before = learner._folded.model.folded
    session.note("excluded", raters[0])
    learner.belief()
    assert learner._folded.model.folded == before
    background.work()
    assert learner.belief().alpha == pytest.approx(whole(session).alpha)


def test_an_answer_taken_back_during_a_refit_is_not_in_the_belief_afterwards(crowd):
    session, raters = crowd
    background = Later()
    learner = counted(session, background)
    session.accept(raters[1], answer_with(session.next_task(raters[1]).assignment, 20.0))
    learner.belief()
    session.note("excluded", raters[0])
    learner.belief()
    take_back(session, raters[1])
    learner.belief()
    background.work()
    assert learner.belief().alpha == pytest.approx(whole(session).alpha)


def test_the_first_answer_that_changed_is_computed_from_the_log(crowd, clock):
    session, raters = crowd
    newest = max(session.ledger.rater(raters[5]).answers)
    before = session.ledger.log_position
    take_back(session, raters[5])
    session.fresh_ledger()
    assert session.ledger.first_rewritten(before) == newest
    assert session.ledger.first_rewritten(session.ledger.log_position) > session.ledger.log_position


def test_undo_has_a_limit_and_the_message_states_when_it_works_again(make):
    session = make(30)
    rater = session.join("a", "link").id
    for _ in range(5):
        session.accept(rater, answer_with(session.next_task(rater).assignment))
        assert session.rater_state(rater).can_undo
        take_back(session, rater)
    work(session, rater, 1)
    assert not session.rater_state(rater).can_undo
    assert session.rater_state(rater).undos_left == 0
    with pytest.raises(TooManyUndos, match="after 4 more answers"):
        take_back(session, rater)
    work(session, rater, 4)
    take_back(session, rater)
    assert len(session.ledger.rater(rater).answers) == 4


def test_undo_is_refused_after_declining(make):
    session = make(5, declined_answers="count")
    rater = session.join("a", "link").id
    session.note("consented", rater)
    work(session, rater, 1)
    last = session.rater_state(rater).last
    session.note("declined", rater)
    assert not session.rater_state(rater).can_undo
    with pytest.raises(NothingToUndo):
        session.undo(rater, last)


@pytest.mark.parametrize(("setting", "counted"), [("leave_out", 0), ("count", 2)])
def test_declined_answers_decides_whether_answers_of_a_rater_who_declines_count(make, setting, counted):
    session = make(5, declined_answers=setting)
    rater = session.join("a", "link").id
    session.note("consented", rater)
    work(session, rater, 2)
    session.note("declined", rater)
    assert len(session.fresh_ledger().judgments()) == counted
    assert session.ledger.answered.sum() == counted
    session.note("consented", rater)
    assert len(session.fresh_ledger().judgments()) == 2
    assert session.ledger.answered.sum() == 2
    assert not session.ledger.rater(rater).excluded


def test_consent_does_not_include_a_rater_whom_the_owner_excluded(make):
    session = make(5)
    rater = session.join("a", "link").id
    session.note("consented", rater)
    work(session, rater, 2)
    session.note("declined", rater)
    session.note("excluded", rater, {"reason": "test"})
    session.note("consented", rater)
    assert session.ledger.rater(rater).excluded
    assert session.ledger.rater(rater).reason == "test"


def test_excluding_twice_asks_a_sequence_again_once(make):
    session = make(4, selection="sequences", redundancy=1)
    first, second = session.join("a", "link").id, session.join("b", "link").id
    work(session, first, 2)
    session.note("excluded", first)
    session.note("excluded", first)
    tasks = [task.id for task in work(session, second)]
    assert len(tasks) == len(set(tasks)) == 4
    third = session.join("c", "link").id
    assert session.next_task(third).assignment is None


def test_the_ledger_of_a_study_with_decliners_is_a_pure_function_of_the_log(make):
    session = make(5)
    rater = session.join("a", "link").id
    work(session, rater, 2)
    session.note("declined", rater)
    folded = Ledger(session.study.definition, session.study.items)
    folded.fold(session.log.since(0))
    assert folded.rater(rater).excluded
    assert folded.rater(rater).reason == "declined to take part"
    assert folded.answered.tolist() == session.ledger.answered.tolist()


class Failing(Counting):
    """A model that fails on new judgments a set number of times."""

    def __init__(self, model, failure):
        super().__init__(model)
        self.failure, self.failures = failure, 0

    def update(self, belief, judgments):
        if self.failures:
            self.failures -= 1
            raise self.failure
        return super().update(belief, judgments)


def failing(session, failure, background=None):
    learner = Learner(session.ledger, background)
    learner._folded.model = Failing(learner._folded.model, failure)
    learner.belief()
    return learner


def answer(session, rater, score):
    session.accept(rater, answer_with(session.next_task(rater).assignment, score))


@pytest.mark.parametrize("in_background", [False, True])
@pytest.mark.parametrize("undone", [1, 2])
def test_a_repeated_undo_after_a_failed_update_keeps_the_other_answers(crowd, undone, in_background):
    session, raters = crowd
    background = Later() if in_background else None
    learner = failing(session, ValueError("no such score"), background)
    answer(session, raters[0], 20.0)
    learner.belief()
    learner._folded.model.failures = 1
    answer(session, raters[0], 80.0)
    learner.belief()
    assert "no such score" in learner.problem
    for _ in range(undone):
        last = session.rater_state(raters[0]).last
        for _ in range(2):  # the page asks again where the first reply was lost
            session.undo(raters[0], last)
            learner.belief()
    if background is not None:
        background.work()
    assert learner.belief().alpha == pytest.approx(whole(session).alpha)
    assert learner.problem == ""
    answer(session, raters[0], 60.0)
    assert learner.belief().alpha == pytest.approx(whole(session).alpha)


def test_an_update_that_fails_again_after_an_undo_is_tried_with_the_next_answer(crowd):
    session, raters = crowd
    learner = failing(session, ValueError("no such score"))
    answer(session, raters[1], 40.0)
    learner._folded.model.failures = 2
    answer(session, raters[0], 80.0)
    learner.belief()
    take_back(session, raters[0])
    learner.belief()
    assert "no such score" in learner.problem
    answer(session, raters[0], 60.0)
    assert learner.belief().alpha == pytest.approx(whole(session).alpha)
    assert learner.problem == ""


@pytest.mark.parametrize("failure", [each("broken") for each in MODEL_FAILURES], ids=repr)
def test_the_last_estimate_is_kept_after_any_failure_of_the_model(crowd, failure):
    session, raters = crowd
    learner = failing(session, failure)
    before = learner.belief()
    learner._folded.model.failures = 1
    answer(session, raters[0], 80.0)
    assert learner.belief() is before
    assert "broken" in learner.problem


def test_an_answer_is_stored_even_if_the_model_fails_on_it(make, monkeypatch):
    session = make(20, **EASL)
    rater = session.join("a", "link").id

    def update(*arguments):
        raise LinAlgError("singular")

    monkeypatch.setattr(Easl, "update", update)
    for _ in range(5):  # the queue is filled, and the model asked, when it runs low
        with session.transaction():
            answer(session, rater, 30.0)
            session.next_task(rater)
    assert len(session.fresh_ledger().rater(rater).answers) == 5
    assert "singular" in session.problems[0]


def test_any_other_error_ends_the_request_and_rolls_it_back(make, monkeypatch):
    session = make(20, **EASL)
    rater = session.join("a", "link").id
    assignment = session.next_task(rater).assignment
    position = session.log.head()

    def stopped(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(Easl, "update", stopped)
    with pytest.raises(KeyboardInterrupt), session.transaction():
        session.accept(rater, answer_with(assignment, 30.0))
        session.follower.planner.learner.belief()
    assert session.log.head() == position
    assert not session.fresh_ledger().rater(rater).answers
