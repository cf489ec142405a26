import subprocess
import sys

import pytest

from steelyard import read
from steelyard.errors import BadRows, BadSetting


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
