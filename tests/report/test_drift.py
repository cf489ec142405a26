"""The chart of how the scale moved."""

import itertools
import re

from steelyard.report.drift import (
    HEIGHT,
    LEAST_GAP,
    MOST,
    DriftLine,
    DriftPicture,
    draw_drift,
    drift_lines,
    label_places,
)
from steelyard.report.label_lines import LINE
from steelyard.study.grounding.rounds import Drift

SPAN = (0.0, 100.0)


def test_every_anchor_has_a_line_through_its_rounds_and_its_name_at_the_end():
    drift = [Drift("a", ((1, 20.0), (2, 35.0))), Drift("b", ((1, 90.0), (2, 80.0), (3, 70.0)))]
    lines = drift_lines(drift, {"a": "Tea", "b": "A burger with fries and a very long name"})
    svg = draw_drift(DriftPicture(lines, SPAN))
    assert "Tea" in svg
    assert ">A burger with fries and a very long</tspan>" in svg
    assert ">name</tspan>" in svg
    assert [line.places[-1][1] for line in lines] == [70.0, 35.0]


def test_labels_of_anchors_that_ended_close_together_do_not_overlap():
    for ends in ([99.0, 98.0, 97.5, 97.0], [3.0, 2.0, 1.0, 0.0], [50.0] * 6):
        places = label_places(DriftPicture(tuple(DriftLine("x", ((1, end),)) for end in ends), SPAN))
        assert all(below - above > LEAST_GAP - 1e-9 for above, below in itertools.pairwise(places))
        assert all(0 <= place <= HEIGHT for place in places)


def test_a_chart_has_space_for_many_labels_of_several_lines():
    long = "A burger with fries and a name that is so long that it takes two lines"
    picture = DriftPicture(tuple(DriftLine(long, ((1, 50.0),)) for _ in range(MOST)), SPAN)
    places = label_places(picture)
    assert all(below - above > LEAST_GAP + LINE - 1e-9 for above, below in itertools.pairwise(places))
    assert all(LINE / 2 <= place <= picture.height - LINE / 2 for place in places)


def test_an_anchor_that_ended_early_is_joined_to_its_label():
    early = (DriftLine("Soup", ((1, 50.0), (2, 60.0))), DriftLine("Tea", ((1, 20.0),)))
    whole = (early[0], DriftLine("Tea", ((1, 20.0), (2, 30.0))))
    assert draw_drift(DriftPicture(early, SPAN)).count("stroke-dasharray") == 1
    assert "stroke-dasharray" not in draw_drift(DriftPicture(whole, SPAN))


def test_on_phones_the_labels_leave_space_for_the_lines():
    lines = (DriftLine("A burger with fries and a very long name", ((1, 20.0), (2, 30.0))),)
    svg = draw_drift(DriftPicture(lines, SPAN, narrow=True))
    assert float(re.search(r'<svg[^>]*? width="([\d.]+)"', svg)[1]) <= 358


def test_of_very_many_anchors_those_with_the_most_rounds_are_shown():
    drift = [Drift(f"i{at}", ((1, float(at)),)) for at in range(40)] + [Drift("z", ((1, 5.0), (2, 6.0)))]
    lines = drift_lines(drift, {})
    assert len(lines) == MOST
    assert "z" in {line.label for line in lines}


def test_a_study_without_rounds_has_an_empty_picture():
    assert draw_drift(DriftPicture((), SPAN)).startswith("<svg")
