"""Dras (2015): the numbers are exact, so every verdict is fixed."""

import csv
from pathlib import Path

import pytest

from steelyard.simulation.reproduction.dras import reproduce_dras
from steelyard.simulation.reproduction.dras_data import FIGURE_1, table_1_rows
from steelyard.simulation.reproduction.reproduction import Request

EXAMPLES = Path(__file__).parents[3] / "examples" / "preferences"


@pytest.fixture(scope="module")
def reproduction():
    return reproduce_dras(Request())


def verdict_of(reproduction, start):
    (claim,) = [claim for claim in reproduction.claims if claim.statement.startswith(start)]
    return claim.verdict


def test_the_printed_output_of_r_is_reproduced_to_the_last_digit(reproduction):
    for start in ("ModPref, o1", "ModPref, g1", "ModPref: odds", "Collins, as fitted"):
        assert verdict_of(reproduction, start) == "reproduced"


def test_the_source_of_collins_has_one_judgment_more_than_the_published_fit(reproduction):
    assert verdict_of(reproduction, "Collins, source") == "differs"
    assert verdict_of(reproduction, "Counts of the two annotators") == "differs"


def test_the_published_deviances_need_two_exchanged_columns(reproduction):
    for model in ("deviance with ties", "deviance without g1"):
        assert verdict_of(reproduction, f"Table 1 as printed: {model}") == "differs"
        assert verdict_of(reproduction, f"Table 1 with AD and BC exchanged: {model}") == "reproduced"


def test_judge_j3_differs_with_either_table(reproduction):
    assert verdict_of(reproduction, "Table 1 as printed: the interactions") == "reproduced"
    assert verdict_of(reproduction, "Table 1 AD and BC exchanged: the interactions") == "reproduced"


def test_stand_ins_are_never_reported_as_reproduced(reproduction):
    for name, pair in FIGURE_1.items():
        if pair.stand_in:
            assert verdict_of(reproduction, name) == "planted"


def test_the_lines_by_verdict(reproduction):
    assert reproduction.counts == {"reproduced": 17, "differs": 4, "planted": 4, "people": 0}


def test_all_nine_data_sets_state_where_their_counts_come_from():
    assert len(FIGURE_1) == 9
    assert all(pair.status for pair in FIGURE_1.values())


@pytest.mark.parametrize(("file", "exchanged"), [("table_1.csv", False), ("table_1_exchanged.csv", True)])
def test_the_files_of_the_example_are_table_1(file, exchanged):
    rows = list(csv.DictReader((EXAMPLES / file).read_text().splitlines()))
    columns = table_1_rows(exchanged)
    assert [list(row.values()) for row in rows] == [
        [str(cell) for cell in row] for row in zip(*columns.values(), strict=True)
    ]


def test_the_file_of_the_example_has_the_nine_data_sets():
    rows = list(csv.DictReader((EXAMPLES / "figure_1.csv").read_text().splitlines()))
    assert {row["data"]: (int(row["wins"]), int(row["ties"]), int(row["losses"])) for row in rows} == {
        name: pair.counts for name, pair in FIGURE_1.items()
    }
