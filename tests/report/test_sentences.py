"""Reports of every model, protocol and unit: each sentence names the quantity and the unit that was used."""

import re

import numpy as np
import pytest

from steelyard import BradleyTerry, Comparison, Judgments
from steelyard.kinds.known import PROTOCOLS
from steelyard.models.known import item_models
from steelyard.report.contents import Cover, report_of_judgments, report_of_study
from steelyard.report.page import render_report
from steelyard.report.preference.odds import Clustered
from steelyard.report.preference.worths import tendency_words
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.definition.items import Item
from steelyard.study.results.watch import Watch
from tests.report.test_page import AT, Outline
from tests.study.making import Clock, make_session

# What a position is, how its width is measured, and where the scale ends.
SAID = {
    "direct_assessment": ("the mean of the ratings of the {unit}.", "points wide, on a scale from 0 to 100."),
    "easl": ("the mean of the ratings of the {unit}.", "points wide, on a scale from 0 to 100."),
    "steelyard": (
        "the expected answer of an average honest rater about the {unit}.",
        "points wide, on a scale from 0 to 100.",
    ),
    "goldilocks": (
        "the mean of the midpoints of the ranges given to the {unit}.",
        "points wide, on a scale from 0 to 100.",
    ),
    "bradley_terry": ("its log-worth. The difference", "logits wide, and positions range from"),
    "plackett_luce": ("its log-worth. The difference", "logits wide, and positions range from"),
    "thurstone": (
        "its position in Thurstone’s model. The difference",
        "probits wide, and positions range from",
    ),
    "trueskill": (
        "its estimated skill. Every {unit} starts at 0.5",
        "skill units wide, and positions range from",
    ),
    "elo": ("its Elo rating. A difference of 400 points", "Elo points wide, and positions range from"),
    "win_rate": ("the share of its comparisons that the {unit} won", " wide, on a scale from 0 to 1."),
    "beta_ranking": ("the mode of a Beta distribution of its strength", " wide, on a scale from 0 to 1."),
    "best_worst": (
        "the share of its tasks in which the {unit} was chosen as best",
        " wide, on a scale from −1 to 1.",
    ),
}
PAIRS = [
    (protocol.name, model)
    for protocol in PROTOCOLS.values()
    for model in item_models()
    if set(protocol.kinds) & set(item_models()[model].kinds)
]


def worked_through(folder, protocol, model, unit):
    """A study of twelve items by three systems that a simulated crowd has answered, as an overview."""
    items = [Item(f"i{at}", "text", f"Dish {at}", f"system{at % 3}", f"segment{at // 3}") for at in range(12)]
    # Items of a task are of one segment, of which there are then three.
    size = {"list": 3, "ranking": 3, "best_worst": 3, "comparison_list": 3}.get(protocol, 5)
    session = make_session(
        folder / "study",
        Clock(),
        items,
        store="memory",
        protocol=protocol,
        model=model,
        unit=unit,
        list_size=size,
        redundancy=4,
    )
    rng = np.random.default_rng(4)
    simulate(session, Crowd.draw(session, SCENARIOS["full"], 8, "uniform", rng), rng)
    return Watch(session.study, session.log, session.roster, session.clock).overview()


@pytest.fixture(autouse=True)
def no_charts(monkeypatch):
    """Charts take most of the time of a report, and hold none of its sentences."""
    monkeypatch.setattr("steelyard.report.page._drawn", lambda *picture: "<svg></svg>")


@pytest.mark.parametrize("unit", ["item", "system"])
@pytest.mark.parametrize(("protocol", "model"), PAIRS)
def test_a_report_names_the_quantity_and_the_unit_that_were_used(tmp_path, protocol, model, unit):
    overview = worked_through(tmp_path, protocol, model, unit)
    report = report_of_study(overview, Cover("", AT))
    assert report.sections[0].scale is not None
    page_words = Outline(render_report(report)).words
    meaning, wide = SAID[model]
    article = "an item" if unit == "item" else "a system"
    assert f"The position of {article} is {meaning.format(unit=unit)}" in page_words
    assert f"The 95% interval of a typical {unit} is " in page_words
    assert wide in page_words
    check_other_models(page_words, model)
    check_numbers(page_words, sum(line.answers > 0 for line in overview.raters))
    listed = {"item": "Dish", "system": "system"}[unit]
    if PROTOCOLS[protocol].kind == "rating":
        assert re.search(rf"{unit.capitalize()} Ratings Std\. dev\.( Answers)? {listed}", page_words)
    placed = PROTOCOLS[protocol].kind in ("rating", "range")
    assert ("Bias: points above" in page_words) == placed
    assert ("other raters on the same pairs" in page_words) != placed


