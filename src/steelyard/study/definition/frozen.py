"""The frozen definition of a study for preregistration: settings, items, anchors and checks, with a hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.items import FILES, Item, is_remote
from steelyard.study.definition.media_files import media_file
from steelyard.study.definition.study import Study
from steelyard.version import VERSION

HASH = "sha256"
MADE_BY = "steelyard_version"  # key of the version that wrote the file


def frozen_study(study: Study) -> dict[str, Any]:
    """Return everything that defines a study, with a SHA-256 hash of it.

    The hash covers all settings with their defaults, the content of every item, a hash of every media file, the
    anchors and the checks. It does not cover the log, the links and the version of Steelyard.
    """
    content = {
        "settings": _settings(study.definition),
        "conditions": {arm.definition.condition: _settings(arm.definition) for arm in study.arms},
        "items": [_item(study, item) for item in study.items.all],
        "anchors": [anchor.fact for anchor in study.anchors],
        "checks": [asdict(check) for check in study.checks.all],
        "not_asked": sorted(study.items.unasked),
    }
    plain = json.loads(json.dumps(content))
    return {MADE_BY: VERSION, HASH: content_hash(plain), **plain}


def content_hash(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 hash of a frozen study, without its version and its hash."""
    counted = {name: value for name, value in content.items() if name not in (MADE_BY, HASH)}
    text = json.dumps(counted, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of settings, items and checks that differ between two frozen studies."""
    for part in ("settings", "conditions", "items", "anchors", "checks", "not_asked"):
        old, new = before.get(part), now.get(part)
        if old == new:
            continue
        if part == "items" and isinstance(old, list) and isinstance(new, list):
            by_id, now_by_id = ({each["id"]: each for each in items} for items in (old, new))
            changed = [each for each in {**by_id, **now_by_id} if by_id.get(each) != now_by_id.get(each)]
            yield from (f"item {each}" for each in changed)
        elif isinstance(old, dict) and isinstance(new, dict):
            yield from (f"{part}, {name}" for name in _changed(old, new))
        else:
            yield part


def _changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names that differ between two tables, with their sections."""
    for name in {**old, **new}:
        before, now = old.get(name), new.get(name)
        if isinstance(before, dict) and isinstance(now, dict):
            yield from (f"{name}, {inner}" for inner in _changed(before, now))
        elif before != now:
            yield name


def _settings(definition: StudyDefinition) -> dict[str, Any]:
    settings = asdict(definition)
    settings.pop("conditions", None)
    return settings


def _item(study: Study, item: Item) -> dict[str, Any]:
    row = {name: value for name, value in asdict(item).items() if value}
    if item.medium in FILES and not is_remote(item.content):
        path = media_file(study.folder, item.content, item.medium)
        if path is not None:
            row[HASH] = hashlib.sha256(path.read_bytes()).hexdigest()
    return row
