"""The process that notifies the webhooks of all studies of a server, so that no rater waits for one."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from steelyard.errors import SteelyardError, WorkerEnded
from steelyard.storage.database import open_database
from steelyard.study.definition.study import open_study
from steelyard.study.log.changes import begun_with
from steelyard.web.hooks.addresses import Networks
from steelyard.web.hooks.notifier import Notifier
from steelyard.web.hooks.sending import Sender
from steelyard.web.worker import Worker

LOG = logging.getLogger(__name__)
PAUSE_SECONDS = 1.0
Folders = Callable[[], tuple[Path, ...]]


class Notifying:
    """Keeps a process that notifies webhooks, in a thread that only waits for it. The process restarts if it ends.

    Parameters
    ----------
    folders
        Returns the folders of the studies, which can become more.
    networks
        Networks inside which webhooks may be.
    """

    def __init__(self, folders: Folders, networks: Networks) -> None:
        self._folders = folders
        self._worker = Worker(Notifiers, lambda: (networks,))
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="webhooks")

    def start(self) -> None:
        """Start notifying."""
        self._thread.start()

    def stop(self) -> None:
        """End the process after its current messages."""
        self._stopping.set()

    def _run(self) -> None:
        while not self._stopping.wait(PAUSE_SECONDS):
            try:
                self._worker.call("turn", self._folders())
            except WorkerEnded as reason:
                if not self._stopping.is_set():
                    LOG.error("The process that notifies webhooks has ended and is started again: %s", reason)
            except SteelyardError as reason:  # such as a database that cannot be reached
                LOG.warning("Webhooks are not notified now: %s", reason)


class Notifiers:
    """The notifiers of several studies, in the process that notifies."""

    def __init__(self, networks: Networks) -> None:
        self._sender = Sender(networks, time.time)
        self._notifiers: dict[Path, Notifier] = {}

    def turn(self, folders: tuple[Path, ...]) -> None:
        """Let each study notify its webhooks; a study that cannot be read does not hold up the others."""
        for folder in folders:
            try:
                self._of(folder).turn()
            except SteelyardError as reason:
                LOG.warning("The webhooks of %s are not notified now: %s", folder, reason)

    def _of(self, folder: Path) -> Notifier:
        if folder not in self._notifiers:
            database = open_database(folder)
            study = open_study(folder, begun_with(database))
            self._notifiers[folder] = Notifier(study, database, self._sender)
        return self._notifiers[folder]
