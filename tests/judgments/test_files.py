import io
import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard import read
from steelyard.errors import BadRows, EmptyFile, NoSuchFile, UnreadableFile, WrongEncoding
from steelyard.judgments.files import read_file
from steelyard.judgments.json_files import LINE_MARK, json_object, quick_objects
from steelyard.judgments.writing import write_columns

HEADER = "rater,item,score\n"


def saved(tmp_path, content, name="judgments.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("separator", [",", "\t", ";"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_separators_line_ends_and_byte_order_marks_are_understood(tmp_path, separator, line_end, mark):
    lines = [("rater", "item", "score"), ("ann", "tea", "20"), ("bob", "tea", "30")]
    text = mark + line_end.join(separator.join(line) for line in lines) + line_end
    judgments = read(saved(tmp_path, text))
    assert judgments.raters.tolist() == ["ann", "bob"]
    assert judgments.cells("rating", "score").tolist() == [20, 30]


def test_a_ragged_line_is_named_with_its_line(tmp_path):
    path = saved(tmp_path, HEADER + "ann,tea,20\nbob,tea,30,40\ncat,tea\n")
    with pytest.raises(BadRows) as caught:
        read(path)
    assert "judgments.csv, line 3: 4 fields, but the header has 3." in str(caught.value)
    assert "judgments.csv, line 4: 2 fields, but the header has 3." in str(caught.value)


def test_a_separator_too_many_at_the_end_is_a_ragged_line(tmp_path):
    with pytest.raises(BadRows, match="line 2: 4 fields"):
        read(saved(tmp_path, HEADER + "ann,tea,20,\n"))


def test_a_row_is_found_where_it_starts_even_behind_a_field_of_three_lines(tmp_path):
    path = saved(tmp_path, HEADER + 'ann,"tea\nwith\nmilk",20\n\nbob,tea,x\n')
    with pytest.raises(BadRows, match="line 6: score 'x' is not a number"):
        read(path)


def test_blank_lines_are_no_rows(tmp_path):
    assert len(read(saved(tmp_path, "\n" + HEADER + "\nann,tea,20\n\nbob,tea,30\n\n"))) == 2


@pytest.mark.parametrize("content", ["", "  \n"])
def test_an_empty_file_is_named(tmp_path, content):
    with pytest.raises(EmptyFile, match=r"judgments\.csv: the file is empty"):
        read(saved(tmp_path, content))


@pytest.mark.parametrize("content", [HEADER, "rater,item,score"])
def test_a_file_with_only_a_header_is_named(tmp_path, content):
    with pytest.raises(EmptyFile, match=r"judgments\.csv, line 1: there is only a header line"):
        read(saved(tmp_path, content))


def test_a_file_in_another_encoding_names_line_and_byte(tmp_path):
    path = saved(tmp_path, HEADER.encode() + b"ann,tea,20\nann,caf\xe9,30\n")
    with pytest.raises(WrongEncoding, match="line 3: byte 0xe9 is not UTF-8"):
        read(path)


def test_a_byte_order_mark_does_not_shift_the_byte(tmp_path):
    path = saved(tmp_path, b"\xef\xbb\xbfrater,item,score\nann,\xff,30\n")
    with pytest.raises(WrongEncoding, match="line 2: byte 0xff"):
        read(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(NoSuchFile, match=r"nothing\.csv: no such file"):
        read(tmp_path / "nothing.csv")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(UnreadableFile, match="this is a folder"):
        read(tmp_path)


def test_a_quote_left_open_names_the_line_where_it_opens(tmp_path):
    with pytest.raises(UnreadableFile, match="line 3: a quoted field is not closed"):
        read(saved(tmp_path, HEADER + 'ann,tea,20\nbob,"tea,30\ncat,tea,40\n'))


def test_two_columns_of_one_name_are_refused(tmp_path):
    with pytest.raises(UnreadableFile, match="line 1: two columns have the name 'score'"):
        read(saved(tmp_path, "rater,item,score,score \nann,tea,1,2\n"))


def test_a_column_without_a_name_is_left_out(tmp_path):
    judgments = read(saved(tmp_path, ",rater,item,score\n0,ann,tea,1\n1,bob,tea,2\n"))
    assert judgments.table("rating").columns == ("rater", "item", "score")


def test_characters_that_duckdb_takes_for_patterns_may_stand_in_a_name(tmp_path):
    assert len(read(saved(tmp_path, HEADER + "ann,tea,1\n", "results [final]*.csv"))) == 1
    write_columns({"rater": ["ann"], "item": ["tea"], "score": [1]}, tmp_path / "a[1].parquet", "parquet")
    assert len(read(tmp_path / "a[1].parquet")) == 1


def test_json_lines_with_numbers_text_and_null(tmp_path):
    rows = [
        {"rater": "ann", "item": 7, "score": 20, "segment": None},
        {"rater": "bob", "item": "7", "score": "30.5", "segment": "s1"},
    ]
    text = "\n".join(json.dumps(row) for row in rows)
    judgments = read(saved(tmp_path, text + "\n", "judgments.jsonl"))
    assert judgments.items.tolist() == ["7"]
    assert judgments.cells("rating", "score").tolist() == [20, 30.5]
    assert judgments.cells("rating", "segment").tolist() == [None, "s1"]


@pytest.mark.parametrize("broken", ["{", "[1]", '{"rater": "ann"} {}', "20"])
def test_broken_json_is_named_with_its_line(tmp_path, broken):
    text = '{"rater": "ann", "item": "tea", "score": 1}\n\n' + broken + "\n"
    with pytest.raises(UnreadableFile, match=r"judgments\.jsonl, line 3: .*Write one object per line"):
        read(saved(tmp_path, text, "judgments.jsonl"))


def test_a_mistake_in_json_lines_names_the_line(tmp_path):
    text = '\n{"rater": "ann", "item": "tea", "score": "x"}\n'
    with pytest.raises(BadRows, match="line 2: score 'x'"):
        read(saved(tmp_path, text, "judgments.ndjson"))


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_text_of_few_and_of_many_values_comes_back_from_long_files(tmp_path, format):
    rows = 10_000
    columns = {
        "rater": [("ann", "it's", 'b"b')[at % 3] for at in range(rows)],
        "item": [f"item {at % 1000}" for at in range(rows)],
        "score": [at % 7 for at in range(rows)],
        "task": [f"task {at}" for at in range(rows)],
        "note": [None if at % 2 else f"note {at}" for at in range(rows)],
        "empty": [None] * rows,
    }
    path = tmp_path / f"long.{format}"
    write_columns(columns, path, format)
    judgments = read(path)
    for name in ("rater", "item", "score", "task", "note"):
        assert judgments.cells("rating", name).tolist() == columns[name], name
    assert judgments.items.tolist() == list(dict.fromkeys(columns["item"]))


def test_a_broken_parquet_file_is_named_without_duckdbs_words(tmp_path):
    path = saved(tmp_path, b"PAR1 and then nothing", "judgments.parquet")
    with pytest.raises(UnreadableFile) as caught:
        read(path)
    assert str(caught.value) == f"{path}: this Parquet file is incomplete. Write or copy it again."


def test_empty_parquet_cells_are_missing(tmp_path):
    columns = {
        "rater": ["ann", "bob"],
        "item": ["tea", "tea"],
        "score": [1, 2],
        "x": [None, 5],
        "s": ["a", None],
    }
    write_columns(columns, tmp_path / "j.parquet", "parquet")
    judgments = read(tmp_path / "j.parquet")
    assert judgments.cells("rating", "s").tolist() == ["a", None]
    assert str(judgments.cells("rating", "x").tolist()) == "[nan, 5.0]"


@pytest.mark.parametrize(
    "stream", [io.StringIO(HEADER + "ann,tea,x\n"), io.BytesIO(HEADER.encode() + b"ann,tea,x\n")]
)
def test_an_open_file_is_read_and_its_lines_named(stream):
    with pytest.raises(BadRows, match="the open file, line 2: score 'x'"):
        read(stream)


def test_an_open_file_may_hold_json_lines():
    assert len(read(io.StringIO('{"rater": "ann", "item": "tea", "score": 1}\n'))) == 1


fields = st.sampled_from(
    ["a", "", " ", '"b"', '"c,d"', '"e\nf"', '"g""h"', '""', 'i"j', ' "k" ', "é", '"l"m', '"']
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(fields, min_size=2, max_size=4), min_size=1, max_size=4))
def test_the_quick_reader_and_the_careful_one_agree(tmp_path_factory, rows):
    text = "x,y,z\n" + "\n".join(",".join(row) for row in rows) + "\n"
    folder = tmp_path_factory.mktemp("both")
    # A blank line above the header sends the same text to the careful reader.
    outcomes = [outcome(saved(folder, text)), outcome(saved(folder, "\n" + text))]
    assert outcomes[0] == outcomes[1]


def outcome(path):
    try:
        sheet = read_file(path)
    except (UnreadableFile, EmptyFile) as mistake:
        return type(mistake)
    cells = {name: cells.tolist() for name, cells in sheet.columns.items()}
    return cells, sheet.ragged is None


def test_no_frame_library_is_needed_for_any_file(tmp_path):
    columns = {"rater": ["ann", "bob"], "item": ["tea", "tea"], "score": [20, None], "count": [1, 2]}
    script = f"""
import sys
for name in ("pandas", "pyarrow", "polars"):
    sys.modules[name] = None
from steelyard import read
from steelyard.judgments.writing import write_columns
columns = {columns!r}
columns["score"][1] = 30.5
for format in ("csv", "jsonl", "parquet"):
    path = {str(tmp_path)!r} + "/judgments." + format
    write_columns(columns, path, format)
    assert read(path).cells("rating", "score").tolist() == [20, 30.5], format
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
json_lines = st.lists(
    st.dictionaries(st.sampled_from(["rater", "item", "score", "x"]), json_values, max_size=4).map(json.dumps)
    | st.sampled_from(
        ["", "  ", "[1]", "3", '{"a": 1', '"b": 2}', '{"a": [1', "2]}", '{"a":"', '"}', "{}, {}"]
    )
    | st.sampled_from(['{"a": 1}, {"a": 2}', f'{{"a": 1}}{LINE_MARK}{{"a": 2}}', f'{{"a": {LINE_MARK!r}}}'])
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    min_size=1,
    max_size=6,
)


@given(json_lines)
def test_lines_read_together_are_lines_read_one_by_one(lines):
    try:
        slow = [json_object(line, "j", at) for at, line in enumerate(lines) if line and not line.isspace()]
    except UnreadableFile:
        slow = None
    quick = quick_objects([line for line in lines if line and not line.isspace()])
    assert quick is None or repr(quick) == repr(slow)


def test_plain_lines_are_read_together():
    lines = ['{"a": "x", "b": 1.5}'] * 3
    assert quick_objects(lines) == [{"a": "x", "b": 1.5}] * 3


@pytest.mark.parametrize("quoted", [True, False])
@pytest.mark.parametrize("length", [200_000, 3_000_000])
def test_a_long_field_is_read_whole(tmp_path, quoted, length):
    field = ('say "hi", ' if quoted else "word ") * (length // 10)
    cell = '"' + field.replace('"', '""') + ' "' if quoted else field.rstrip()
    path = saved(tmp_path, f"rater,item,score,note\nann,tea,20,x\nbob,tea,30,{cell}\ncat,tea,x,y\n")
    with pytest.raises(BadRows, match="line 4: score 'x'"):
        read(path)
    notes = read(path, bad_rows="drop").cells("rating", "note").tolist()
    assert notes == ["x", field + " " if quoted else field.rstrip()]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('bob,"tea,30', "line 3: a quoted field is not closed"),
        ('bob,"tea"s,30', "line 3: text follows the closing"),
    ],
)
def test_a_broken_quote_is_reported_with_its_cause(tmp_path, row, reason):
    with pytest.raises(UnreadableFile, match=reason):
        read(saved(tmp_path, HEADER + f"ann,tea,20\n{row}\n"))
