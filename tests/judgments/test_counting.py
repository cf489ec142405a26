import pytest

from steelyard import BestWorst, Comparison, Judgments, Range, Ranking, Rating
from steelyard.judgments.counting import count_judgments, judgments_by_rater
from steelyard.models.known import item_models, model_named

FOUR = ("a", "b", "c", "d")
GIVEN = {
    "rating": [Rating(rater, item, 5) for rater in ("x", "y") for item in FOUR],
    "comparison": [Comparison(rater, "a", item, "left") for rater in ("x", "y") for item in "bcd"],
    "ranking": [Ranking(rater, "t", dict(zip(FOUR, (1, 2, 3, 4), strict=True))) for rater in ("x", "y")],
    "best_worst": [BestWorst(r, t, FOUR, "a", "d") for r in ("x", "y") for t in ("s", "t")],
    "range": [Range(rater, item, 1, 2) for rater in ("x", "y") for item in FOUR],
}
NUMBER = {"rating": 8, "comparison": 6, "ranking": 2, "best_worst": 4, "range": 8}


@pytest.mark.parametrize("kind", GIVEN)
def test_a_judgment_is_one_answer_whatever_its_rows(kind):
    judgments = Judgments.of(GIVEN[kind], range=(0, 10))
    assert count_judgments(judgments) == NUMBER[kind]
    assert judgments_by_rater(judgments, kind).tolist() == [NUMBER[kind] / 2] * 2


def test_kinds_add_up_and_may_be_chosen():
    both = Judgments.of([*GIVEN["rating"], *GIVEN["ranking"]], range=(0, 10))
    assert count_judgments(both) == 10
    assert count_judgments(both, ("ranking",)) == 2
    assert count_judgments(Judgments.of([])) == 0


def test_a_row_with_a_count_represents_that_many_judgments():
    rated = Judgments.of([Rating("x", "a", 1, {"count": 3}), Rating("x", "b", 1, {"count": 0.5})])
    assert count_judgments(rated) == 3.5
    rows = {
        "rater": ["x"] * 3,
        "task": ["t"] * 3,
        "item": ["a", "b", "c"],
        "rank": [1, 2, 3],
        "count": [4] * 3,
    }
    assert count_judgments(Judgments.from_columns("ranking", rows)) == 4


def test_people_without_a_name_who_answered_one_task_count_each():
    rows = {"task": ["t"] * 6, "item": ["a", "b", "c"] * 2, "choice": ["best", "none", "worst"] * 2}
    assert count_judgments(Judgments.from_columns("best_worst", rows)) == 2


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name, m in item_models().items() for kind in m.kinds]
)
def test_every_signature_counts_judgments_by_this_definition(name, kind):
    records = GIVEN[kind] + (
        [Comparison("z", item, "a", "left") for item in "bcd"] if kind == "comparison" else []
    )
    judgments = Judgments.of(records, range=(0, 10))
    settings = {"penalty": "pseudo"} if name == "bradley_terry" else {}
    fit = model_named(name, **settings).fit(judgments)
    assert fit.provenance.judgments == count_judgments(judgments)
    assert f"| judgments {count_judgments(judgments)} |" in fit.signature


def test_counts_that_are_fractions_are_not_rounded_away_in_a_signature():
    rows = [
        Comparison("x", "a", "b", "left", {"count": 1e-5}),
        Comparison("x", "b", "a", "left", {"count": 2e-5}),
    ]
    assert "| judgments 3e-05 |" in model_named("bradley_terry").fit(Judgments.of(rows)).signature
