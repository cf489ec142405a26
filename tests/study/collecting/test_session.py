import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from steelyard.errors import AnswerTakenBack, BadAnswer, EarlierAnswerKept, NothingToUndo, TaskClosed
from steelyard.kinds.rating import Score
from steelyard.models.easl import Easl
from steelyard.study.collecting.session import Session
from steelyard.study.definition.items import Item
from steelyard.study.log.answers import check_answer
from steelyard.study.log.entries import Answer
from steelyard.study.log.ledger import Ledger
from tests.study.making import answer_with, work


def join(session, count=1):
    raters = [session.join(f"rater {at}", "link").id for at in range(count)]
    return raters if count > 1 else raters[0]


def test_every_item_gets_its_answers_and_then_raters_are_finished(make):
    session = make(10, protocol="list", list_size=3, redundancy=2)
    for rater in join(session, 4):
        work(session, rater)
    assert session.ledger.answered.tolist() == [2] * 10
    assert session.next_task(join(session)).assignment is None


@pytest.mark.parametrize(
    "settings",
    [
        {"selection": "balanced", "protocol": "list"},
        {"selection": "balanced", "protocol": "rating"},
        {"selection": "easl", "model": "easl", "protocol": "list"},
        {"selection": "easl", "model": "easl", "protocol": "list", "update": "round"},
        {"selection": "sequences", "protocol": "list", "sequence_length": 6},
    ],
)
def test_a_rater_never_gets_an_item_twice(make, settings):
    session = make(12, list_size=4, redundancy=3, **settings)
    for rater in join(session, 3):
        items = [item for task in work(session, rater) for item in task.items]
        assert items
        assert len(items) == len(set(items))


def test_a_reload_gives_the_same_assignment(make):
    session, rater = make(10), None
    rater = join(session)
    assert session.next_task(rater).assignment == session.next_task(rater).assignment


def test_an_answer_sent_twice_counts_once(make):
    session = make(10)
    rater = join(session)
    answer = answer_with(session.next_task(rater).assignment)
    assert session.accept(rater, answer) is True
    assert session.accept(rater, answer) is False
    assert len(session.ledger.judgments()) == 1


def test_two_raters_never_hold_one_assignment_and_fifty_get_different_items(make):
    session = make(250, protocol="list", list_size=5, redundancy=3)
    raters = join(session, 50)
    with ThreadPoolExecutor(16) as pool:
        held = list(pool.map(lambda rater: session.next_task(rater).assignment, raters))
    assert len({assignment.id for assignment in held}) == 50
    assert len({assignment.task.id for assignment in held}) == 50
    items = [item for assignment in held for item in assignment.task.items]
    assert len(items) == len(set(items)) == 250


def test_separate_workers_share_one_study(make, clock):
    first = make(40, protocol="list", redundancy=2)
    second = Session(first.study, first.log, first.roster, clock)
    raters = join(first, 4)
    for turn in range(16):
        session, rater = (first, second)[turn % 2], raters[turn % 4]
        assignment = session.next_task(rater).assignment
        if assignment is not None:
            session.accept(rater, answer_with(assignment))
    first.next_task(raters[0])
    second.next_task(raters[0])
    assert first.ledger.answered.tolist() == second.ledger.answered.tolist()
    assert first.ledger.log_position == second.ledger.log_position


def test_an_abandoned_assignment_comes_back_to_someone_else(make, clock):
    session = make(1, redundancy=1, lease_minutes=10)
    gone, other = join(session, 2)
    held = session.next_task(gone).assignment
    assert session.next_task(other).assignment is None
    clock.pass_minutes(11)
    taken = session.next_task(other).assignment
    assert taken.task.id == held.task.id
    with pytest.raises(TaskClosed):
        session.accept(gone, answer_with(held))


def test_a_late_answer_is_accepted_if_nobody_has_taken_the_task(make, clock):
    session = make(5, lease_minutes=10)
    rater = join(session)
    assignment = session.next_task(rater).assignment
    clock.pass_minutes(600)
    assert session.accept(rater, answer_with(assignment)) is True


def test_another_raters_assignment_cannot_be_answered(make):
    session = make(5)
    honest, hostile = join(session, 2)
    with pytest.raises(TaskClosed):
        session.accept(hostile, answer_with(session.next_task(honest).assignment))


@pytest.mark.parametrize("score", [-1.0, 101.0, float("nan"), float("inf")])
def test_a_score_outside_the_scale_is_refused_and_nothing_is_stored(make, score):
    session = make(5)
    rater = join(session)
    assignment = session.next_task(rater).assignment
    with pytest.raises(BadAnswer):
        session.accept(rater, answer_with(assignment, score))
    assert session.accept(rater, answer_with(assignment)) is True


