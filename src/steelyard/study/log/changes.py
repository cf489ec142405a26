"""Checks that edits to study.toml and the items do not change the meaning of answers in the log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.errors import StudyChanged
from steelyard.study.definition.definition import CONDITIONS, StudyDefinition
from steelyard.study.definition.earlier_defaults import DEFAULT_MODEL, kind_default
from steelyard.study.definition.items import Item, Items
from steelyard.study.definition.mixing import model_for
from steelyard.study.definition.study import Study
from steelyard.study.log.entries import Event
from steelyard.study.log.ground import read_facts
from steelyard.study.log.interface import Log

OF_ITEMS = ("items", "contents")  # facts that all arms share


def meaning_of(definition: StudyDefinition, items: Items) -> dict[str, Any]:
    """Return the settings that define the meaning of answers: questions, scales, protocol and items.

    `contents` has a short hash of the content of each item. A media file is identified by its name.
    """
    scales = [definition.scale_of(question) for question in definition.questions]
    return {
        "questions": [question.id for question in definition.questions],
        "scales": [[scale.low, scale.high, scale.levels] for scale in scales],
        "labels": [list(scale.labels) for scale in scales],
        "protocol": _names(definition.asking.protocol),
        "items": [item.id for item in items.all],
        "contents": [_digits(item) for item in items.all],
        "settings": definition.settings_hash(),
    }


def _names(protocol: str | tuple[str, ...]) -> str | list[str]:
    """Return the protocol, or a list of several as it is read from the log."""
    return protocol if isinstance(protocol, str) else list(protocol)


def _meaning(study: Study, log: Log) -> dict[str, Any]:
    """Return what defines the meaning of answers in a study and in each of its arms."""
    begun = begun_with(log)
    meaning = {**meaning_of(study.definition, study.items), **_default_model(study, begun)}
    if not study.arms:
        return meaning
    started: Mapping[str, Any] = {} if begun is None else begun.get(CONDITIONS, {})
    arms = {}
    for arm in study.arms:
        name = arm.definition.condition
        facts = {**meaning_of(arm.definition, arm.items), **_default_model(arm, started.get(name))}
        arms[name] = {key: value for key, value in facts.items() if key not in OF_ITEMS}
    return {**meaning, CONDITIONS: arms}


def reconcile(study: Study, log: Log, now: float) -> None:
    """Log a changed definition, or raise StudyChanged if existing answers would change their meaning.

    While a study runs, its owner may change the wording of questions and labels, the redundancy, the model and the
    selection, and may add items and conditions. The order of labels and the content of items must not change. In a
    study with conditions, the same holds for each of them.

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
    meaning = _meaning(study, log)
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


def _default_model(study: Study, begun: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the fact with the default model at the start of the study; empty if the log started without it."""
    if begun is not None:
        return {DEFAULT_MODEL: begun[DEFAULT_MODEL]} if DEFAULT_MODEL in begun else {}
    protocols = study.definition.asking.protocols
    several = len(protocols) > 1
    return {DEFAULT_MODEL: model_for(protocols) if several else kind_default(study.definition.asking.way)}


def _check_anchors(study: Study, log: Log) -> None:
    """Raise StudyChanged if an anchors file differs from the anchors that were shown."""
    if study.arms and any(arm.anchors for arm in study.arms):
        closed = [each for each in log.since(0) if isinstance(each, Event) and each.kind == "seeds_closed"]
        shown: dict[str | None, Event | None] = {each.facts.get("condition"): each for each in closed}
    else:
        shown = {None: log.newest_event("seeds_closed")}
    for each in study.asked:
        seeds = shown.get(each.definition.condition if study.arms else None)
        if seeds is None or seeds.facts.get("by") != "file":
            continue
        if read_facts(seeds.facts["anchors"]) != each.anchors:
            raise StudyChanged("the anchors file")


def _check(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    if bool(before.get(CONDITIONS)) != bool(now.get(CONDITIONS)):
        raise StudyChanged("the conditions (a study cannot get its first, or lose its last, while it runs)")
    if now.get(CONDITIONS):
        _check_arms(before[CONDITIONS], now[CONDITIONS])
    else:
        _check_asking(before, now, "")
    _check_items(before, now)


def _check_arms(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise StudyChanged if an arm is missing, or if its answers would change their meaning; new arms are allowed."""
    for name, facts in before.items():
        if name not in now:
            raise StudyChanged(f"the conditions ({name!r} is missing)")
        _check_asking(facts, now[name], f" of condition {name!r}")


def _check_asking(before: Mapping[str, Any], now: Mapping[str, Any], place: str) -> None:
    for name, words in (
        ("questions", "the ids of the questions"),
        ("scales", "low, high or levels of a scale"),
    ):
        if before[name] != now[name]:
            raise StudyChanged(f"{words}{place} in study.toml")
    if not _listed(before["protocol"]) <= _listed(now["protocol"]):  # protocols may be added
        raise StudyChanged(f"the protocol{place} in study.toml")
    _check_labels(before.get("labels", []), now["labels"])


def _listed(protocol: str | list[str]) -> set[str]:
    return {protocol} if isinstance(protocol, str) else set(protocol)


def _check_items(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    present = set(now["items"])
    gone = [item for item in before["items"] if item not in present]
    if gone:
        raise StudyChanged(f"the items file (item {gone[0]!r} is missing)")
    _check_contents(before, now)


def _check_labels(before: Sequence[Sequence[str]], now: Sequence[Sequence[str]]) -> None:
    """Raise StudyChanged if the same labels are in another order, which would reverse answers."""
    for old, new in zip(before, now, strict=False):  # logs of earlier versions have no labels
        if old != new and sorted(old) == sorted(new):
            raise StudyChanged(f"the order of the labels ({', '.join(old)}) in study.toml")


def _check_contents(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise StudyChanged if the content of an item has changed."""
    shown = dict(zip(now["items"], now["contents"], strict=True))
    shown_before = zip(before["items"], before.get("contents", []), strict=False)
    changed = [item for item, digits in shown_before if shown[item] != digits]
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        raise StudyChanged(f"the content of item {changed[0]!r}{more} in the items file")


def _digits(item: Item) -> str:
    shown = json.dumps([item.medium, item.content, item.context], ensure_ascii=False)
    return hashlib.sha256(shown.encode(errors="replace")).hexdigest()[:12]
