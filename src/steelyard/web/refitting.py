"""The process that refits the models of all studies of a server, and takes snapshots of their ledgers."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from steelyard.errors import SteelyardError, WorkerEnded
from steelyard.storage.database import open_database
from steelyard.study.collecting.refitter import Refitter
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.study import open_study
from steelyard.study.log.changes import begun_with
from steelyard.web.worker import Worker

LOG = logging.getLogger(__name__)
PAUSE_SECONDS = 0.25


class Refitting:
    """Keeps a process that refits, in a thread that only waits for it. The process restarts if it ends.

    `folders` returns the folders of the studies to refit. If they change, the process starts again.
    """

    def __init__(self, folders: Callable[[], tuple[Path, ...]]) -> None:
        self._folders = folders
        self._refitted: tuple[Path, ...] = ()
        self._worker = Worker(Refitters, lambda: (self._refitted,))
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="refitting")

    def start(self) -> None:
        """Start following the logs, as soon as there is a study."""
        self._thread.start()

    def stop(self) -> None:
        """End the process after its current refit."""
        self._stopping.set()

    def _run(self) -> None:
        while not self._stopping.wait(PAUSE_SECONDS):
            try:
                folders = self._folders()
                if folders != self._refitted:
                    self._worker.stop()
                    self._refitted = folders
                if folders:
                    self._worker.call("turn")
            except WorkerEnded as reason:
                if not self._stopping.is_set():
                    LOG.error("The process that refits models has ended and is started again: %s", reason)
            except SteelyardError as reason:  # such as a database that cannot be reached
                LOG.warning("Models are not refitted now: %s", reason)


class Refitters:
    """The refitters of several studies, in the process that refits."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        self._refitters = []
        for folder in folders:
            database = open_database(folder)
            study = open_study(folder, begun_with(database))
            self._refitters.append(Refitter(study, database, database, learns=uses_belief(study.definition)))

    def turn(self) -> None:
        """Let each study take its new answers."""
        for each in self._refitters:
            each.turn()


def uses_belief(definition: StudyDefinition) -> bool:
    """Whether tasks, stopping rules or early stops of a study or of one of its arms depend on a belief."""
    choosing = [each.choosing for each in definition.conditions or (definition,)]
    return any(each.learns or each.stop.looks_at_belief or bool(each.stop_below) for each in choosing)
