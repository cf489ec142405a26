"""Training: exercises with a right answer and feedback, which raters pass before the first task."""

import pytest

from steelyard.errors import BadAnswer, BadSetting
from steelyard.kinds.best_worst import Pick
from steelyard.kinds.comparison import Verdict
from steelyard.kinds.known import PROTOCOLS
from steelyard.kinds.range import Bounds
from steelyard.kinds.ranking import Rank
from steelyard.kinds.rating import Score
from steelyard.study.log.entries import Event
from steelyard.study.log.ledger import Ledger
from steelyard.study.training import training
from steelyard.study.training.drawing import dots
from steelyard.study.training.training import Attempt, exercises_of
from tests.study.making import make_study

TASKS = {
    "rating": {"text": "A salad", "answer": 40, "tolerance": 10},
    "list": {"text": ["A", "B"], "answer": [20, 70]},
    "comparison": {"text": ["A", "B"], "answer": "left"},
    "comparison_list": {"text": ["A", "B", "C"], "answer": ["left", "tie"]},
    "ranking": {"text": ["A", "B", "C"], "ranks": [2, 1, 3]},
    "best_worst": {"text": ["A", "B", "C"], "best": 2, "worst": 3},
    "range": {"item": "i1", "low": 30, "high": 50, "tolerance": 5},
}


def join(session):
    rater = session.join("Ann", "link").id
    session.note("consented", rater)
    return rater


def attempt(session, rater, number, step, cells):
    with session.transaction() as transaction:
        attempted = Attempt(number, step, cells)
        return training.attempt(transaction, exercises_of(session.study), rater, attempted)


def attempts(session):
    return [e for e in session.log.since(0) if isinstance(e, Event) and e.kind in ("attempted", "trained")]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_right_answer_passes_the_practice_of_every_protocol(make, protocol):
    session = make(6, protocol=protocol, training={})
    rater = join(session)
    (exercise,) = exercises_of(session.study)
    assert all(exhibit.svg.startswith("<svg") for exhibit in exercise.shown)
    assert all(exhibit.dots for exhibit in exercise.shown)
    assert exercise.instructions
    assert attempt(session, rater, 0, None, exercise.right).done
    assert session.may_start(rater)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_studys_own_exercises_follow_the_practice(make, protocol):
    session = make(
        6, protocol=protocol, training={"tasks": [TASKS[protocol]], "instructions": "Mind the size."}
    )
    rater = join(session)
    first, second = exercises_of(session.study)
    assert second.instructions == "Mind the size."
    attempt(session, rater, 0, None, first.right)
    assert not session.may_start(rater)
    attempt(session, rater, 1, None, second.right)
    assert session.may_start(rater)
    assert attempts(session)[-1].kind == "trained"


def test_a_wrong_answer_is_logged_and_does_not_finish_the_exercise(make):
    session = make(3, training={"interface": False, "tasks": [TASKS["rating"]]})
    rater = join(session)
    low = attempt(session, rater, 0, None, [Score(0, 0, 20.0)])
    high = attempt(session, rater, 0, None, [Score(0, 0, 60.0)])
    assert (low.right, high.right) == (False, False)
    assert "Too low" in low.words
    assert "Too high" in high.words
    assert not session.may_start(rater)
    assert attempt(session, rater, 0, None, [Score(0, 0, 50.0)]).done
    assert [each.facts.get("right") for each in attempts(session)] == [False, False, True, None]
    assert session.ledger.rater(rater).attempts == 3


def test_the_steps_of_a_range_are_checked_one_by_one(make):
    task = {**TASKS["range"], "feedback_low": "Step one is off.", "feedback_high": "Step two is off."}
    session = make(3, protocol="range", training={"interface": False, "tasks": [task]})
    rater = join(session)
    assert attempt(session, rater, 0, 1, [Bounds(0, 0, 10.0, 100.0)]).words == "Step one is off."
    first = attempt(session, rater, 0, 1, [Bounds(0, 0, 33.0, 100.0)])
    assert (first.right, first.done) == (True, False)
    assert attempt(session, rater, 0, 2, [Bounds(0, 0, 33.0, 90.0)]).words == "Step two is off."
    assert attempt(session, rater, 0, 2, [Bounds(0, 0, 33.0, 54.0)]).done


@pytest.mark.parametrize(
    ("bounds", "step", "feedback"),
    [
        ((80.0, 100.0), 1, "too far up"),
        ((5.0, 100.0), 1, "further up"),
        ((40.0, 90.0), 2, "further down"),
        ((28.0, 28.5), 2, "too far down"),
    ],
)
def test_feedback_on_a_range_names_the_direction_of_the_mistake(make, bounds, step, feedback):
    session = make(3, protocol="range", training={})
    assert feedback in attempt(session, join(session), 0, step, [Bounds(0, 0, *bounds)]).words


