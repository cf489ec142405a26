"""The models by name."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from steelyard.errors import UnknownName
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


def model_named(name: str, **settings: Any) -> Model:
    """The model of this name with these settings; a wrong name is answered with the closest one.

    >>> model_named("easl").name
    'easl'
    """
    if name not in MODELS:
        raise UnknownName("model", name, tuple(MODELS))
    model = MODELS[name]
    known = tuple(field.name for field in fields(model))
    for setting in settings:
        if setting not in known:
            raise UnknownName(f"setting of {name}", setting, known)
    made: Model = model(**settings)
    return made
