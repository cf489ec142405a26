import pytest

from steelyard.judgments.checks import NO_FINDINGS, check
from steelyard.judgments.linked import linked_groups
from steelyard.judgments.read import read
from steelyard.judgments.table import Judgments
from steelyard.kinds.best_worst import BestWorst
from steelyard.kinds.comparison import Comparison
from steelyard.kinds.ranking import Ranking
from steelyard.kinds.rating import Rating


def findings_of(judgments, name):
    """Return the ids of each finding of this name."""
    return [finding.ids for finding in check(judgments).findings if finding.name == name]


def ratings(rater, scores, **context):
    return [Rating(rater, f"i{at}", score, context) for at, score in enumerate(scores)]


def pages(rater, task_scores):
    return [record for task, scores in task_scores.items() for record in ratings(rater, scores, task=task)]


def test_everything_is_counted():
    judgments = Judgments.of(
        [*ratings("ann", [1, 2]), *ratings("bob", [3, 2]), Comparison("ann", "i0", "i1", "tie")]
    )
    report = check(judgments)
    assert (report.items, report.raters, report.judgments) == (2, 2, {"rating": 4, "comparison": 1})
    assert list(report.lines()) == [
        "4 rating judgments",
        "1 comparison judgment",
        "Outcomes: 0 left, 0 right, 1 tie",
        "2 items, 2 raters",
        "No range was set. 1 to 5 is assumed from the scores, which run from 1 to 3. "
        "Set it with --range LOW HIGH, or with range=(low, high) in Python.",
        "There are judgments of 2 kinds (4 rating rows, 1 comparison row). `fit` puts them on one scale. "
        "To use one kind: --kind, or judgments.only(kind) in Python.",
    ]


def test_where_there_is_nothing_to_notice_the_report_says_so():
    judgments = Judgments.of([*ratings("ann", [1, 2]), *ratings("bob", [3, 2])])
    assert list(check(judgments).lines()) == [
        "4 rating judgments",
        "2 items, 2 raters",
        "No range was set. 1 to 5 is assumed from the scores, which run from 1 to 3. "
        "Set it with --range LOW HIGH, or with range=(low, high) in Python.",
        NO_FINDINGS,
    ]


def test_items_that_nothing_links_to_the_rest_are_named():
    pairs = [("a", "b"), ("b", "c"), ("x", "y")]
    judgments = Judgments.of([Comparison(f"r{at % 2}", *pair, "left") for at, pair in enumerate(pairs)])
    (finding,) = [finding for finding in check(judgments).findings if finding.name == "unlinked items"]
    assert finding.ids == ("x", "y")
    assert finding.sentence.startswith("2 items are not linked to the other 3")


def test_a_rater_links_the_items_that_they_rate():
    judgments = Judgments.of(
        [Rating("ann", "a", 1), Rating("ann", "b", 2), Rating("bob", "b", 2), Rating("cat", "z", 2)]
    )
    groups = linked_groups(judgments)
    assert groups[0] == groups[1]
    assert groups[2] != groups[0]


def test_parts_of_the_items_without_a_common_rater_are_one_finding():
    rows = [
        Rating(f"r{part}", f"{part}{at}", at) for part in "abcdef" for at in range(2 if part != "a" else 4)
    ]
    (finding,) = [each for each in check(Judgments.of(rows)).findings if each.name == "unlinked items"]
    assert finding.sentence == (
        "The items form 6 parts without a common rater, so differences between parts may be due to their raters: "
        "a0, a1, a2, ... (4); b0, b1 (2); c0, c1 (2); d0, d1 (2); and 2 more."
    )
    assert finding.ids == ("b0", "b1", "c0", "c1", "d0", "d1", "e0", "e1", "f0", "f1")


def test_a_task_links_its_items_but_its_rater_does_not():
    judgments = Judgments.of(
        [
            Ranking("ann", "t1", {"a": 1, "b": 2}),
            Ranking("ann", "t2", {"c": 1, "d": 2}),
            BestWorst("bob", "t3", ("d", "e"), "d", "e"),
        ]
    )
    assert linked_groups(judgments).tolist() == [0, 0, 1, 1, 1]


def test_kinds_of_judgment_link_items_together():
    judgments = Judgments.of([*ratings("ann", [1, 2]), Comparison("bob", "i1", "x", "left")])
    assert findings_of(judgments, "unlinked items") == []


def test_raters_with_one_answer_are_named():
    judgments = Judgments.of(
        [*ratings("ann", [1, 2]), Rating("bob", "i0", 3), Ranking("cat", "t", {"i0": 1, "i1": 2})]
    )
    assert findings_of(judgments, "raters with one answer") == [("bob", "cat")]