def check_other_models(page_words, model):
    """No sentence is about what another model estimates."""
    for words, models in {
        "honest rater": ("steelyard",),
        "points wide, on": ("steelyard", "direct_assessment", "easl", "goldilocks"),
        "log-worth": ("bradley_terry", "plackett_luce"),
        "estimated skill": ("trueskill",),
        "Elo": ("elo",),
        "won, not counting ties": ("win_rate",),
        "Spam:": ("steelyard",),
    }.items():
        assert (words in page_words) == (model in models), words


def check_numbers(page_words, raters):
    """Numbers in sentences and tables have a few digits, none of them is missing, and counts agree."""
    visible = page_words[page_words.index("ranks first") :]
    shown = re.sub(r"Signature .*?converged in \d+[^A-Z]*|Settings [0-9a-f]{6}", "", visible)
    assert not re.search(r"\d\.\d{5,}|\d[eE][-+]?\d|\bnan\b|\binf\b|None", shown)
    assert f" by {raters} raters." in visible


@pytest.mark.parametrize(
    "model", [name for name in item_models() if item_models()[name].kinds == ("rating",)]
)
def test_a_report_of_a_file_names_the_quantity_too(tmp_path, model):
    judgments = worked_through(tmp_path, "list", "steelyard", "item").views[0].judgments
    report = report_of_judgments(judgments, item_models()[model](), "Dishes", AT)
    page_words = Outline(render_report(report)).words
    assert SAID[model][0].format(unit="item") in page_words
    assert "Scale 0 to 100" in page_words


def test_a_report_of_comparisons_alone_does_not_call_positions_expected_answers():
    rows = [Comparison(f"r{at}", f"i{at % 4}", f"i{(at + 1 + at % 3) % 4}", "left") for at in range(40)]
    report = report_of_judgments(Judgments.of(rows), item_models()["steelyard"](), "Dishes", AT)
    page_words = Outline(render_report(report)).words
    assert "the scale has no unit and no zero" in page_words
    assert "The position of an item is its distance from the mean of all items" in page_words
    assert "expected answer" not in page_words


def test_standardised_means_are_not_called_points_of_the_range(tmp_path):
    judgments = worked_through(tmp_path, "list", "steelyard", "item").views[0].judgments
    report = report_of_judgments(
        judgments, item_models()["direct_assessment"](standardise="rater"), "Dishes", AT
    )
    page_words = Outline(render_report(report)).words
    assert "standard deviations wide, and positions range from −" in page_words
    assert "on a scale from 0 to 100" not in page_words
    assert "Scale mean standardised rating, without fixed ends" in page_words
    assert report.sections[0].scale.span[1] < 10


def test_the_tendency_to_tie_is_judged_by_the_test_clustered_by_rater():
    clustered = Clustered(low=-0.9, high=0.3, se=0.2, t=-0.8, df=4.0, p=0.47, raters=5)
    words = tendency_words(-0.3, -0.5, -0.1, clustered)
    assert "(95% interval -0.500 to -0.100; clustered by rater: -0.900 to 0.300)" in words
    assert words.endswith("There is no evidence of a tendency to tie or to choose.")
    assert tendency_words(-0.3, -0.5, -0.1, None).endswith("Raters tend to choose rather than to tie.")


def test_the_part_on_raters_names_what_flags_are_raised_for_and_where_other_tests_are():
    sides = [("left", "right"), ("left", "left"), ("right", "left")]
    rows = [
        Comparison(f"r{rater}", f"i{first}", f"i{second}", outcome)
        for rater in range(4)
        for first, second in ((0, 1), (1, 2), (2, 0))
        for outcome in sides[rater % 3]
    ]
    made = report_of_judgments(Judgments.of(rows), BradleyTerry(), "Sides", 0.0)
    sentences = made.sections[0].raters.sentences
    assert sentences[0] == "No flags were raised for the 4 raters."
    assert sentences[1] == "Flags are raised for fast, opposed, unrelated or one-sided answers."
    assert "is tested above, in the answers on comparisons" in sentences[2]
