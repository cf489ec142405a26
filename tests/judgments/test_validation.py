import pytest

from steelyard import read
from steelyard.errors import (
    BadChoice,
    BadCount,
    BadRank,
    BadRows,
    BadSetting,
    CrossedRange,
    DuplicateAnswer,
    MissingValue,
    NotANumber,
    NotATime,
    ScoreOutOfRange,
    SelfComparison,
    UnknownItem,
    UnknownOutcome,
)


@pytest.fixture
def write(tmp_path):
    def to_file(text):
        path = tmp_path / "judgments.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return to_file


def mistakes(path, **settings):
    """The first mistake of each class with its line, as read() reports them."""
    with pytest.raises(BadRows) as caught:
        read(path, **settings)
    return [
        (type(group.examples[0][1]), [line for line, _ in group.examples]) for group in caught.value.groups
    ]


def test_an_empty_cell_is_named_with_its_line(write):
    path = write("rater,item,score\nann,tea,20\n,tea,30\nbob,,30\ncat,tea,\ndan,tea, \n")
    assert mistakes(path) == [(MissingValue, [3, 4, 5, 6])]


def test_a_word_where_a_number_should_stand(write):
    path = write("rater,item,score\nann,tea,much\nbob,tea,inf\ncat,tea,1_000\ndan,tea,20\n")
    assert mistakes(path) == [(NotANumber, [2, 3, 4])]


def test_na_is_an_empty_cell(write):
    assert mistakes(write("rater,item,score\nann,tea,NA\n")) == [(MissingValue, [2])]


def test_a_score_outside_the_range_names_line_and_remedy(write):
    path = write("rater,item,score\nann,tea,20\nann,soup,140\n")
    with pytest.raises(
        BadRows, match=r"judgments\.csv, line 3: score 140 is outside 0 to 100\.\nSet the range"
    ):
        read(path, range=(0, 100))


def test_a_score_on_the_edge_is_inside(write):
    assert read(write("rater,item,score\nann,tea,0\nann,soup,100\n"), range=(0, 100)).range == (0, 100)


def test_a_range_that_is_upside_down_is_refused(write):
    with pytest.raises(BadSetting, match="lower end 100 is not below the upper end 0"):
        read(write("rater,item,score\nann,tea,0\n"), range=(100, 0))


def test_crossed_and_outlying_ranges(write):
    path = write("rater,item,low,high\nann,tea,60,40\nann,soup,-3,50\nann,stew,1,2\n")
    assert mistakes(path, range=(0, 100)) == [(ScoreOutOfRange, [3]), (CrossedRange, [2])]


def test_self_comparisons_and_unknown_outcomes(write):
    path = write("rater,left,right,outcome\nann,tea,tea,left\nann,tea,soup,both\nann,tea,stew,LEFT \n")
    assert mistakes(path) == [(SelfComparison, [2]), (UnknownOutcome, [3])]


def test_ranks_are_whole_numbers_from_one_up(write):
    path = write("rater,task,item,rank\nann,t,a,1.0\nann,t,b,0\nann,t,c,1.5\n")
    assert mistakes(path) == [(BadRank, [3, 4])]


def test_each_best_worst_task_has_one_best_and_one_worst(write):
    rows = "ann,t1,a,best\nann,t1,b,worst\nann,t1,c,none\nbob,t1,a,best\nbob,t1,b,best\nann,t2,a,top\n"
    path = write("rater,task,item,choice\n" + rows)
    with pytest.raises(BadRows) as caught:
        read(path)
    (group,) = caught.value.groups
    assert [line for line, _ in group.examples] == [5, 7, 7]
    assert isinstance(group.examples[0][1], BadChoice)
    assert "task 't1' has 2 best and 0 worst items" in str(caught.value)
    assert "choice 'top' is unknown. Allowed: best, worst, none" in str(caught.value)


def test_items_that_the_study_does_not_have(write):
    path = write("rater,item,score\nann,tea,20\nann,tee,30\n")
    assert mistakes(path, items={"tea", "soup"}) == [(UnknownItem, [3])]
    assert len(read(path, items=["tea", "tee"])) == 2


def test_a_negative_count_is_refused(write):
    assert mistakes(write("rater,item,score,count\nann,tea,1,-2\nann,soup,1,0\n")) == [(BadCount, [2])]


