import pytest

from steelyard import read
from steelyard.errors import BadInput, BadRows, BadSetting, UnknownName
from steelyard.judgments.reading import Reading
from steelyard.judgments.tasks import answers_of
from steelyard.models.known import model_named

RATINGS = {
    "rater": ["ann", "ann", "bob", "ann"],
    "item": ["tea", "tea", "tea", "soup"],
    "score": [20, 40, 50, 70],
}
VOTES = {
    "worker": ["ann", "ann", "ann", "bob"],
    "left": ["a", "b", "a", "a"],
    "right": ["b", "a", "b", "b"],
    "outcome": ["left", "left", "tie", "right"],
}


def sentences(judgments):
    return " ".join(finding.sentence for finding in judgments.reading.of_rows())


def test_a_rater_may_compare_a_pair_again():
    judgments = read(VOTES)
    assert len(judgments) == 4
    assert judgments.reading.repeated == {"comparison": 2}
    assert "2 comparisons repeat the same rater's comparison of the same pair. All are kept" in sentences(
        judgments
    )


def test_arena_votes_of_one_judge_are_all_kept_whatever_distinguishes_them():
    votes = {
        "model_a": ["x", "x", "y"],
        "model_b": ["y", "y", "x"],
        "winner": ["model_a", "model_b", "tie"],
        "judge": ["u"] * 3,
        "conversation_id": ["c1", "c2", "c3"],
    }
    judgments = read(votes)
    assert len(judgments) == 3
    assert judgments.reading.repeated == {"comparison": 2}


def test_comparisons_that_a_task_distinguishes_are_no_repeats():
    assert read({**VOTES, "task": ["1", "2", "3", "4"]}).reading.repeated == {}


def test_repeated_comparisons_survive_dropping_of_bad_rows():
    judgments = read({**VOTES, "outcome": ["left", "left", "?", "right"]}, bad_rows="drop")
    assert len(judgments) == 3
    assert judgments.reading.left_out == {"with an unknown outcome": 1}
    assert judgments.reading.repeated == {"comparison": 1}
    assert "Omitted 1 of 4 rows: 1 with an unknown outcome." in sentences(judgments)


@pytest.mark.parametrize(("repeats", "outcomes"), [("first", ["left", "right"]), ("last", ["tie", "right"])])
def test_one_of_several_comparisons_can_be_chosen(repeats, outcomes):
    judgments = read(VOTES, repeats=repeats)
    assert judgments.cells("comparison", "outcome").tolist() == outcomes
    assert judgments.reading.left_out == {"that repeat an answer of the same rater": 2}


def test_repeated_ratings_are_refused_with_the_remedy():
    with pytest.raises(
        BadRows, match=r"row 2: rater 'ann' already answered 'tea' in row 1\.\n.*--repeats first"
    ):
        read(RATINGS)


@pytest.mark.parametrize(
    ("repeats", "scores"),
    [
        ("keep", [20, 40, 50, 70]),
        ("first", [20, 50, 70]),
        ("last", [40, 50, 70]),
        ("mean", [30, 50, 70]),
    ],
)
def test_repeated_ratings_are_treated_as_requested(repeats, scores):
    judgments = read(RATINGS, repeats=repeats)
    assert judgments.cells("rating", "score").tolist() == scores
    reading = judgments.reading
    counted = sum(reading.left_out.values()) + sum(reading.repeated.values()) + reading.averaged
    assert counted == 1
    assert sentences(judgments).startswith(
        {"keep": "Of the rows read, 1 rating repeats", "mean": "1 repeated rating was averaged"}.get(
            repeats, "Omitted 1 of 4 rows"
        )
    )


def test_the_mean_of_ranges_is_that_of_both_ends():
    ranges = {"rater": ["ann", "ann"], "item": ["tea", "tea"], "low": [10, 20], "high": [30, 60]}
    judgments = read(ranges, repeats="mean")
    assert judgments.cells("range", "low").tolist() == [15]
    assert judgments.cells("range", "high").tolist() == [45]


def test_dropping_counts_each_row_once_and_keeps_a_repeat_of_a_bad_row():
    columns = {
        "rater": ["ann", "ann", "bob", "bob", "cat"],
        "item": ["tea", "tea", "tea", "tea", None],
        "score": ["x", "40", "50", "60", "y"],
    }
    judgments = read(columns, bad_rows="drop")
    assert judgments.cells("rating", "score").tolist() == [40, 50]
    assert judgments.reading.rows == 5
    assert judgments.reading.left_out == {
        "with text where a number is needed": 2,
        "that repeat an answer of the same rater": 1,
    }


def test_ragged_lines_that_are_dropped_are_counted(tmp_path):
    path = tmp_path / "judgments.csv"
    path.write_text("rater,item,score\nann,tea,20\nbob\ncat,tea,30,40\n")
    reading = read(path, bad_rows="drop").reading
    assert (reading.rows, reading.left_out) == (3, {"with too many or too few fields": 2})


@pytest.mark.parametrize(("repeats", "error"), [("mean", BadSetting), ("average", UnknownName)])
def test_a_way_that_cannot_be_used_is_refused(repeats, error):
    with pytest.raises(error, match="repeats"):
        read(VOTES, repeats=repeats)


