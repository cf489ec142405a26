import pytest

from steelyard.errors import BadSetting, UnknownName
from steelyard.kinds.known import KINDS
from steelyard.models.known import default_model, find_item_model, model_named


def test_every_kind_of_judgment_has_a_default_model_that_takes_it():
    for name, kind in KINDS.items():
        assert name in find_item_model(kind.default_model).kinds
        assert default_model([name]) == kind.default_model


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
        ({"gamma": float("nan")}, "gamma: nan is not a number from 1e-100"),
        ({"gamma": 1e-200}, "gamma: 1e-200 is not a number from 1e-100"),
        ({"gamma": 10**400}, "is not a number from 1e-100"),
        ({"seed": -1}, "seed: -1 is not at least 0"),
    ],
)
def test_a_setting_of_the_wrong_type_is_refused(settings, message):
    with pytest.raises(BadSetting, match=message):
        model_named("trueskill", **settings)


def test_a_whole_number_is_a_number():
    assert model_named("trueskill", gamma=1).gamma == 1


@pytest.mark.parametrize(
    ("model", "settings", "message"),
    [
        ("steelyard", {"features": 3}, "features: 3 is not a table by name"),
        ("steelyard", {"features": {"length": 3}}, "not a table by name"),
        ("bradley_terry", {"rater_covariates": "rater"}, "'rater' is not a list of text or a table by name"),
        ("bradley_terry", {"contest_covariates": [1]}, "not a list of text"),
        ("bradley_terry", {"tie_by": 3}, "tie_by: 3 is not text"),
        ("bradley_terry", {"ties": True}, "ties: True is not text"),
        ("plackett_luce", {"largest_tie": "many"}, "'many' is not a whole number"),
    ],
)
def test_elements_of_lists_and_tables_are_checked_too(model, settings, message):
    with pytest.raises(BadSetting, match=message):
        model_named(model, **settings)


def test_name_is_not_a_setting():
    with pytest.raises(UnknownName, match="model elo: unknown setting 'name'"):
        model_named("elo", name=3)


def test_settings_may_be_tables_lists_or_none():
    assert model_named("steelyard", features={"length": {"tea": 3}}).features == {"length": {"tea": 3}}
    assert model_named("steelyard", features=None).features is None
    assert model_named("bradley_terry", rater_covariates=("rater",)).rater_covariates == ("rater",)
    assert model_named("bradley_terry", rater_covariates={"sex": ["tea"]}, tie_by=None).tie_by is None
