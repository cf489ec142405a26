from dataclasses import fields
from pathlib import Path

import pytest

from steelyard.errors import BadSetting, UnknownName
from steelyard.study.definition.sections.grounding import (
    AnchorSettings,
    ColdStartSettings,
    ProbeSettings,
    RoundSettings,
)
from steelyard.study.definition.study_file import define
from steelyard.study.definition.training_settings import TrainingSettings, TrainingTask

PLAIN = {"title": "T", "items": {"file": "items.csv"}, "questions": [{"text": "How much?"}]}


def test_a_short_study_has_sensible_settings():
    study = define(PLAIN)
    assert (study.asking.protocol, study.choosing.selection, study.learning.update, study.condition) == (
        "rating",
        "balanced",
        "answer",
        "main",
    )
    assert study.asking.task_size == 1
    assert (study.scale.low, study.scale.high) == (0, 100)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"redundancy": "3"}, "'3' is not a whole number"),
        ({"redundancy": 0}, "too small. Write at least 1"),
        ({"comment": 1}, "1 is not true or false"),
        ({"scale": {"low": 5, "high": 5}}, "not above"),
        ({"scale": {"levels": 1}}, "1 is too few"),
        ({"scale": {"levels": 5, "labels": ["a", "b", "c"]}}, "write 5 labels"),
        ({"questions": []}, "the study has no question"),
        ({"questions": [{"text": "a", "id": "q"}, {"text": "b", "id": "q"}]}, "two entries have the id 'q'"),
        ({"selection": "easl", "model": "steelyard"}, 'Set model = "easl" or model = "beta_ranking"'),
        ({"survey": [{"id": "age", "text": "Age?", "kind": "choice"}]}, "two choices"),
        ({"items": "items.csv"}, "must be a table"),
        ({"seed": -1}, "too small. Write at least 0"),
        ({"lease_minutes": -5}, "too small. Write at least 0.1"),
        ({"questions": ["a", "b"]}, "must be a table"),
        ({"explore": 2}, "2 is not a share. Write a number from 0 to 1"),
        ({"scale": {"low": float("nan")}}, "nan is not a finite number"),
        ({"scale": {"high": float("inf")}}, "inf is not a finite number"),
        ({"scale": {"step": float("nan")}}, "nan is not a finite number"),
        ({"scale": {"low": -1e308, "high": 1e308}}, "must be finite"),
        ({"scale": {"high": 10**400}}, "too large"),
        ({"lease_minutes": float("inf")}, "inf is not a finite number"),
        ({"explore": float("nan")}, "nan is not a finite number"),
        ({"redundancy": 10**20}, "too large"),
        ({"redundancy": 10**9}, "too large. Write at most 1,000,000"),
        ({"title": "a\x07b"}, "U\\+0007, a control character"),
        ({"questions": [{"text": "a\ud800"}]}, "U\\+D800, half of a surrogate pair"),
        ({"stop": {"reliability": 0.9}, "model": "easl"}, "steelyard"),
    ],
)
def test_a_value_that_cannot_be_used_is_named(table, message):
    with pytest.raises(BadSetting, match=message):
        define({**PLAIN, **table})


def test_levels_lie_evenly_on_the_scale():
    study = define({**PLAIN, "scale": {"low": 1, "high": 5, "levels": 5, "labels": ["a", "b"]}})
    assert study.scale.level_values() == (1, 2, 3, 4, 5)


def test_the_hash_changes_with_any_setting():
    assert define(PLAIN).settings_hash() != define({**PLAIN, "redundancy": 4}).settings_hash()
    assert define(PLAIN).settings_hash() == define(dict(PLAIN)).settings_hash()


def test_a_slider_without_a_step_has_a_hundred_steps(tmp_path):
    study = define({**PLAIN, "scale": {"low": 0, "high": 1}})
    assert study.scale.slider_step == pytest.approx(0.01)


EASL = {"protocol": "list", "model": "easl", "selection": "easl"}
MATCHED = {"protocol": "comparison", "model": "trueskill", "selection": "match_quality"}


@pytest.mark.parametrize("study", [EASL, MATCHED])
def test_settings_of_the_selection_are_used(study):
    assert define({**PLAIN, **study}).make_selection().gamma == 0.1
    assert define({**PLAIN, **study, "selection_settings": {"gamma": 0.3}}).make_selection().gamma == 0.3


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gama": 0.3}, "Did you mean 'gamma'"),
        ({"gamma": 0}, "gamma: 0 is not a number above 0"),
        ({"gamma": "wide"}, "'wide' is not a number above 0"),
        ({"gamma": True}, "True is not a number above 0"),
        ({"size": 7}, "use the key list_size of study.toml instead"),
    ],
)
def test_invalid_settings_of_the_selection_are_refused(settings, message):
    with pytest.raises(BadSetting, match=message):
        define({**PLAIN, **EASL, "selection_settings": settings})


def test_a_selection_without_settings_accepts_none():
    with pytest.raises(
        UnknownName, match=r"selection balanced: unknown setting 'gamma'\. It has no settings"
    ):
        define({**PLAIN, "selection_settings": {"gamma": 0.3}})


def test_settings_of_the_model_are_used_and_invalid_ones_are_refused():
    study = define({**PLAIN, "model": "direct_assessment", "model_settings": {"standardise": "rater"}})
    assert study.make_model().standardise == "rater"
    with pytest.raises(UnknownName, match="'standardise'"):
        define({**PLAIN, "model": "direct_assessment", "model_settings": {"standardize": "rater"}})


@pytest.mark.parametrize(
    "record",
    [AnchorSettings, RoundSettings, ColdStartSettings, ProbeSettings, TrainingSettings, TrainingTask],
)
def test_every_setting_of_a_grounded_scale_is_documented(record):
    page = (Path(__file__).parents[3] / "docs" / "reference" / "study_toml.md").read_text()
    assert [each.name for each in fields(record) if f"`{each.name}`" not in page] == []


def test_a_model_of_systems_is_refused_for_a_study():
    with pytest.raises(BadSetting, match="'crossed' estimates systems, not items"):
        define({**PLAIN, "model": "crossed", "selection": "balanced"})
