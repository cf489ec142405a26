"""Studies with several protocols: study.toml as it is for each protocol, and which settings can be combined.

The ledger of the study has all tasks. Each protocol also has a ledger of its own tasks and a planner (`Planner.ways`),
so that pairs, links and what a rater has seen are counted per protocol. Wanted answers, budget and belief are those of
the whole study (`Planner.among`). A study with one protocol is its own only way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from steelyard.errors import BadSetting, UnknownName
from steelyard.kinds.known import PROTOCOLS, kind_of
from steelyard.models.known import default_model, item_models
from steelyard.selection.known import SELECTIONS, selections_with, traits_of
from steelyard.study.definition.arms import overlaid
from steelyard.study.definition.sections.asking import AskingSettings

if TYPE_CHECKING:  # that module imports this one
    from steelyard.study.definition.definition import StudyDefinition

Table = Mapping[str, Any]
OF_THE_MIX = ("protocol", "shares", "protocol_settings")  # keys that describe the mix, not one protocol
ANSWER_OPTIONS = ("both_bad", "strength")  # of protocols that take them
OF_ONE_PROTOCOL = (
    *(each.name for each in fields(AskingSettings) if each.name not in OF_THE_MIX),
    "questions",
    "instructions",
    "training",
)
# Tables of study.toml that cannot be used with several protocols.
EXAMPLES = ("anchors", "rounds", "cold_start", "probes")
CHECKS = ("tasks", "file", "hidden", "repeats", "rules")  # keys of [checks] that cannot be used either


def several_protocols(written: object, where: str) -> tuple[str, ...]:
    """Return the protocols if `protocol` is a list of several, else an empty tuple.

    Parameters
    ----------
    written
        The value of `protocol` in study.toml.
    where
        Name of the file in error messages.

    Returns
    -------
    tuple of str
        Names of the protocols.
    """
    if not isinstance(written, list | tuple):
        return ()
    place = f"{where}, [asking], protocol"
    for name in written:
        if name not in PROTOCOLS:
            raise UnknownName("value", str(name), tuple(PROTOCOLS), place)
    if len(set(written)) != len(written) or len(written) < 2:
        raise BadSetting(place, f"{list(written)} is not a list of different protocols. Name each once.")
    return tuple(written)


def kinds_of(protocols: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds of judgment that these protocols collect, each once."""
    return tuple(dict.fromkeys(PROTOCOLS[name].kind for name in protocols))


def model_for(protocols: Sequence[str]) -> str:
    """Return the default model of a study with these protocols: one that takes all of their kinds.

    >>> model_for(("list", "comparison"))
    'steelyard'
    """
    return default_model(kinds_of(protocols))


def models_of_all(kinds: Iterable[str]) -> list[str]:
    """Return the names of the models that put judgments of all of these kinds on one scale."""
    models = item_models().items()
    return [name for name, each in models if set(kinds) <= {*each.kinds, *each.capabilities.also_fits}]


def table_of_protocol(table: Table, name: str, where: str) -> dict[str, Any]:
    """Return study.toml as it is for one protocol of the study.

    Parameters
    ----------
    table
        Content of study.toml, with the keys of its sections at the top.
    name
        Name of the protocol.
    where
        Name of the file in error messages.

    Returns
    -------
    dict
        A table that `define` reads like that of a study with one protocol.
    """
    whole = dict(table)
    own = _own_settings(whole.get("protocol_settings", {}), name, where)
    for key in OF_THE_MIX:
        whole.pop(key, None)
    for key in ANSWER_OPTIONS:
        if key not in PROTOCOLS[name].takes:
            whole.pop(key, None)
    if "questions" in own:
        own["questions"] = _questions(whole.get("questions"), own["questions"], f"{where}, questions")
    return {**overlaid(whole, own), "protocol": name}


def _own_settings(written: object, name: str, where: str) -> dict[str, Any]:
    """Return the settings of one protocol, from [protocol_settings]."""
    own = written.get(name, {}) if isinstance(written, Mapping) else {}
    place = f"{where}, protocol_settings.{name}"
    if not isinstance(own, Mapping):
        raise BadSetting(place, "must be a table. Write it as a [section].")
    for key in own:
        if key not in OF_ONE_PROTOCOL:
            raise UnknownName("key", key, OF_ONE_PROTOCOL, place)
    return dict(own)


