"""The names of columns that files may use, and the page that lists them."""

import re
from pathlib import Path

import pytest

from steelyard import read
from steelyard.judgments.formats.pairs import (
    ARENA_SEGMENT_NAMES,
    ARENA_TIME_NAMES,
    BOTH_BAD,
    SIDES,
    TALLIES,
)
from steelyard.judgments.table_kinds import PEOPLE, RATER_NAMES, SEGMENT_NAMES

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "judgment_files.md").read_text("utf-8")


def listed(column, where):
    """The other names of a column that the page lists for one type of file."""
    row = re.search(rf"^\| `{column}` \| (.*) \| {where} \|$", PAGE, re.MULTILINE)
    return re.findall(r"`([^`]+)`", row[1])


def test_the_page_lists_every_name_of_the_rater():
    names = listed("rater", "all files")
    names.remove("_id")
    assert set(names) | {f"{name}_id" for name in PEOPLE} | {"rater"} == set(RATER_NAMES)
    assert set(PEOPLE) <= {"rater", *names}


@pytest.mark.parametrize(
    ("column", "where", "names"),
    [
        ("segment", "comparisons", SEGMENT_NAMES),
        ("segment", "arena votes", ARENA_SEGMENT_NAMES),
        ("at", "arena votes", ARENA_TIME_NAMES),
        *((column, "tables of counts", names) for column, names in {**SIDES, **TALLIES}.items()),
    ],
)
def test_the_page_lists_other_names_in_their_order(column, where, names):
    assert (column, *listed(column, where)) == names


def test_the_page_lists_every_spelling_of_both_bad():
    row = next(line for line in PAGE.splitlines() if line.startswith("| arena votes |"))
    assert set(BOTH_BAD) <= set(re.findall(r"`([^`]+)`", row))


@pytest.mark.parametrize("name", RATER_NAMES)
def test_every_name_of_the_rater_is_read(name):
    assert read({name: ["ann"], "item": ["tea"], "score": [1]}).raters.tolist() == ["ann"]
