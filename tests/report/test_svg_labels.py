import re

import pytest

from steelyard.report.svg_labels import label_extent, text_width, with_all_labels


def drawing(*labels, background=""):
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="marks" width="100" height="50" viewBox="0 0 100 50">'
        f'{background}<g transform="translate(40,20)">{"".join(labels)}</g></svg>'
    )


def label(text, anchor="start", transform="translate(0,0)", **more):
    extra = "".join(f' {name}="{value}"' for name, value in more.items())
    return f'<text text-anchor="{anchor}" transform="{transform}" font-size="10px"{extra}>{text}</text>'


def box_of(svg):
    return [float(each) for each in re.search(r'viewBox="([^"]+)"', svg)[1].split()]


def test_a_drawing_with_space_for_its_labels_stays_as_it_is():
    fits = drawing(label("tea"), label("milk", "end"))
    assert with_all_labels(fits) == fits
    assert with_all_labels("<p>no drawing</p>") == "<p>no drawing</p>"


def test_a_drawing_grows_to_the_side_of_a_long_label_with_its_background():
    background = '<rect width="100" height="50" fill="white"/>'
    grown = with_all_labels(drawing(label("Lewis and Steedman", "end"), background=background))
    left, top, width, height = box_of(grown)
    assert left <= 40 - text_width("Lewis and Steedman", 10)
    assert (top, left + width, height) == (0, 100, 50)
    assert f'<rect x="{left:g}" y="0" width="{width:g}" height="50" fill="white"/>' in grown


@pytest.mark.parametrize(
    ("anchor", "transform", "side"),
    [
        ("start", "translate(0,0)", "right"),
        ("start", "translate(0,0) rotate(-90)", "top"),
        ("end", "translate(0,0) rotate(-90)", "bottom"),
        ("middle", "translate(0,0)", "left"),
    ],
)
def test_labels_are_measured_in_their_direction(anchor, transform, side):
    extent = label_extent(drawing(label("a rather long label of an axis", anchor, transform)))
    size = {
        "left": -extent.left,
        "top": -extent.top,
        "right": extent.right - 100,
        "bottom": extent.bottom - 50,
    }
    assert size[side] > 20


def test_the_lines_of_a_label_are_measured_one_by_one():
    lines = '<tspan>a rather long label</tspan><tspan x="0" dy="15">of two lines</tspan>'
    one, two = label_extent(drawing(label("a rather long label"))), label_extent(drawing(label(lines)))
    assert (two.left, two.top, two.right) == (one.left, one.top, one.right)
    assert two.bottom == one.bottom + 15


def test_labels_that_are_not_shown_do_not_count():
    assert label_extent(drawing(label("a rather long hidden label", opacity=0))) is None
