"""`steelyard trust` writes each of its tables, and says what it assumed."""

import numpy as np
import pytest

from tests.cli.test_commands import steelyard, table_of


@pytest.fixture
def judged(tmp_path):
    rng = np.random.default_rng(1)
    lines = ["rater,item,system,score,source,family,length"]
    for system in ("old", "new"):
        truth = rng.normal(50 + 5 * (system == "new"), 10, 60)
        for at in range(60):
            item = f"{system}{at},{system}"
            lines += [f"r{at % 6},{item},{truth[at] + rng.normal(0, 3):.2f},human,,{at}"] if at < 24 else []
            lines += [
                f"{judge},{item},{truth[at] / 100 + rng.normal(0, 0.05):.4f},machine,lm,{at}"
                for judge in "mn"
            ]
    path = tmp_path / "judged.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    ("what", "rows", "column"),
    [
        ("estimates", 2, "saved"),
        ("differences", 1, "saved"),
        ("judges", 2, "corrected"),
        ("biases", 6, "level"),
    ],
)
def test_each_table_is_written(judged, what, rows, column):
    done = steelyard("trust", judged, "--what", what, "--feature", "length")
    table = table_of(done.stdout)
    assert len(table) == rows
    assert column in table[0]
    assert "People's answers are taken to be about a random part of the items" in done.stderr


def test_the_number_of_answers_for_a_width_is_reported(judged):
    wide, narrow = (
        table_of(steelyard("trust", judged, "--width", width).stdout)[0]["needed"] for width in (20, 3)
    )
    assert int(wide) == 0
    assert narrow == "" or int(narrow) > 0


def test_a_width_that_answers_cannot_reach_is_explained(judged):
    done = steelyard("trust", judged, "--width", 0.01)
    assert {row["needed"] for row in table_of(done.stdout)} == {""}
    assert "no number of answers about these items is enough" in done.stderr
    assert "no number of answers" not in steelyard("trust", judged, "--width", 90).stderr


def test_fit_says_that_machine_answers_are_left_out(judged):
    done = steelyard("fit", judged, "--model", "direct_assessment", "--range", 0, 100)
    assert len(table_of(done.stdout)) == 48
    assert "240 rows by 2 machine judges are left out. Only people's answers are used." in done.stderr


def test_features_of_items_may_be_in_a_file_of_their_own(judged, tmp_path):
    items = tmp_path / "items.csv"
    rows = [f"{system}{at},{at % 7}" for system in ("old", "new") for at in range(60)]
    items.write_text("\n".join(["item,words", *rows]) + "\n")
    done = steelyard("trust", judged, "--what", "biases", "--feature", "words", "--items-file", items)
    assert {row["feature"] for row in table_of(done.stdout)} == {"system", "words"}
    refused = steelyard("trust", judged, "--items-file", items, code=2)
    assert "this option needs --feature" in refused.stderr


def test_the_factor_and_the_answers_saved_are_explained(judged):
    done = steelyard("trust", judged)
    assert "Estimates use the predictions of the machine with the factor" in done.stderr
    assert "saved is the number of further answers of people" in done.stderr
