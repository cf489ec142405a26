"""The report in a browser: no label of a chart is cut off, and no table of a phone needs sideways scrolling."""

from dataclasses import replace

import pytest

from steelyard import (
    BradleyTerry,
    Comparison,
    DirectAssessment,
    Goldilocks,
    Judgments,
    Range,
    Rating,
    Steelyard,
)
from steelyard.report.contents import report_of_judgments
from steelyard.report.page import render_report
from steelyard.report.parts.agreement import CoverageRow
from steelyard.report.parts.ranges import AnchorDrift
from steelyard.report.plots.matrices import matrix_plot
from steelyard.report.plots.saving import save_chart

NAMES = [f"A rather long name of a MODEL, version {at} (with {at} billion parameters)" for at in range(9)]
CUT_OFF = """
() => [...document.querySelectorAll('svg')].filter(svg => svg.checkVisibility() && svg.querySelector('text'))
  .flatMap(svg => {
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()])
      .filter(([, box]) => box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1
        || box.bottom > frame.bottom + 1)
      .map(([words]) => words);
  })
"""
SCROLLED = """
() => [...document.querySelectorAll('.scroll')].filter(each => each.scrollWidth > each.clientWidth + 1)
  .map(each => each.getAttribute('aria-label')).filter(name => name !== 'Win matrix')
"""


SMALLEST = """
() => [...document.querySelectorAll('svg')].filter(svg => svg.checkVisibility() && svg.querySelector('text'))
  .map(svg => parseFloat(getComputedStyle(svg.querySelector('text')).fontSize)
    * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)
"""


def with_coverage(report):
    """The report with a table and a chart of coverage, as studies have."""
    rows = tuple(
        CoverageRow(nominal, region, 0.91, 0.866, 0.943, 215)
        for nominal, region in ((0.5, ""), (0.95, ""), (0.95, "highest third"))
    )
    sections = [replace(each, agreement=replace(each.agreement, coverage=rows)) for each in report.sections]
    return replace(report, sections=tuple(sections))


def ranges():
    return Judgments.of(
        (
            Range(f"rater-{rater}", name, 8 * at + rater, 8 * at + 3 * rater + 9)
            for at, name in enumerate(NAMES)
            for rater in range(4)
        ),
        range=(0, 100),
    )


def comparisons():
    pairs = [(one, other) for one in NAMES for other in NAMES if one != other]
    return Judgments.of(
        Comparison(f"rater-{at % 7}", *pair, ("left", "left", "right", "tie")[at % 4])
        for at, pair in enumerate(pairs)
    )


def ratings():
    return Judgments.of(
        (
            Rating(f"rater-{rater}", name, (11 * at + 7 * rater) % 101)
            for at, name in enumerate(NAMES)
            for rater in range(6)
        ),
        range=(0, 100),
    )


def outputs():
    """Ratings of outputs of nine systems, whose differences are a matrix."""
    return Judgments.of(
        (
            Rating(
                f"rater-{rater}",
                f"{at}-{segment}",
                (9 * at + 7 * rater + 5 * segment) % 101,
                {"system": name, "segment": str(segment)},
            )
            for at, name in enumerate(NAMES)
            for segment in range(4)
            for rater in range(3)
        ),
        range=(0, 100),
    )


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    ("judgments", "model"), [(comparisons, BradleyTerry), (ratings, Steelyard), (outputs, DirectAssessment)]
)
def test_labels_are_whole_and_tables_fit(tmp_path, open_page, judgments, model, width):
    path = tmp_path / "report.html"
    report = report_of_judgments(judgments(), model(), "an_unbroken_" * 5, 0.0)
    path.write_text(render_report(with_coverage(report)))
    page = open_page(path.as_uri(), viewport={"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(SCROLLED) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_charts_are_legible_on_a_phone(tmp_path, open_page):
    report = report_of_judgments(ranges(), Goldilocks(), "Ranges", 0.0)
    (section,) = report.sections
    moved = tuple(AnchorDrift(name, ((1, 9.0 * at), (2, 8.0 * at))) for at, name in enumerate(NAMES))
    shown = replace(report, sections=(replace(section, ranges=replace(section.ranges, drift=moved)),))
    path = tmp_path / "report.html"
    path.write_text(render_report(with_coverage(shown)))
    page = open_page(path.as_uri(), viewport={"width": 390, "height": 800})
    sizes = page.evaluate(SMALLEST)
    assert len(sizes) >= 4
    assert min(sizes) >= 10.9
    assert page.evaluate(CUT_OFF) == []


def test_labels_of_a_matrix_chart_are_whole(tmp_path, open_page):
    save_chart(matrix_plot(BradleyTerry().fit(comparisons())), tmp_path / "matrix.svg")
    (tmp_path / "page.html").write_text((tmp_path / "matrix.svg").read_text())
    page = open_page((tmp_path / "page.html").as_uri(), viewport={"width": 1280, "height": 900})
    assert page.evaluate(CUT_OFF) == []
    assert page.locator("svg text", has_text="9. A rather long name").count() == 1
