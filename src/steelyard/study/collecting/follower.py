"""A ledger and a planner that follow the log of a study."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor

from steelyard.errors import UnknownItem
from steelyard.study.collecting.learning import Learner
from steelyard.study.collecting.planner import Planner
from steelyard.study.definition.items_file import ItemsFile
from steelyard.study.definition.study import Study
from steelyard.study.log.interface import Entry
from steelyard.study.log.ledger import Ledger


class Follower:
    """Folds new log entries, and starts again if items were added or a transaction was rolled back.

    `study`, `ledger` and `planner` are then replaced, so read them again after each `catch_up`.
    """

    def __init__(self, study: Study, background: Executor | None = None) -> None:
        self.study = study
        self._items_file = ItemsFile(study)
        self._background = background
        self.restart()

    def restart(self) -> None:
        """Discard the ledger and the planner, and start at the beginning of the log."""
        self.ledger = Ledger(self.study.definition, self.study.items)
        self.planner = Planner(self.ledger, Learner(self.ledger, self._background))

    def catch_up(self, since: Callable[[int], Iterable[Entry]]) -> None:
        """Fold new log entries; read the items again if their file has changed or a task has an unknown item."""
        self._take_items(self._items_file.newer())
        try:
            self.ledger.fold(since(self.ledger.log_position))
        except UnknownItem:
            if not self._take_items(self._items_file.newer(at_once=True)):
                raise
            self.ledger.fold(since(0))

    def _take_items(self, study: Study | None) -> bool:
        """Restart with a study whose items were read again; return whether there is one."""
        if study is not None:
            self.study = study
            self.restart()
        return study is not None

    @property
    def problems(self) -> tuple[str, ...]:
        """Problems outside of requests that the owner should look at."""
        return tuple(each for each in (self.planner.learner.problem, self._items_file.problem) if each)