def test_the_best_is_checked_before_the_worst(make):
    session = make(4, protocol="best_worst", training={"interface": False, "tasks": [TASKS["best_worst"]]})
    rater = join(session)
    partly = [Pick(0, 0, "none"), Pick(1, 0, "best"), Pick(2, 0, "none")]
    assert attempt(session, rater, 0, 1, partly).right
    wrong = [Pick(0, 0, "worst"), Pick(1, 0, "best"), Pick(2, 0, "none")]
    assert "least" in attempt(session, rater, 0, 2, wrong).words


@pytest.mark.parametrize(
    ("protocol", "cells"),
    [
        ("comparison", [Verdict(1, 0, "right")]),
        ("ranking", [Rank(0, 0, 1), Rank(1, 0, 2), Rank(2, 0, 3)]),
        ("rating", [Score(0, 0, None)]),
    ],
)
def test_other_wrong_answers_are_wrong_too(make, protocol, cells):
    session = make(4, protocol=protocol, training={"interface": False, "tasks": [TASKS[protocol]]})
    feedback = attempt(session, join(session), 0, None, cells)
    assert not feedback.right
    assert feedback.words


@pytest.mark.parametrize(
    ("number", "cells"),
    [(1, [Score(0, 0, 40.0)]), (0, []), (0, [Score(0, 0, 40.0), Score(1, 0, 40.0)]), (0, [Rank(0, 0, 1)])],
)
def test_an_attempt_that_does_not_fit_is_refused_and_not_logged(make, number, cells):
    session = make(3, training={"interface": False, "tasks": [TASKS["rating"], TASKS["rating"]]})
    with pytest.raises(BadAnswer):
        attempt(session, join(session), number, None, cells)
    assert attempts(session) == []


def test_an_attempt_sent_twice_counts_once(make):
    session = make(3, training={"interface": False, "tasks": [TASKS["rating"], TASKS["rating"]]})
    rater = join(session)
    assert attempt(session, rater, 0, None, [Score(0, 0, 40.0)]).done
    assert attempt(session, rater, 0, None, [Score(0, 0, 40.0)]).done
    assert session.ledger.rater(rater).exercises == 1
    assert len(attempts(session)) == 1


def test_training_is_stored_in_the_log(make):
    session = make(3, training={"interface": False, "tasks": [TASKS["rating"], TASKS["rating"]]})
    rater = join(session)
    for number, score in ((0, 5.0), (0, 40.0), (1, 5.0)):
        attempt(session, rater, number, None, [Score(0, 0, score)])
    fresh = Ledger(session.study.definition, session.study.items)
    for entry in session.log.since(0):
        fresh.fold([entry])
    assert fresh.raters == session.ledger.raters
    assert (fresh.rater(rater).exercises, fresh.rater(rater).attempts) == (1, 3)


def test_levels_are_practised_on_levels(make):
    session = make(3, scale={"levels": 5, "labels": ["None", "All"]}, training={})
    (exercise,) = exercises_of(session.study)
    assert exercise.question.scale.levels == 5
    assert attempt(session, join(session), 0, None, [Score(0, 0, 75.0)]).right


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_exercise_without_a_reference_is_refused(tmp_path, protocol):
    shown = {name: value for name, value in TASKS[protocol].items() if name in ("text", "item")}
    with pytest.raises(BadSetting, match="reference answer"):
        make_study(tmp_path, protocol=protocol, training={"tasks": [shown]})


@pytest.mark.parametrize(
    ("protocol", "training", "message"),
    [
        ("rating", {"interface": False}, "no exercise"),
        ("rating", {"tasks": [{"answer": 40}]}, "one of text, image and item"),
        ("rating", {"tasks": [{"text": "A", "item": "i0", "answer": 40}]}, "one of text, image and item"),
        ("rating", {"tasks": [{"text": "A", "answer": 400}]}, "reference answer"),
        ("rating", {"tasks": [{"text": "A", "answer": "left"}]}, "reference answer"),
        ("rating", {"tasks": [{"item": "nobody", "answer": 40}]}, "not in the items file"),
        ("rating", {"tasks": [{"image": "no.png", "answer": 40}]}, "not an image file"),
        ("range", {"tasks": [{"text": "A", "low": 60, "high": 40}]}, "reference answer"),
        ("comparison", {"tasks": [{"text": "A", "answer": "left"}]}, "needs 2 items"),
        ("ranking", {"tasks": [{"text": ["A", "B"], "ranks": [1, 3]}]}, "reference answer"),
        ("best_worst", {"tasks": [{"text": ["A", "B", "C"], "best": 1, "worst": 4}]}, "reference answer"),
        ("rating", {"tasks": [{"text": "A", "answer": 40, "tolerence": 4}]}, "tolerance"),
    ],
)
def test_invalid_training_settings_are_refused(tmp_path, protocol, training, message):
    with pytest.raises(BadSetting, match=message):
        make_study(tmp_path, protocol=protocol, training=training)


def test_pictures_have_the_stated_number_of_dots_and_are_reproducible():
    for count in (0, 7, 100):
        assert dots(count, 0).count("<circle") == count
    assert dots(40, 0) == dots(40, 0) != dots(40, 1)
