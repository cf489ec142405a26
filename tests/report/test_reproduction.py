import pytest

from steelyard.report.reproduction.drawings import panels_of
from steelyard.report.reproduction.page import claim_columns, render_reproduction, summary_line
from steelyard.simulation.reproduction.claims import Check, Claim
from steelyard.simulation.reproduction.figures import (
    Clouds,
    Grid,
    Heatmaps,
    Histograms,
    Intervals,
    Lines,
    Series,
)
from steelyard.simulation.reproduction.reproduction import Reproduction, Section

ONE = (Series("DA", ((1.0, 0.2), (2.0, 0.4), (3.0, 0.5), (4.0, 0.4))), Series("RA", ((1.0, 0.1), (2.0, 0.3))))
FIGURES = (
    Lines("Curves", "Two curves.", {"Spearman": ONE, "Pearson": ONE}, "answers", "correlation"),
    Clouds("Clouds", "Dots.", {"toxicity": ONE[:1]}, "position", "size"),
    Histograms("Bars", "Shares.", {"oracle": (0.5, 0.5)}, ("low", "high"), "position", "share"),
    Heatmaps("Heat", "Quality.", {"iteration 0": ((1.0, 0.5), (0.5, 1.0))}, "quality"),
    Intervals("Estimates", "95%.", (("A & B", 0.4, 0.1, 0.7),), "lambda"),
)
GRID = Grid("Counts", "All counts.", ("data", "n"), (("<ModPref>", "61"),))
CLAIMS = (
    Claim("Table 1", "A number.", "1", "1", (Check(1.0, 1.0, 1.0),)),
    Claim("Table 2", "Another <number>.", "1", "2", (Check(2.0, 1.0, 1.0),), because="It was rounded."),
    Claim("Table 3", "An opinion.", "1", ""),
)


@pytest.fixture(scope="module")
def reproduction():
    sections = (Section("First part", ("What was done.",), CLAIMS, (*FIGURES, GRID)),)
    return Reproduction("dras", "Somebody (2015).", ("Read this first.",), sections, "Seed 3.")


@pytest.fixture(scope="module")
def page(reproduction):
    return render_reproduction(reproduction)


def test_every_line_has_its_verdict_and_reason(page):
    assert "differs</strong> <span>It was rounded.</span>" in page
    assert "cannot be checked without people</strong>" in page


def test_text_is_escaped(page):
    assert "Another &lt;number&gt;." in page
    assert "&lt;ModPref&gt;" in page


def test_the_page_is_one_file_without_scripts_or_addresses(page):
    assert "<script" not in page
    assert "src=" not in page
    assert page.count("http") == page.count("http://www.w3.org")


def test_every_chart_is_drawn_for_light_and_dark_pages(page):
    panels = sum(len(panels_of(figure)) for figure in FIGURES)
    assert page.count('class="drawing light"') == page.count('class="drawing dark"') == panels == 6


def test_a_table_has_no_panels():
    assert panels_of(GRID) == ()


def test_seed_and_command_are_on_the_page(page):
    assert "Seed 3." in page
    assert "steelyard reproduce dras" in page


def test_the_lines_are_also_a_table(reproduction):
    columns = claim_columns(reproduction)
    assert columns["verdict"] == ["reproduced", "differs", "cannot be checked without people"]
    assert set(map(len, columns.values())) == {3}


def test_the_summary_counts_lines_by_verdict(reproduction):
    assert summary_line(reproduction).startswith("3 lines: 1 reproduced; 1 differs; 0 the analysis")
