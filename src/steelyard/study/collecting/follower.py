"""A ledger and a planner that follow a study's log as it grows."""

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
    """Folds what is new in a log, and folds it anew where items were added or a transaction was rolled back.

    `study`, `ledger` and `planner` are replaced then; read them anew after each `catch_up`.
    """

    def __init__(self, study: Study, background: Executor | None = None) -> None:
        self.study = study
        self._items_file = ItemsFile(study)
        self._background = background
        self.restart()

    def restart(self) -> None:
        """Forget all that was folded and learnt."""
        self.ledger = Ledger(self.study.definition, self.study.items)
        self.planner = Planner(self.ledger, Learner(self.ledger, self._background))

    def catch_up(self, since: Callable[[int], Iterable[Entry]]) -> None:
        """Fold what is new in the log; with items read again where their file has changed or a task shows others."""
        self._take_items(self._items_file.newer())
        try:
            self.ledger.fold(since(self.ledger.log_position))
        except UnknownItem:
            if not self._take_items(self._items_file.newer(at_once=True)):
                raise
            self.ledger.fold(since(0))

    def _take_items(self, study: Study | None) -> bool:
        """Go on with a study whose items were read again."""
        if study is not None:
            self.study = study
            self.restart()
        return study is not None

    @property
    def problems(self) -> tuple[str, ...]:
        """What went wrong beside the requests and should be looked at by the owner."""
        return tuple(each for each in (self.planner.learner.problem, self._items_file.problem) if each)
