import numpy as np

from steelyard import Judgments, Ranking
from steelyard.judgments.tasks import answers_of, by_size


def test_rows_of_one_rater_and_task_are_one_answer():
    records = [Ranking(rater, task, {"a": 1, "b": 2}) for rater in ("ann", "bob") for task in ("t", "u")]
    answer = answers_of(Judgments.of(records), "ranking")
    assert answer.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_repeated_item_is_another_answer_only_without_raters():
    columns = {"task": ["t"] * 4, "item": ["a", "b", "a", "b"], "rank": [1, 2, 2, 1]}
    nameless = Judgments.from_columns("ranking", {"rater": ["unknown"] * 4, **columns})
    named = Judgments.from_columns("ranking", {"rater": ["ann"] * 4, **columns})
    assert answers_of(nameless, "ranking").tolist() == [0, 0, 1, 1]
    assert answers_of(named, "ranking").tolist() == [0, 0, 0, 0]


def test_no_rows_are_no_answers():
    assert len(answers_of(Judgments.of([]), "ranking")) == 0
    assert list(by_size(np.empty(0, dtype=np.int64))) == []
