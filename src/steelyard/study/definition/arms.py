"""The arms of a study: each [[condition]] table is merged with the rest of study.toml to a definition of its own.

Each definition is checked like that of any study. Each arm has a ledger, a planner and a belief of its own
(`collecting/follower.py`). All ledgers follow one log, of which `log/arm_entries.py` says which entries concern an
arm. The ledger of the session has the raters of all arms and no tasks. A study without arms is its own only arm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from steelyard.errors import BadSetting, UnknownName
from steelyard.study.definition.sections.conditions import ConditionSettings
from steelyard.study.definition.spellings import SECTION_OF, SECTIONS

CONDITION = "condition"
OWN = tuple(each.name for each in fields(ConditionSettings))
SHARED = ("items", "assignment", "panel")  # sections that arms have in common
BEFORE_ASSIGNMENT = ("open_link", "prolific", "mturk", "exclude_raters_of")  # used before a rater has an arm
BEFORE_SURVEY = ("survey", "consent", "consent_label", "kept")  # as well, if the survey determines the arm
DEPENDENT = {  # settings of what is replaced
    "model": ("model_settings",),
    "selection": ("selection_settings",),
    "protocol": ("shares", "protocol_settings"),
}


def written_arms(table: Mapping[str, Any], where: str) -> list[Mapping[str, Any]]:
    """Return the [[condition]] tables of study.toml; empty if `condition` is a name, or missing."""
    written = table.get(CONDITION)
    if not isinstance(written, list):
        return []
    for at, each in enumerate(written):
        if not isinstance(each, Mapping):
            raise BadSetting(f"{where}, condition[{at}]", "must be a table. Write it as [[condition]].")
    return list(written)


def own_keys(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a [[condition]] table that describe the arm itself."""
    return {key: value for key, value in written.items() if key in OWN}


def merged(base: Mapping[str, Any], written: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return study.toml as it is in one arm.

    A key of the arm replaces that of the study. Tables are merged key by key, and lists are replaced as a whole. If
    the arm names another model or selection, the settings of the earlier one are dropped.

    Parameters
    ----------
    base
        Content of study.toml without its conditions.
    written
        The [[condition]] table.
    where
        Name of the arm in error messages.

    Returns
    -------
    dict
        A table that `define` reads like any study.
    """
    whole = at_top(base)
    overrides = at_top({key: value for key, value in written.items() if key not in OWN})
    _check_removed(written.get("without", ()), whole, where)
    for key in written.get("without", ()):
        whole.pop(key, None)
    return {**overlaid(whole, overrides), CONDITION: str(written.get("name", ""))}


def overlaid(whole: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return study.toml with some keys replaced; settings of a replaced model, selection or protocol are dropped.

    Parameters
    ----------
    whole
        Content of study.toml, with the keys of its sections at the top.
    overrides
        The keys that replace others. Tables are merged key by key.

    Returns
    -------
    dict
        The merged table.
    """
    dropped = {name for key in overrides for name in DEPENDENT.get(key, ())}
    kept = {key: value for key, value in whole.items() if key not in dropped}
    return {**kept, **{key: _over(kept.get(key), value) for key, value in overrides.items()}}


def at_top(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table with the keys of its sections at the top, where a key has only one place."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if key in SECTIONS and isinstance(value, Mapping):
            flat |= {name: each for name, each in value.items() if name in SECTION_OF}
            unknown = {name: each for name, each in value.items() if name not in SECTION_OF}
            if unknown:  # kept in its section, so that `define` reports it there
                flat[key] = unknown
        else:
            flat[key] = value
    return flat


def _check_removed(keys: object, whole: Mapping[str, Any], where: str) -> None:
    if not isinstance(keys, Sequence) or isinstance(keys, str):
        raise BadSetting(
            f"{where}, without", f"{keys!r} is not a list. Write keys in brackets, such as ['anchors']."
        )
    for key in keys:
        if key not in whole:
            raise UnknownName("key", str(key), tuple(whole), f"{where}, without")


def _over(before: Any, value: Any) -> Any:
    if not isinstance(before, Mapping) or not isinstance(value, Mapping):
        return value
    return {**before, **{key: _over(before.get(key), each) for key, each in value.items()}}


def check_overrides(written: Mapping[str, Any], by_survey: bool, where: str) -> None:
    """Raise BadSetting if an arm sets a key that is used before raters have an arm, or that all arms share.

    Parameters
    ----------
    written
        The [[condition]] table.
    by_survey
        Whether a question of the survey determines the stratum of a rater.
    where
        Name of the arm in error messages.
    """
    keys = at_top(written)
    for key in SHARED:
        if key in keys:
            raise BadSetting(
                f"{where}, {key}", "is the same in all conditions. Set it outside [[condition]]."
            )
    early = (*BEFORE_ASSIGNMENT, *(BEFORE_SURVEY if by_survey else ()))
    for key in early:
        if key in keys:
            reason = "is used before a rater has a condition. Set it outside [[condition]]."
            raise BadSetting(f"{where}, {key}", reason)
