import pytest

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.kinds import KINDS
from steelyard.models.known import MODELS, USUAL, model_named, usual_model


def test_every_kind_of_judgment_has_a_usual_model_that_takes_it():
    assert set(USUAL) == set(KINDS)
    for kind, name in USUAL.items():
        assert kind in MODELS[name].kinds
        assert usual_model([kind]) == name


def test_a_wrong_name_is_answered_with_the_closest():
    with pytest.raises(UnknownName, match="Did you mean 'trueskill'"):
        model_named("true_skill")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"gamma": "wide"}, "not a number"),
        ({"passes": 1.5}, "not a whole number"),
        ({"passes": True}, "not a whole number"),
        ({"shuffle": 1}, "not true or false"),
    ],
)
def test_a_setting_of_the_wrong_type_is_refused(settings, message):
    with pytest.raises(BadSetting, match=message):
        model_named("trueskill", **settings)


def test_a_whole_number_is_a_number():
    assert model_named("trueskill", gamma=1).gamma == 1
