"""The models by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.conversions import judgments_as
from steelyard.judgments.table import Judgments
from steelyard.kinds.known import KINDS
from steelyard.kinds.rating import RATING
from steelyard.models.best_worst import BestWorstScaling
from steelyard.models.beta_ranking import BetaRanking
from steelyard.models.bradley_terry.model import BradleyTerry
from steelyard.models.crossed import Crossed
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.models.easl import Easl
from steelyard.models.elo import Elo
from steelyard.models.goldilocks import Goldilocks
from steelyard.models.model import Capabilities, Model
from steelyard.models.plackett_luce.model import PlackettLuce
from steelyard.models.steelyard.model import Steelyard
from steelyard.models.thurstone.model import Thurstone
from steelyard.models.trueskill import TrueSkill
from steelyard.models.win_rate import WinRate
from steelyard.registry import AnyPart, Registry, check_shape

METHODS = {  # methods by the capability that promises them
    "start": "online",
    "update": "online",
    "believe": "refits",
    "forecast": "predicts_answers",
}


def check_model(model: type[Any]) -> None:
    """Raise an error that names what a class lacks to be a model with the capabilities that it declares."""
    check_shape("model", model, ("name", "kinds", "capabilities", "quantity"), ("fit",))
    can: Capabilities = model.capabilities
    methods = [name for name, needed in METHODS.items() if getattr(can, needed)]
    check_shape("model", model, (), methods)
    if not is_dataclass(model):
        raise BadSetting(f"model {model.__qualname__}", "is not a dataclass, whose fields are its settings.")
    if can.takes_features and "features" not in {field.name for field in fields(model)}:
        raise BadSetting(f"model {model.__qualname__}", "takes features, and has no setting of that name.")


MODELS: Registry[type[Any]] = Registry(
    "model",
    "steelyard.models",
    (
        DirectAssessment,
        BradleyTerry,
        Easl,
        Steelyard,
        Thurstone,
        TrueSkill,
        BetaRanking,
        Elo,
        WinRate,
        PlackettLuce,
        BestWorstScaling,
        Goldilocks,
        Crossed,
    ),
    check_model,
)

WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    Literal: "text",
    Sequence: "a list of text",
    Mapping: "a table by name",
}
UNIONS = (Union, UnionType)
SMALLEST, LARGEST = 1e-100, 1e100  # squares of numbers between these are numbers too


def default_model(kinds: Sequence[str]) -> str:
    """The model of `fit`, reports and studies for judgments of these kinds: the default of the first kind.

    >>> default_model(["ranking"])
    'plackett_luce'
    """
    return KINDS[kinds[0]].default_model if kinds else RATING.default_model


def suited(model: Model, judgments: Judgments) -> Judgments:
    """The judgments as the model takes them: a kind that no model takes itself says as which other it is fitted."""
    wanted = [KINDS[kind].fitted_as for kind in judgments.kinds if kind not in model.kinds]
    converted = [kind for kind in wanted if kind in model.kinds]
    return judgments_as(judgments, converted[0]) if converted else judgments


def register_model(model: AnyPart) -> AnyPart:
    """Make a model known by its `name`, as the built-in ones are; usable as a decorator of its class.

    A package that is installed beside Steelyard needs no call of this: an entry point of the group `steelyard.models`
    names its model.
    """
    MODELS.register(model)
    return model


def find_model(name: str) -> type[Any]:
    """The model class of this name; an unknown name is answered with the closest one."""
    if name not in MODELS:
        raise UnknownName("model", name, tuple(MODELS))
    return MODELS[name]


def item_models(built_in: bool = False) -> dict[str, type[Any]]:
    """The models that scale items, and so those that a study can have; all of them, or only the built-in ones."""
    models = MODELS.built_in if built_in else MODELS
    return {name: model for name, model in models.items() if not model.capabilities.systems_only}


def find_item_model(name: str) -> type[Any]:
    """The model class of this name; an error where it scales systems only, or where the name is unknown."""
    if name not in MODELS or MODELS[name].capabilities.systems_only:
        raise UnknownName("model", name, tuple(item_models()))
    return MODELS[name]


def model_named(name: str, /, **settings: Any) -> Model:
    """The model of this name with these settings; a wrong name is answered with the closest one.

    >>> model_named("easl").name
    'easl'
    """
    model = find_model(name)
    types = _types_of(name)
    for setting, value in settings.items():
        if setting not in types:
            raise UnknownName(f"setting of {name}", setting, tuple(types))
        _check(setting, value, types[setting])
    made: Model = model(**settings)
    return made


def seed_setting(name: str, seed: int) -> dict[str, int]:
    """The setting `seed` with this value, where the model of this name has it.

    >>> seed_setting("easl", 7)
    {'seed': 7}
    """
    return {"seed": seed} if "seed" in _types_of(name) else {}


@cache
def _types_of(name: str) -> dict[str, Any]:
    """The type of each setting of the model of this name, by the setting's name."""
    model = find_model(name)
    hints = get_type_hints(model)
    return {field.name: hints[field.name] for field in fields(model)}


def _check(setting: str, value: Any, hint: Any) -> None:
    """Refuse a setting written by hand that is of another type, or a number that no model can compute with."""
    if not _suits(value, hint):
        raise BadSetting(setting, f"{value!r} is not {_in_words(hint)}.")
    if hint is float and value != 0 and not SMALLEST <= abs(value) <= LARGEST:
        raise BadSetting(setting, f"{value} is not a number from {SMALLEST:g} to {LARGEST:g} in size, or 0.")
    if setting == "seed" and value < 0:
        raise BadSetting(setting, f"{value} is not at least 0.")


def _suits(value: Any, hint: Any) -> bool:
    """Is the value of this type? A whole number is a number; which texts a setting takes, its model says."""
    form, inside = get_origin(hint), get_args(hint)
    if form in UNIONS:
        return any(_suits(value, each) for each in inside)
    if form is Mapping:
        return isinstance(value, Mapping) and _all_suit(value.values(), inside[1])
    if form is Sequence:
        return isinstance(value, list | tuple) and _all_suit(value, inside[0])
    wanted = str if form is Literal else hint
    return wanted is Any or type(value) is wanted or (wanted is float and type(value) is int)


def _all_suit(values: Iterable[Any], hint: Any) -> bool:
    return hint is Any or all(_suits(value, hint) for value in values)


def _in_words(hint: Any) -> str:
    """The type as messages name it.

    >>> _in_words(Sequence[str] | None), _in_words(int | str)
    ('a list of text', 'a whole number or text')
    """
    form, inside = get_origin(hint), get_args(hint)
    if form in UNIONS:
        return " or ".join(_in_words(each) for each in inside if each is not type(None))
    return WORDS.get(form or hint, str(hint))
