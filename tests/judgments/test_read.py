import subprocess
import sys

import pytest

from steelyard import read
from steelyard.errors import BadRows, BadSetting, EmptyFile


def test_several_files_make_one_table(tmp_path):
    (tmp_path / "a.csv").write_text("rater,item,score\nann,tea,20\n")
    (tmp_path / "b.csv").write_text("rater,left,right,outcome\nann,tea,soup,left\n")
    judgments = read([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert judgments.kinds == ("rating", "comparison")
    assert judgments.items.tolist() == ["tea", "soup"]


def test_one_bad_file_among_several_spoils_them_all(tmp_path):
    (tmp_path / "a.csv").write_text("rater,item,score\nann,tea,20\n")
    (tmp_path / "b.csv").write_text("rater,item,score\nann,tea,x\n")
    with pytest.raises(BadRows, match=r"b\.csv, line 2"):
        read([tmp_path / "a.csv", tmp_path / "b.csv"])


def test_the_range_stays_with_the_judgments(tmp_path):
    (tmp_path / "a.csv").write_text("rater,item,score\nann,tea,3\n")
    assert read(tmp_path / "a.csv", range=(1, 7)).score_range == (1, 7)


def test_a_range_with_equal_ends_is_refused():
    with pytest.raises(BadSetting, match="range"):
        read({"item": ["tea"], "score": [1]}, range=(1, 1))


def test_importing_steelyard_imports_no_large_library():
    large = ("duckdb", "narwhals", "pandas", "scipy")
    script = f"import sys, steelyard; print([name for name in {large} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_spaces_around_ids_are_not_part_of_them():
    columns = {
        "rater": ["ann", " ann", "bob "],
        "item": ["tea ", "soup", "\ttea"],
        "score": [1, 2, 3],
        "task": [" t", "t ", "t"],
        "system": ["A", "A ", " A"],
        "segment": ["s ", "s", "s"],
        "question": ["q", "q ", "q"],
        "note": [" kept ", "x", "y"],
    }
    judgments = read(columns)
    assert judgments.raters.tolist() == ["ann", "bob"]
    assert judgments.items.tolist() == ["tea", "soup"]
    for column, label in (("task", "t"), ("system", "A"), ("segment", "s"), ("question", "q")):
        assert judgments.labels(column).tolist() == [label]
    assert judgments.cells("rating", "note").tolist()[0] == " kept "


def test_spaces_do_not_hide_a_repeated_answer():
    with pytest.raises(BadRows, match="already answered"):
        read({"rater": ["ann", "ann "], "item": ["tea", "tea"], "score": [1, 2]})


def test_an_item_compared_with_itself_cannot_hide_behind_a_space():
    with pytest.raises(BadRows, match="compared with itself"):
        read({"rater": ["ann"], "left": ["tea"], "right": ["tea "], "outcome": ["left"]})


def test_a_chosen_item_is_known_with_spaces_around_it():
    pairs = {"worker": ["a"], "task": ["t"], "left": ["tea "], "right": ["soup"], "label": ["tea"]}
    assert read(pairs).cells("comparison", "outcome").tolist() == ["left"]
    wide = {"Item1": ["tea "], "Item2": ["soup"], "BestItem": ["tea"], "WorstItem": [" soup"]}
    assert read(wide).cells("best_worst", "choice").tolist() == ["best", "worst"]


def test_no_files_at_all_are_an_empty_file():
    with pytest.raises(EmptyFile, match="no rows"):
        read([])
