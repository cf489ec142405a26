"""Checks that the sections of study.toml are consistent with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.errors import BadSetting
from steelyard.kinds.known import PROTOCOLS
from steelyard.messages.catalogue import check_words
from steelyard.messages.words import words_of
from steelyard.models.known import item_models
from steelyard.scales.belief import BeliefFeature
from steelyard.selection.known import selections_with, traits_of
from steelyard.study.definition.sections.asking import AskingSettings, Question
from steelyard.study.definition.sections.choosing import ChoosingSettings
from steelyard.study.definition.sections.grounding import GroundingSettings
from steelyard.study.definition.sections.items import ItemsSettings
from steelyard.study.definition.sections.learning import LearningSettings


def check_protocol(
    asking: AskingSettings, learning: LearningSettings, choosing: ChoosingSettings, kinds: Sequence[str]
) -> None:
    """Raise BadSetting if the model or the selection cannot be used with the protocol.

    Parameters
    ----------
    asking
        Section with the protocol.
    learning
        Section with the model.
    choosing
        Section with the selection.
    kinds
        Kinds of judgment that the model accepts in this study.
    """
    way = asking.way
    if not set(way.kinds) & set(kinds):
        suitable = ", ".join(
            name for name, model in item_models().items() if set(way.kinds) & set(model.kinds)
        )
        if way.kind in learning.capabilities.also_fits:
            reason = (
                f"{learning.model!r} takes {way.kind} judgments only in studies with several protocols. Choose one of: "
                f"{suitable}. After the study, export the judgments and fit them with --model {learning.model}."
            )
        else:
            reason = (
                f"{learning.model!r} cannot be fitted to {way.kind} judgments. Choose one of: {suitable}."
            )
        raise BadSetting("model", reason)
    needed, asked = traits_of(way.selection).asks_every_pair, choosing.traits.asks_every_pair
    stand_in = choosing.traits.stand_in or choosing.selection
    if asked and not needed:
        protocols = [name for name, each in PROTOCOLS.items() if traits_of(each.selection).asks_every_pair]
        reason = f"{choosing.selection!r} asks every pair and needs {_either('protocol', protocols)}."
        raise BadSetting("selection", reason)
    if needed and not asked and not traits_of(stand_in).chooses_groups:
        selections = _either("selection", selections_with("asks_every_pair"))
        raise BadSetting("selection", f"the protocol {way.name!r} asks every pair. Set {selections}.")


def check_belief(
    learning: LearningSettings, choosing: ChoosingSettings, chosen_by: str, is_part: bool = False
) -> None:
    """Raise BadSetting if the selection, the early stop of raters or a stopping rule needs another model.

    Parameters
    ----------
    learning
        The model of the study.
    choosing
        The selection and the rules of the study.
    chosen_by
        Name of the selection that chooses tasks, which can be a stand-in.
    is_part
        Whether the study has several protocols, and these are the settings of one of them.
    """
    model, selection = learning.capabilities, traits_of(chosen_by)
    provided = model.belief | ({"comparisons"} if is_part and "kinds" in model.belief else set())
    if selection.learns and not (model.online and selection.needs <= provided):
        models = _models_with(selection.needs)
        raise BadSetting(
            "selection",
            f"{choosing.selection!r} needs estimates that {learning.model!r} does not provide. Set {models}.",
        )
    if choosing.least_worth and "rater_worth" not in model.belief:
        models = _models_with(frozenset({"rater_worth"}))
        reason = f"{learning.model!r} does not estimate how informative each rater is."
        raise BadSetting("least_worth", f"{reason} Set {models}, or set least_worth = 0.")
    if choosing.stop.looks_at_belief and "intervals" not in model.belief:
        models = _models_with(frozenset({"intervals"}))
        reason = "reliability and interval_width need a model with intervals while answers arrive. "
        raise BadSetting("stop", f"{reason}Set {models}.")


def _models_with(features: frozenset[BeliefFeature]) -> str:
    """Return the study.toml lines for every model that updates with each answer and has these features."""
    models = {name: model.capabilities for name, model in item_models().items()}
    return _either("model", [name for name, can in models.items() if can.online and features <= can.belief])


def _either(key: str, names: Sequence[str]) -> str:
    """Return the lines of study.toml of which one is needed.

    >>> _either("model", ["trueskill", "elo"])
    'model = "trueskill" or model = "elo"'
    """
    return " or ".join(f'{key} = "{name}"' for name in names)


def check_examples(
    asking: AskingSettings, grounding: GroundingSettings, shows: Sequence[str], questions: int
) -> None:
    """Raise BadSetting for examples along the scale unless a study asks one question answered with a position.

    Parameters
    ----------
    asking
        Section with the protocol.
    grounding
        Section with anchors, rounds and cold start.
    shows
        What pages show along the scale.
    questions
        Number of questions.
    """
    shown = grounding.anchors is not None and tuple(shows) != ("labels",)
    if not (shown or grounding.is_grounded) or (asking.kind.placed and questions == 1):
        return
    part = "anchors" if shown or grounding.cold_start is not None else "rounds"
    raise BadSetting(
        part,
        "examples along the scale need exactly one question and a protocol with a scale: "
        "rating, list or range.",
    )


def check_beyond(asking: AskingSettings, choosing: ChoosingSettings, questions: int) -> None:
    """Raise BadSetting for answers beyond the ends of a scale if the study uses estimates bound to the scale.

    Parameters
    ----------
    asking
        Section with the protocol.
    choosing
        Section with the selection and the stopping rules.
    questions
        Number of questions.
    """
    believes = choosing.learns or choosing.stop.looks_at_belief
    if questions > 1 or not asking.kind.placed or believes:
        raise BadSetting(
            "scale, beyond",
            "needs exactly one question, a protocol with a scale, and a selection and stopping rules "
            "that do not use estimates.",
        )


def check_rounds(
    asking: AskingSettings,
    learning: LearningSettings,
    choosing: ChoosingSettings,
    grounding: GroundingSettings,
) -> None:
    """Raise BadSetting for rounds or probes that cannot be used with the selection.

    Parameters
    ----------
    asking
        Section with the protocol.
    learning
        Section that sets when the model is updated.
    choosing
        Section with the selection.
    grounding
        Section with rounds and probes.
    """
    if grounding.rounds.number > 1 and learning.update == "round":
        raise BadSetting(
            "rounds", 'cannot be combined with update = "round" in [learning]. Set update = "answer".'
        )
    if grounding.probes is not None and (not choosing.traits.takes_probes or asking.way.against):
        selections = _either("selection", selections_with("takes_probes"))
        raise BadSetting("probes", f"are repeated items of a sequence. Set {selections}.")


def check_arms(questions: Sequence[Question], by_arm: Sequence[Sequence[Question]]) -> None:
    """Raise BadSetting if the questions of an arm have other ids than those of the study.

    Parameters
    ----------
    questions
        Questions of the study.
    by_arm
        Questions of each arm.
    """
    ids = [question.id for question in questions]
    for arm in by_arm:
        if [question.id for question in arm] != ids:
            reason = f"have other ids than those of the study ({', '.join(ids)}). Give them the same ids."
            raise BadSetting("condition, questions", reason)


def check_spread(items: ItemsSettings, grounding: GroundingSettings) -> None:
    """Raise BadSetting if the cold start spreads its draws over a column that is not read."""
    spread = "" if grounding.cold_start is None else grounding.cold_start.spread
    if spread and spread not in (*items.features, *items.covariates):
        raise BadSetting(
            "cold_start, spread", f"the column {spread!r} is not read. Add it to covariates in [items]."
        )


def check_replaced_words(words: Mapping[str, Any], asking: AskingSettings) -> None:
    """Raise BadSetting if [words] has a key that is no message of the pages, or a text that does not fit it."""
    folders = asking.message_folders
    check_words(words, words_of("en", folders=folders).messages, "words")
