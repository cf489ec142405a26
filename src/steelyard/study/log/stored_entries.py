"""Tasks and answers that a ledger does not hold in memory, read from the log when they are first used."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any

from steelyard.errors import LogRewritten
from steelyard.study.log.entries import NO_ARM, Answer, Task
from steelyard.study.log.interface import Log


class StoredEntries:
    """The entries of the log up to a position, at which the ledger was filled from a snapshot or let go of them.

    The entries of one rater are read together, because a page needs all of them. A result that depends on the answers
    of all raters reads the whole log once.

    Parameters
    ----------
    log
        Log of the study.
    until
        The log position.
    condition
        Arm of the ledger, or None for all of the log.
    held
        Tasks that stay in memory, by id. Default: none.
    protocol
        Protocol of the tasks of the ledger, or None for all of them.
    """

    def __init__(
        self,
        log: Log,
        until: int,
        condition: str | None,
        held: Mapping[str, Task] | None = None,
        protocol: str | None = None,
    ) -> None:
        self._log = log
        self.until = until
        self._condition = condition
        self._protocol = protocol
        self._read_after = until  # entries after this position are in memory
        self._absent: set[str] = set()  # tasks that the log has and this ledger does not: of other arms
        self.tasks = StoredTasks(self._task, self.read)
        self.tasks.update({} if held is None else held)
        self.answers = StoredAnswers((), self._answer, self.read)

    def answers_of(self, rater: str, positions: Iterable[int]) -> StoredAnswers:
        """Return the answers of one rater at these positions."""

        def read() -> None:
            for entry in self._log.entries_of(rater):
                if isinstance(entry, Task):
                    self._keep_task(entry)
                elif isinstance(entry, Answer) and entry.log_position in self.answers:
                    mine.fill(self.answers.fill(entry))

        def answer(position: int) -> Answer:
            read()
            return mine.in_memory(position) or _missing()

        mine = StoredAnswers(positions, answer, read)
        return mine

    def read(self, after: int = 0) -> None:
        """Read the entries after a log position into memory, unless they were read before."""
        if after >= self._read_after:
            return
        for entry in self._log.since(after):
            if entry.log_position > self._read_after:
                break
            if isinstance(entry, Task):
                self._keep_task(entry)
            elif isinstance(entry, Answer) and entry.log_position in self.answers:
                self.answers.fill(entry)
        self._read_after = after
        if not after:
            self.tasks.put_in_order()

    def pass_by(self, task: Task) -> None:
        """Note a later task; one of another arm or protocol need not be looked up."""
        if not self._includes(task):
            self._absent.add(task.id)

    def _task(self, name: str) -> Task | None:
        if self._condition == NO_ARM or self._read_after == 0 or name in self._absent:
            return None
        task = self._log.task_named(name)
        if task is not None and self._concerns(task):
            return task
        self._absent.add(name)
        return None

    def _answer(self, position: int) -> Answer:
        entry = self._log.entry_at(position)
        return self.answers.fill(entry) if isinstance(entry, Answer) else _missing()

    def _keep_task(self, task: Task) -> None:
        if self._concerns(task):
            self.tasks.setdefault(task.id, task)

    def _concerns(self, task: Task) -> bool:
        return task.log_position <= self.until and self._includes(task)

    def _includes(self, task: Task) -> bool:
        return self._condition in (None, task.condition) and self._protocol in (None, task.protocol)


class StoredTasks(dict[str, Task]):
    """Tasks by id. A task that is not in memory is looked up in the log."""

    def __init__(self, look_up: Callable[[str], Task | None], read_all: Callable[[], None]) -> None:
        super().__init__()
        self._look_up = look_up
        self._read_all = read_all

    def __missing__(self, name: str) -> Task:
        task = self._look_up(name)
        if task is None:
            raise KeyError(name)
        self[name] = task
        return task

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and self.get(name) is not None)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a task, or the default if the log has no such task."""
        try:
            return self[name]
        except KeyError:
            return default

    def put_in_order(self) -> None:
        """Put the tasks into the order of the log."""
        ordered = sorted(super().values(), key=lambda task: task.log_position)
        self.clear()
        self.update((task.id, task) for task in ordered)

    def __len__(self) -> int:
        self._read_all()
        return super().__len__()

    def __bool__(self) -> bool:
        return len(self) > 0

    def __iter__(self) -> Iterator[str]:
        self._read_all()
        return super().__iter__()

    def keys(self) -> KeysView[str]:  # type: ignore[override]
        """Return the ids of all tasks."""
        self._read_all()
        return super().keys()

    def values(self) -> ValuesView[Task]:  # type: ignore[override]
        """Return all tasks, in the order of the log."""
        self._read_all()
        return super().values()

    def items(self) -> ItemsView[str, Task]:  # type: ignore[override]
        """Return all tasks with their ids, in the order of the log."""
        self._read_all()
        return super().items()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and dict(self.items()) == dict(other.items())

    __hash__ = None


class StoredAnswers(dict[int, Answer]):
    """Answers by log position, in the order of the log. Their positions are in memory, and answers that were used."""

    def __init__(
        self, positions: Iterable[int], read: Callable[[int], Answer], read_all: Callable[[], None]
    ) -> None:
        super().__init__(dict.fromkeys(positions))  # type: ignore[arg-type]  # None until it is read
        self._read = read
        self._read_all = read_all
        self._complete = False  # all answers are in memory

    def in_memory(self, position: int) -> Answer | None:
        """Return an answer if it was read or given since the snapshot."""
        return super().get(position)

    def fill(self, answer: Answer) -> Answer:
        """Keep an answer that was read from the log; return the one in memory if there is one already."""
        held = super().get(answer.log_position)
        if held is None:
            self[answer.log_position] = held = answer.without_moves()
        return held

    def __getitem__(self, position: int) -> Answer:
        held = super().__getitem__(position)
        return self._read(position) if held is None else held

    def get(self, position: int, default: Any = None) -> Any:
        """Return an answer, or the default if there is none at this position."""
        try:
            return self[position]
        except KeyError:
            return default

    def pop(self, position: int, *default: Any) -> Any:
        """Remove an answer and return it."""
        if position not in self:
            return super().pop(position, *default)
        answer = self[position]
        del self[position]
        return answer

    def values(self) -> ValuesView[Answer]:  # type: ignore[override]
        """Return all answers."""
        self._read_unless_complete()
        return super().values()

    def items(self) -> ItemsView[int, Answer]:  # type: ignore[override]
        """Return all answers with their positions."""
        self._read_unless_complete()
        return super().items()

    def _read_unless_complete(self) -> None:
        if not self._complete:
            self._read_all()
            if any(each is None for each in super().values()):
                _missing()
            self._complete = True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping) or len(self) != len(other):
            return False
        return not self or dict(self.items()) == dict(other.items())

    __hash__ = None


def _missing() -> Answer:
    """Raise LogRewritten, because an answer was deleted from the log after the snapshot was read."""
    raise LogRewritten("a rater")
