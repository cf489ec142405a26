import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import threading
import zipfile

import pytest

from steelyard import read
from steelyard.errors import EmptyFile, UnreadableFile

CSV = "rater,item,score\n" + "".join(f"r{at % 7},i{at},{at % 5}\n" for at in range(2000))
JSONL = "".join(
    json.dumps({"rater": f"r{at % 7}", "item": f"i{at}", "score": at % 5, "note": "x" * 60}) + "\n"
    for at in range(2000)
)


def fifo_with(path, content):
    """A named pipe into which a thread writes this content, once somebody reads it."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
    writer.start()
    return path


@pytest.mark.parametrize("text", [CSV, JSONL], ids=["csv", "jsonl"])
def test_a_named_pipe_is_read_to_its_end(tmp_path, text):
    judgments = read(fifo_with(tmp_path / "pipe", text.encode()))
    assert len(judgments) == 2000


@pytest.mark.parametrize("text", [CSV, JSONL], ids=["csv", "jsonl"])
@pytest.mark.parametrize("place", ["/dev/stdin", "-"])
def test_check_counts_every_row_of_a_pipe(text, place):
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", "check", place],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2,000 rating judgments\n")


def test_a_mistake_in_a_pipe_names_its_line(tmp_path):
    with pytest.raises(Exception, match=r"pipe, line 2002: score 'x' is not a number"):
        read(fifo_with(tmp_path / "pipe", (CSV + "r0,tea,x\n").encode()))


def test_an_empty_pipe_is_an_empty_file(tmp_path):
    with pytest.raises(EmptyFile, match="the file is empty"):
        read(fifo_with(tmp_path / "pipe", b""))


@pytest.mark.parametrize(
    ("ending", "compress"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress), ("", gzip.compress)],
)
@pytest.mark.parametrize(("suffix", "text"), [(".csv", CSV), (".jsonl", JSONL)])
def test_a_compressed_file_is_read_as_what_is_in_it(tmp_path, ending, compress, suffix, text):
    path = tmp_path / f"judgments{suffix}{ending}"
    path.write_bytes(compress(text.encode()))
    assert len(read(path)) == 2000
    assert len(read(io.BytesIO(path.read_bytes()))) == 2000


def test_a_compressed_file_cut_short_is_named(tmp_path):
    path = tmp_path / "judgments.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode())[:-20])
    with pytest.raises(UnreadableFile, match=r"judgments\.csv\.gz: this gzip file is incomplete"):
        read(path)


def zipped(*names):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, "<xml/>")
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (zipped("[Content_Types].xml", "xl/workbook.xml"), r"an Excel workbook \(xlsx\)\. Save .* as CSV"),
        (zipped("mimetype", "content.xml"), r"an OpenDocument spreadsheet \(ods\)\. Save .* as CSV"),
        (zipped("judgments.csv"), r"a zip archive\. Unpack it"),
        (zipped("judgments.csv")[:-30], "zip archive is incomplete"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 50, r"an Excel workbook \(xls\)\. Save .* as CSV"),
        (b"\x28\xb5\x2f\xfd\x00", r"compressed with zstd\. Unpack it"),
    ],
    ids=["xlsx", "ods", "zip", "damaged zip", "xls", "zstd"],
)
@pytest.mark.parametrize("name", ["judgments.xlsx", "judgments.csv"])
def test_a_file_that_holds_no_readable_table_is_named_for_what_it_is(tmp_path, content, message, name):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=rf"{name}: this .*{message}"):
        read(path)
