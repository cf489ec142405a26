"""Charts of fits: what they show, and that nothing is cut off or left out without a word."""

import re
import sys

import numpy as np
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
from steelyard.errors import BadSetting, MissingLibrary, UnknownName
from steelyard.quality.calibration import LEVELS, PredictedAnswer, calibration_of
from steelyard.quality.learning_curve import learning_curve
from steelyard.report.charts import to_svg
from steelyard.report.plots import (
    ambiguity_plot,
    coverage_plot,
    learning_plot,
    matrix_plot,
    rater_plot,
    save_chart,
)
from steelyard.report.plots.look import row_labels
from steelyard.scales.plotting import PLOTS

LONG = "A label of about sixty letters that a chart must never cut off"


def ratings(items, seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        Rating(f"rater {rater}", f"{LONG[: 40 + at % 20]} {at}", float(rng.uniform(0, 100)))
        for at in range(items)
        for rater in range(4)
    ]
    return Judgments.of(rows, range=(0, 100))


@pytest.fixture(scope="module")
def compared():
    pairs = [
        ("tea", "milk", "left"),
        ("milk", "soup", "left"),
        ("soup", "tea", "left"),
        ("tea", "soup", "tie"),
    ]
    rows = [Comparison(f"r{at}", *pair) for at, pair in enumerate(pairs * 2)]
    return BradleyTerry().fit(Judgments.of(rows))


@pytest.fixture(scope="module")
def ranged():
    rows = [
        Range(f"r{rater}", f"item {at}", float(at), float(at + 5 + rater))
        for at in range(0, 90, 9)
        for rater in range(3)
    ]
    return Goldilocks().fit(Judgments.of(rows, range=(0, 100)))


def texts(chart):
    return re.findall(r">([^<>]+)<", to_svg(chart))


@pytest.mark.parametrize("what", ["scale", "ranks"])
@pytest.mark.parametrize("items", [3, 300])
def test_long_labels_are_shown_whole(what, items):
    fit = DirectAssessment().fit(ratings(items))
    shown = texts(fit.plot(what, letters=80))
    labels = [text for text in shown if text.startswith("A label")]
    assert len(labels) == min(items, 100)
    assert {re.sub(r"&amp;", "&", label) for label in labels} <= set(map(str, fit.item))
    assert any("100 of 300 items" in text for text in shown) == (items == 300)


def test_equal_labels_stay_apart():
    assert row_labels(["a", "b"], {"a": LONG * 2, "b": LONG * 2}, 20) == [
        f"{LONG[:19].rstrip()}… (1)",
        f"{LONG[:19].rstrip()}… (2)",
    ]


def test_a_matrix_has_every_pair_in_percent(compared):
    shown = texts(compared.plot("matrix"))
    wanted = [f"{100 * each:.0f}" for _, _, each in compared.win_matrix().pairs()]
    assert sorted(text for text in shown if text.isdigit()) == sorted(wanted)
    assert any("Ties count one half" in text for text in shown)
    assert any("2 of 3 items" in text for text in texts(matrix_plot(compared.win_matrix(), most=2)))


def test_raters_have_one_panel_per_statistic():
    fit = Steelyard().fit(ratings(6))
    shown = texts(fit.plot("raters", statistics=["bias", "noise"]))
    assert {"bias", "noise", "rater 0"} <= set(shown)
    assert any("2 of 4 raters" in text for text in texts(rater_plot(fit, most=2)))
    with pytest.raises(UnknownName, match="statistic"):
        fit.plot("raters", statistics=["bais"])


def test_a_histogram_beside_gold_counts_items_without_a_value(compared):
    shown = texts(compared.plot("histogram", gold={"tea": 1.0, "milk": 2.0}))
    assert {"log-worth", "gold value"} <= set(shown)
    assert any("1 of 3 items have no gold value" in text for text in shown)


def test_ranges_are_shown_by_position_and_width(ranged):
    shown = texts(ranged.plot("ambiguity", named=4))
    assert sum(text.startswith("item ") for text in set(shown)) in range(1, 5)
    assert any("ambiguity" in text for text in shown)
    with pytest.raises(BadSetting, match="no widths"):
        ambiguity_plot(DirectAssessment().fit(ratings(3)))


def test_a_model_without_raters_says_so(compared):
    with pytest.raises(BadSetting, match="no statistics of raters"):
        compared.plot("raters")


def test_coverage_and_learning_curves_are_drawn():
    answers = [PredictedAnswer("a", 0.5, 0.4, (True,) * len(LEVELS)) for _ in range(9)]
    assert "nominal coverage" in texts(coverage_plot(calibration_of(answers)))
    with pytest.raises(BadSetting, match="no answers"):
        coverage_plot(calibration_of([]))
    curve = learning_curve(DirectAssessment(), ratings(9), np.random.default_rng(1), points=3, repeats=2)
    assert "answers" in texts(learning_plot(curve))


@pytest.mark.parametrize("suffix", ["svg", "png", "html", "json"])
def test_charts_are_saved(tmp_path, compared, suffix):
    path = tmp_path / f"chart.{suffix}"
    save_chart(compared.plot(), path)
    content = path.read_bytes()
    assert {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!DOCTYPE html>", "json": b"{"}[suffix] in content[
        :200
    ]
    assert b"https://cdn" not in content


def test_a_format_that_charts_do_not_have_is_refused(tmp_path, compared):
    with pytest.raises(UnknownName, match="Known: svg, png, html, json"):
        save_chart(compared.plot(), tmp_path / "chart.pdf")


def test_an_unknown_chart_is_refused_with_the_closest_name(compared):
    with pytest.raises(UnknownName, match="Did you mean 'matrix'"):
        compared.plot("matrx")


@pytest.mark.parametrize("what", PLOTS)
def test_without_altair_the_message_names_the_extra(monkeypatch, compared, what):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingLibrary, match=r"pip install 'steelyard\[plots\]'"):
        compared.plot(what)


def test_labels_with_control_characters_are_drawn(tmp_path):
    fit = DirectAssessment().fit(Judgments.of([Rating("ann", "a\x00b\nc", 3.0), Rating("bob", "d", 9.0)]))
    assert "a�b c" in texts(fit.plot())
