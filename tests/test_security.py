"""The security checklist in the docs has every requirement once, and the tests that it names exist."""

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


def rows():
    return [
        (ids.split(", "), status, text) for ids, status, text in ROW.findall(PAGE.read_text(encoding="utf-8"))
    ]


def test_every_requirement_is_listed_once_with_a_status():
    ids = [each for several, _, _ in rows() for each in several]
    assert not [each for each, times in Counter(ids).items() if times > 1]
    assert Counter(int(each.split(".")[0]) for each in ids) == REQUIREMENTS
    assert {status for _, status, _ in rows()} == STATUSES


def test_every_test_that_is_named_exists():
    named = [pair for _, _, text in rows() for pair in NAMED.findall(text)]
    assert len(named) >= 70
    for path, name in named:
        content = (HERE / path).read_text(encoding="utf-8")
        assert not name or f"def {name}(" in content, f"{path}::{name}"