@pytest.mark.parametrize("cells", [[], [(0, 0, 5.0), (0, 0, 6.0)], [(3, 0, 5.0)], [(0, 1, 5.0)]])
def test_an_answer_must_fit_its_task(make, cells):
    session = make(5)
    rater = join(session)
    assignment = session.next_task(rater).assignment
    with pytest.raises(BadAnswer):
        session.accept(rater, Answer("", "", assignment.id, tuple(Score(*cell) for cell in cells)))


def test_a_scale_with_levels_accepts_only_their_scores(make):
    session = make(5, scale={"low": 1, "high": 5, "levels": 5})
    rater = join(session)
    assignment = session.next_task(rater).assignment
    with pytest.raises(BadAnswer, match="levels"):
        session.accept(rater, answer_with(assignment, 2.5))
    assert session.accept(rater, answer_with(assignment, 2.0))


def test_cannot_judge_is_an_answer_but_not_a_judgment(make):
    session = make(3, redundancy=1)
    rater = join(session)
    session.accept(rater, answer_with(session.next_task(rater).assignment, [None]))
    assert len(session.ledger.judgments()) == 0
    assert session.ledger.answered.sum() == 1


def test_cannot_judge_is_refused_where_the_study_does_not_allow_it(make):
    session = make(3, cannot_judge=False)
    rater = join(session)
    with pytest.raises(BadAnswer, match="answer for every item"):
        session.accept(rater, answer_with(session.next_task(rater).assignment, [None]))


def test_undo_takes_the_answer_back_and_shows_its_task_again(make):
    session = make(6, redundancy=1)
    rater = join(session)
    first = session.next_task(rater).assignment
    session.accept(rater, answer_with(first, 10.0))
    session.next_task(rater)
    again = session.undo(rater, first.id).assignment
    assert again.task.id == first.task.id
    assert again.id != first.id
    assert len(session.ledger.judgments()) == 0
    session.accept(rater, answer_with(again, 90.0))
    assert session.ledger.judgments().table("rating").numbers["score"].tolist() == [90.0]
    work(session, rater)
    assert session.ledger.answered.tolist() == [1] * 6


def test_undo_needs_an_answer_and_must_be_allowed(make):
    session, strict = make(5), make(5, allow_undo=False)
    with pytest.raises(NothingToUndo):
        session.undo(join(session), "none")
    rater = join(strict)
    work(strict, rater, 1)
    with pytest.raises(NothingToUndo):
        strict.undo(rater, strict.rater_state(rater).last)


def test_a_pause_gives_out_nothing_new_but_takes_open_answers(make):
    session = make(5)
    rater = join(session)
    assignment = session.next_task(rater).assignment
    session.note("paused")
    assert session.next_task(rater).paused
    assert session.accept(rater, answer_with(assignment))
    session.note("resumed")
    assert session.next_task(rater).assignment is not None


def test_an_excluded_raters_answers_do_not_count_and_are_asked_again(make):
    session = make(4, redundancy=1)
    bad, good = join(session, 2)
    work(session, bad)
    assert session.next_task(good).assignment is None
    session.note("excluded", bad, {"reason": "answers at random"})
    assert len(session.ledger.judgments()) == 0
    assert len(work(session, good)) == 4
    assert session.next_task(bad).assignment is None
    session.note("included", bad)
    assert len(session.ledger.judgments()) == 8


def test_a_rater_is_finished_after_tasks_per_rater(make):
    session = make(20, tasks_per_rater=3)
    rater = join(session)
    assert len(work(session, rater)) == 3
    assert session.next_task(rater).of == 3


def test_progress_counts_down_to_the_end(make):
    session = make(10, protocol="list", list_size=5, redundancy=2)
    rater = join(session)
    seen = []
    while (rater_state := session.next_task(rater)).assignment is not None:
        seen.append((rater_state.done, rater_state.of))
        session.accept(rater, answer_with(rater_state.assignment))
    assert seen == [(0, 2), (1, 2)]


def test_the_ledger_is_a_pure_function_of_the_log(make, clock):
    session = make(12, protocol="list", list_size=4, redundancy=2)
    raters = join(session, 3)
    work(session, raters[0], 2)
    session.undo(raters[0], session.rater_state(raters[0]).last)
    work(session, raters[1], 1)
    session.note("excluded", raters[1])
    fresh = Ledger(session.study.definition, session.study.items)
    for entry in session.log.since(0):
        fresh.fold([entry])
    assert fresh.log_position == session.log.head() == session.ledger.log_position
    for name in ("answered", "pending"):
        assert getattr(fresh, name).tolist() == getattr(session.ledger, name).tolist()
    assert len(fresh.judgments()) == len(session.ledger.judgments())


def test_log_positions_have_no_gap(make):
    session = make(12, protocol="list", list_size=4, redundancy=2)
    for rater in join(session, 2):
        work(session, rater)
    positions = [entry.log_position for entry in session.log.since(0)]
    assert positions == list(range(1, session.log.head() + 1))


