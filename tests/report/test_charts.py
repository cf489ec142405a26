import re
import xml.etree.ElementTree as ET
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from steelyard.report.charts import (
    COLOURS,
    LETTER,
    NARROW,
    WIDE,
    ScalePicture,
    draw_scale,
    narrow_for,
    scale_rows,
)
from steelyard.report.histogram import HistogramPicture, draw_histogram
from steelyard.report.label_lines import LINE
from steelyard.report.svg_labels import Frame
from steelyard.scales.scale import Scale

SVG = "{http://www.w3.org/2000/svg}"


def make_scale(size):
    position = np.linspace(90, 10, size)
    rank = np.arange(1, size + 1)
    items = np.array([f"i{at}" for at in range(size)], dtype=object)
    ones = np.ones(size)
    return Scale(items, position, ones, position - 5, position + 5, rank, rank, rank + 1, ones)


def texts(svg):
    """The text of every label. Its lines are separated by line feeds."""
    labels = ET.fromstring(svg).iter(f"{SVG}text")
    return ["\n".join(line.text for line in label.iter() if line.text) for label in labels]


def test_of_a_long_scale_the_highest_positions_are_shown():
    rows = scale_rows(make_scale(120), {})
    assert [row.rank for row in rows] == list(range(1, 31))


def test_every_item_can_be_had():
    assert len(scale_rows(make_scale(120), {}, most=None)) == 120
    assert len(scale_rows(make_scale(3), {})) == 3


