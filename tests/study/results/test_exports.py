import pytest

from steelyard.errors import UnknownName
from steelyard.study.results.exports import export_columns
from steelyard.study.results.watch import Watch
from tests.study.making import Clock, answer_with, make_session, work


@pytest.fixture
def session(tmp_path):
    survey = [{"id": "age", "text": "How old are you?", "kind": "number"}]
    made = make_session(tmp_path / "study", Clock(), items=6, protocol="list", list_size=3, survey=survey)
    rater = made.join("Ann", "link").id
    made.note("surveyed", rater, {"age": 41})
    work(made, rater)
    return made


def export(session, what):
    return export_columns(Watch(session.study, session.log, session.roster), what)


def test_the_table_of_judgments_has_one_row_per_rating(session):
    columns = export(session, "judgments")
    assert len(columns["score"]) == 6
    assert {"rater", "item", "score", "task", "milliseconds"} <= set(columns)


def test_the_table_of_the_scale_has_its_columns_and_the_highest_item_first(session):
    columns = export(session, "scale")
    assert list(columns) == [
        "item",
        "position",
        "spread",
        "low",
        "high",
        "rank",
        "rank_low",
        "rank_high",
        "count",
    ]
    assert columns["rank"] == sorted(columns["rank"])
    assert {len(values) for values in columns.values()} == {6}


def test_the_table_of_raters_has_survey_answers_and_no_links(session):
    columns = export(session, "raters")
    assert columns["survey_age"] == [41]
    assert columns["answers"] == [6]
    assert session.roster.all()[0].token not in str(columns)


def test_several_questions_have_separate_scales(tmp_path):
    questions = [{"text": "How fluent?", "id": "fluent"}, {"text": "How adequate?", "id": "adequate"}]
    made = make_session(tmp_path / "two", Clock(), items=3, questions=questions)
    rater = made.join("Ann", "link").id
    made.accept(rater, answer_with(made.next_task(rater).assignment, questions=2))
    columns = export(made, "scale")
    assert columns["question"] == ["fluent", "adequate"]


def test_an_unknown_table_is_answered_with_the_closest(session):
    with pytest.raises(UnknownName, match="'raters'"):
        export(session, "rater")


def test_a_study_without_raters_has_an_empty_table_of_them(tmp_path):
    assert export(make_session(tmp_path / "study", Clock()), "raters") == {"rater": []}