def test_the_live_belief_is_the_fold_of_all_judgments_also_after_an_undo(make):
    session = make(8, protocol="list", list_size=4, redundancy=3, model="easl", selection="easl")
    raters = join(session, 3)
    for rater in raters:
        work(session, rater, 2)
    session.undo(raters[0], session.rater_state(raters[0]).last)
    session.next_task(raters[1])
    live = session.follower.planner.learner.belief()
    judgments = session.ledger.judgments(0)
    whole = Easl().update(Easl().start(session.study.items.ids), judgments)
    assert live.alpha == pytest.approx(whole.alpha)
    assert live.beta == pytest.approx(whole.beta)


def test_a_round_is_planned_only_when_the_last_one_is_done(make):
    session = make(20, protocol="list", redundancy=3, model="easl", selection="easl", update="round")
    raters = join(session, 8)
    held = [session.next_task(rater).assignment for rater in raters[:4]]
    assert {assignment.task.round for assignment in held} == {1}
    late = session.next_task(raters[4])
    assert late.assignment is None
    assert late.waiting
    for rater, assignment in zip(raters, held, strict=False):
        session.accept(rater, answer_with(assignment))
    assert session.next_task(raters[5]).assignment.task.round == 2


def test_every_task_stores_how_it_was_chosen(make):
    session = make(10, protocol="list", model="easl", selection="easl", seed=11)
    task = session.next_task(join(session)).assignment.task
    assert task.chosen.selection == "easl"
    assert task.chosen.seed[0] == 11
    assert task.chosen.belief_position >= 0


def test_lists_stay_inside_a_segment(make):
    items = [Item(f"i{at}", "text", "x", segment=f"s{at // 4}") for at in range(12)]
    session = make(items, protocol="list", list_size=3, redundancy=2)
    for rater in join(session, 3):
        for task in work(session, rater):
            assert (
                len({session.study.items[session.study.items.index[item]].segment for item in task.items})
                == 1
            )


def test_a_study_of_systems_learns_about_systems(make):
    items = [Item(f"{s}{m}", "text", "x", system=s, segment=str(m)) for m in range(6) for s in "ABCD"]
    settings = {"unit": "system", "protocol": "list", "list_size": 3, "redundancy": 1}
    session = make(items, model="easl", selection="easl", **settings)
    for rater in join(session, 3):
        for task in work(session, rater):
            assert len({item[0] for item in task.items}) == len(task.items)
    belief = session.follower.planner.learner.belief()
    assert belief.item.tolist() == ["A", "B", "C", "D"]
    assert belief.count.sum() == len(session.ledger.judgments())


def test_each_sequence_is_given_whole_to_as_many_raters_as_wanted(make):
    session = make(12, selection="sequences", sequence_length=4, redundancy=2)
    given = [
        frozenset(item for task in work(session, rater) for item in task.items) for rater in join(session, 6)
    ]
    assert all(len(items) == 4 for items in given)
    assert all(given.count(items) == 2 for items in given)
    assert session.next_task(join(session)).assignment is None


def test_the_rest_of_an_abandoned_sequence_comes_back(make, clock):
    session = make(6, selection="sequences", sequence_length=6, redundancy=1, lease_minutes=10)
    gone, other = join(session, 2)
    work(session, gone, 2)
    assert session.next_task(other).assignment is None
    clock.pass_minutes(30)
    assert len(work(session, other)) == 4
    assert session.ledger.answered.tolist() == [1] * 6


def test_several_questions_make_several_judgments(make):
    questions = [{"text": "How fluent?", "id": "fluent"}, {"text": "How adequate?", "id": "adequate"}]
    session = make(3, questions=questions, redundancy=1)
    rater = join(session)
    assignment = session.next_task(rater).assignment
    session.accept(rater, answer_with(assignment, questions=2))
    judgments = session.ledger.judgments()
    assert sorted(judgments.cells("rating", "question")) == ["adequate", "fluent"]
    assert len(session.ledger.judgments(1)) == 1


def test_a_study_can_have_ten_thousand_items(make):
    session = make(10_000, protocol="list", redundancy=1)
    raters = join(session, 3)
    for rater in raters:
        work(session, rater, 3)
    assert session.ledger.answered.sum() == 45
    assert np.all(session.ledger.answered <= 1)


def test_an_undo_sent_twice_takes_back_one_answer(make):
    session = make(6)
    rater = join(session)
    work(session, rater, 3)
    last = session.rater_state(rater).last
    first, second = session.undo(rater, last), session.undo(rater, last)
    assert first.assignment == second.assignment
    assert len(session.ledger.judgments()) == 2


