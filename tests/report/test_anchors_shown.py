"""Anchors in the report of a range study."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from steelyard import Goldilocks, Judgments, Range
from steelyard.report.contents import report_of_judgments
from steelyard.report.markdown import report_markdown
from steelyard.report.page import render_report
from steelyard.report.parts.ranges import AnchorRow, anchor_rows
from steelyard.study.results.effort import AnchorRange

RANGES = [
    Range(rater, item, at + low, at + low + 10)
    for at, rater in enumerate(("ann", "bob", "cat"))
    for item, low in (("tea", 10), ("soup", 40), ("roast", 80))
]


@pytest.fixture
def report():
    return report_of_judgments(
        Judgments.of(RANGES, range=(0, 100)), Goldilocks(), "Portions", 1_795_000_000.0
    )


def test_an_anchor_has_its_estimated_position_beside_the_position_at_which_it_is_shown(report):
    anchors = (AnchorRange("tea", 30.0, 30.0), AnchorRange("salt", 0.0, 5.0))
    source = SimpleNamespace(overview=SimpleNamespace(effort=SimpleNamespace(anchors=anchors)), label=str)
    positions = {row.item: row.position for row in report.sections[0].ranges.rows}
    assert anchor_rows(source, positions) == (
        AnchorRow("tea", 30.0, 30.0, 16.0),
        AnchorRow("salt", 0.0, 5.0, None),
    )


def test_reports_show_both_positions_of_an_anchor(report):
    (section,) = report.sections
    anchors = (AnchorRow("tea", 30.0, 30.0, 16.0), AnchorRow("salt", 0.0, 5.0))
    shown = replace(report, sections=(replace(section, ranges=replace(section.ranges, anchors=anchors)),))
    text, page = report_markdown(shown), render_report(shown)
    assert (
        "| Item | Shown at | Position |\n|---|---:|---:|\n| tea | 30.0 | 16.0 |\n| salt | 0.0 to 5.0 | – |"
        in text
    )
    assert '<td class="number">30.0</td><td class="number">16.0</td>' in page
