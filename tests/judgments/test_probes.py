import numpy as np
import pytest

from steelyard.judgments.probes import without_probes
from steelyard.judgments.read import read
from steelyard.judgments.writing import write_columns

COLUMNS = {
    "rater": ["ann"] * 3,
    "item": ["tea", "milk", "tea"],
    "score": [20, 50, 30],
    "task": ["1", "2", "3"],
}


@pytest.mark.parametrize(
    "marks",
    [["no", "no", "yes"], ["False", "False", "True"], [False, False, True], [0, 0, 1], ["", "", "yes"]],
)
@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_marked_rows_are_left_out_and_counted(tmp_path, marks, format):
    path = tmp_path / f"judgments.{format}"
    write_columns({**COLUMNS, "probe": marks}, path, format)
    kept, left_out = without_probes(read(path))
    assert left_out == 1
    assert kept.table("rating").numbers["score"].tolist() == [20.0, 50.0]


@pytest.mark.parametrize("words", [["house", "dog", "yes"], [0, 1, 2]])
def test_a_column_of_this_name_with_other_contents_is_a_covariate(words):
    judgments = read({**COLUMNS, "probe": words})
    assert without_probes(judgments) == (judgments, 0)


def test_a_file_without_the_column_stays_as_it_is():
    judgments = read(COLUMNS)
    assert without_probes(judgments)[0] is judgments


def test_tables_of_other_kinds_keep_their_rows():
    ranges = read({"rater": ["ann"], "item": ["tea"], "low": [1], "high": [2]}, range=(0, 100))
    both = read({**COLUMNS, "probe": [0, 0, 1]}, range=(0, 100)) + ranges
    kept, left_out = without_probes(both)
    assert (len(kept.table("range")), len(kept.table("rating")), left_out) == (1, 2, 1)
    assert not np.isnan(kept.table("rating").numbers["score"]).any()