def test_a_slider_that_hardly_moves_is_noticed():
    judgments = Judgments.of(
        [*ratings("ann", [50] * 9 + [60]), *ratings("bob", range(10)), *ratings("cat", [50] * 4)]
    )
    assert findings_of(judgments, "stuck sliders") == [("ann",)]


def test_straight_lining_is_noticed_across_tasks():
    straight = pages("ann", {"t1": [5, 5, 5], "t2": [7, 7, 7], "t3": [2, 2, 2], "t4": [1, 2, 3]})
    seldom = pages("bob", {"t1": [5, 5, 5], "t2": [7, 7, 7], "t3": [2, 3, 2], "t4": [1, 2, 3]})
    short = pages("cat", {"t1": [5, 5], "t2": [7, 7], "t3": [2, 2]})
    assert findings_of(Judgments.of([*straight, *seldom, *short]), "straight-lining") == [("ann",)]


@pytest.mark.parametrize(("milliseconds", "noticed"), [(700, [("ann",)]), (900, [("ann",)]), (1500, [])])
def test_fast_raters_are_noticed_by_the_clock_and_beside_others(milliseconds, noticed):
    quick = ratings("ann", range(6), milliseconds=milliseconds)
    others = [record for rater in ("bob", "cat") for record in ratings(rater, range(6), milliseconds=6000)]
    assert findings_of(Judgments.of([*quick, *others]), "fast answers") == noticed


def test_the_time_of_a_page_is_shared_by_its_answers():
    page = ratings("ann", range(6), milliseconds=3000, task="t1")
    assert findings_of(Judgments.of(page), "fast answers") == [("ann",)]


def test_four_fast_answers_are_too_few_for_a_finding():
    assert findings_of(Judgments.of(ratings("ann", range(4), milliseconds=100)), "fast answers") == []


def test_always_the_same_side_is_noticed():
    left = [Comparison("ann", f"i{at}", "x", "left") for at in range(8)]
    mixed = [Comparison("bob", f"i{at}", "x", "left" if at else "right") for at in range(8)]
    right = [Comparison("cat", f"i{at}", "x", "right") for at in range(8)]
    assert findings_of(Judgments.of([*left, *mixed, *right]), "always one side") == [("ann",), ("cat",)]


def test_long_lists_of_ids_are_cut_in_words_only():
    judgments = Judgments.of([Rating(f"r{at:02}", "tea", 1) for at in range(13)])
    (finding,) = check(judgments).findings
    assert len(finding.ids) == 13
    assert finding.sentence.endswith("r08, r09 and 3 more.")


def test_outcomes_systems_segments_and_the_rater_column_are_counted():
    votes = {
        "user": ["ann", "ann", "bob"],
        "model_a": ["x", "y", "x"],
        "model_b": ["y", "z", "z"],
        "winner": ["model_a", "tie", "tie (bothbad)"],
        "question_id": ["q1", "q2", "q2"],
    }
    report = check(read(votes))
    assert report.outcomes == {"left": 1, "right": 0, "tie": 2, "both_bad": 1}
    assert (report.systems, report.segments, report.rater_columns) == (0, 2, ("user",))
    lines = list(report.lines())
    assert lines[1:3] == [
        "Outcomes: 1 left, 0 right, 2 ties (1 marked both bad)",
        "3 items, 2 raters (column user), 2 segments",
    ]


def test_systems_are_counted():
    records = [Rating("ann", f"i{at}", at, {"system": f"s{at % 2}"}) for at in range(4)]
    assert "4 items, 1 rater, 2 systems" in list(check(Judgments.of(records)).lines())


def test_nothing_at_all_gives_an_empty_report():
    report = check(Judgments.of([]))
    assert (report.items, report.raters, report.findings) == (0, 0, ())


def test_judgments_of_whole_tasks_are_counted_beside_their_rows():
    ranked = [Ranking(rater, "t", {"a": 1, "b": 2, "c": 3}) for rater in ("ann", "bob")]
    report = check(Judgments.of(ranked))
    assert (report.judgments, report.rows) == ({"ranking": 2}, {"ranking": 6})
    assert "2 ranking judgments in 6 rows" in list(report.lines())


def test_a_file_of_one_rater_is_not_called_free_of_problems():
    ratings = [Rating("ann", item, score) for item, score in (("a", 1), ("b", 2))]
    report = check(Judgments.of(ratings, range=(0, 10)))
    assert "one rater" in [finding.name for finding in report.findings]
    assert NO_FINDINGS not in list(report.lines())
