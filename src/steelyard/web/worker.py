"""A process beside the one that serves raters: for work that takes long, or that may end the process it is done in."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any

from steelyard.errors import SteelyardError, WorkerEnded

# Neither copies the threads and locks of this process, as a plain fork would.
METHOD = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
NICENESS = 10  # raters go first where there are fewer processors than processes


class Worker:
    """One object in a process of its own, whose methods are called from here, one at a time.

    The process starts with the first call, and again with the first call after it has ended. An error that users
    can correct is raised here; any other is printed by the process, which ends with it. It also ends with this one.
    """

    def __init__(self, make: Callable[..., object], arguments: Callable[[], tuple[Any, ...]] = tuple) -> None:
        self._make = make
        self._arguments = arguments
        self._lock = Lock()
        self._process: Any = None
        self._connection: Connection | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process, None while there is none."""
        return None if self._process is None else self._process.pid

    def call(self, method: str, *arguments: Any) -> Any:
        """What the object's method returns. Raises WorkerEnded when the process ends before that."""
        with self._lock:
            connection = self._start() if self._connection is None else self._connection
            try:
                connection.send((method, arguments))
                is_error, result = connection.recv()
            except (EOFError, OSError):
                raise WorkerEnded(self._end()) from None
        if is_error:
            raise result
        return result

    def stop(self) -> None:
        """End the process after the call that is under way; the next call starts another."""
        with self._lock:
            if self._connection is not None:
                self._end()

    def _start(self) -> Connection:
        context = get_context(METHOD)
        here, there = context.Pipe()
        self._process = context.Process(  # type: ignore[attr-defined]
            target=_serve, args=(there, self._make, self._arguments()), daemon=True
        )
        self._process.start()
        there.close()
        self._connection = here
        return here

    def _end(self) -> int | None:
        """Wait for the end of a process that has nobody to talk to any more; its exit code."""
        if self._connection is not None:
            self._connection.close()
        self._process.join()
        code: int | None = self._process.exitcode
        self._process.close()
        self._process = self._connection = None
        return code


def _serve(connection: Connection, make: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    """Answer calls until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, whose end is the end of this
    if sys.platform != "win32":
        os.nice(NICENESS)
    worker = make(*arguments)
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            method, arguments = connection.recv()
            try:
                reply = (False, getattr(worker, method)(*arguments))
            except SteelyardError as error:
                reply = (True, error)
            connection.send(reply)
