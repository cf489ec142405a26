"""Reading of study.toml: the tables of its sections, protocols and conditions as a `StudyDefinition`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting, NoStudy, UnknownName
from steelyard.kinds.known import DEFAULT_PROTOCOL, PROTOCOLS
from steelyard.study.definition.arms import CONDITION, at_top, check_overrides, merged, own_keys, written_arms
from steelyard.study.definition.definition import CONDITIONS, DERIVED, StudyDefinition
from steelyard.study.definition.earlier_defaults import Facts, default_model_for
from steelyard.study.definition.mixing import (
    check_mix,
    check_written,
    model_for,
    several_protocols,
    table_of_protocol,
)
from steelyard.study.definition.sections.conditions import ConditionSettings, check_names
from steelyard.study.definition.spellings import SECTION_OF, Tables, keys_by_section, make_sections
from steelyard.study.definition.toml_files import read_toml
from steelyard.study.definition.toml_records import make_record

STUDY_FILE = "study.toml"
# The key that the message of a check begins with.
CHECKED = re.compile(r"(?P<key>[a-z_]+)(?:, (?P<inner>[a-z_]+))?(?:: | (?=is ))")


def read_definition(folder: Path, begun: Facts | None = None) -> StudyDefinition:
    """Read study.toml in a folder; see `define` for `begun`."""
    path = folder / STUDY_FILE
    try:
        exists = path.is_file()
    except OSError as error:
        raise BadSetting(str(path), f"cannot be opened ({error.strerror}). Check the path.") from error
    if not exists:
        raise NoStudy(str(folder)) if folder.is_dir() else NoStudy.without_folder(str(folder))
    table = read_toml(path)
    try:
        return define(table, str(path), begun)
    except BadSetting as reason:
        if str(path) not in str(reason):  # a check of one section, which does not know the file
            place, rest = _place_of(str(reason), table)
            raise BadSetting(f"{path}{place}", rest) from None
        raise


def _place_of(reason: str, table: Mapping[str, Any]) -> tuple[str, str]:
    """Return the place in study.toml of the key that a message names first, and the rest of the message.

    >>> _place_of("redundancy is too small.", {"choosing": {"redundancy": 0}})
    (', [choosing] redundancy', 'is too small.')
    >>> _place_of("scale, step: -1 is too small.", {"scale": {"step": -1}})
    (', [scale] step', '-1 is too small.')
    """
    parts = CHECKED.match(reason)
    if parts is None:  # the message begins with a sentence
        return "", reason
    key, inner = parts["key"], parts["inner"]
    section = SECTION_OF.get(key, "")
    within = table.get(section)
    own = section if isinstance(within, Mapping) and key in within else ""
    value = within[key] if own and isinstance(within, Mapping) else table.get(key)
    if isinstance(value, Mapping):
        place = f"[{own}.{key}]" if own else f"[{key}]"
        place += f" {inner}" if inner else ""
    else:
        place = (f"[{own}] {key}" if own else key) + (f", {inner}" if inner else "")
    return f", {place}", reason[parts.end() :]


def define(
    table: Mapping[str, Any], where: str = STUDY_FILE, begun: Facts | None = None, is_part: bool = False
) -> StudyDefinition:
    """Make a study definition from a TOML table.

    Keys may be written in their sections or at the top. If the study has several questions, those without an id
    get the ids question1, question2 and so on.

    Parameters
    ----------
    table
        Content of study.toml.
    where
        Name of the file in error messages.
    begun
        Facts of the newest `defined` event of the log, or None if the study has not started. They fix the
        default model of a study that has already started.
    is_part
        Whether the table is that of one protocol of a study with several.

    Returns
    -------
    StudyDefinition
        The checked settings.
    """
    arms = written_arms(table, where)
    if arms:
        base = {key: value for key, value in table.items() if key != CONDITION}
        return _with_arms(define(base, where, begun), base, arms, where, begun)
    keys = [each.name for each in fields(StudyDefinition) if each.name not in DERIVED]
    tables = keys_by_section(table, keys, where)
    protocols = several_protocols(tables["asking"].get("protocol"), where)
    if protocols:
        return _with_ways(table, protocols, where, begun)
    name = str(tables["asking"].get("protocol", DEFAULT_PROTOCOL))
    if name not in PROTOCOLS:
        raise UnknownName("value", name, tuple(PROTOCOLS), f"{where}, [asking] protocol")
    selection = tables["choosing"].setdefault("selection", PROTOCOLS[name].selection)
    tables["learning"].setdefault("model", default_model_for(PROTOCOLS[name], str(selection), begun))
    return _record(table, tables, where, **({"is_part": True} if is_part else {}))


def _record(table: Mapping[str, Any], tables: Tables, where: str, **derived: Any) -> StudyDefinition:
    top = {key: value for key, value in table.items() if key not in SECTION_OF}
    records = make_sections(tables, table, where)
    return make_record(StudyDefinition, {**top, **records, **_numbered(table), **derived}, where)


def _with_ways(
    table: Mapping[str, Any], protocols: Sequence[str], where: str, begun: Facts | None
) -> StudyDefinition:
    """Return the definition of a study with several protocols, with the definition for each of them."""
    whole = {"model": model_for(protocols), "selection": "balanced", **at_top(table)}
    check_written(whole, protocols, where)
    ways = []
    for name in protocols:
        place = f"{where}, protocol {name!r}"
        try:
            ways.append(define(table_of_protocol(whole, name, where), place, begun, is_part=True))
        except BadSetting as reason:
            raise reason if str(reason).startswith(where) else BadSetting(place, str(reason)) from None
    tables = keys_by_section(whole, [*whole], where)
    study = _record(whole, tables, where, ways=ways)
    check_mix(study)
    return study


def _with_arms(
    study: StudyDefinition,
    base: Mapping[str, Any],
    written: Sequence[Mapping[str, Any]],
    where: str,
    begun: Facts | None,
) -> StudyDefinition:
    """Return the definition of a study with the definitions of its arms."""
    check_names([str(each.get("name", "")) for each in written])
    started: Mapping[str, Any] = {} if begun is None else begun.get(CONDITIONS, {})
    arms = []
    for each in written:
        place = f"{where}, condition {each['name']!r}"
        check_overrides(each, study.strata_in_survey, place)
        own = make_record(ConditionSettings, own_keys(each), place)
        try:
            arm = define(merged(base, each, place), place, started.get(own.name))
        except BadSetting as reason:
            raise reason if str(reason).startswith(place) else BadSetting(place, str(reason)) from None
        arms.append(replace(arm, arm=own))
    return replace(study, conditions=tuple(arms))


def _numbered(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the questions with numbered ids if there are several, else an empty dictionary."""
    questions = table.get("questions")
    if not isinstance(questions, list) or len(questions) < 2:
        return {}
    if not all(isinstance(question, Mapping) for question in questions):
        return {}  # `Question` raises the error for entries that are not tables
    return {"questions": [{"id": f"question{at}", **question} for at, question in enumerate(questions, 1)]}
