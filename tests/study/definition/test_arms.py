import pytest

from steelyard.errors import BadSetting, UnknownName
from steelyard.study.definition.study_file import define

BASE = {
    "title": "Arms",
    "items": {"file": "items.csv"},
    "questions": [{"text": "How much?"}],
    "scale": {"labels": ["none", "much"], "high": 10.0},
    "training": {"interface": True},
    "selection": "information",
}


def arms(*conditions, **settings):
    return define({**BASE, **settings, "condition": list(conditions)}).conditions


def test_each_condition_is_a_definition_of_its_own_merged_with_the_rest_of_the_study():
    plain, wide = arms(
        {"name": "plain"},
        {
            "name": "wide",
            "protocol": "range",
            "selection": "balanced",
            "scale": {"high": 50.0},
            "page": {"instructions": "Drag both ends."},
            "without": ["training"],
            "raters": 30,
        },
    )
    assert (plain.condition, plain.asking.protocol, plain.training is None) == ("plain", "rating", False)
    assert (wide.condition, wide.asking.protocol, wide.training) == ("wide", "range", None)
    assert (wide.scale.high, wide.scale.labels, plain.scale.high) == (50.0, ("none", "much"), 10.0)
    assert (wide.learning.model, plain.learning.model) == ("goldilocks", "steelyard")
    assert (wide.page.instructions, plain.page.instructions) == ("Drag both ends.", "")
    assert wide.arm.raters == 30


def test_a_key_is_replaced_wherever_it_is_written():
    at_top, in_section = (
        arms({"name": "a"}, {"name": "b", **each}, asking={"protocol": "list"})
        for each in ({"list_size": 3}, {"asking": {"list_size": 3}})
    )
    assert at_top == in_section
    assert [arm.asking.list_size for arm in at_top] == [5, 3]


def test_another_model_does_not_receive_the_settings_of_the_replaced_one():
    settings = {
        "model": "direct_assessment",
        "model_settings": {"standardise": "rater"},
        "selection": "balanced",
    }
    _, other = arms({"name": "a"}, {"name": "b", "model": "steelyard"}, **settings)
    assert other.learning.model_settings == {}


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ([{"name": "one"}], "at least two"),
        ([{"name": "one"}, {"name": "one"}], "two entries have the id 'one'"),
        ([{"name": "one"}, {}], "is not a name"),
        ([{"name": "one"}, {"name": "two", "items": {"file": "b.csv"}}], "the same in all conditions"),
        ([{"name": "one"}, {"name": "two", "prolific": True}], "before a rater has a condition"),
        ([{"name": "one"}, {"name": "two", "scale": {"high": -1.0}}], "condition 'two'"),
        ([{"name": "one"}, {"name": "two", "questions": [{"text": "Q?", "id": "other"}]}], "the same ids"),
        ([{"name": "one"}, {"name": "two", "share": 0}], "not above 0"),
    ],
)
def test_a_mistake_in_a_condition_is_reported_with_its_place(conditions, words):
    with pytest.raises(BadSetting, match=words):
        arms(*conditions)


@pytest.mark.parametrize("written", [{"protokol": "list"}, {"without": ["anchor"]}])
def test_an_unknown_key_in_a_condition_is_an_error(written):
    with pytest.raises(UnknownName, match="condition 'two'"):
        arms({"name": "one"}, {"name": "two", **written})


def test_consent_cannot_differ_if_the_survey_determines_the_stratum():
    survey = [{"id": "native", "text": "Native?", "kind": "choice", "choices": ["yes", "no"]}]
    with pytest.raises(BadSetting, match="before a rater has a condition"):
        arms(
            {"name": "a"},
            {"name": "b", "consent": "Other"},
            survey=survey,
            assignment={"strata": ["native"]},
        )


def test_the_settings_hash_changes_with_an_arm_and_not_without_arms():
    def hashed(**other):
        return define({**BASE, "condition": [{"name": "a"}, {"name": "b", **other}]}).settings_hash()

    assert hashed() != hashed(protocol="list")
    assert hashed(share=2.0) != hashed()
    assert hashed() == hashed()
