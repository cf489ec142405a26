"""The settings of a study as they are hashed: defaults of settings that a later version added are left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

# Settings that did not exist in version 0.2, by the name of their record.
ADDED: dict[str, tuple[str, ...]] = {
    "StudyDefinition": ("checks", "pay", "panel", "words"),
    "JoiningSettings": (
        "full_code",
        "screened_out_code",
        "failed_checks_code",
        "most_raters",
        "exclude_raters_of",
        "joins_per_minute",
        "mturk",
    ),
    "SurveyQuestion": ("when", "screen_out", "least", "most"),
    "ChoosingSettings": ("most_per_item",),
    "AnchorSettings": ("ask",),
    "ColdStartSettings": ("search", "spread"),
    "AskingSettings": ("shares", "protocol_settings"),
    "ItemsSettings": ("covariates", "html"),
    "PageSettings": ("fetch_ahead", "listen_first", "least_width", "owner_language"),
}
# Defaults that were another value in version 0.2, by which they are hashed.
RENAMED: dict[tuple[str, str], tuple[object, object]] = {("PageSettings", "direction"): ("auto", "ltr")}


def hashed_settings(value: Any) -> Any:
    """Return a record as nested dictionaries and lists, without added settings that have their default."""
    if is_dataclass(value) and not isinstance(value, type):
        added = ADDED.get(type(value).__name__, ())
        kept = [
            each
            for each in fields(value)
            if each.name not in added or getattr(value, each.name) != _default(each)
        ]
        return {each.name: _hashed(value, each.name) for each in kept}
    if isinstance(value, Mapping):
        return {key: hashed_settings(each) for key, each in value.items()}
    return [hashed_settings(each) for each in value] if isinstance(value, (tuple, list)) else value


def _hashed(record: Any, name: str) -> Any:
    value = getattr(record, name)
    now, before = RENAMED.get((type(record).__name__, name), (None, None))
    return before if now is not None and value == now else hashed_settings(value)


def _default(setting: Field[Any]) -> Any:
    return setting.default if setting.default_factory is MISSING else setting.default_factory()
