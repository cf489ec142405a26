"""The security page of the docs has every requirement once, and the tests that it names exist."""

import re
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "reference" / "security.md"
STATUSES = {"met", "n/a", "deployment", "not met"}
# Requirements of levels 1 and 2 in each chapter of ASVS 5.0.0, 253 in all.
REQUIREMENTS = dict(
    zip(range(1, 18), (27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7), strict=True)
)
ROW = re.compile(r"^\| (\d+\.\d+\.\d+(?:, \d+\.\d+\.\d+)*) \| ([^|]+) \| (.+) \|$", re.MULTILINE)
NAMED = re.compile(r"`([a-z_/]+\.py)(?:::(test_[a-z0-9_]+))?`")
ATTACKS = "## Attacks and faults\n"


def rows():
    return [
        (ids.split(", "), status, text) for ids, status, text in ROW.findall(PAGE.read_text(encoding="utf-8"))
    ]


def test_every_requirement_is_listed_once_with_a_status():
    ids = [each for several, _, _ in rows() for each in several]
    assert not [each for each, times in Counter(ids).items() if times > 1]
    assert Counter(int(each.split(".")[0]) for each in ids) == REQUIREMENTS
    assert {status for _, status, _ in rows()} == STATUSES


def missing(text):
    """The tests that a text names and that do not exist."""
    contents = {path: (HERE / path).read_text(encoding="utf-8") for path, _ in NAMED.findall(text)}
    return [
        f"{path}::{name}"
        for path, name in NAMED.findall(text)
        if name and f"def {name}(" not in contents[path]
    ]


def test_every_test_that_is_named_exists():
    named = " ".join(text for _, _, text in rows())
    assert len(NAMED.findall(named)) >= 70
    assert missing(named) == []


def test_every_attack_names_tests_that_exist():
    section = PAGE.read_text(encoding="utf-8").partition(ATTACKS)[2].partition("\n## ")[0]
    attacks = [line for line in section.splitlines() if line.startswith("| ")][1:]
    assert len(attacks) >= 40
    assert [line for line in attacks if not NAMED.search(line.split(" | ")[2])] == []
    assert missing(section) == []
