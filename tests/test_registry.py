import pytest

from steelyard.errors import BadSetting, UnknownName
from steelyard.models.known import MODELS, check_model, find_item_model, model_named, register_model
from steelyard.models.model import Capabilities
from steelyard.models.trueskill import TrueSkill
from steelyard.selection.known import SELECTIONS, check_selection, register_selection
from tests.extension.most_uncertain import MostUncertain
from tests.extension.registering import forget_parts, install
from tests.extension.shrunken_mean import ShrunkenMean


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    forget_parts(monkeypatch)
    yield
    forget_parts(monkeypatch)


def test_every_built_in_part_is_one_that_could_be_registered():
    for model in MODELS.built_in.values():
        check_model(model)
    for selection in SELECTIONS.built_in.values():
        check_selection(selection)


def test_a_registered_part_is_found_by_name_and_listed():
    assert register_model(ShrunkenMean) is ShrunkenMean
    assert register_selection(MostUncertain) is MostUncertain
    assert model_named("shrunken_mean", noise=0.1).noise == 0.1
    assert {"shrunken_mean", "trueskill"} <= set(MODELS)
    assert MODELS.registered == (ShrunkenMean,)
    assert register_model(ShrunkenMean) is ShrunkenMean  # again, as when a notebook's cell is run twice


def test_a_name_belongs_to_the_first_who_registers_it():
    class Other(ShrunkenMean):
        name = "trueskill"

    with pytest.raises(
        BadSetting, match=r"'trueskill': this name is already used by steelyard.models.trueskill"
    ):
        register_model(Other)
    assert MODELS["trueskill"] is TrueSkill


@pytest.mark.parametrize(
    ("attributes", "lacking"),
    [
        ({"fit": None}, "lacks fit\\(\\)"),
        ({"quantity": None}, "lacks quantity"),
        ({"capabilities": Capabilities(refits=True)}, "lacks believe\\(\\)"),
        ({"capabilities": Capabilities(takes_features=True)}, "takes features"),
    ],
)
def test_what_a_model_lacks_is_named(attributes, lacking):
    with pytest.raises(BadSetting, match=lacking):
        register_model(type("Half", (ShrunkenMean,), attributes))


def test_what_a_selection_lacks_is_named():
    with pytest.raises(BadSetting, match=r"Half: lacks traits, choose\(\), round_size\(\)"):
        register_selection(type("Half", (), {"name": "half"}))
    with pytest.raises(BadSetting, match="not a class"):
        register_selection(MostUncertain())


def test_an_installed_package_is_loaded_with_the_first_unknown_name(tmp_path, monkeypatch):
    install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert "trueskill" in MODELS
    assert "shrunken_mean" not in MODELS._parts  # no unknown name was requested so far
    assert find_item_model("shrunken_mean") is ShrunkenMean
    assert "most_uncertain" in tuple(SELECTIONS)


def test_installed_packages_are_loaded_once(tmp_path, monkeypatch):
    assert "shrunken_mean" not in MODELS
    install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert "shrunken_mean" not in MODELS


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("no_such_module:Model", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("steelyard.models.trueskill:Model", "AttributeError"),
        ("steelyard.scales.fit:Fit", "BadSetting: model Fit: lacks name"),
    ],
)
def test_a_broken_plug_in_is_named_in_a_warning_and_the_others_work(tmp_path, monkeypatch, value, fault):
    install(tmp_path / "sound")
    install(tmp_path / "broken", package="broken_scales", model=value)
    for folder in ("broken", "sound"):
        monkeypatch.syspath_prepend(tmp_path / folder)
    with pytest.warns(RuntimeWarning, match="'shrunken_mean' of package 'broken_scales'.*" + fault):
        assert find_item_model("shrunken_mean") is ShrunkenMean
    with pytest.raises(UnknownName, match="Did you mean 'shrunken_mean'"):
        model_named("shrunk_mean")
