"""Convert log entries to database rows and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.kinds.cell import Cell
from steelyard.kinds.known import KINDS
from steelyard.study.log.defined import check_defined
from steelyard.study.log.entries import Answer, Chosen, Entry, Event, Task


def task_row(task: Task) -> dict[str, Any]:
    """Return a task as a row, without its log position."""
    content = {
        "items": task.items,
        "questions": task.questions,
        "protocol": task.protocol,
        "assignments": task.assignments,
        "sequence": task.sequence,
        **({"probe": True} if task.probe else {}),
        **({"check": task.check} if task.check else {}),
        **({"hidden": task.hidden} if task.hidden else {}),
        "chosen": _chosen_row(task.chosen),
    }
    return {
        "id": task.id,
        "condition": task.condition,
        "round": task.round,
        "content": content,
        "at": task.at,
    }


def _chosen_row(chosen: Chosen) -> dict[str, Any]:
    return {
        "selection": chosen.selection,
        "belief_position": chosen.belief_position,
        "seed": chosen.seed,
        "probability": chosen.probability,
    }


def task_of(row: Any) -> Task:
    """Return the task in a row."""
    content = row.content
    chosen = content["chosen"]
    return Task(
        id=row.id,
        items=tuple(content["items"]),
        questions=tuple(content["questions"]),
        protocol=content["protocol"],
        chosen=Chosen(**{**chosen, "seed": tuple(chosen["seed"])}),
        condition=row.condition,
        round=row.round,
        assignments=content["assignments"],
        sequence=content["sequence"],
        probe=content.get("probe", False),
        check=content.get("check", ""),
        hidden=tuple(content.get("hidden", ())),
        at=row.at,
        log_position=row.position,
    )


def answer_row(answer: Answer) -> dict[str, Any]:
    """Return an answer as a row, without its log position."""
    content = {
        "kind": answer.cells[0].kind if answer.cells else "",
        "cells": [cell.plain() for cell in answer.cells],
        "comment": answer.comment,
        "milliseconds": answer.milliseconds,
    }
    who = {"task": answer.task, "rater": answer.rater, "assignment": answer.assignment}
    moves = {"interactions": list(answer.interactions), "shown": dict(answer.shown)}
    return {**who, "content": content, "interactions": moves, "at": answer.at}


def answer_of(row: Any) -> Answer:
    """Return the answer in a row, without its interactions."""
    content = row.content
    return Answer(
        task=row.task,
        rater=row.rater,
        assignment=row.assignment,
        cells=_cells(content["kind"], content["cells"]),
        comment=content["comment"],
        milliseconds=content["milliseconds"],
        at=row.at,
        log_position=row.position,
    )


def _cells(kind: str, rows: Sequence[Sequence[Any]]) -> tuple[Cell, ...]:
    """Return cells from lists of values."""
    if not rows:
        return ()
    make = KINDS[kind].cell
    return tuple(make(*values) for values in rows)


def event_row(event: Event) -> dict[str, Any]:
    """Return an event as a row, without its log position."""
    return {"kind": event.kind, "rater": event.rater, "content": dict(event.facts), "at": event.at}


def event_of(row: Any) -> Event:
    """Return the event in a row; raise ValueError if its facts cannot have been written by Steelyard."""
    if not isinstance(row.content, dict):
        raise ValueError(f"the event {row.kind!r} has no facts")
    if row.kind == "defined":
        check_defined(row.content)
    return Event(row.kind, row.rater, row.content, row.at, row.position)


def in_order(entries: list[Entry]) -> list[Entry]:
    """Return entries of several tables in the order of the log."""
    return sorted(entries, key=lambda entry: entry.log_position)
