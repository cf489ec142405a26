import csv
import io
import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard import read
from steelyard.errors import CannotWrite, UnknownName
from steelyard.judgments.frames import to_columns
from steelyard.judgments.table import Judgments
from steelyard.judgments.writing import write_columns
from steelyard.kinds.comparison import Comparison
from steelyard.kinds.range import Range
from steelyard.kinds.rating import Rating

FORMATS = ["csv", "jsonl", "parquet"]
STRANGE = [
    "😀",
    'say "tea"',
    "a,b",
    "two\nlines",
    "a\rb",
    "שלום",
    "a;b\tc",
    "two  spaces",
    "007",
    "'",
    "\\",
    "null",
]
# Reading removes spaces around ids.
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).map(str.strip).filter(bool)
ids = st.sampled_from(STRANGE) | texts
numbers = st.floats(allow_nan=False, allow_infinity=False)
ratings = st.builds(Rating, ids, ids, numbers)
comparisons = st.builds(
    lambda rater, pair, outcome: Comparison(rater, *pair, outcome),
    ids,
    st.lists(ids, min_size=2, max_size=2, unique=True),
    st.sampled_from(["left", "right", "tie"]),
)
ranges = st.builds(
    lambda rater, item, ends: Range(rater, item, *sorted(ends)), ids, ids, st.tuples(numbers, numbers)
)


def distinct(records):
    """One record per rater and item or pair, so that none is a repeat."""
    keys = {}
    for record in records:
        row = next(record.rows())
        items = frozenset(row[name] for name in ("item", "left", "right") if name in row)
        keys.setdefault((row["rater"], items), record)
    return list(keys.values())


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=40, deadline=None)
@given(
    records=st.one_of(
        *(st.lists(kind, min_size=1, max_size=6).map(distinct) for kind in (ratings, comparisons, ranges))
    )
)
def test_what_is_written_reads_back_the_same(format, records):
    judgments = Judgments.of(records)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"judgments.{format}"
        write_columns(to_columns(judgments), path, format)
        again = read(path)
    assert to_columns(again) == to_columns(judgments)
    assert again.items.tolist() == judgments.items.tolist()


@pytest.mark.parametrize("format", FORMATS)
def test_optional_columns_and_empty_cells_read_back_the_same(tmp_path, format):
    judgments = Judgments.of(
        [
            Rating("ann", "tea", 20, {"task": "7", "round": 1, "at": 1.5, "mood": "good", "age": 31}),
            Rating("bob", "tea", 30, {"task": None, "round": 2, "at": None, "mood": None, "age": None}),
        ]
    )
    write_columns(to_columns(judgments), tmp_path / "j", format)
    assert to_columns(read(tmp_path / "j")) == to_columns(judgments)


def test_arrays_are_written_like_lists():
    stream = io.StringIO()
    write_columns({"item": np.array(["a", "b"], dtype=object), "position": np.array([0.5, np.nan])}, stream)
    assert stream.getvalue() == "item,position\na,0.5\nb,\n"


def test_a_binary_stream_gets_bytes():
    stream = io.BytesIO()
    write_columns({"item": ["é"]}, stream, "jsonl")
    assert stream.getvalue() == '{"item": "é"}\n'.encode()


def test_standard_output_gets_whole_parquet_files(capfdbinary):
    import sys

    write_columns({"item": ["a"]}, sys.stdout, "parquet")
    assert capfdbinary.readouterr().out.startswith(b"PAR1")


def test_an_unknown_format_is_answered_with_a_known_one():
    with pytest.raises(UnknownName, match="Did you mean 'jsonl'"):
        write_columns({"item": ["a"]}, io.StringIO(), "json")


def test_parquet_columns_have_the_narrowest_type_that_holds_them(tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    late = [None] * 3000  # the values come after many empty cells
    columns = {
        "text": [*late, "a", 'q"\n'],
        "whole": [*late, 2**62, -1],
        "real": [*late, 0.1, 3],
        "flag": [*late, True, False],
        "mixed": [*late, 1, "a"],
        "empty": [*late, None, None],
        'na"me': [*late, float("nan"), 2.5],
    }
    write_columns(columns, tmp_path / "t.parquet", "parquet")
    table = pyarrow.read_table(tmp_path / "t.parquet")
    assert [str(kind) for kind in table.schema.types] == (
        ["string", "int64", "double", "bool", "string", "string", "double"]
    )
    last_values = {name: values[-2:] for name, values in table.to_pydict().items()}
    assert last_values == {
        "text": ["a", 'q"\n'],
        "whole": [2**62, -1],
        "real": [0.1, 3.0],
        "flag": [True, False],
        "mixed": ["1", "a"],
        "empty": [None, None],
        'na"me': [None, 2.5],
    }
    assert table.column("whole").null_count == 3000


@pytest.mark.parametrize("format", FORMATS)
def test_a_place_that_cannot_be_written_is_one_message(tmp_path, format):
    with pytest.raises(CannotWrite, match=r"missing.* cannot be written \(No such file or directory\)"):
        write_columns({"item": ["a"]}, tmp_path / "missing" / "t", format)


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1"]


def test_texts_that_others_typed_do_not_begin_a_formula_in_csv(tmp_path):
    path = tmp_path / "raters.csv"
    columns = {"name": [*FORMULAS, "Ann", None, -5], "bias": [-1.5] * 11, "note": ["=2"] * 11}
    write_columns(columns, path, "csv", foreign=["name"])
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [*(f"'{each}" for each in FORMULAS), "Ann", "", "-5"]
    assert {row["bias"] for row in rows} == {"-1.5"}
    assert {row["note"] for row in rows} == {"=2"}


def test_other_formats_hold_what_others_typed_as_it_is(tmp_path):
    path = tmp_path / "raters.jsonl"
    write_columns({"name": FORMULAS}, path, "jsonl", foreign=["name"])
    assert [
        json.loads(line)["name"] for line in path.read_text(encoding="utf-8").split("\n")[:-1]
    ] == FORMULAS
