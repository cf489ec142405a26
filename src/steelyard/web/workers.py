"""Several server processes on the same sockets; a process that ends is replaced."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import uvicorn

from steelyard.web.sockets import LimitedProtocol

LOG = logging.getLogger(__name__)
LOOK_SECONDS = 0.25  # how often the processes are looked at
GRACE_SECONDS = 20  # how long requests may take to finish after SIGTERM


@dataclass(frozen=True, slots=True)
class Service:
    """What each process serves: a function that returns the application, and the proxies whose headers it trusts."""

    create: Callable[[], Any]
    proxies: tuple[str, ...] = ()

    def server(self) -> uvicorn.Server:
        """Return a server, with the application created now."""
        return uvicorn.Server(
            uvicorn.Config(
                self.create(),
                log_level="warning",
                lifespan="off",
                http=LimitedProtocol,
                ws="none",
                server_header=False,
                proxy_headers=bool(self.proxies),
                forwarded_allow_ips=list(self.proxies),
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )


class Workers:
    """Server processes that share sockets. Any of them answers any request."""

    def __init__(self, service: Service, sockets: list[socket.socket], number: int) -> None:
        self._service = service
        self._sockets = sockets
        self._number = number
        self._stopping = threading.Event()
        self._processes: list[Any] = []

    def run(self) -> None:
        """Serve until SIGINT or SIGTERM; requests in progress are finished."""
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, lambda *_: self._stopping.set())
        self._processes = [self._started() for _ in range(self._number)]
        while not self._stopping.wait(LOOK_SECONDS):
            self._replace_ended()
        for listener in self._sockets:  # new connections are refused instead of waiting for an answer
            listener.close()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(GRACE_SECONDS + 5)
            if process.is_alive():
                process.kill()

    def _replace_ended(self) -> None:
        for at, process in enumerate(self._processes):
            if not process.is_alive():
                LOG.error("A server process has ended (exit code %s) and is replaced.", process.exitcode)
                process.close()
                self._processes[at] = self._started()

    def _started(self) -> Any:
        process = multiprocessing.get_context("spawn").Process(
            target=_work, args=(self._service, self._sockets)
        )
        process.start()
        return process


def _work(service: Service, sockets: list[socket.socket]) -> None:
    """Serve in a process of its own, until SIGTERM or the end of the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C also reaches the parent, which then sends SIGTERM
    threading.Thread(target=_end_with_parent, daemon=True).start()
    service.server().run(sockets=sockets)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
