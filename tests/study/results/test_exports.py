import pytest

from steelyard.errors import UnknownName
from steelyard.kinds.range import Bounds
from steelyard.study.log.entries import Answer
from steelyard.study.results.exports import DistributionSettings, distribution_columns, export_columns
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
        "errors",
        "disagreement",
    ]
    assert set(columns["errors"]) == {"model-based"}
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


def ranges(tmp_path):
    made = make_session(tmp_path / "ranges", Clock(), items=2, protocol="range", redundancy=2)
    for name, bounds in (("Ann", (10.0, 30.0)), ("Bob", (30.0, 70.0))):
        rater = made.join(name, "link").id
        for _ in range(2):
            cells = (Bounds(0, 0, *bounds),)
            made.accept(rater, Answer("", "", made.next_task(rater).assignment.id, cells, milliseconds=900))
    return made


def test_the_scale_of_ranges_has_ambiguity_and_disagreement(tmp_path):
    columns = export(ranges(tmp_path), "scale")
    assert list(columns)[-2:] == ["ambiguity", "disagreement"]
    assert columns["ambiguity"] == [30.0, 30.0]
    assert columns["disagreement"] == pytest.approx([450**0.5, 450**0.5])


def test_the_scale_of_the_rater_model_has_disagreement(tmp_path):
    made = make_session(tmp_path / "rated", Clock(), items=6, protocol="list", list_size=3, model="steelyard")
    work(made, made.join("Ann", "link").id)
    columns = export(made, "scale")
    assert list(columns)[-1] == "disagreement"
    assert "ambiguity" not in columns


def test_distributions_are_quantiles_by_default_and_name_the_model(tmp_path):
    columns = export(ranges(tmp_path), "distributions")
    quantiles = [f"q{each}" for each in ("0.025", "0.25", "0.5", "0.75", "0.975")]
    assert list(columns) == ["item", "model", "position", "ambiguity", "disagreement", *quantiles]
    assert columns["model"] == ["goldilocks", "goldilocks"]


def test_draws_are_one_row_per_item_and_draw_and_can_be_repeated(tmp_path):
    made = ranges(tmp_path)
    watch = Watch(made.study, made.log, made.roster)
    columns, _ = distribution_columns(watch.overview(), DistributionSettings(draws=3))
    assert list(columns) == ["item", "model", "draw", "position"]
    assert columns["draw"] == [1, 2, 3, 1, 2, 3]
    again, _ = distribution_columns(watch.overview(), DistributionSettings(draws=3))
    assert again == columns


def test_distributions_of_several_questions_name_the_question(tmp_path):
    questions = [{"text": "How fluent?", "id": "fluent"}, {"text": "How adequate?", "id": "adequate"}]
    made = make_session(tmp_path / "two", Clock(), items=3, questions=questions)
    rater = made.join("Ann", "link").id
    made.accept(rater, answer_with(made.next_task(rater).assignment, questions=2))
    assert export(made, "distributions")["question"] == ["fluent", "adequate"]


def test_distributions_without_judgments_are_an_empty_table(tmp_path):
    assert export(make_session(tmp_path / "study", Clock()), "distributions") == {"item": [], "model": []}
