"""Checks that edits to study.toml and the items do not change the meaning of answers in the log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.errors import StudyChanged
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.earlier_defaults import DEFAULT_MODEL, kind_default
from steelyard.study.definition.items import Item, Items
from steelyard.study.definition.study import Study
from steelyard.study.log.ground import read_facts
from steelyard.study.log.interface import Event, Log


def meaning_of(definition: StudyDefinition, items: Items) -> dict[str, Any]:
    """Return the settings that define the meaning of answers: questions, scales, protocol and items.

    `contents` has a short hash of the content of each item. A media file is identified by its name.
    """
    scales = [definition.scale_of(question) for question in definition.questions]
    return {
        "questions": [question.id for question in definition.questions],
        "scales": [[scale.low, scale.high, scale.levels] for scale in scales],
        "labels": [list(scale.labels) for scale in scales],
        "protocol": definition.asking.protocol,
        "items": [item.id for item in items.all],
        "contents": [_digits(item) for item in items.all],
        "settings": definition.settings_hash(),
    }


def reconcile(study: Study, log: Log, now: float) -> None:
    """Log a changed definition, or raise StudyChanged if existing answers would change their meaning.

    While a study runs, its owner may change the wording of questions and labels, the redundancy, the model and the
    selection, and may add items. The order of labels and the content of items must not change.

    Parameters
    ----------
    study
        The study as it is now.
    log
        Log of the study.
    now
        Current time, in seconds since 1970.
    """
    _check_anchors(study, log)
    newest = log.newest_event("defined")
    meaning = {**meaning_of(study.definition, study.items), **_default_model(study, log)}
    if newest is not None and dict(newest.facts) == meaning:
        return
    if newest is not None and log.has_tasks():
        _check(newest.facts, meaning)
    with log.writing() as writer:  # written directly, so that opening a study does not fold the whole log
        writer.append(Event("defined", facts=meaning, at=now))


def begun_with(log: Log) -> Mapping[str, Any] | None:
    """Return the facts of the newest `defined` event; empty if the log has none, None if the study has not started."""
    newest = log.newest_event("defined")
    if newest is not None:
        return newest.facts
    return {} if log.has_tasks() else None


def _default_model(study: Study, log: Log) -> dict[str, str]:
    """Return the fact with the default model at the start of the study; empty if the log started without it."""
    begun = begun_with(log)
    if begun is not None:
        return {DEFAULT_MODEL: begun[DEFAULT_MODEL]} if DEFAULT_MODEL in begun else {}
    return {DEFAULT_MODEL: kind_default(study.definition.asking.way)}


def _check_anchors(study: Study, log: Log) -> None:
    """Raise StudyChanged if the anchors file differs from the anchors that were shown."""
    seeds = log.newest_event("seeds_closed")
    if seeds is None or seeds.facts.get("by") != "file":
        return
    if read_facts(seeds.facts["anchors"]) != study.anchors:
        raise StudyChanged("the anchors")


def _check(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    for name, words in (
        ("questions", "the ids of the questions"),
        ("scales", "a scale"),
        ("protocol", "the protocol"),
    ):
        if before[name] != now[name]:
            raise StudyChanged(words)
    _check_labels(before.get("labels", []), now["labels"])
    present = set(now["items"])
    gone = [item for item in before["items"] if item not in present]
    if gone:
        raise StudyChanged(f"the items ({gone[0]!r} is missing)")
    _check_contents(before, now)


def _check_labels(before: Sequence[Sequence[str]], now: Sequence[Sequence[str]]) -> None:
    """Raise StudyChanged if the same labels are in another order, which would reverse answers."""
    for old, new in zip(before, now, strict=False):  # logs of earlier versions have no labels
        if old != new and sorted(old) == sorted(new):
            raise StudyChanged(f"the order of the labels ({', '.join(old)})")


def _check_contents(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise StudyChanged if the content of an item has changed."""
    shown = dict(zip(now["items"], now["contents"], strict=True))
    shown_before = zip(before["items"], before.get("contents", []), strict=False)
    changed = [item for item, digits in shown_before if shown[item] != digits]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise StudyChanged(f"the content of item {changed[0]!r}{more}")


def _digits(item: Item) -> str:
    shown = json.dumps([item.medium, item.content, item.context], ensure_ascii=False)
    return hashlib.sha256(shown.encode(errors="replace")).hexdigest()[:12]