def test_a_time_that_is_none_is_refused(write):
    path = write("rater,item,score,at\nann,tea,1,yesterday\nann,soup,1,2026-03-05T10:00:00Z\n")
    assert mistakes(path) == [(NotATime, [2])]


def test_an_answer_given_twice_names_the_first_line(write):
    path = write("rater,item,score\nann,tea,20\nbob,tea,20\nann,tea,30\n")
    with pytest.raises(BadRows, match="line 4: rater 'ann' already answered 'tea' in line 2") as caught:
        read(path)
    assert isinstance(caught.value.groups[0].examples[0][1], DuplicateAnswer)


@pytest.mark.parametrize(
    "column", ["task", "round", "question", "segment", "condition", "order", "at", "sitting"]
)
def test_a_repeat_that_a_column_distinguishes_is_allowed(write, column):
    path = write(f"rater,item,score,{column}\nann,tea,20,1\nann,tea,30,2\n")
    assert len(read(path)) == 2


def test_within_one_task_neither_order_nor_time_excuses_a_repeat(write):
    path = write("rater,item,score,task,order,at\nann,tea,20,t1,1,100\nann,tea,30,t1,2,200\n")
    assert mistakes(path) == [(DuplicateAnswer, [3])]


def test_rows_with_and_without_a_task_are_never_repeats_of_each_other():
    raters = [f"r{at}" for at in range(40)]
    columns = {"rater": raters, "item": ["tea"] * 40, "score": [1] * 40, "task": ["t"] * 20 + [None] * 20}
    assert len(read(columns)) == 40


def test_a_repeat_without_a_task_needs_another_occasion(write):
    path = write("rater,item,score,turn\nann,tea,20,1\nann,tea,30,2\nann,tea,40,1\n")
    assert mistakes(path) == [(DuplicateAnswer, [4])]


def test_a_pair_is_the_same_pair_the_other_way_round(write):
    path = write("rater,left,right,outcome\nann,tea,soup,left\nann,soup,tea,left\nbob,soup,tea,left\n")
    assert mistakes(path, repeats="refuse") == [(DuplicateAnswer, [3])]


def test_counts_and_files_without_raters_have_no_repeats(write):
    assert len(read(write("rater,item,score,count\nann,tea,20,2\nann,tea,30,1\n"))) == 2
    assert len(read(write("item,score\ntea,20\ntea,20\n"))) == 2


def test_all_classes_are_reported_at_once_and_five_rows_of_each(write):
    bad = "".join(f"r{at},tea,{200 + at}\n" for at in range(25))
    path = write("rater,item,score\nann,tea,x\nbob,tea\n" + bad)
    with pytest.raises(BadRows) as caught:
        read(path, range=(0, 100))
    message = str(caught.value)
    assert "line 3: 2 fields, but the header has 3" in message
    assert "line 2: score 'x' is not a number" in message
    assert message.count("is outside 0 to 100") == 5
    assert f"{path} has 25 rows with a score outside the range. The first 5 are:" in message
    assert message.count("Set the range of the scale") == 1


def test_bad_rows_can_be_dropped_on_request(write):
    path = write("rater,item,score\nann,tea,20\nann,tea,30\nbob,tea,x\nbob,soup,40\ncat\n")
    judgments = read(path, bad_rows="drop")
    assert judgments.cells("rating", "score").tolist() == [20, 40]


def test_dropping_a_bad_choice_drops_its_whole_task(write):
    rows = "ann,t1,a,best\nann,t1,b,best\nann,t2,a,best\nann,t2,b,worst\n"
    judgments = read(write("rater,task,item,choice\n" + rows), bad_rows="drop")
    assert judgments.cells("best_worst", "task").tolist() == ["t2", "t2"]


def test_rows_of_a_frame_are_counted_as_rows():
    with pytest.raises(BadRows, match="the data frame, row 2: score 'x' is not a number"):
        read({"rater": ["ann", "bob"], "item": ["tea", "tea"], "score": [1, "x"]})


def test_rows_with_the_same_unknown_item_are_listed_together():
    columns = {"rater": ["ann", "bob", "cem"], "item": ["x", "y", "x"], "score": [1, 2, 3]}
    with pytest.raises(BadRows) as caught:
        read(columns, items=["tea"])
    first, second, *_ = str(caught.value).splitlines()
    assert first.endswith(", rows 1, 3: item 'x' is not in the items file.")
    assert second.endswith(", row 2: item 'y' is not in the items file.")
