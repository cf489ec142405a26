"""The queue of tasks of a study with several protocols: one queue per protocol, in the order of their shares."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.study.collecting.informative_ways import have_answers, most_informative
from steelyard.study.collecting.planner import Planner
from steelyard.study.collecting.queue import FREE_LOOKED_AT, Queue
from steelyard.study.collecting.rater_state import Assignment, is_finished
from steelyard.study.collecting.ways import ways_in_order
from steelyard.study.log.entries import Task
from steelyard.study.log.interface import Lease
from steelyard.study.log.transaction import Transaction


class QueueOfWays(Queue):
    """The queue of tasks for one rater in a study with several protocols.

    Each protocol has a queue of its own, with the items and pairs that the rater has seen under this protocol. A rater
    may therefore meet an item under every protocol.
    """

    def new_task(self) -> Assignment | None:
        """Assign a task of the protocol whose turn it is or, if it has none for this rater, of another one."""
        queues = self._by_information(self._queues(None))
        for queue in queues:
            assignment = queue.new_task()
            if assignment is not None:
                return assignment
        for queue in queues:
            for place in self._others(queue):
                self.transaction.withdraw([place])
                assignment = queue.plan()
                if assignment is not None:
                    return assignment
        return None

    def has_any(self) -> bool:
        """Whether `next` would assign a new task to this rater."""
        if is_finished(self._ledger, self.rater) or self.planner.enough():
            return False
        queues = self._queues(None)
        return any(queue.has_any() for queue in queues) or any(map(self._others, queues))

    def ready_after(self, held: Task) -> Lease | None:
        """Return a ready task of the protocol whose turn it is after the task that the rater holds."""
        return self._by_information(self._queues(held))[0].ready_after(held)

    def _queues(self, held: Task | None) -> list[Queue]:
        """Return the queues of the protocols, the one whose turn it is first."""
        ways = ways_in_order(self.planner, self.rater, held)
        return [Queue(way, self.transaction.in_arm(way.ledger), self.rater) for way in ways]

    def _by_information(self, queues: list[Queue]) -> list[Queue]:
        """Return the queues with the most informative per second first, if the study chooses protocols in this way.

        Until every protocol has enough answered tasks, the order stays that of the shares.
        """
        planners = [queue.planner for queue in queues]
        if not self._ledger.definition.compares_kinds or not have_answers(planners):
            return queues
        order = most_informative(self.planner, planners, [queue.ready() for queue in queues], self.rater)
        return [queues[at] for at in order]

    def _others(self, queue: Queue) -> Sequence[Lease]:
        """Return free places of other protocols whose items could be asked in this one instead.

        Without this, the last answers would be missing if every rater has seen these items under the other protocol.
        """
        pool = queue.pool()
        for place in self.transaction.free_places(FREE_LOOKED_AT):
            task = self.transaction.task_of(place)
            if task.id not in queue.planner.ledger.tasks:
                freed = pool.withdrawn(self._ledger.judged_indices(task))
                if queue.planner.can_plan(freed):
                    return [place]
        return []


def queue_of(planner: Planner, transaction: Transaction, rater: str) -> Queue:
    """Return the queue of a rater: one for each protocol, or one for a study with a single protocol.

    Parameters
    ----------
    planner
        Planner of the study.
    transaction
        Open transaction.
    rater
        Id of the rater.

    Returns
    -------
    Queue
        The queue.
    """
    return (QueueOfWays if planner.ways else Queue)(planner, transaction, rater)