def _questions(shared: Any, own: Any, where: str) -> list[Any]:
    """Return the questions of the study with the texts that one protocol replaces, in the same order."""
    if not isinstance(shared, list) or not isinstance(own, list) or len(shared) != len(own):
        raise BadSetting(where, "has another number of questions than the study. Write one entry for each.")
    if not all(isinstance(each, Mapping) for each in (*shared, *own)):
        return own  # `Question` raises the error for entries that are not tables
    return [{**before, **now} for before, now in zip(shared, own, strict=True)]


def check_written(table: Table, protocols: Sequence[str], where: str) -> None:
    """Raise BadSetting for tables of study.toml that cannot be combined with several protocols.

    Parameters
    ----------
    table
        Content of study.toml, with the keys of its sections at the top.
    protocols
        Names of the protocols.
    where
        Name of the file in error messages.
    """
    for key in EXAMPLES:
        if key in table:
            reason = "cannot be combined with several protocols. Delete the table, or ask with one protocol."
            raise BadSetting(f"{where}, {key}", reason)
    selection = str(table.get("selection", ""))
    traits = traits_of(selection) if selection in SELECTIONS else None
    if traits is not None and traits.learns and not traits.across_kinds and len(kinds_of(protocols)) > 1:
        able = " or ".join(f'selection = "{name}"' for name in ("balanced", *selections_with("across_kinds")))
        reason = f"{selection!r} cannot choose between kinds of judgment. Set {able}."
        raise BadSetting(f"{where}, selection", reason)
    settings, training = table.get("protocol_settings", {}), table.get("training", {})
    for name in settings if isinstance(settings, Mapping) else ():
        if name not in protocols:
            raise UnknownName("protocol", name, tuple(protocols), f"{where}, protocol_settings")
    if isinstance(training, Mapping) and training.get("tasks"):
        names = " or ".join(f"[[protocol_settings.{name}.training.tasks]]" for name in protocols)
        raise BadSetting(f"{where}, training, tasks", f"belong to one protocol. Write them in {names}.")
    checks = table.get("checks", {})
    if isinstance(checks, Mapping) and any(key in checks for key in CHECKS):
        reason = "checks with a reference answer, hidden items and repeats need a study with one protocol."
        raise BadSetting(f"{where}, checks", f"{reason} Delete them. Limits on the time can stay.")


def check_mix(study: StudyDefinition) -> None:
    """Raise BadSetting for settings that cannot be combined with several protocols.

    `study` has settings that were checked for each of its protocols.
    """
    _check_model(study, study.asking.protocols)
    _check_choosing(study)
    if study.training is None and any(way.training is not None for way in study.ways):
        raise BadSetting("training", "of a protocol needs a training of the study. Add a table [training].")
    ids = [question.id for question in study.questions]
    for way in study.ways:
        if [question.id for question in way.questions] != ids:
            reason = "has questions with other ids than those of the study. Leave out the ids."
            raise BadSetting(f"protocol_settings.{way.asking.way.name}", reason)


def _check_model(study: StudyDefinition, protocols: Sequence[str]) -> None:
    kinds = kinds_of(protocols)
    if not any(kind_of(name).placed for name in protocols):
        placed = ", ".join(name for name in PROTOCOLS if kind_of(name).placed)
        reason = f"without a protocol that has a scale, positions have no unit. Add one of: {placed}."
        raise BadSetting("protocol", reason)
    if not set(kinds) <= set(study.learning.mixed_kinds):
        suitable = models_of_all(kinds)
        reason = f"{study.learning.model!r} does not put {' and '.join(kinds)} judgments on one scale."
        choose = f" Choose one of: {', '.join(suitable)}." if suitable else " Choose other protocols."
        raise BadSetting("model", reason + choose)
    if study.learning.unit == "system" and len(kinds) > 1:
        raise BadSetting("unit", "'system' needs judgments of one kind. Set unit = \"item\".")


def _check_choosing(study: StudyDefinition) -> None:
    traits = study.choosing.traits
    if traits.plans_sequences or traits.asks_every_pair:
        reason = f"{study.choosing.selection!r} cannot choose the tasks of several protocols."
        raise BadSetting("selection", f'{reason} Set selection = "balanced".')
    if study.learning.update == "round":
        raise BadSetting(
            "update", '"round" cannot be combined with several protocols. Set update = "answer".'
        )
