"""The registry of models by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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

METHODS = {  # required methods, and the capability that requires each
    "start": "online",
    "update": "online",
    "believe": "refits",
    "forecast": "predicts_answers",
}


def check_model(model: type[Any]) -> None:
    """Raise an error if a class lacks something that its declared capabilities require."""
    check_shape("model", model, ("name", "kinds", "capabilities", "quantity"), ("fit",))
    can: Capabilities = model.capabilities
    methods = [name for name, needed in METHODS.items() if getattr(can, needed)]
    check_shape("model", model, (), methods)
    if not is_dataclass(model):
        raise BadSetting(
            f"model {model.__qualname__}",
            "is not a dataclass. Make it one, with its settings as fields.",
        )
    if can.takes_features and "features" not in {field.name for field in fields(model)}:
        raise BadSetting(
            f"model {model.__qualname__}", "takes features but has no setting `features`. Add one."
        )


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

MODEL_WORDS = {  # what the model is for, and the unit of its positions, for help texts
    "direct_assessment": "mean ratings, in points of the scale",
    "bradley_terry": "comparisons, in log-odds",
    "easl": "mean ratings as in EASL (Sakaguchi and Van Durme 2018), in points of the scale",
    "steelyard": "ratings, or several kinds of judgment, corrected for differences between raters, in points of the "
    "scale",
    "thurstone": "comparisons, in probits (finite also for items that always win)",
    "trueskill": "comparisons, processed one by one, as a skill (0.5 before any comparison)",
    "beta_ranking": "comparisons, processed one by one as in EASL, as a score between 0 and 1",
    "elo": "comparisons, processed one by one, in Elo points",
    "win_rate": "comparisons, as share of wins",
    "plackett_luce": "rankings, in log-odds",
    "best_worst": "best-worst choices, as counting scores from -1 to 1",
    "goldilocks": "ranges, as midpoints in points of the scale",
    "crossed": "ratings of systems in a crossed mixed model, in points of the scale",
}


def described_models(names: Iterable[str]) -> str:
    """Return names of built-in models with what each is for, for help texts.

    >>> described_models(["elo", "win_rate"])
    'elo: comparisons, processed one by one, in Elo points; win_rate: comparisons, as share of wins'
    """
    return "; ".join(f"{name}: {MODEL_WORDS[name]}" for name in names)


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
SMALLEST, LARGEST = 1e-100, 1e100  # squares of numbers in this range do not overflow or underflow


def default_model(kinds: Sequence[str]) -> str:
    """Return the name of the default model for judgments of these kinds.

    One kind declares its default model. For several kinds, it is the first model that fits all of them on one scale,
    otherwise that of the first kind.

    >>> default_model(["ranking"]), default_model(["ranking", "rating"])
    ('plackett_luce', 'steelyard')
    """
    if len(kinds) > 1:
        for name, model in MODELS.built_in.items():
            if set(kinds) <= {*model.kinds, *model.capabilities.also_fits}:
                return name
    return KINDS[kinds[0]].default_model if kinds else RATING.default_model


def suited(model: Model, judgments: Judgments) -> Judgments:
    """Return the judgments in a kind that the model takes.

    A kind that no model takes directly declares the kind to which it is converted for fitting.
    """
    wanted = [KINDS[kind].fitted_as for kind in judgments.kinds if kind not in model.kinds]
    converted = [kind for kind in wanted if kind in model.kinds]
    return judgments_as(judgments, converted[0]) if converted else judgments


def register_model(model: AnyPart) -> AnyPart:
    """Register a model class under its `name`. Can be used as a class decorator.

    An installed package does not need this function. It can name its model in the entry point group
    `steelyard.models`. See docs/how-to/extending.md.

    Parameters
    ----------
    model
        A frozen dataclass with `name`, `kinds`, `capabilities`, `quantity` and `fit`, and the methods that its
        capabilities require.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    BadSetting
        If the class lacks a required attribute or method, or if the name is taken.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from steelyard import Easl
    >>> from steelyard.models.known import MODELS, model_named, register_model
    >>> @register_model
    ... @dataclass(frozen=True, slots=True)
    ... class MyEasl(Easl):
    ...     name = "my_easl"
    >>> model_named("my_easl").name
    'my_easl'
    >>> MODELS.remove("my_easl")
    """
    MODELS.register(model)
    return model


def find_model(name: str) -> type[Any]:
    """Return the model class of this name. For an unknown name, the error suggests the closest one."""
    if name not in MODELS:
        raise UnknownName("model", name, tuple(MODELS))
    return MODELS[name]


def item_models(built_in: bool = False) -> dict[str, type[Any]]:
    """Return the models that estimate items, which a study can use: all, or only the built-in ones."""
    models = MODELS.built_in if built_in else MODELS
    return {name: model for name, model in models.items() if not model.capabilities.systems_only}


def models_for(
    kinds: Sequence[str], is_mixed: bool, suits: Callable[[Capabilities], bool]
) -> tuple[str, ...]:
    """Return the names of the item models that take some kinds of judgment and have certain capabilities.

    Parameters
    ----------
    kinds
        Kinds of judgment: alternatives of which one is enough or, if `is_mixed`, kinds that are fitted together.
    is_mixed
        Whether the kinds are fitted together on one scale.
    suits
        Whether these capabilities are wanted.

    Returns
    -------
    tuple of str
        The names.

    Examples
    --------
    >>> models_for(["comparison"], False, lambda can: "intervals" in can.belief)
    ('thurstone',)
    """
    return tuple(
        name
        for name, model in item_models().items()
        if suits(model.capabilities)
        and (
            set(kinds) <= {*model.kinds, *model.capabilities.also_fits}
            if is_mixed
            else not set(kinds).isdisjoint(model.kinds)
        )
    )


def find_item_model(name: str) -> type[Any]:
    """Return the model class of this name. Raise an error if it is unknown or estimates systems only."""
    if name in MODELS and MODELS[name].capabilities.systems_only:
        models = ", ".join(item_models())
        raise BadSetting(
            "model",
            f"{name!r} estimates systems, not items, so a study cannot use it. Choose one of: {models}.",
        )
    if name not in MODELS:
        raise UnknownName("model", name, tuple(item_models()), "model")
    return MODELS[name]


def model_named(name: str, /, **settings: Any) -> Model:
    """Return the model of this name with these settings. For an unknown name, the error suggests the closest one.

    >>> model_named("easl").name
    'easl'
    """
    model = find_model(name)
    types = _types_of(name)
    for setting, value in settings.items():
        if setting not in types:
            raise UnknownName("setting", setting, tuple(types), f"model {name}")
        _check(setting, value, types[setting])
    made: Model = model(**settings)
    return made


def seed_setting(name: str, seed: int) -> dict[str, int]:
    """Return the setting `seed` with this value, or nothing if the model has no such setting.

    >>> seed_setting("easl", 7)
    {'seed': 7}
    """
    return {"seed": seed} if "seed" in _types_of(name) else {}


def models_with(setting: str) -> list[str]:
    """Return the names of the models that have this setting.

    >>> models_with("rater_position")
    ['bradley_terry']
    """
    return [name for name in MODELS if setting in _types_of(name)]


@cache
def _types_of(name: str) -> dict[str, Any]:
    """Return the type of each setting of a model, by name."""
    model = find_model(name)
    hints = get_type_hints(model)
    return {field.name: hints[field.name] for field in fields(model)}


def _check(setting: str, value: Any, hint: Any) -> None:
    """Raise an error if a setting has the wrong type or a number is out of range."""
    if not _suits(value, hint):
        raise BadSetting(setting, f"{value!r} is not {_in_words(hint)}.")
    if hint is float and value != 0 and not SMALLEST <= abs(value) <= LARGEST:
        raise BadSetting(
            setting, f"{value} is not a number from {SMALLEST:g} to {LARGEST:g}, its negative, or 0."
        )
    if setting == "seed" and value < 0:
        raise BadSetting(setting, f"{value} is not at least 0.")


def _suits(value: Any, hint: Any) -> bool:
    """Whether the value is of this type. Integers count as numbers. Models check allowed texts themselves."""
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
    """Return the type as error messages name it.

    >>> _in_words(Sequence[str] | None), _in_words(int | str)
    ('a list of text', 'a whole number or text')
    """
    form, inside = get_origin(hint), get_args(hint)
    if form in UNIONS:
        return " or ".join(_in_words(each) for each in inside if each is not type(None))
    return WORDS.get(form or hint, str(hint))
