import json

import numpy as np
import pytest

from tests.cli.test_commands import steelyard, table_of

QUICK = ("--items", 20, "--raters", 8, "--repetitions", 2)


@pytest.fixture
def ratings(tmp_path):
    rng = np.random.default_rng(1)
    quality = rng.uniform(10, 90, 30)
    lines = [
        f"r{rater},i{item},{np.clip(quality[item] + rng.normal(0, 12), 0, 100):.0f},{8000 + 100 * rater}"
        for item in range(30)
        for rater in range(5)
    ]
    path = tmp_path / "pilot.csv"
    path.write_text("rater,item,score,milliseconds\n" + "\n".join(lines) + "\n")
    return path


def test_plan_writes_protocols_side_by_side_with_the_source_of_their_times(tmp_path):
    study, chart = tmp_path / "study.toml", tmp_path / "plan.svg"
    done = steelyard(
        "plan", *QUICK, "--reliability", 0.8, "--protocol", "list", "--protocol", "rating", "--hourly", 12,
        "--study", study, "--plot", chart,
    )  # fmt: skip
    rows = table_of(done.stdout)
    assert {row["protocol"] for row in rows} == {"list", "rating"}
    assert all(float(row["cost"]) == pytest.approx(12 * float(row["hours"])) for row in rows)
    assert "Chen" in rows[0]["time_from"]
    assert f"redundancy = {rows[0]['answers_per_item']} " in study.read_text()
    assert chart.read_text().startswith("<svg")


def test_plan_from_a_pilot_uses_its_raters_and_times(ratings):
    done = steelyard("plan", *QUICK, "--width", 0.3, "--pilot", ratings, "--protocol", "rating", "--json")
    (row,) = json.loads(done.stdout)
    again = steelyard(
        "plan", *QUICK, "--width", 0.3, "--pilot", ratings, "--protocol", "rating", "--json", "--same-raters"
    )
    assert "pilot.csv, same raters" in again.stderr
    assert json.loads(again.stdout)[0]["answers_per_item"] > 0
    assert row["seconds_per_task"] == pytest.approx(8.2)
    assert row["time_from"].startswith("pilot, median of 150 tasks")
    assert "pilot.csv" in done.stderr


def test_plan_reports_votes_that_a_leaderboard_needs(tmp_path):
    votes = tmp_path / "votes.csv"
    rows = ["ann,a,b,left"] * 30 + ["bob,a,b,right"] * 25 + ["cy,b,c,left"] * 40 + ["cy,c,b,left"] * 8
    votes.write_text("rater,left,right,outcome\n" + "\n".join(rows) + "\n")
    done = steelyard("plan", "--leaderboard", "--pilot", votes, "--repeats", "keep")
    close, far = table_of(done.stdout)
    assert (close["first"], close["second"], far["second"]) == ("a", "b", "c")
    assert int(close["votes_more"]) > int(far["votes_more"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--items", 20), "no target is set"),
        (("--items", 20, "--reliability", 0.9, "--width", 0.1), "cannot be combined"),
        (("--reliability", 0.9), "--items"),
        (("--leaderboard",), "--pilot FILE"),
        (("--items", 20, "--reliability", 0.9, "--same-raters"), "--pilot FILE"),
        (("--items", 20, "--reliability", 0.9, "--seconds", "rating"), "PROTOCOL=SECONDS"),
        (("--items", 20, "--reliability", 0.9, "--positions", "flat"), "flat"),
        (("--items", 20, "--reliability", 0.9, "--seconds", "lists=3"), "unknown protocol 'lists'"),
    ],
)
def test_plan_refuses_what_it_cannot_plan(options, words):
    done = steelyard("plan", *options, code=2)
    assert words in done.stderr


def test_a_leaderboard_refuses_options_that_it_does_not_use(tmp_path):
    votes = tmp_path / "votes.csv"
    votes.write_text("rater,left,right,outcome\nann,a,b,left\nann,b,a,left\n")
    options = ("--plot", tmp_path / "plan.svg", "--hourly", 12)
    done = steelyard("plan", "--leaderboard", "--pilot", votes, *options, code=2)
    assert "cannot be combined with --hourly and --plot" in done.stderr


def test_the_answers_are_inside_their_interval():
    done = steelyard("plan", *QUICK, "--reliability", 0.8, "--protocol", "list", "--json")
    (row,) = json.loads(done.stdout)
    assert row["low"] <= row["answers_per_item"]
    assert row["high"] is None or row["answers_per_item"] <= row["high"]
