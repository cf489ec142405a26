"""The models by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from steelyard.errors import BadSetting, UnknownName
from steelyard.models.best_worst import BestWorstScaling
from steelyard.models.beta_ranking import BetaRanking
from steelyard.models.bradley_terry.model import BradleyTerry
from steelyard.models.crossed import Crossed
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.models.easl import Easl
from steelyard.models.elo import Elo
from steelyard.models.goldilocks import Goldilocks
from steelyard.models.model import Model
from steelyard.models.plackett_luce.model import PlackettLuce
from steelyard.models.steelyard.model import Steelyard
from steelyard.models.trueskill import TrueSkill
from steelyard.models.win_rate import WinRate

MODELS: dict[str, type[Any]] = {
    model.name: model
    for model in (
        DirectAssessment,
        BradleyTerry,
        Easl,
        Steelyard,
        TrueSkill,
        BetaRanking,
        Elo,
        WinRate,
        PlackettLuce,
        BestWorstScaling,
        Goldilocks,
    )
}

SYSTEM_MODELS: dict[str, type[Any]] = {Crossed.name: Crossed}  # fit systems only, so no study's items
ALL_MODELS = {**MODELS, **SYSTEM_MODELS}

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
USUAL = {  # what a kind of judgment is fitted with where no model is named
    "rating": "steelyard",
    "comparison": "bradley_terry",
    "ranking": "plackett_luce",
    "best_worst": "best_worst",
    "range": "goldilocks",
}


def usual_model(kinds: Sequence[str]) -> str:
    """The model for judgments of these kinds: that of the first.

    >>> usual_model(["ranking"])
    'plackett_luce'
    """
    return USUAL[kinds[0]] if kinds else USUAL["rating"]


def model_named(name: str, /, **settings: Any) -> Model:
    """The model of this name with these settings; a wrong name is answered with the closest one.

    >>> model_named("easl").name
    'easl'
    """
    if name not in ALL_MODELS:
        raise UnknownName("model", name, tuple(ALL_MODELS))
    model = ALL_MODELS[name]
    known = _settings_of(name)
    for setting, value in settings.items():
        if setting not in known:
            raise UnknownName(f"setting of {name}", setting, tuple(known))
        _check(setting, value, known[setting])
    made: Model = model(**settings)
    return made


@cache
def _settings_of(name: str) -> dict[str, Any]:
    """The type of each setting of the model of this name, by name."""
    model = ALL_MODELS[name]
    hints = get_type_hints(model)
    return {field.name: hints[field.name] for field in fields(model)}


def _check(setting: str, value: Any, hint: Any) -> None:
    """Refuse a setting written by hand that is of another type, or a number that no model can reckon with."""
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
    """The type as a message tells it.

    >>> _in_words(Sequence[str] | None), _in_words(int | str)
    ('a list of text', 'a whole number or text')
    """
    form, inside = get_origin(hint), get_args(hint)
    if form in UNIONS:
        return " or ".join(_in_words(each) for each in inside if each is not type(None))
    return WORDS[form or hint]
