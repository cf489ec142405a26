"""The two ways to write study.toml: keys in their sections, or the same keys at the top of the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from steelyard.errors import BadSetting, UnknownName
from steelyard.study.definition.sections.asking import AskingSettings
from steelyard.study.definition.sections.choosing import ChoosingSettings
from steelyard.study.definition.sections.grounding import GroundingSettings
from steelyard.study.definition.sections.joining import JoiningSettings
from steelyard.study.definition.sections.learning import LearningSettings
from steelyard.study.definition.sections.page import PageSettings
from steelyard.study.definition.toml_records import make_record

SECTIONS: dict[str, type[Any]] = {
    "asking": AskingSettings,
    "learning": LearningSettings,
    "choosing": ChoosingSettings,
    "page": PageSettings,
    "joining": JoiningSettings,
    "grounding": GroundingSettings,
}
SECTION_OF = {field.name: section for section, record in SECTIONS.items() for field in fields(record)}
Tables = dict[str, dict[str, Any]]


def keys_by_section(table: Mapping[str, Any], top: Iterable[str], where: str) -> Tables:
    """Return the keys of each section, whether they are written in the section or at the top of the file.

    An unknown key is an error, and so is a key written in both places.

    Parameters
    ----------
    table
        Content of study.toml.
    top
        Keys that belong to no section.
    where
        Name of the file in error messages.

    Returns
    -------
    dict
        Keys and values of each section, by the name of the section.
    """
    tables = _tables(table, where)
    _check_keys(table, tables, [key for key in top if key not in SECTIONS], where)
    for key, section in SECTION_OF.items():
        if key in table and key in tables[section]:
            raise BadSetting(f"{where}, {key}", f"is also set in [{section}]. Delete one of the two.")
        if key in table:
            tables[section][key] = table[key]
    return tables


def _tables(table: Mapping[str, Any], where: str) -> Tables:
    """Return the keys written inside each section."""
    tables: Tables = {}
    for section in SECTIONS:
        written = table.get(section, {})
        if not isinstance(written, Mapping):
            raise BadSetting(f"{where}, [{section}]", f"must be a table. Write it as [{section}].")
        tables[section] = dict(written)
    return tables


def _check_keys(table: Mapping[str, Any], tables: Tables, top: list[str], where: str) -> None:
    """Raise UnknownName for an unknown key, with the closest known key and its place in the file."""
    for key in table:
        if key not in (*top, *SECTIONS, *SECTION_OF):
            raise UnknownName("key", key, (*top, *SECTIONS, *SECTION_OF), where)
    at_top = dict.fromkeys(top, "at the top of the file")
    in_section = {key: f"in [{section}]" for key, section in SECTION_OF.items()}
    for section, written in tables.items():
        own = [field.name for field in fields(SECTIONS[section])]
        for key in written:
            if key not in own:
                raise UnknownName("key", key, own, f"{where}, [{section}]", at_top | in_section)


def make_sections(tables: Tables, table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Make the record of each section.

    Parameters
    ----------
    tables
        Keys of each section, from `keys_by_section`.
    table
        Content of study.toml. Error messages name a key by its place there.
    where
        Name of the file in error messages.

    Returns
    -------
    dict
        Records by the name of their section.
    """
    places = {key: f"{where}, {key}" for key in table}
    return {
        section: make_record(SECTIONS[section], keys, f"{where}, [{section}]", places)
        for section, keys in tables.items()
    }


def flattened(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with the keys of all sections at the top level."""
    top = {key: value for key, value in settings.items() if key not in SECTIONS}
    return top | {key: value for section in SECTIONS for key, value in settings[section].items()}
