"""Conversation with a program that judges: one JSON object per line, a task in and an answer out."""

from __future__ import annotations

import json
import queue
import shlex
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.errors import BadSetting, JudgeStopped
from steelyard.judgments.table_kinds import KINDS, TableKind

LISTED = 5  # bad lines that a message shows
SHOWN_CHARACTERS = 120
MOST = 1e300  # largest score; a NaN is not below it
CONSECUTIVE_BAD = 20  # bad lines in a row after which the program is stopped


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One task for a program: what it reads, and the columns of the answer's row.

    Attributes
    ----------
    id
        Id of the task.
    kind
        Kind of judgment.
    request
        The JSON object that the program reads.
    row
        Columns of the row in the file of judgments, without the answer.
    """

    id: str
    kind: str
    request: Mapping[str, Any]
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """An answer of the program, as a row of a file of judgments."""

    task: JudgeTask
    row: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no answer, and why."""

    number: int
    reason: str
    line: str

    def __str__(self) -> str:
        return f"line {self.number}: {self.reason}: {self.line[:SHOWN_CHARACTERS]}"


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits of the conversation.

    Attributes
    ----------
    seconds
        Longest time without a line from the program while tasks wait for an answer.
    at_once
        Number of tasks that are sent before their answers arrive.
    """

    seconds: float = 60.0
    at_once: int = 1


def ask_program(
    command: str, tasks: Sequence[JudgeTask], limits: Limits, bad: Callable[[BadLine], None]
) -> Iterator[JudgeAnswer]:
    """Run a program, send it tasks, and yield its answers as they arrive.

    Parameters
    ----------
    command
        Command line of the program, which no shell reads.
    tasks
        Tasks, in the order in which they are sent.
    limits
        Time limit, and number of tasks in advance.
    bad
        Called for each line that is no answer. The task stays without an answer.

    Yields
    ------
    JudgeAnswer
        Valid answers.

    Raises
    ------
    JudgeStopped
        If the program ends early, exceeds the time limit or writes many bad lines in a row.
    """
    program = _started(command)
    lines: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(target=_read_lines, args=(program, lines), daemon=True)
    reader.start()
    try:
        yield from _Conversation(program, lines, limits, bad).answers(tasks)
    finally:
        program.kill()
        program.wait()
        reader.join()
        for stream in (program.stdin, program.stdout):
            if stream is not None:
                _close(stream)


def _started(command: str) -> subprocess.Popen[str]:
    words = shlex.split(command)
    if not words:
        raise BadSetting("--command", "the command is empty. Write a program with its arguments.")
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as reason:
        raise BadSetting(
            "--command", f"{words[0]!r} cannot be started ({reason.strerror}). Check the program."
        ) from None


def _read_lines(program: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert program.stdout is not None
    for line in program.stdout:
        lines.put(line)
    lines.put(None)


def _close(stream: Any) -> None:
    try:
        stream.close()
    except BrokenPipeError:  # the program ended before it read everything
        return


class _Conversation:
    """Sends tasks, at most a few in advance, and matches answers to them."""

    def __init__(
        self,
        program: subprocess.Popen[str],
        lines: queue.Queue[str | None],
        limits: Limits,
        bad: Callable[[BadLine], None],
    ) -> None:
        self.program, self.lines, self.limits, self.bad = program, lines, limits, bad
        self.waiting: dict[str, JudgeTask] = {}
        self.number = 0
        self.bad_in_a_row = 0

    def answers(self, tasks: Sequence[JudgeTask]) -> Iterator[JudgeAnswer]:
        """Yield the answers to all tasks."""
        rest = iter(tasks)
        self._send(rest)
        while self.waiting:
            line = self._next_line()
            if not line.strip():
                continue
            answer = self._understood(line)
            if answer is not None:
                yield answer
            self._send(rest)

    def _send(self, rest: Iterator[JudgeTask]) -> None:
        while len(self.waiting) < self.limits.at_once:
            task = next(rest, None)
            if task is None:
                return
            self.waiting[task.id] = task
            self._write(json.dumps(task.request, ensure_ascii=False))

    def _write(self, line: str) -> None:
        assert self.program.stdin is not None
        try:
            self.program.stdin.write(line + "\n")
            self.program.stdin.flush()
        except BrokenPipeError:
            raise JudgeStopped("the program closed its input", next(iter(self.waiting))) from None

    def _next_line(self) -> str:
        first = next(iter(self.waiting))
        try:
            line = self.lines.get(timeout=self.limits.seconds)
        except queue.Empty:
            raise JudgeStopped(
                f"the program gave no answer within {self.limits.seconds:g} s", first
            ) from None
        if line is None:
            code = self.program.wait()
            raise JudgeStopped(f"the program ended with exit code {code}", first)
        self.number += 1
        return line

    def _understood(self, line: str) -> JudgeAnswer | None:
        """Return the answer in a line; None if it is a bad line, whose task is not asked again in this run."""
        try:
            content = json.loads(line)
        except ValueError:
            self._refuse("not JSON", line, next(iter(self.waiting)) if self.limits.at_once == 1 else None)
            return None
        name = str(content.get("task")) if isinstance(content, dict) else ""
        if name not in self.waiting:
            self._refuse("no task that waits for an answer", line, None)
            return None
        task = self.waiting[name]
        reason, value = _value(KINDS[task.kind], content)
        if reason:
            self._refuse(reason, line, name)
            return None
        del self.waiting[name]
        self.bad_in_a_row = 0
        return JudgeAnswer(task, {**task.row, **value})

    def _refuse(self, reason: str, line: str, task: str | None) -> None:
        self.bad(BadLine(self.number, reason, line.strip()))
        self.bad_in_a_row += 1
        if self.bad_in_a_row >= CONSECUTIVE_BAD:
            raise JudgeStopped(f"{CONSECUTIVE_BAD} lines in a row were no answers", next(iter(self.waiting)))
        if task is not None:
            del self.waiting[task]


def _value(kind: TableKind, content: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the reason why the content is no answer, or the empty text and the columns of the answer."""
    for name in kind.values:
        value, words = content.get(name), kind.words.get(name)
        if words is not None and value not in words:
            return f"{name} is not one of {', '.join(words)}", {}
        if name in kind.numbers and not _is_number(value):
            return f"{name} is not a number", {}
    return "", {name: content[name] for name in kind.values}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MOST
