"""Judgments of a study as a folder of Parquet files that grows with its log.

Each file has the judgments of a range of log positions. A file is replaced only if its judgments have changed, because
a rater took an answer back, was excluded or included, or because a round was rescaled. The state of the folder is in
`STATE`; files that it does not list are leftovers of an interrupted run.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting, CannotWrite
from steelyard.judgments.frames import to_columns
from steelyard.judgments.table import Table
from steelyard.judgments.writing import write_parquet
from steelyard.kinds.kind import Kind
from steelyard.kinds.known import KINDS
from steelyard.study.log.ledger import Ledger
from steelyard.study.results.arm_exports import stacked_columns
from steelyard.study.results.covariates import TableColumns, item_column_names, item_columns
from steelyard.study.results.watch import Watch

STATE = ".steelyard-export.json"
PREFIX, SUFFIX = "judgments-", ".parquet"
NUMBER, TEXT = "DOUBLE", "VARCHAR"


@dataclass(frozen=True)
class Part:
    """The judgments of answers after a log position, up to another one.

    Attributes
    ----------
    after, until
        Log positions.
    digests
        Hash of the judgments of each kind, by the name of their file.
    rows
        Number of judgments.
    """

    after: int
    until: int
    digests: Mapping[str, str]
    rows: int


@dataclass(frozen=True)
class Written:
    """What one update wrote: new judgments, and files that were replaced or removed because judgments changed."""

    judgments: int
    replaced: int


class JudgmentFiles:
    """A folder with the judgments of a study, updated by `update`.

    Parameters
    ----------
    watch
        Results of the study.
    folder
        Folder to write. It is created if it does not exist.
    study
        Name of the study, which the folder keeps so that it is not used for another one.
    """

    def __init__(self, watch: Watch, folder: Path, study: str) -> None:
        self._watch, self._folder, self._study = watch, folder, study
        self._parts = self._listed()
        self._ledgers: tuple[Ledger, ...] = ()  # those of the last update; none before the first one
        self._log_position = 0  # of the last update

    def _listed(self) -> list[Part]:
        """Return the parts in the folder, or raise an error if it holds something else."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as reason:
            raise CannotWrite(str(self._folder), reason.strerror) from None
        state = self._folder / STATE
        if not state.exists():
            if any(self._folder.rglob(f"*{SUFFIX}")):
                raise BadSetting(
                    "--to", f"{self._folder} has Parquet files of another origin. Choose an empty folder."
                )
            return []
        content = json.loads(state.read_text(encoding="utf-8"))
        if content["study"] != self._study:
            raise BadSetting(
                "--to", f"{self._folder} has the judgments of {content['study']}. Choose another folder."
            )
        return [Part(**each) for each in content["parts"]]

    def update(self, before: float = float("inf")) -> Written:
        """Write new judgments, and replace files whose judgments have changed.

        Parameters
        ----------
        before
            Answers at or after this time, in seconds since 1970, are not written yet. Default: all are written.

        Returns
        -------
        Written
            Numbers of judgments and files.
        """
        ledgers = self._watch.arm_ledgers()
        changed = self._first_changed(ledgers)
        replaced = 0
        for at, part in enumerate(self._parts):
            if part.until >= changed:
                self._parts[at] = again = self._write(ledgers, part.after, part.until, part.digests)
                replaced += again.digests != part.digests
        begin = self._parts[-1].until if self._parts else 0
        until = min(_settled(ledger, before) for ledger in ledgers)
        new = self._write(ledgers, begin, until, {}) if until > begin else None
        if new is not None and new.rows:
            self._parts.append(new)
        if not self._ledgers or replaced or (new is not None and new.rows):
            self._save()
        if not self._ledgers:
            self._remove_leftovers()
        self._ledgers, self._log_position = ledgers, ledgers[0].log_position
        return Written(0 if new is None else new.rows, replaced)

    def _first_changed(self, ledgers: Sequence[Ledger]) -> int:
        """Return the log position of the first answer that may have changed; 0 if the log was read again."""
        same = len(ledgers) == len(self._ledgers) and all(map(_is, ledgers, self._ledgers))
        return min(ledger.first_rewritten(self._log_position) for ledger in ledgers) if same else 0

    def _write(self, ledgers: Sequence[Ledger], after: int, until: int, old: Mapping[str, str]) -> Part:
        """Write the files of a part whose content differs from the old one, and remove those without judgments."""
        digests, rows = {}, 0
        for name, (columns, types) in self._tables(ledgers, after, until).items():
            digests[name] = hashlib.sha256(json.dumps([columns, types]).encode()).hexdigest()
            rows += len(columns["rater"])
            if old.get(name) != digests[name] or not (self._folder / name).exists():
                self._put(name, columns, types)
        for name in set(old) - set(digests):
            (self._folder / name).unlink(missing_ok=True)
        return Part(after, until, digests, rows)

    def _tables(
        self, ledgers: Sequence[Ledger], after: int, until: int
    ) -> dict[str, tuple[TableColumns, dict[str, str]]]:
        """Return the columns of each file of a part, and the type of each column."""
        by_kind: dict[str, list[tuple[TableColumns, dict[str, str]]]] = {}
        for ledger in ledgers:
            judgments = replace(ledger.judgments(after=after, until=until), machine=None)
            for kind, table in judgments.tables.items():
                if len(table):
                    columns = to_columns(judgments, kind)
                    items = item_columns(ledger, columns, KINDS[kind])
                    types = {**_types(table), **_item_types(ledger, columns, KINDS[kind])}
                    by_kind.setdefault(kind, []).append(({**columns, **items}, types))
        name = f"{PREFIX}{after + 1:012d}-{until:012d}{SUFFIX}"
        several = len({way.kind.name for each in ledgers for way in each.definition.asked_ways}) > 1
        return {
            f"{kind}/{name}" if several else name: (
                stacked_columns([columns for columns, _ in parts]),
                {column: kind_of for _, types in parts for column, kind_of in types.items()},
            )
            for kind, parts in by_kind.items()
        }

    def _put(self, name: str, columns: TableColumns, types: Mapping[str, str]) -> None:
        """Write a file beside its place first, so that readers never see half of it."""
        path = self._folder / name
        path.parent.mkdir(exist_ok=True)
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            write_parquet(columns, beside, types)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)

    def _save(self) -> None:
        state, beside = self._folder / STATE, self._folder / f"{STATE}.{os.getpid()}"
        content = {"study": self._study, "parts": [asdict(each) for each in self._parts]}
        beside.write_text(json.dumps(content), encoding="utf-8")
        beside.replace(state)

    def _remove_leftovers(self) -> None:
        listed = {name for part in self._parts for name in part.digests}
        for path in self._folder.rglob(f"{PREFIX}*{SUFFIX}"):
            if path.relative_to(self._folder).as_posix() not in listed:
                path.unlink()


def _is(one: Ledger, other: Ledger) -> bool:
    return one is other


def _settled(ledger: Ledger, before: float) -> int:
    """Return the log position up to which all answers are older than a time."""
    until = ledger.log_position
    for position in reversed(ledger.answers):
        if ledger.answers[position].at < before:
            break
        until = position - 1
    return until


def _types(table: Table) -> dict[str, str]:
    return {**dict.fromkeys(table.codes, TEXT), **dict.fromkeys(table.numbers, NUMBER)}


def _item_types(ledger: Ledger, columns: TableColumns, kind: Kind[Any]) -> dict[str, str]:
    """Return the types of the columns of items, which do not depend on the items of one file."""
    numeric = {
        name: all(isinstance(value, int | float) for value in values.values())
        for name, values in ledger.items.covariates.items()
    }
    named = item_column_names(ledger, columns, kind)
    return {column: NUMBER if numeric[name] else TEXT for column, (name, _) in named.items()}
