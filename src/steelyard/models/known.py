"""The models by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from steelyard.errors import BadSetting, UnknownName
from steelyard.models.best_worst import BestWorst
from steelyard.models.beta_ranking import BetaRanking
from steelyard.models.bradley_terry.model import BradleyTerry
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
        BestWorst,
        Goldilocks,
    )
}

WORDS: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
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


def model_named(name: str, **settings: Any) -> Model:
    """The model of this name with these settings; a wrong name is answered with the closest one.

    >>> model_named("easl").name
    'easl'
    """
    if name not in MODELS:
        raise UnknownName("model", name, tuple(MODELS))
    model = MODELS[name]
    known = {field.name: field.default for field in fields(model)}
    for setting, value in settings.items():
        if setting not in known:
            raise UnknownName(f"setting of {name}", setting, tuple(known))
        _check_type(setting, value, known[setting])
    made: Model = model(**settings)
    return made


def _check_type(setting: str, value: Any, usual: Any) -> None:
    """A setting written by hand has the type of its usual value, where that is a plain one."""
    wanted = type(usual)
    fits = type(value) is wanted or (wanted is float and type(value) is int)
    if wanted in WORDS and not fits:
        raise BadSetting(setting, f"{value!r} is not {WORDS[wanted]}.")
