"""The owner's page: what it answers first, and the parts that it shares with the report."""

import itertools
import re
from html import unescape

import pytest

from steelyard.kinds.comparison import Verdict
from steelyard.kinds.range import Bounds
from steelyard.study.log.entries import Answer
from steelyard.study.results.watch import Watch
from steelyard.web import owner_parts
from tests.serving import FOODS
from tests.study.making import answer_with, work
from tests.web.test_owner import csrf_of, sign_in, words_of


def answer_all(session, names, cells_of):
    """Let these raters answer every task that they get."""
    for number, name in enumerate(names):
        rater = session.join(name, "link").id
        while (assignment := session.next_task(rater).assignment) is not None:
            cells = cells_of(number, assignment.task)
            session.accept(rater, Answer("", "", assignment.id, cells, milliseconds=900))


@pytest.fixture
def of_ranges(make_app, visit):
    app, key = make_app(protocol="range", extra="redundancy = 3", items=FOODS[:5])

    def bounds(number, task):
        middle = 20.0 * [name for name, _ in FOODS].index(task.items[0])
        return (Bounds(0, 0, middle, middle + 4.0 + 5.0 * number),)

    answer_all(app.state.session, ("Ann", "Bob", "Cem"), bounds)
    return sign_in(visit, app, key)


@pytest.fixture
def of_comparisons(make_app, visit):
    app, key = make_app(protocol="comparison", extra='redundancy = 6\nmodel = "trueskill"', items=FOODS[:4])
    answer_all(app.state.session, ("Ann", "Bob", "Cem"), lambda number, task: (Verdict(1, 0, "left"),))
    return sign_in(visit, app, key)


def test_the_page_begins_with_the_status_and_three_cards(of_ranges):
    page = of_ranges.get("/owner").text
    order = [
        page.index(f'id="{name}"')
        for name in ("owner-status", "progress-title", "quality-title", "steps-title")
    ]
    assert order == sorted(order)
    assert "Finished" in page
    assert "all the answers it asked for" in page


def test_a_card_links_to_its_details(of_ranges):
    page = of_ranges.get("/owner").text
    cards = page[page.index('id="owner-cards"') : page.index('class="columns"')]
    linked = set(re.findall(r'href="#([^"]+)"', cards))
    assert {"collecting-title", "raters", "agreement-title", "scale-title", "part-ranges"} <= linked
    for each in linked:
        assert f'id="{each}"' in page


def test_headings_go_down_one_level_at_a_time_and_the_page_has_one_title(of_ranges, of_comparisons):
    for owner in (of_ranges, of_comparisons):
        levels = [int(level) for level in re.findall(r"<h(\d)", owner.get("/owner").text)]
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_ranges_show_ambiguity_beside_disagreement_and_the_four_corners(of_ranges):
    shown = words_of(of_ranges.get("/owner"))
    for corner in (
        "Clear and agreed",
        "Clear and disputed",
        "Ambiguous and agreed",
        "Ambiguous and disputed",
    ):
        assert corner in shown
    items = words_of(of_ranges.get("/owner/items", params={"order": "ambiguity"}))
    assert "Most ambiguous" in items
    assert "Ambiguity: mean width of the ranges." in items


def test_comparisons_show_a_win_matrix(of_comparisons):
    shown = words_of(of_comparisons.get("/owner"))
    assert "Win matrix" in shown
    assert "Share of comparisons that the row’s item won" in shown


def test_systems_are_shown_where_items_have_systems(make_app, visit):
    def with_systems(folder):
        rows = [f"i{at},Text {at},{'AB'[at % 2]},s{at // 2}" for at in range(8)]
        (folder / "items.csv").write_text("\n".join(["id,text,system,segment", *rows]) + "\n")

    app, key = make_app(with_systems, extra='redundancy = 2\nmodel = "direct_assessment"')
    for name in ("Ann", "Bob"):
        work(app.state.session, app.state.session.join(name, "link").id)
    shown = words_of(sign_in(visit, app, key).get("/owner"))
    assert "Differences between systems" in shown
    assert "new segments, new raters" in shown
    assert "these segments, new raters" in shown


