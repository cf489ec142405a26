"""`steelyard judge` runs a program of the user, keeps its answers and continues where it stopped."""

import json
import sys

import pytest

from steelyard import read
from tests.cli.test_results import exported, make_study, steelyard

ECHO = """
import json, sys
bad = set(sys.argv[1].split(",")) if len(sys.argv) > 1 else set()
last = sys.argv[2] if len(sys.argv) > 2 else None
for line in sys.stdin:
    task = json.loads(line)
    item = task["item"]["id"] if "item" in task else task["left"]["id"]
    if item == last:
        sys.exit(3)
    answer = {"task": task["task"], "score": len(item) if item not in bad else "high"}
    if task["kind"] == "comparison":
        answer = {"task": task["task"], "outcome": "left"}
    print(json.dumps(answer), flush=True)
"""
SILENT = "import sys, threading\nsys.stdin.readline()\nthreading.Event().wait()"


@pytest.fixture
def program(tmp_path):
    def written(text, *arguments):
        path = tmp_path / "judge.py"
        path.write_text(text)
        return " ".join([sys.executable, str(path), *arguments])

    return written


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("id,text,segment\n" + "".join(f"i{at},Item {at},{at % 2}\n" for at in range(8)))
    return path


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_answers_are_rows_of_a_machine_judge(program, items, tmp_path):
    path = tmp_path / "echo.jsonl"
    arguments = ("--rater", "echo", "--family", "f", "--at-once", 3, "-o", path)
    done = steelyard("judge", items, "--command", program(ECHO), *arguments)
    assert "Wrote 8 answers" in done.stderr
    judged = read(path)
    assert judged.machine is not None
    assert judged.machine.raters.tolist() == ["echo"]
    assert sorted(judged.machine.items) == [f"i{at}" for at in range(8)]
    assert set(judged.machine.cells("rating", "family")) == {"f"}


def test_bad_lines_are_reported_and_asked_again_by_the_next_run(program, items, tmp_path):
    path = tmp_path / "echo.jsonl"
    first = steelyard("judge", items, "--command", program(ECHO, "i2,i5"), "--rater", "echo", "-o", path)
    assert "line 3: score is not a number" in first.stderr
    assert "2 tasks without an answer" in first.stderr
    again = steelyard("judge", items, "--command", program(ECHO), "--rater", "echo", "-o", path)
    assert "Wrote 2 answers" in again.stderr
    assert sorted(row["item"] for row in lines_of(path)) == [f"i{at}" for at in range(8)]


def test_a_program_that_ends_early_keeps_what_it_answered(program, items, tmp_path):
    path = tmp_path / "echo.jsonl"
    done = steelyard(
        "judge", items, "--command", program(ECHO, "none", "i4"), "--rater", "echo", "-o", path, code=2
    )
    assert "the program ended with exit code 3" in done.stderr
    assert "Repeat the command to continue with the other tasks" in done.stderr
    assert len(lines_of(path)) == 4


def test_a_program_that_does_not_answer_is_ended(program, items, tmp_path):
    arguments = ("--rater", "s", "--time-limit", 0.2, "-o", tmp_path / "s.jsonl")
    done = steelyard("judge", items, "--command", program(SILENT), *arguments, code=2)
    assert "no answer within 0.2 s" in done.stderr


def test_pairs_are_inside_segments_and_do_not_repeat(program, items, tmp_path):
    path = tmp_path / "echo.jsonl"
    arguments = ("--kind", "comparison", "--rater", "echo", "--pairs-per-item", 2, "-o", path)
    steelyard("judge", items, "--command", program(ECHO), *arguments)
    pairs = [(row["left"], row["right"]) for row in lines_of(path)]
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == 8
    assert all(int(left[1:]) % 2 == int(right[1:]) % 2 for left, right in pairs)


def test_answers_about_a_study_are_imported_into_it(program, tmp_path):
    folder = make_study(tmp_path / "study", "rating", "[scale]", "low = 0", "high = 100")
    path = tmp_path / "echo.jsonl"
    command = ("judge", folder, "--command", program(ECHO), "--rater", "echo", "-o", path)
    assert "Imported 8 answers" in steelyard(*command).stderr
    assert exported(folder, "raters") == []
    assert "Wrote 0 answers" in steelyard(*command).stderr


def test_a_program_that_does_not_exist_is_an_error(items, tmp_path):
    arguments = ("--rater", "x", "-o", tmp_path / "x.jsonl")
    done = steelyard("judge", items, "--command", "no-such-program-here", *arguments, code=2)
    assert "'no-such-program-here' cannot be started" in done.stderr


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        ("rating", {"system": "a", "segment": "0"}),
        ("comparison", {"left_system": "a", "right_system": "a", "segment": "0"}),
    ],
)
def test_rows_have_the_systems_and_segments_of_the_items(program, tmp_path, kind, columns):
    items, path = tmp_path / "items.csv", tmp_path / "echo.jsonl"
    items.write_text("id,text,system,segment\n" + "".join(f"i{at},Item,a,0\n" for at in range(4)))
    steelyard("judge", items, "--command", program(ECHO), "--rater", "echo", "--kind", kind, "-o", path)
    machine = read(path).machine
    for name, value in columns.items():
        assert set(machine.cells(kind, name)) == {value}
