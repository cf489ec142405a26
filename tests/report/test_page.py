import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from steelyard import (
    BradleyTerry,
    Comparison,
    DirectAssessment,
    Easl,
    Judgments,
    Rating,
    Steelyard,
    TrueSkill,
    read,
)
from steelyard.models.units import fit_unit
from steelyard.report.contents import (
    Cover,
    FittedGroup,
    report_of_fits,
    report_of_judgments,
    report_of_study,
)
from steelyard.report.markdown import report_markdown
from steelyard.report.page import render_report
from steelyard.study.definition.items import Item
from steelyard.study.results.watch import Watch
from tests.study.making import Clock, answer_with, make_session, work

AT = 1_795_000_000.0  # in November 2026


class Outline(HTMLParser):
    """The tags, addresses and visible text of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.addresses, self.text = [], [], ""
        self.feed(page)
        self.words = " ".join(self.text.split())

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.text += " " * (tag in ("td", "dd", "th", "dt", "p", "code"))
        self.addresses += [value for name, value in attributes if name in ("src", "href", "srcset", "action")]

    def handle_data(self, text):
        self.text += text


@pytest.fixture
def judgments():
    scores = {"tea": (5, 10, 30), "soup": (40, 50, 90), "roast": (88, 92, 95)}
    raters = ("ann", "bob", "cat")
    return Judgments.of(
        [Rating(r, item, s) for item, values in scores.items() for r, s in zip(raters, values, strict=True)],
        range=(0, 100),
    )


def report_of(judgments, model=None):
    return render_report(report_of_judgments(judgments, model or DirectAssessment(), "Portions", AT))


def test_a_report_of_a_file_starts_with_a_sentence_about_both_ends(judgments):
    page_words = Outline(report_of(judgments)).words
    assert "roast ranks first (position 92, 95% interval" in page_words
    assert "tea last (position 15, 95% interval 0 to" in page_words
    assert "of 3 items, based on 9 judgments by 3 raters" in page_words
    assert re.search(
        r"The 95% interval of a typical item is \d+ points wide, on a scale from 0 to 100\.", page_words
    )
    assert re.search(r"The 95% interval of its rank covers [12] of 3 ranks\.", page_words)


def test_a_report_carries_the_signature_of_its_fit(judgments):
    page_words = Outline(report_of(judgments)).words
    assert DirectAssessment().fit(judgments).signature in page_words


def test_a_report_shows_where_raters_differ_most(judgments):
    page_words = Outline(report_of(judgments)).words
    assert re.search(r"Where raters differ most.*?soup 3 26.5 40, 50, 90.*?tea 3 13.2 5, 10, 30", page_words)


def test_a_report_needs_no_network_and_no_script(judgments):
    page = report_of(judgments)
    outline = Outline(page)
    assert outline.addresses == []
    assert not {"script", "link", "img", "iframe"} & set(outline.tags)
    assert set(re.findall(r"https?://[^\"')\s]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert "@import" not in page
    assert "url(" not in page


def test_items_and_raters_cannot_add_markup_to_a_report():
    hostile = "<script>alert(1)</script>"
    judged = [Rating(rater, item, 3) for rater in ("a", hostile) for item in (hostile, "tea")]
    outline = Outline(report_of(Judgments.of(judged)))
    assert "script" not in outline.tags
    assert hostile in outline.text


def test_a_report_of_easl_says_what_its_intervals_leave_out(judgments):
    assert "wider than necessary" in Outline(report_of(judgments, Easl())).words
    assert "wider than necessary" not in Outline(report_of(judgments)).words


def test_questions_of_a_file_are_fitted_apart():
    rows = [
        Rating("ann", item, at, {"question": name}) for name in ("q1", "q2") for at, item in enumerate("abc")
    ]
    report = report_of_judgments(Judgments.of(rows, range=(0, 10)), DirectAssessment(), "Two", AT)
    assert [section.name for section in report.sections] == ["q1", "q2"]
    assert Outline(render_report(report)).tags.count("h2") == 4


@pytest.fixture
def session(tmp_path):
    items = [Item(f"i{at}", "text", f"Dish {at}") for at in range(6)]
    return make_session(tmp_path / "study", Clock(), items=items, protocol="list", list_size=3, redundancy=3)


def study_report(session):
    watch = Watch(session.study, session.log, session.roster)
    return Outline(render_report(report_of_study(watch.overview(), Cover("", AT))))


def test_a_report_of_a_study_says_how_it_was_collected_and_made(session):
    for name in ("Ann", "Bob"):
        work(session, session.join(name, "link").id)
    page_words = study_report(session).words
    assert "Question How much?" in page_words
    assert "Task lists of 3, a slider for each item, 0 to 100" in page_words
    assert "Raters 2 (2 invited)" in page_words
    assert f"Settings {session.study.definition.settings_hash()}" in page_words
    assert "Model steelyard Selection balanced Seed 0" in page_words


def test_a_report_shows_raters_by_id_and_never_their_names_or_links(session):
    rater = session.join("Ann Example", "link")
    work(session, rater.id)
    page_words = study_report(session).text
    assert rater.id in page_words
    assert "Ann Example" not in page_words
    assert rater.token not in page_words


def test_an_excluded_rater_stands_in_the_report_with_the_reason(session):
    first, second = (session.join(name, "link").id for name in ("Ann", "Bob"))
    work(session, first)
    work(session, second)
    session.note("excluded", second, {"reason": "answered at random"})
    page_words = study_report(session).words
    assert "Excluded: answered at random" in page_words
    assert "; 1 excluded" in page_words


def test_cannot_judge_is_counted_apart(session):
    rater = session.join("Ann", "link").id
    session.accept(rater, answer_with(session.next_task(rater).assignment, [1.0, None, 3.0]))
    assert "; 1 “can’t judge”" in study_report(session).words


def test_a_study_without_judgments_has_a_report_that_says_so(session):
    assert "No scale yet, because there are too few judgments." in study_report(session).words


def test_a_report_says_what_no_judgment_links():
    pairs = [("a", "b"), ("c", "d")]
    rows = [Comparison(f"r{at}", *pair, "left") for at in range(5) for pair in pairs]
    page_words = Outline(report_of(Judgments.of(rows), TrueSkill())).words
    assert "No judgment links these 2 parts of the items: a, b (2); c, d (2)." in page_words
    linked = [*rows, *(Comparison(f"r{at}", "b", "c", "left") for at in range(5))]
    assert "No judgment links" not in Outline(report_of(Judgments.of(linked), TrueSkill())).words


def test_a_report_names_parts_of_the_items_without_a_common_rater():
    rows = [Rating("ann", "a", 10), Rating("ann", "b", 60), Rating("bob", "c", 20), Rating("bob", "d", 90)]
    page_words = Outline(report_of(Judgments.of(rows, range=(0, 100)), Steelyard())).words
    assert "The items form 2 parts without a common rater" in page_words


def test_a_report_of_comparisons_states_every_effect_once_with_one_test():
    won = ["left", "left", "right", "tie"] * 3
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("b", "a"), ("c", "b"), ("a", "c")] * 2
    rows = [
        Comparison(f"r{at % 3}", *pair, outcome)
        for at, (pair, outcome) in enumerate(zip(pairs, won, strict=True))
    ]
    page = report_of(Judgments.of(rows), BradleyTerry(order=True))
    assert "Effects besides the items" not in page
    assert "do not apply to these answers" in page
    assert page.count("Tie parameter =") == 1
    assert page.count("The order effect is") == 1


def test_a_report_of_comparisons_lists_effects_that_no_answer_reports():
    rows = [
        Comparison(f"r{at % 3}", *pair, "left" if at % 5 else "right", {"long": at % 2})
        for at, pair in enumerate([("a", "b"), ("b", "c"), ("c", "a")] * 6)
    ]
    fitted = BradleyTerry(contest_covariates=["long"])
    page = report_of(Judgments.of(rows), fitted)
    effects = page[page.index("Effects besides the items") : page.index("Is there a preference at all?")]
    assert "long" in effects


def outputs_of_systems():
    """Ratings of the outputs of three systems for eight segments by four raters."""
    return Judgments.of(
        (
            Rating(
                f"r{rater}",
                f"{system}{segment}",
                10 + 25 * at + 3 * segment + (5 * rater + 7 * segment * at) % 11,
                {"system": system, "segment": f"s{segment}"},
            )
            for at, system in enumerate("xyz")
            for segment in range(8)
            for rater in range(4)
        ),
        range=(0, 100),
    )


def test_the_methods_paragraph_describes_the_analysis_of_systems():
    report = report_of_judgments(outputs_of_systems(), DirectAssessment(), "Outputs", AT)
    paragraph = report.collection.methods.paragraph
    assert (
        "The 3 systems were estimated from the judgments of their outputs with the same model." in paragraph
    )
    assert "Intervals of systems apply to new segments and new raters." in paragraph
    assert re.search(r"Standard errors of systems are clustered by rater \(\d+\)", paragraph)
    assert "adjusted for the number of pairs by Holm’s method" in paragraph
    assert report.sections[0].systems is not None


def test_a_column_without_answers_is_left_out_of_a_report_in_markdown():
    report = report_of_judgments(outputs_of_systems(), DirectAssessment(), "Outputs", AT)
    assert "| Item | Ratings | Std. dev. | Answers |\n|---|---:|---:|---|\n| " in report_markdown(report)
    (section,) = report.sections
    disputed = tuple(replace(each, answers="") for each in section.scale.disputed)
    scale = replace(section.scale, unit="system", disputed=disputed)
    of_systems = report_markdown(replace(report, sections=(replace(section, scale=scale),)))
    assert "| System | Ratings | Std. dev. |\n|---|---:|---:|\n| " in of_systems


def test_the_report_in_markdown_names_the_method_of_each_interval():
    text = report_markdown(report_of_judgments(outputs_of_systems(), DirectAssessment(), "Outputs", AT))
    rows = [line for line in text.splitlines() if line.startswith("| Krippendorff")]
    assert rows
    assert all("; interval: " in row for row in rows)


def test_a_matrix_of_many_items_has_numbers_as_headings():
    def page_of(size):
        pairs = [(first, second) for first in range(size) for second in range(first)]
        answers = [Comparison("ann", f"m{a}", f"m{b}", "left" if (a + b) % 3 else "right") for a, b in pairs]
        return Outline(report_of(Judgments.of(answers), BradleyTerry(penalty="auto"))).words

    assert "Columns have the numbers of the rows." in page_of(9)
    assert "Columns have the numbers of the rows." not in page_of(4)


def test_labels_of_several_words_are_quoted_in_sentences():
    ratings = [Rating(r, item, s) for r in "ab" for item, s in (("Black coffee", 5), ("Beef roast", 90))]
    assert "“Beef roast” ranks first" in Outline(report_of(Judgments.of(ratings, range=(0, 100)))).words


def test_the_methods_paragraph_of_several_groups_states_the_range_of_their_clusters():
    rows = [
        Comparison(f"r{rater}", *pair, "left" if rater % 3 else "right", {"question": question})
        for question, raters in (("q1", 4), ("q2", 12))
        for rater in range(raters)
        for pair in (("a", "b"), ("b", "a"), ("b", "c"))
    ]
    report = report_of_judgments(Judgments.of(rows), BradleyTerry(penalty="auto"), "Two", AT)
    paragraph = report.collection.methods.paragraph
    assert "Standard errors are clustered by rater (4 to 12), as in Cameron et al. (2011)." in paragraph
    assert "In groups with fewer than 10 clusters of a kind, the larger of" in paragraph


def test_a_matrix_of_fractional_answers_has_whole_numbers_and_a_remark():
    columns = {
        "rater": ["ann", "bob"] * 3,
        "left": ["a", "a", "b", "b", "a", "c"],
        "right": ["b", "b", "c", "c", "c", "a"],
        "outcome": ["left", "right"] * 3,
        "count": [1 / 3, 1.0, 2.5, 1.0, 1.0, 4.0],
    }
    page_words = Outline(report_of(read(columns), BradleyTerry(penalty="auto"))).words
    assert "The column count has fractions." in page_words
    assert "of 4" in page_words  # 3.5
    assert "3.5" not in page_words.partition("Win matrix")[2].partition("Raters")[0]


def test_a_report_of_compared_systems_says_what_its_parts_are_about():
    rows = [
        Comparison(
            f"r{rater}",
            f"{a}{segment}",
            f"{b}{segment}",
            "left" if (rater + segment) % 3 else "right",
            {
                "left_system": a,
                "right_system": b,
                "segment": f"s{segment}",
            },
        )
        for rater in range(3)
        for segment in range(3)
        for a, b in (("x", "y"), ("y", "z"), ("z", "x"))
    ]
    model, judgments = BradleyTerry(penalty="auto"), Judgments.of(rows)
    of_systems, of_items = (
        render_report(
            report_of_fits(
                [FittedGroup("", judgments, fit_unit(model, judgments, unit))],
                model,
                Cover("Pairs", AT),
                unit=unit,
            )
        )
        for unit in ("system", "item")
    )
    assert "are about single outputs" in of_systems
    assert "are about single outputs" not in of_items