def test_the_charts_of_a_part_are_drawn(of_ranges):
    page = of_ranges.get("/owner").text
    charts = [unescape(each) for each in re.findall(r'(?:src|srcset)="(/owner/part\.svg[^"]+)"', page)]
    assert {re.search("chart=([a-z]+)", each).group(1) for each in charts} >= {"ranges", "corners"}
    for chart in charts:
        drawn = of_ranges.get(chart)
        assert drawn.headers["content-type"] == "image/svg+xml"
        assert drawn.text.startswith("<svg")


def test_an_unknown_chart_or_part_is_not_found(of_ranges):
    asked = {"question": "q1", "of": "ranges", "chart": "corners"}
    question = re.search(r"part\.svg\?question=([^&]+)&", of_ranges.get("/owner").text).group(1)
    for wrong, status in (({"chart": "pie"}, 404), ({"of": "systems"}, 404), ({"of": "colours"}, 422)):
        got = of_ranges.get("/owner/part.svg", params={**asked, "question": question, **wrong})
        assert got.status_code == status


def test_a_part_that_cannot_be_computed_is_named_and_the_page_stays(of_ranges, monkeypatch):
    def fail(source, sources):
        raise ZeroDivisionError("no width")

    monkeypatch.setitem(owner_parts.MAKERS, "ranges", fail)
    # In this process, because the one beside the server does not see the change.
    watched = of_ranges.app.state.session
    overview = Watch(watched.study, watched.log, watched.roster).overview()
    made = owner_parts.parts_of(overview, overview.views[0].question.id)
    assert made.ranges is None
    assert made.failures == (("ranges", "ZeroDivisionError: no width"),)


def test_details_of_the_report_end_the_cards_that_they_belong_to(make_app, visit):
    items = [(f"i{at}", f"Item {at}") for at in range(16)]
    app, key = make_app(extra='redundancy = 2\nmodel = "direct_assessment"', items=items)
    session = app.state.session
    for number, name in enumerate(("Ann", "Bob")):
        rater = session.join(name, "link").id
        while (assignment := session.next_task(rater).assignment) is not None:
            score = 3.0 * int(assignment.task.items[0][1:]) + 5.0 * number
            session.accept(rater, answer_with(assignment, score))
    owner = sign_in(visit, app, key)
    page = owner.get("/owner").text
    scale = page[page.index('id="owner-scale"') : page.index('id="owner-rounds"')]
    assert "Quantiles of the positions" in scale[scale.index('id="scale-details"') :]
    assert "chart=histogram" in scale
    collecting = page[page.index('id="owner-collecting"') : page.index('id="owner-sureness"')]
    assert (
        "All results were computed with Steelyard" in collecting[collecting.index('id="methods-details"') :]
    )
    made = collecting[collecting.index('id="method-details"') :]
    assert "direct_assessment" in made
    assert session.study.definition.settings_hash() in made
    chart = unescape(re.search(r'src="(/owner/part\.svg[^"]+histogram[^"]+)"', scale).group(1))
    assert owner.get(chart).text.startswith("<svg")


def test_a_flagged_rater_is_excluded_from_the_list_of_next_steps(make_app, visit):
    app, key = make_app(extra="redundancy = 2")
    session = app.state.session
    for name in ("Ann", "Bob"):
        work(session, session.join(name, "link").id)
    owner = sign_in(visit, app, key)
    page = owner.get("/owner").text
    assert "Review r-01" in page
    done = owner.post("/owner/raters/r-01/exclude", data={"csrf": csrf_of(owner), "reason": "Hardly varies"})
    assert "Excluded: Hardly varies" in words_of(done)
    assert "Review r-01</a>" not in done.text


def test_a_paused_study_is_resumed_from_the_list(of_comparisons):
    of_comparisons.post("/owner/pause", data={"csrf": csrf_of(of_comparisons)})
    page = of_comparisons.get("/owner").text
    steps = page[page.index('id="steps-title"') :]
    assert re.search(r'<form method="post" action="/owner/resume">', steps)


@pytest.mark.parametrize("order", ["rank", "answers", "interval"])
def test_items_are_sorted_as_asked(of_comparisons, order):
    page = of_comparisons.get("/owner/items", params={"order": order}).text
    assert page.count('<th scope="row"') == 4
    assert f'order={order}" aria-current="page"' in page
