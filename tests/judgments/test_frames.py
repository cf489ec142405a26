from datetime import UTC, datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from steelyard import read
from steelyard.errors import BadSetting, UnreadableFile
from steelyard.judgments.frames import to_columns
from steelyard.judgments.records import Comparison, Rating
from steelyard.judgments.table import Judgments

COLUMNS = {
    "rater": ["ann", "bob", "ann"],
    "item": ["tea", "tea", "soup"],
    "score": [20.0, 30.5, 70.0],
    "segment": ["s1", None, "s2"],
    "age": [31, None, 31],
}


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pl.LazyFrame(COLUMNS), pa.table(COLUMNS), COLUMNS],
    ids=["pandas", "polars", "lazy", "arrow", "dict"],
)
def test_every_kind_of_frame_gives_the_same_judgments(frame):
    judgments = read(frame)
    assert judgments.cells("rating", "score").tolist() == [20, 30.5, 70]
    assert judgments.cells("rating", "segment").tolist() == ["s1", None, "s2"]
    assert str(judgments.cells("rating", "age").tolist()) == "[31.0, nan, 31.0]"


@pytest.mark.parametrize(
    "cells",
    [
        pd.Series(["a", None], dtype="string"),
        pd.Series(["a", None], dtype="category"),
        pl.Series(["a", None], dtype=pl.Categorical),
    ],
    ids=["string", "pandas category", "polars categorical"],
)
def test_categories_and_nullable_text_are_text(cells):
    library = pd if isinstance(cells, pd.Series) else pl
    frame = library.DataFrame({"item": ["x", "y"], "score": [1, 2], "segment": cells})
    assert read(frame).cells("rating", "segment").tolist() == ["a", None]


def test_ids_in_a_float_column_lose_their_point():
    frame = pd.DataFrame({"rater": [7.0, 8.0], "item": ["x", "x"], "score": [1, 2], "task": [1.0, None]})
    judgments = read(frame)
    assert judgments.raters.tolist() == ["7", "8"]
    assert judgments.cells("rating", "task").tolist() == ["1", None]


def test_datetimes_become_seconds():
    times = [datetime(1970, 1, 1, 0, 1, tzinfo=UTC), datetime(1970, 1, 1, 0, 2, tzinfo=UTC)]
    columns = {"item": ["x", "y"], "score": [1, 2], "at": times}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns), columns):
        assert read(frame).cells("rating", "at").tolist() == [60, 120]


def test_what_is_no_frame_is_refused():
    with pytest.raises(UnreadableFile, match="Give a path, an open file, a pandas, Polars or Arrow frame"):
        read(42)


@pytest.mark.parametrize(
    ("method", "library"), [("to_pandas", pd.DataFrame), ("to_polars", pl.DataFrame), ("to_arrow", pa.Table)]
)
def test_judgments_leave_as_frames_and_come_back(method, library):
    judgments = read(COLUMNS)
    frame = getattr(judgments, method)()
    assert isinstance(frame, library)
    assert to_columns(read(frame)) == to_columns(judgments)


def test_columns_hold_plain_values():
    assert to_columns(read(COLUMNS), "rating") == {
        "rater": ["ann", "bob", "ann"],
        "item": ["tea", "tea", "soup"],
        "score": [20.0, 30.5, 70.0],
        "segment": ["s1", None, "s2"],
        "age": [31, None, 31],
    }


def test_with_two_kinds_one_must_be_named():
    judgments = Judgments.of([Rating("ann", "tea", 1), Comparison("ann", "tea", "soup", "tie")])
    with pytest.raises(BadSetting, match="there are: rating, comparison"):
        judgments.to_polars()
    assert judgments.to_polars("comparison").height == 1
