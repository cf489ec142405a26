"""The chart of positions against gold."""

import re

import numpy as np
import pytest

from steelyard.maths.arrays import object_cells
from steelyard.quality.gold import ItemValues, against_gold
from steelyard.report.charts import to_svg
from steelyard.report.plots import gold_plot
from steelyard.report.plots.gold import LABEL, POINT, SIDE, _panel_of, _pixels, _placed
from steelyard.report.plots.label_layout import Box, _box, place_labels

LONG = "A label of about sixty letters that a chart must never cut off"


def result(count, scales=1, ends=None, name="item", intervals=True):
    rng = np.random.default_rng(count)
    truth = rng.uniform(10, 90, count)
    ids = object_cells(f"{name} {at}" for at in range(count))
    made = []
    for at in range(scales):
        place = truth + rng.normal(0, 5, count)
        bounds = (place - 9, place + 9) if intervals else (None, None)
        made.append(ItemValues(f"scale {at}", ids, place, *bounds, ends=ends))
    return against_gold(made, ItemValues("gold", ids, truth), resamples=20)


def texts(svg):
    return re.findall(r"<text[^>]*>([^<]+)</text>", svg)


def test_every_item_of_a_small_table_is_labelled_in_full():
    shown = texts(to_svg(gold_plot(result(8, name=LONG[:50]))))
    assert all(f"{LONG[:50]} {at}" in shown for at in range(8))


def test_of_many_items_those_far_from_the_line_are_labelled_and_the_rest_counted():
    svg = to_svg(gold_plot(result(2500), named=10))
    labelled = {text for text in texts(svg) if re.fullmatch(r"item \d+", text)}
    assert len(labelled) == 5
    assert "2,000 of 2,500 items, evenly spaced by gold" in svg


def test_labels_stay_inside_the_picture():
    svg = to_svg(gold_plot(result(8, name=LONG[:50])))
    width = float(re.search(r'<svg[^>]*\bwidth="([\d.]+)"', svg)[1])
    assert width > 360 + 50  # the plotting area, and the axis
    assert "…" not in svg


@pytest.mark.parametrize(("ends", "words"), [((0, 100), "Solid line: equality."), (None, "on positions.")])
def test_equality_is_drawn_only_on_one_scale(ends, words):
    shown = texts(to_svg(gold_plot(result(20, scales=2, ends=ends))))
    lines = [text for text in shown if text.startswith("Dashed line")]
    assert lines[0].endswith(words)
    assert {"scale 0", "scale 1"} <= set(shown)


def test_scales_without_intervals_and_scales_against_each_other_are_drawn():
    some, others = result(6, intervals=False), result(7)
    assert "Positions against gold" in texts(to_svg(gold_plot(some)))
    ids, values = object_cells("pqrs"), np.arange(4.0)
    first = against_gold([ItemValues("a", ids, values)], ItemValues("b", ids, values), resamples=20)
    assert "Positions with 95% intervals against those of another scale" in texts(
        to_svg(gold_plot(first, others))
    )


def test_a_constant_scale_has_no_line_and_is_drawn():
    ids = object_cells("pqrs")
    flat = against_gold(
        [ItemValues("flat", ids, np.full(4, 2.0))], ItemValues("gold", ids, np.arange(4.0)), resamples=20
    )
    assert "flat" in texts(to_svg(gold_plot(flat)))


def test_labels_avoid_points_of_a_large_table():
    ids = object_cells(f"item {at}" for at in range(100))
    truth = np.repeat(np.arange(10.0), 10)
    places = truth + np.tile(np.arange(10.0), 10) / 20.0
    panel = _panel_of(
        against_gold([ItemValues("a", ids, places)], ItemValues("gold", ids, truth), resamples=20), 0, None
    )
    x, y = _pixels(panel.gold, panel.across), SIDE - _pixels(panel.score, panel.up)
    points = [Box(a - POINT, b - POINT, a + POINT, b + POINT) for a, b in zip(x, y, strict=True)]
    for each in _placed(panel, 12):
        box = _box(each.x, each.y, each.text, (each.align, each.across, each.down), LABEL)
        assert sum(box.overlap(point) for point in points) < 1.0


def test_labels_avoid_points_each_other_and_the_edge():
    near = [(50.0, 50.0, "one label"), (52.0, 52.0, "another label"), (195.0, 100.0, "at the edge")]
    points = [Box(x - 4, y - 4, x + 4, y + 4) for x, y, _ in near]
    first, second, edge = place_labels(near, points, 200, 11)
    assert (first.align, first.down) != (second.align, second.down)
    assert edge.align == "right"
