import numpy as np
import pytest

from steelyard import read
from steelyard.judgments.assumptions import assumptions
from steelyard.judgments.checks import check

RATINGS = {"rater": ["ann", "ann", "bob", "bob"], "item": ["tea", "soup"] * 2, "score": [10, 90, 90, 10]}


def sentences_of(judgments, *apart):
    return {finding.name: finding.sentence for finding in assumptions(judgments, apart)}


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("question", ["warm", "warm", "sweet", "sweet"]),
        ("condition", ["day", "day", "night", "night"]),
        ("round", [1, 1, 2, 2]),
    ],
)
def test_questions_conditions_and_rounds_that_are_pooled_are_named(column, cells):
    judgments = read({**RATINGS, column: cells})
    sentence = sentences_of(judgments)[f"several {column}s"]
    assert sentence == (
        f"The file has 2 {column}s ({cells[0]}, {cells[-1]}), which are pooled into one scale. "
        f"To fit each separately: steelyard fit --by {column}."
    )
    assert sentence in list(check(judgments).lines())
    assert sentences_of(judgments, column) == {}


def test_one_question_is_nothing_to_report():
    assert sentences_of(read({**RATINGS, "question": ["warm"] * 4, "round": [1] * 4})) == {}


def test_an_item_in_several_segments_is_one_item_and_that_is_reported():
    judgments = read({**RATINGS, "segment": ["s1", "s1", "s2", "s1"]})
    sentence = sentences_of(judgments)["items in several segments"]
    assert sentence.startswith("1 item occurs in several segments, and equal ids count as one item: tea.")
    assert sentence.endswith(
        "Only if the same id means different things in different segments, use --item-key segment,item."
    )
    assert "This is normal" not in sentence
    assert sentences_of(judgments, "segment") == {}
    keyed = read({**RATINGS, "segment": ["s1", "s1", "s2", "s1"]}, item_key=("segment", "item"))
    assert sentences_of(keyed) == {}


def test_models_under_many_prompts_are_normal():
    votes = {"question_id": ["p1", "p2"], "model_a": ["x", "z"], "model_b": ["z", "x"]}
    arena = read({**votes, "winner": ["model_a", "model_b"]})
    assert "items in several segments" not in sentences_of(arena)
    columns = {"segment": ["p1", "p2"], "left": ["x", "z"], "right": ["z", "x"], "outcome": ["left", "left"]}
    sentence = sentences_of(read(columns))["items in several segments"]
    assert "as one item. This is normal if items are systems or models. Only if the same id" in sentence


def test_compared_items_in_several_segments_are_counted_on_both_sides():
    columns = {
        "rater": ["ann", "bob"],
        "left": ["a", "b"],
        "right": ["b", "c"],
        "outcome": ["left", "left"],
        "segment": ["s1", "s2"],
    }
    (finding,) = assumptions(read(columns))
    assert finding.ids == ("b",)


def test_rows_without_a_segment_do_not_make_an_item_one_of_several_segments():
    assert sentences_of(read({**RATINGS, "segment": ["s1", "s1", None, None]})) == {}


def test_a_file_without_a_rater_column_says_so_and_what_follows():
    columns = {"item": ["tea", "soup"], "score": [1, 2], "turker": ["ann", "bob"]}
    report = check(read(columns, range=(1, 5)))
    lines = list(report.lines())
    assert lines[1] == "2 items, no named raters"
    assert report.raters == 0
    assert lines[2].startswith("There is no rater column, so all answers are treated as independent.")
    assert lines[2].endswith("If one of these columns names the rater, rename it to rater: turker.")


def test_rankings_without_raters_say_how_answers_were_separated():
    columns = {"task": ["t"] * 4 + ["u"] * 2, "item": ["a", "b"] * 3, "rank": [1, 2, 2, 1, 1, 2]}
    sentence = sentences_of(read(columns))["tasks without raters"]
    assert sentence.startswith(
        "There are no raters, so 1 task with several ranking answers was separated by the order"
    )
    once = read({name: cells[:2] for name, cells in columns.items()})
    assert (
        sentences_of(once)["tasks without raters"]
        == "There are no raters, so the rows of one task count as one ranking answer."
    )


def test_columns_without_a_known_meaning_are_listed():
    judgments = read({**RATINGS, "prompt_id": ["p"] * 4, "order": [1, 2, 1, 2], "mood": [1] * 4})
    (finding,) = check(judgments).findings
    assert finding.ids == ("prompt_id", "mood")
    assert finding.sentence.startswith("Columns without a known meaning: prompt_id, mood.")


def test_columns_that_a_layout_has_no_place_for_are_listed():
    results = {
        "HITId": ["h"],
        "WorkerId": ["ann"],
        "Input.id1": ["tea"],
        "Input.text1": ["Tea"],
        "Answer.range1": ["20"],
        "Answer.age": ["31"],
    }
    findings = {finding.name: finding.ids for finding in check(read(results)).findings}
    assert findings["ignored columns"] == ("Input.text1", "Answer.age")


def test_columns_of_a_parquet_file_that_hold_lists_are_listed(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet

    table = pa.table(
        {"rater": ["ann", "ann"], "item": ["tea", "soup"], "score": [1, 2], "turns": [[1], [2, 3]]}
    )
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet").reading.ignored == ("turns",)


def test_answers_that_a_layout_leaves_out_are_counted():
    pairs = {"left": ["a", "a"], "right": ["b", "c"], "winner": ["left", "ignore"]}
    assert read(pairs).reading.left_out == {"marked to be ignored": 1}
    results = {
        "WorkerId": ["ann", "bob"],
        "HITId": ["h", "h"],
        "AssignmentStatus": ["Approved", "Rejected"],
        **{"Input.id1": ["tea", "tea"], "Answer.range1": ["20", "30"]},
        **{"Input.id2": ["soup", "soup"], "Answer.range2": [None, "30"]},
    }
    reading = read(results).reading
    assert reading.rows == 4
    assert reading.left_out == {
        "of rejected assignments": 2,
        "without an answer, or marked as not applicable": 1,
    }


def test_contradicting_halves_are_not_pooled_in_silence():
    halves = {**RATINGS, "condition": np.array(["day", "day", "night", "night"])}
    assert "several conditions" in sentences_of(read(halves))


@pytest.mark.parametrize(("counts", "reported"), [([0.5, 2.0], True), ([3.0, 2.0], False), (None, False)])
def test_counts_with_fractions_are_reported(counts, reported):
    rows = {"rater": ["a", "b"], "left": ["x", "x"], "right": ["y", "y"], "outcome": ["left", "tie"]}
    judgments = read(rows if counts is None else {**rows, "count": counts})
    assert ("fractional counts" in sentences_of(judgments)) == reported
