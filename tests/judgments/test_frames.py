from datetime import UTC, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from steelyard import read
from steelyard.errors import BadRows, BadSetting, EmptyFile, UnreadableFile
from steelyard.judgments.frames import to_columns
from steelyard.judgments.table import Judgments
from steelyard.kinds.comparison import Comparison
from steelyard.kinds.rating import Rating

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
    with pytest.raises(
        UnreadableFile, match="Use a path, an open file, a pandas, Polars or Arrow data frame"
    ):
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
    with pytest.raises(BadSetting, match="Kinds in this table: rating, comparison"):
        judgments.to_polars()
    assert judgments.to_polars("comparison").height == 1


MANY = 6000  # enough rows for columns to be coded by their objects


def many_comparisons():
    rng = np.random.default_rng(1)
    items = np.array([f"item {at}" for at in range(40)], dtype=object)
    left = rng.integers(0, 40, MANY)
    return {
        "rater": np.array([f"r{at}" for at in range(50)], dtype=object)[rng.integers(0, 50, MANY)],
        "left": items[left],
        "right": items[(left + rng.integers(1, 40, MANY)) % 40],
        "outcome": np.array(["left", "Right ", "tie"], dtype=object)[rng.integers(0, 3, MANY)],
        "turn": np.arange(MANY),
        "mood": np.array(["calm", "", None], dtype=object)[rng.integers(0, 3, MANY)],
    }


def as_lists(columns):
    """Return cells that are all separate objects, as a file has them."""
    return {name: ["".join(list(c)) if isinstance(c, str) else c for c in v] for name, v in columns.items()}


def every_source(columns, folder):
    text = [name for name, cells in columns.items() if cells.dtype == object]
    frame = pd.DataFrame({name: pd.Series(cells, dtype=cells.dtype) for name, cells in columns.items()})
    arrow = pa.table(columns)
    polars = pl.from_arrow(arrow)
    polars.write_parquet(folder / "many.parquet")
    polars.write_csv(folder / "many.csv")
    polars.write_ndjson(folder / "many.jsonl")
    coded = {name: arrow[name].dictionary_encode() if name in text else arrow[name] for name in columns}
    return {
        "arrays": columns,
        "pandas objects": frame,
        "pandas objects of their own": pd.DataFrame(as_lists(columns), dtype=object),
        "pandas text": pd.DataFrame(columns),
        "pandas nullable text": frame.astype(dict.fromkeys(text, "string")),
        "pandas categories": frame.astype(dict.fromkeys(text, "category")),
        "polars": polars,
        "polars categories": polars.with_columns(pl.col(text).cast(pl.Categorical)),
        "arrow": arrow,
        "arrow dictionaries": pa.table(coded),
        "parquet": folder / "many.parquet",
        "csv": folder / "many.csv",
        "jsonl": folder / "many.jsonl",
    }


def test_long_columns_are_the_same_from_every_source(tmp_path):
    columns = many_comparisons()
    wanted = read(as_lists(columns))
    for name, source in every_source(columns, tmp_path).items():
        judgments = read(source)
        assert to_columns(judgments) == to_columns(wanted), name
        assert judgments.items.tolist() == wanted.items.tolist(), name


def test_mistakes_in_long_columns_are_named_the_same_from_every_source(tmp_path):
    columns = many_comparisons()
    columns["left"][[17, 18]] = [None, " "]
    columns["outcome"][19] = "both"
    columns["right"][20] = f" {columns['left'][20]}"
    columns["turn"][:] = 1
    for name, source in every_source(columns, tmp_path).items():
        with pytest.raises(BadRows) as caught:
            read(source, repeats="refuse")
        groups = caught.value.groups
        after = 2 if name == "csv" else 1  # a header line, and counting from one
        places = [[place - after for place, _ in group.examples] for group in groups]
        assert places[:3] == [[17, 18], [20], [19]], name
        assert [len(group.examples) for group in groups] == [2, 1, 1, 20], name
        assert groups[3].total > 20, name


def test_categories_may_be_numbers():
    frame = pd.DataFrame({"item": ["x", "y", "z"], "score": pd.Categorical([2.5, 1.0, None])})
    with pytest.raises(BadRows, match="row 3"):
        read(frame)
    assert read(frame[:2]).cells("rating", "score").tolist() == [2.5, 1.0]


def test_missing_values_of_pandas_are_empty_cells_in_shared_objects():
    labels = np.array(["s", None, np.nan, pd.NA, pd.NaT, True], dtype=object)
    segments = labels[np.arange(MANY) % len(labels)]
    frame = pd.DataFrame({"item": ["x"] * MANY, "score": 1, "segment": pd.Series(segments, dtype=object)})
    assert read(frame).cells("rating", "segment").tolist()[:6] == ["s", None, None, None, None, "true"]


def test_numbers_in_arrays_may_be_ids():
    columns = {
        "rater": np.array([7.0, 8.0, 7.0]),
        "item": np.array([3, 3, 1], dtype=np.int8),
        "score": [1, 2, 3],
    }
    judgments = read(columns)
    assert (judgments.raters.tolist(), judgments.items.tolist()) == (["7", "8"], ["3", "1"])


@pytest.mark.parametrize(
    "library", [pd.DataFrame, pl.DataFrame, pa.table, dict], ids=lambda made: made.__module__
)
def test_a_frame_without_rows_is_empty(library):
    with pytest.raises(EmptyFile):
        read(library({"rater": [], "item": [], "score": []}))


def test_an_arrow_table_without_chunks_is_empty():
    columns = {name: pa.chunked_array([], pa.string()) for name in ("rater", "left", "right", "outcome")}
    with pytest.raises(EmptyFile):
        read(pa.table(columns))
