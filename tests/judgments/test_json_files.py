import json

import pytest

from steelyard import read
from steelyard.errors import BadRows, EmptyFile, UnreadableFile

VOTES = [
    {"question_id": "q1", "model_a": "m1", "model_b": "m2", "winner": "model_a", "judge": "u1"},
    {"question_id": "q2", "model_a": "m2", "model_b": "m3", "winner": "tie (bothbad)", "judge": "u2"},
]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["votes.json", "votes.jsonl", "votes"])
def test_a_list_of_objects_is_read(tmp_path, mark, indent, name):
    (tmp_path / name).write_text(mark + json.dumps(VOTES, indent=indent), encoding="utf-8")
    judgments = read(tmp_path / name)
    assert judgments.cells("comparison", "outcome").tolist() == ["left", "tie"]
    assert judgments.raters.tolist() == ["u1", "u2"]


def test_objects_of_a_list_may_lack_a_key_and_hold_lists(tmp_path):
    rows = [
        {"rater": "ann", "item": "tea", "score": 1},
        {"item": "tea", "rater": "bob", "score": 2, "t": [1]},
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert read(tmp_path / "a.json").cells("rating", "t").tolist() == [None, "[1]"]


def test_a_mistake_in_a_list_names_the_row(tmp_path):
    (tmp_path / "a.json").write_text('[{"rater": "ann", "item": "tea", "score": "x"}]')
    with pytest.raises(BadRows, match=r"a\.json, row 1: score 'x' is not a number"):
        read(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[\n{"item": "tea"},\n{"item": ]', r"a\.json, line 3: the JSON list is not valid\. Write one list"),
        ('[{"item": "tea"}, 7]', r"entry 2 of the list is a JSON int, not an object"),
    ],
)
def test_a_broken_list_is_named(tmp_path, text, message):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(UnreadableFile, match=message):
        read(tmp_path / "a.json")


def test_an_empty_list_has_no_rows(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(EmptyFile, match="no rows"):
        read(tmp_path / "a.json")


def test_json_lines_may_begin_with_a_byte_order_mark(tmp_path):
    (tmp_path / "a.jsonl").write_text('\ufeff{"rater": "ann", "item": "tea", "score": 1}\n', encoding="utf-8")
    assert read(tmp_path / "a.jsonl").items.tolist() == ["tea"]
