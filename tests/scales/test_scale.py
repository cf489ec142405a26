import numpy as np
import pytest

from steelyard.maths.arrays import object_cells
from steelyard.scales.scale import COLUMNS, Scale, stacked


def scale_of(positions, counts=None):
    """A scale of these items and positions; the other columns follow from the position."""
    position = np.array(list(positions.values()), dtype=float)
    rank = np.argsort(np.argsort(-position)) + 1
    count = np.ones(len(position)) if counts is None else np.array(counts, dtype=float)
    ends = (position / 10, position - 1, position + 1)
    return Scale(object_cells(positions), position, *ends, rank, rank, rank + 1, count)


SCALE = scale_of({"tea": 20, "soup": 70, "egg": 50})


def test_ordered_sorts_by_position_then_by_name():
    assert SCALE.ordered().item.tolist() == ["soup", "egg", "tea"]
    assert SCALE.ordered().rank.tolist() == [1, 2, 3]
    assert scale_of({"b": 1, "a": 1, "c": 2}).ordered().item.tolist() == ["c", "a", "b"]


def test_whole_counts_are_whole_numbers():
    assert [row["count"] for row in scale_of({"a": 1, "b": 2}, [2, 3]).rows()] == [2, 3]
    assert all(isinstance(row["count"], int) for row in SCALE.rows())
    assert [row["count"] for row in scale_of({"a": 1, "b": 2}, [2.5, 3]).rows()] == [2.5, 3.0]


def test_rows_contain_every_column():
    rows = list(SCALE.rows())
    assert len(rows) == len(SCALE) == 3
    assert tuple(rows[0]) == COLUMNS
    assert rows[1] == {
        "item": "soup",
        "position": 70.0,
        "spread": 7.0,
        "low": 69.0,
        "high": 71.0,
        "rank": 1,
        "rank_low": 1,
        "rank_high": 2,
        "count": 1,
    }


def test_scales_stack_under_the_names_of_their_groups():
    columns = stacked([("warm", SCALE), ("", scale_of({"pie": 5}))], "question")
    assert columns["question"] == ["warm", "warm", "warm", ""]
    assert columns["item"] == ["soup", "egg", "tea", "pie"]
    assert tuple(columns) == ("question", *COLUMNS)


def test_a_single_scale_has_no_leading_column():
    assert tuple(stacked([("", SCALE)])) == COLUMNS


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_have_the_columns_of_the_scale(backend):
    pytest.importorskip(backend)
    name = {"pyarrow": "to_arrow"}.get(backend, f"to_{backend}")
    frame = getattr(SCALE, name)()
    assert type(frame).__module__.split(".")[0] == backend
    columns = frame.to_pydict() if backend == "pyarrow" else frame
    expected = {column: list(values) for column, values in SCALE.columns().items()}
    assert {column: list(columns[column]) for column in COLUMNS} == expected