def test_reading_the_state_of_a_rater_assigns_no_task(make):
    session = make(3, redundancy=1)
    rater = join(session)
    rater_state = session.rater_state(rater)
    assert (rater_state.assignment, rater_state.finished) == (None, False)
    assert session.ledger.log_position == session.log.head() == 0
    work(session, rater)
    assert session.rater_state(rater).finished


def test_an_excluded_raters_task_goes_back_and_their_sequence_is_asked_again(make):
    session = make(4, selection="sequences", redundancy=1)
    bad, good = join(session, 2)
    work(session, bad, 2)
    session.next_task(bad)
    session.note("excluded", bad, {"reason": "hurried"})
    assert session.next_task(bad).assignment is None
    assert session.ledger.rater(bad).reason == "hurried"
    assert len(work(session, good)) == 4


def test_sequences_are_planned_also_after_an_import(make):
    session = make(4, selection="sequences", redundancy=1)
    outsider = session.join("W1", "file").id
    taken = session.take_task(outsider, "H1", ["i0"], "file-x")
    session.accept(outsider, answer_with(taken))
    assert len(work(session, join(session))) == 4


def test_a_finished_study_of_rounds_logs_nothing_more(make):
    session = make(6, selection="sequences", redundancy=1, update="round")
    work(session, join(session))
    before = session.log.head()
    for rater in join(session, 3):
        assert session.next_task(rater).finished
    assert session.log.head() == before


def test_tasks_of_a_batch_that_never_came_back_are_asked_again(make):
    session = make(4, redundancy=1)
    session.batch(4)
    rater = join(session)
    assert session.next_task(rater).assignment is None
    assert session.release_batches() == 4
    assert len(work(session, rater)) == 4


def test_the_state_of_a_rater_agrees_with_their_next_task(make):
    session = make(2, redundancy=1)
    holder, late = join(session, 2)
    for rater in (holder, session.join("third", "link").id):
        session.next_task(rater)
    assert session.next_task(late).held
    assert session.rater_state(late).held


def test_an_answered_assignment_of_another_rater_is_closed_to_everyone_else(make):
    session = make(5)
    honest, hostile = join(session, 2)
    answer = answer_with(session.next_task(honest).assignment)
    session.accept(honest, answer)
    with pytest.raises(TaskClosed):
        session.accept(hostile, answer)
    assert session.accept(honest, answer) is False


def test_another_answer_to_an_answered_task_is_refused_and_the_earlier_one_is_kept(make):
    session = make(5)
    rater = join(session)
    assignment = session.next_task(rater).assignment
    session.accept(rater, answer_with(assignment, 40.0))
    with pytest.raises(EarlierAnswerKept):
        session.accept(rater, answer_with(assignment, 70.0))
    (kept,) = session.fresh_ledger().answers.values()
    assert kept.cells[0].score == 40.0


def test_an_answer_that_was_taken_back_is_not_acknowledged_again(make):
    session = make(5)
    rater = join(session)
    answer = answer_with(session.next_task(rater).assignment)
    session.accept(rater, answer)
    session.undo(rater, answer.assignment)
    with pytest.raises(AnswerTakenBack):
        session.accept(rater, answer)


def test_after_the_clock_went_back_an_abandoned_task_comes_back_within_a_lease(make, clock):
    session = make(1, redundancy=1, lease_minutes=10)
    gone, other = join(session, 2)
    clock.pass_minutes(24 * 60)
    session.next_task(gone)
    clock.pass_minutes(-24 * 60)
    assert session.next_task(other).assignment is None
    clock.pass_minutes(11)
    assert session.next_task(other).assignment is not None


def test_a_clock_that_goes_back_neither_loses_nor_doubles_an_assignment(make, clock):
    session = make(2, redundancy=1, lease_minutes=10)
    first, second, third = join(session, 3)
    held = session.next_task(first).assignment
    clock.pass_minutes(-60)
    other = session.next_task(second).assignment
    assert other.id != held.id
    assert other.task.id != held.task.id
    assert session.next_task(third).assignment is None
    assert session.next_task(first).assignment.id == held.id
    assert session.accept(first, answer_with(held)) is True
    assert session.accept(second, answer_with(other)) is True


def test_interactions_are_stored_up_to_a_limit_and_the_rest_is_counted(make):
    session = make(3)
    rater = join(session)
    moves = [[at, 0, 0, "drag", "x" * 60] for at in range(1000)]
    answer = answer_with(session.next_task(rater).assignment)
    session.accept(rater, Answer("", "", answer.assignment, answer.cells, interactions=moves))
    kept = check_answer(
        Answer("", "", answer.assignment, answer.cells, interactions=moves),
        session.ledger.tasks["t1"],
        session.study.definition,
    ).interactions
    assert len(json.dumps(kept)) < 9_000
    assert kept[-1][-1] == 1000 - (len(kept) - 1)
    assert kept[-1][3] == "dropped"
