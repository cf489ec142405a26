"""The report, the owner's page and the exports of one study: the same numbers, flags and status words."""

import re
from collections import Counter

import numpy as np
import pytest

from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS, SimulatedRater
from steelyard.study.results.exports import export_columns
from steelyard.study.results.watch import Watch
from tests.report.test_page import Outline
from tests.web.test_owner import sign_in, words_of

SPAMMER = "r-02"


@pytest.fixture(params=["steelyard", "direct_assessment"])
def studied(request, make_app):
    """A study that ten raters have answered, the second of them at random."""
    app, key = make_app(
        protocol="list", extra=f'model = "{request.param}"\nlist_size = 5\nredundancy = 8', items=FORTY
    )
    session = app.state.session
    rng = np.random.default_rng(8)
    crowd = Crowd.draw(session, SCENARIOS["bias"], 10, "uniform", rng)
    people = list(crowd.raters)
    people[1] = SimulatedRater(0.0, 1.0, 0.1, "uniform")
    simulate(session, Crowd(crowd.scenario, tuple(people), crowd.truth), rng)
    return request.param, app, key


FORTY = [(f"i{at}", f"Dish number {at}") for at in range(40)]


def watch_of(app):
    session = app.state.session
    return Watch(session.study, session.log, session.roster, session.clock)


def test_a_random_rater_is_flagged_alike_on_page_report_and_export(studied, visit):
    model, app, key = studied
    line = next(line for line in watch_of(app).overview().raters if line.rater.id == SPAMMER)
    assert abs(line.habits.agreement) < 0.3
    assert line.flags
    assert ("spam probability" in str(line.flags)) == (model == "steelyard")
    owner = sign_in(visit, app, key)
    written = ", ".join([line.flags[0], *(flag[0].lower() + flag[1:] for flag in line.flags[1:])])
    for path in ("/owner?show=all", "/owner/report"):
        assert written in words_of(owner.get(path)), path
    own_page = words_of(owner.get(f"/owner/raters/{SPAMMER}"))
    assert not [flag for flag in line.flags if flag not in own_page]
    columns = export_columns(watch_of(app), "raters")
    at = columns["rater"].index(SPAMMER)
    assert columns["flags"][at] == ", ".join(line.flags)
    assert (columns["spam"][at] is None) == (model != "steelyard")
    assert [flags for each, flags in enumerate(columns["flags"]) if each != at] == [""] * 9


def test_page_and_report_show_the_same_numbers(studied, visit):
    _, app, key = studied
    app.state.session.note("stopped_early", "r-03")
    app.state.session.note("excluded", "r-04", {"reason": "asked to leave"})
    app.state.session.note("stopped_early", "r-04")
    owner = sign_in(visit, app, key)
    page, report = (owner.get(path) for path in ("/owner?show=all", "/owner/report"))
    scale = rows_of(owner.get("/owner/items").text, "Position")
    assert len(scale) == 40
    assert {row[0]: row[1:3] for row in scale} == {
        row[1]: row[2:4] for row in rows_of(report.text, "Rank (95%)")
    }
    raters = {row[0].split()[0]: row for row in rows_of(page.text, "Bias (points)")}
    for row in rows_of(report.text, "Bias"):
        shown = [text for cell in raters[row[0]][1:] if (text := cell.removesuffix("Review").strip())]
        assert not Counter(shown) - Counter(row[1:])  # the report also has the noise
    assert "1 stopped early" in words_of(report)
    assert "1 rater was stopped early" in words_of(page)
    assert "Excluded: asked to leave" in words_of(page)
    assert "Excluded: asked to leave" in words_of(report)


def rows_of(html, heading):
    """The cells of the table that has this heading, as text."""
    table = next(
        each for each in re.findall(r"<table[^>]*>.*?</table>", html, re.DOTALL) if f">{heading}<" in each
    )
    body = table.partition("<tbody>")[2]
    rows = re.findall(r"<tr.*?</tr>", body, re.DOTALL)
    return [
        [Outline(cell).words for cell in re.findall(r"<t[hd][ >].*?</t[hd]>", row, re.DOTALL)] for row in rows
    ]