RANKINGS = {
    "rater": ["ann"] * 6,
    "task": ["t"] * 6,
    "item": ["a", "b", "c"] * 2,
    "rank": [1, 2, 3, 2, 1, 3],
}


def test_a_ranking_given_again_is_another_answer():
    judgments = read(RANKINGS)
    assert answers_of(judgments, "ranking").tolist() == [0, 0, 0, 1, 1, 1]
    ordered = judgments.canonical()
    assert (answers_of(ordered, "ranking") + 1).tolist() == ordered.cells("ranking", "repetition").tolist()
    assert judgments.reading.repeated == {"ranking": 3}
    assert model_named("plackett_luce").fit(judgments).provenance.judgments == 2


@pytest.mark.parametrize(("repeats", "ranks"), [("first", [1, 2, 3]), ("last", [2, 1, 3])])
def test_one_of_several_rankings_can_be_chosen(repeats, ranks):
    judgments = read(RANKINGS, repeats=repeats)
    assert judgments.cells("ranking", "rank").tolist() == ranks


def test_best_worst_answers_given_again_are_checked_one_by_one():
    choices = ["best", "none", "worst", "none", "best", "worst"]
    columns = {"rater": ["ann"] * 6, "task": ["t"] * 6, "item": ["a", "b", "c"] * 2, "choice": choices}
    judgments = read(columns)
    assert len(judgments) == 6
    fit = model_named("best_worst", method="model").fit(judgments)
    assert "tasks_left_out" not in fit.provenance.settings
    with pytest.raises(BadRows, match="task 't' has 2 best and 0 worst items"):
        read({**columns, "choice": [*choices[:3], "best", "best", "none"]})


def test_best_worst_items_of_different_systems_are_one_answer():
    columns = {"rater": ["ann"] * 3, "task": ["t"] * 3, "item": ["a", "b", "c"], "system": ["x", "y", "z"]}
    assert len(read({**columns, "choice": ["best", "none", "worst"]})) == 3


@pytest.mark.parametrize("rater", [["ann"] * 5, None])
def test_rows_of_a_task_that_run_together_are_refused(rater):
    columns = {"task": ["t"] * 5, "item": ["a", "b", "c", "a", "b"], "rank": [1, 2, 3, 1, 2]}
    with pytest.raises(
        BadRows, match="task 't' cannot be separated: item 'a' occurs 2 times, item 'c' only 1"
    ) as caught:
        read(columns if rater is None else {"rater": rater, **columns})
    assert "Add a rater column" in str(caught.value)


def test_many_tasks_that_run_together_are_counted_as_tasks():
    columns = {
        "task": [f"t{at}" for at in range(7) for _ in range(5)],
        "item": ["a", "b", "c", "a", "b"] * 7,
        "rank": [1, 2, 3, 1, 2] * 7,
    }
    with pytest.raises(BadRows, match=r"has 7 tasks whose answers cannot be separated\. The first 5 are"):
        read(columns)


def test_rankings_of_nameless_raters_are_separated_in_the_table_itself():
    judgments = read({name: cells for name, cells in RANKINGS.items() if name != "rater"})
    assert judgments.cells("ranking", "repetition").tolist() == [1, 1, 1, 2, 2, 2]
    ordered = judgments.canonical()
    assert (answers_of(ordered, "ranking") + 1).tolist() == ordered.cells("ranking", "repetition").tolist()
    assert judgments.reading.repeated == {}


def test_best_worst_answers_of_nameless_raters_are_checked_too():
    columns = {"task": ["t"] * 3, "item": ["a", "b", "c"], "choice": ["best", "best", "none"]}
    with pytest.raises(BadRows, match="task 't' has 2 best and 0 worst items"):
        read(columns)


def test_wide_best_worst_rows_of_one_task_stay_apart():
    wide = {
        "task": ["t", "t"],
        "Item1": ["a", "a"],
        "Item2": ["b", "b"],
        "Item3": ["c", "c"],
        "BestItem": ["a", "b"],
        "WorstItem": ["c", "c"],
        "language": ["en", "de"],
    }
    judgments = read(wide)
    assert judgments.cells("best_worst", "repetition").tolist() == [1, 1, 1, 2, 2, 2]
    assert judgments.cells("best_worst", "language").tolist() == ["en"] * 3 + ["de"] * 3
    assert judgments.reading.nameless == 6


def test_a_written_repetition_distinguishes_answers():
    assert len(read({**RATINGS, "repetition": [1, 2, 1, 1]})) == 4


def test_readings_of_several_files_add_up():
    judgments = read([VOTES, {**VOTES, "worker": ["cat", "cat", "dan", "dan"]}])
    assert judgments.reading.repeated == {"comparison": 4}
    assert judgments.reading.rows == 8


def test_judgments_that_were_not_read_have_nothing_to_report():
    assert list(Reading().of_rows()) == list(Reading().of_columns()) == []


def test_a_marked_probe_does_not_repeat_the_answer_that_it_tests():
    columns = {"rater": ["ann"] * 3, "item": ["tea", "soup", "tea"], "score": [10, 60, 20]}
    marked = read({**columns, "probe": ["no", "no", "yes"]}, range=(0, 100))
    assert len(marked) == 3
    with pytest.raises(BadInput, match="already answered"):
        read({**columns, "probe": ["blue", "blue", "red"]}, range=(0, 100))
