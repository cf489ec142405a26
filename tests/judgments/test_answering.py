import numpy as np
import pytest

from steelyard.judgments.answering import answering_speed, straight_liners
from steelyard.judgments.checks import check
from steelyard.judgments.table import Judgments
from steelyard.kinds.rating import Rating
from steelyard.quality.raters import describe_raters


def rated(rater, task, scores, **context):
    return [Rating(rater, f"i{at}", score, {"task": task, **context}) for at, score in enumerate(scores)]


def straight(records):
    judgments = Judgments.of(records)
    return judgments.raters[straight_liners(judgments.table("rating"), len(judgments.raters))].tolist()


def speed(records):
    judgments = Judgments.of(records)
    return answering_speed(judgments.tables.values(), len(judgments.raters))


def test_each_question_of_a_task_is_a_line_of_its_own():
    records = [
        record
        for task in "abc"
        for question, score in (("warm", 20), ("sweet", 80))
        for record in rated("ann", task, [score] * 3, question=question)
    ]
    assert straight(records) == ["ann"]


def test_a_task_seen_again_in_another_round_is_another_task():
    levels = [record for round in (1, 2, 3) for record in rated("ann", "a", [round] * 3, round=round)]
    assert straight(levels) == ["ann"]


def test_a_time_shared_by_a_task_is_shared_out_over_its_questions():
    records = [
        record
        for question in ("warm", "sweet")
        for record in rated("ann", "a", [1, 2, 3], question=question, milliseconds=6000)
    ]
    assert speed(records).per_answer.tolist() == [1000]
    assert speed(records).per_task.tolist() == [6000]


def test_times_of_single_answers_are_not_shared_out_and_add_up_to_that_of_the_task():
    records = [Rating("ann", f"i{at}", 1, {"task": "a", "milliseconds": 1000.0 * at}) for at in (1, 2, 6)]
    assert speed(records).per_answer.tolist() == [2000]
    assert speed(records).per_task.tolist() == [9000]


def test_no_times_make_no_one_fast():
    fitted = speed([Rating("ann", "tea", 1)])
    assert np.isnan(fitted.per_task).all()
    assert not fitted.fast.any()


def random_crowd(seed):
    """Return raters with pages of several questions and rounds, timed by page, by answer or not."""
    rng = np.random.default_rng(seed)
    for rater in "abcdefgh":
        level, pace = rng.random() < 0.5, rng.choice([300, 3000, 20_000])
        for task in range(6):
            whole = rng.random() < 0.7
            for question in ("warm", "sweet")[: rng.integers(1, 3)]:
                scores = [50] * 4 if level and rng.random() < 0.8 else rng.integers(0, 101, 4).tolist()
                for at, score in enumerate(scores):
                    time = pace * (1.0 if whole else 1.0 + at / 9) if rng.random() < 0.95 else None
                    extra = {"task": f"t{task}", "question": question, "milliseconds": time}
                    yield Rating(rater, f"i{task}-{at}", float(score), extra)


@pytest.mark.parametrize("seed", range(8))
def test_check_and_the_habits_of_raters_name_the_same_raters(seed):
    judgments = Judgments.of(random_crowd(seed), range=(0, 100))
    findings = {finding.name: finding.ids for finding in check(judgments).findings}
    for name, flag in (("straight-lining", "Straight lines"), ("fast answers", "Fast")):
        flagged = tuple(habits.rater for habits in describe_raters(judgments) if flag in habits.flags)
        assert findings.get(name, ()) == flagged