def test_a_drawing_names_items_and_ranks_and_needs_no_script_or_network():
    rows = scale_rows(make_scale(3), {"i0": "Full cooked breakfast", "i2": "Black coffee"})
    svg = draw_scale(ScalePicture(rows, (0, 100)))
    drawn_texts = texts(svg)
    assert {"Full cooked breakfast", "i1", "Black coffee", "1 (1–2)", "Rank (95%)"} <= set(drawn_texts)
    assert {"0", "25", "50", "75", "100"} <= set(drawn_texts)
    assert "<script" not in svg
    assert set(re.findall(r"https?://[^\"' ]+", svg)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert 'font-size="13px"' in svg


def test_positions_stand_on_the_studys_range():
    rows = scale_rows(make_scale(3), {})
    root = ET.fromstring(draw_scale(ScalePicture(rows, (0, 100))))
    dots = [path for path in root.iter(f"{SVG}path") if path.get("aria-roledescription") == "circle"]
    across = [float(re.match(r"translate\(([\d.]+)", dot.get("transform")).group(1)) for dot in dots]
    assert across == pytest.approx([0.9 * 384, 0.5 * 384, 0.1 * 384])


def test_a_label_cannot_add_anything_to_the_drawing():
    hostile = '</text><script>alert(1)</script><image href="x" onerror="alert(1)"/>'
    svg = draw_scale(ScalePicture(scale_rows(make_scale(1), {"i0": hostile}), (0, 100)))
    tags = {element.tag for element in ET.fromstring(svg).iter()}
    assert f"{SVG}script" not in tags
    assert f"{SVG}image" not in tags


def test_a_long_label_takes_several_lines_and_its_row_more_height():
    long = "A bowl of lentil soup with one slice of rye bread"
    plain, tall = (
        draw_scale(ScalePicture(scale_rows(make_scale(2), {"i0": text}), (0, 100))) for text in ("Soup", long)
    )
    assert "A bowl of lentil soup\nwith one slice of rye\nbread" in texts(tall)
    assert places_of(tall, "i1")[1] == places_of(plain, "i1")[1] + 2 * LINE


def test_a_label_that_is_too_long_for_a_chart_ends_with_an_ellipsis():
    svg = draw_scale(ScalePicture(scale_rows(make_scale(1), {"i0": "word " * 90}), (0, 100)))
    lines = next(text for text in texts(svg) if text.startswith("word")).split("\n")
    assert len(lines) == WIDE.lines
    assert lines[-1].endswith("…")
    assert max(map(len, lines)) <= WIDE.letters


def places_of(svg, label):
    """Where a label is drawn, in pixels."""
    found = {}

    def collect(element, frame):
        here = frame.moved(element.get("transform", ""))
        if element.tag.endswith("}text"):
            found.setdefault("".join(element.itertext()), (here.x, here.y))
        for part in element:
            collect(part, here)

    collect(ET.fromstring(svg), Frame())
    return found[label]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_theme_uses_its_own_tokens(theme):
    svg = draw_scale(ScalePicture(scale_rows(make_scale(2), {}), (0, 100), theme))
    assert COLOURS[theme].accent in svg
    other = "dark" if theme == "light" else "light"
    assert COLOURS[other].accent not in svg


def test_a_phone_gets_a_drawing_that_fits_it():
    svg = draw_scale(ScalePicture(scale_rows(make_scale(2), {}), (0, 100), layout=NARROW))
    assert float(ET.fromstring(svg).get("width")) <= 320


def test_a_scale_of_seven_steps_shows_every_step():
    scale = make_scale(3)
    rows = scale_rows(
        Scale(scale.item, *([np.array([6.0, 4.0, 2.0])] * 4), *([scale.rank] * 3), scale.count), {}
    )
    assert set("1234567") <= set(texts(draw_scale(ScalePicture(rows, (1, 7)))))


def test_an_interval_outside_the_range_widens_the_axis():
    scale = make_scale(2)
    rows = scale_rows(scale, {})
    root = ET.fromstring(draw_scale(ScalePicture(rows, (0, 1))))
    rules = [line for line in root.iter(f"{SVG}line") if line.get("aria-roledescription") == "rule mark"]
    assert all(float(rule.get("x2", 0)) <= 384.5 for rule in rules)


@pytest.mark.parametrize(
    "characters", ["".join(map(chr, range(0x20))), "\x7f\x85", "\ud800\udfff", "\ufffe\uffff"]
)
def test_a_label_with_characters_that_cannot_be_drawn_is_drawn_without_them(characters):
    rows = scale_rows(make_scale(1), {"i0": f"Tea {characters}"})
    assert any(drawn_texts.startswith("Tea ") for drawn_texts in texts(draw_scale_apart(rows)))


def draw_scale_apart(rows):
    """The drawing, made in a process that may die without taking the tests with it."""
    with ProcessPoolExecutor(1, get_context("forkserver")) as pool:
        return pool.submit(draw_scale, ScalePicture(rows, (0, 100))).result()


def test_on_phones_the_longest_label_and_its_rank_share_a_line_without_touching():
    long = "A label that is so much longer than a phone is wide that it takes more than four of the lines of a phone"
    rows = scale_rows(make_scale(120), {f"i{at}": long for at in range(120)})
    layout = narrow_for([row.ranks for row in rows])
    drawn_texts = texts(draw_scale(ScalePicture(rows, (0, 100), layout=layout)))
    lines = next(text for text in drawn_texts if text.startswith("A label")).split("\n")
    assert lines[-1].endswith("…")
    longest = max(map(len, lines))
    assert (longest + max(len(row.ranks) for row in rows)) * LETTER <= layout.width


def test_clusters_are_lines_beside_the_rows():
    rows = scale_rows(make_scale(4), {})
    plain = draw_scale(ScalePicture(rows, (0.0, 100.0)))
    lined = draw_scale(ScalePicture(rows, (0.0, 100.0), clusters=(1, 1, 2, 3)))
    assert lined.count("<line") - plain.count("<line") == 3


def test_the_first_label_of_a_histogram_is_below_the_zero_of_its_counts():
    svg = draw_histogram(HistogramPicture(((-1.5, 0.0, 3), (0.0, 1.5, 4)), None, "light"))
    assert places_of(svg, "\u22121.5")[1] - places_of(svg, "0")[1] >= 13  # the size of the font


def test_a_histogram_without_fixed_ends_spans_the_positions_only():
    picture = HistogramPicture(((-2.0, 0.0, 3), (0.0, 2.0, 4)), None, "light")
    assert {"−2", "2"} <= set(texts(draw_histogram(picture)))
    whole = HistogramPicture(picture.bins, (0.0, 100.0), "light")
    assert "100" in texts(draw_histogram(whole))
