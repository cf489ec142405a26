"""Do the sections of study.toml go together?"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.errors import BadSetting
from steelyard.kinds.known import PROTOCOLS
from steelyard.models.known import item_models
from steelyard.scales.belief import BeliefFeature
from steelyard.selection.known import selections_with, traits_of
from steelyard.study.definition.sections.asking import AskingSettings
from steelyard.study.definition.sections.choosing import ChoosingSettings
from steelyard.study.definition.sections.grounding import GroundingSettings
from steelyard.study.definition.sections.learning import LearningSettings


def check_protocol(asking: AskingSettings, learning: LearningSettings, choosing: ChoosingSettings) -> None:
    """Refuse a model or a selection that does not go with how the study asks."""
    way = asking.way
    if not set(way.kinds) & set(learning.kinds):
        suitable = ", ".join(
            name for name, model in item_models().items() if set(way.kinds) & set(model.kinds)
        )
        raise BadSetting("model", f"{learning.model!r} takes no {way.kind} judgments; use one of {suitable}.")
    needed, asked = traits_of(way.selection).asks_every_pair, choosing.traits.asks_every_pair
    if asked and not needed:
        protocols = [name for name, each in PROTOCOLS.items() if traits_of(each.selection).asks_every_pair]
        raise BadSetting("selection", f"{choosing.selection!r} is for {_either('protocol', protocols)}.")
    if needed and not asked:
        selections = _either("selection", selections_with("asks_every_pair"))
        raise BadSetting("selection", f"{asking.protocol} asks every pair; set {selections}.")


def check_belief(learning: LearningSettings, choosing: ChoosingSettings, chosen_by: str) -> None:
    """Refuse a model without the belief that the selection, the rest of raters or a stopping rule looks at."""
    model, selection = learning.capabilities, traits_of(chosen_by)
    if selection.learns and not (model.online and selection.needs <= model.belief):
        models = _models_with(selection.needs)
        raise BadSetting(
            "selection", f"{choosing.selection!r} chooses by the belief of another model; set {models}."
        )
    if choosing.least_worth and "rater_worth" not in model.belief:
        models = _models_with(frozenset({"rater_worth"}))
        raise BadSetting("least_worth", f"what answers are worth needs {models}.")
    if choosing.stop.looks_at_belief and "intervals" not in model.belief:
        models = _models_with(frozenset({"intervals"}))
        raise BadSetting("stop", f"reliability and interval_width need {models}.")


def _models_with(features: frozenset[BeliefFeature]) -> str:
    """The lines of study.toml that name a model which learns as answers arrive, with a belief of these features."""
    models = {name: model.capabilities for name, model in item_models().items()}
    return _either("model", [name for name, can in models.items() if can.online and features <= can.belief])


def _either(key: str, names: Sequence[str]) -> str:
    """The lines of study.toml of which one is needed.

    >>> _either("model", ["trueskill", "elo"])
    'model = "trueskill" or model = "elo"'
    """
    return " or ".join(f'{key} = "{name}"' for name in names)


def check_examples(
    asking: AskingSettings, grounding: GroundingSettings, shows: Sequence[str], questions: int
) -> None:
    """Refuse examples along the scale where answers are no positions under one question."""
    shown = grounding.anchors is not None and tuple(shows) != ("labels",)
    if not (shown or grounding.is_grounded) or (asking.kind.placed and questions == 1):
        return
    part = "anchors" if shown or grounding.cold_start is not None else "rounds"
    raise BadSetting(part, "anchors are positions under one question: ask one, by rating, list or range.")


def check_beyond(asking: AskingSettings, choosing: ChoosingSettings, questions: int) -> None:
    """Refuse positions past the ends of a scale where a belief would be about the scale alone."""
    believes = choosing.learns or choosing.stop.looks_at_belief
    if questions > 1 or not asking.kind.placed or believes:
        raise BadSetting(
            "scale, beyond", "needs one question and a selection that does not look at a belief."
        )


def check_rounds(
    asking: AskingSettings,
    learning: LearningSettings,
    choosing: ChoosingSettings,
    grounding: GroundingSettings,
) -> None:
    """Refuse rounds and probes that do not go with how tasks are chosen."""
    if grounding.rounds.number > 1 and learning.update == "round":
        raise BadSetting("rounds", 'update = "round" makes rounds of its own; set update = "answer".')
    if grounding.probes is not None and (not choosing.traits.takes_probes or asking.way.against):
        selections = _either("selection", selections_with("takes_probes"))
        raise BadSetting("probes", f"repeat an item of a sequence: set {selections}.")
