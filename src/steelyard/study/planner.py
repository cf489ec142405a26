"""The planner: tops the queue up from the belief, counting open places as answers to come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.maths.arrays import Mask
from steelyard.selection.pool import Choice, Pool
from steelyard.study.learning import Learner
from steelyard.study.ledger import Ledger
from steelyard.study.log import Chosen, Event, Task, Writer

QUEUE = 8  # ready tasks to keep: short, so that selection looks at a fresh belief


@dataclass(frozen=True, eq=False)
class Planner:
    """Chooses tasks for one study. It reads the ledger and writes through the transaction it is given."""

    ledger: Ledger
    learner: Learner

    def top_up(self, writer: Writer, now: float, ready: int) -> int:
        """Fill the queue when it runs low; how many tasks were added."""
        definition = self.ledger.definition
        whole_round = definition.update == "round" or definition.selection == "sequences"
        if self.ledger.pending.any() if whole_round else ready > QUEUE // 2:
            return 0
        pool = self.pool(None)
        if not pool.remaining:
            return 0
        if not whole_round:
            return len(self.plan(writer, now, pool, QUEUE))
        return len(self.plan_batch(writer, now, None, 1))

    def plan_batch(self, writer: Writer, now: float, tasks: int | None, assignments: int) -> list[Task]:
        """Choose several tasks at once; in a study of rounds, when the last is done, they open the next."""
        pool = self.pool(None)
        if self.ledger.definition.update == "round" and self.ledger.planned and not self.ledger.pending.any():
            self._append(writer, Event("round_closed", facts={"round": self.ledger.round}, at=now))
        size = self.ledger.definition.make_selection().round_size(pool) if tasks is None else tasks
        return self.plan(writer, now, pool, size, assignments)

    def plan(self, writer: Writer, now: float, pool: Pool, tasks: int, assignments: int = 1) -> list[Task]:
        """Choose up to `tasks` tasks from a pool and write them to the log."""
        definition = self.ledger.definition
        # The seed is the study's own with the log position: stored, and never the same twice.
        seed = (definition.seed, self.ledger.position)
        chosen = Chosen(definition.selection, self.ledger.position, seed)
        belief = self.learner.belief()
        choices = definition.make_selection().choose(pool, belief, tasks, np.random.default_rng(seed))
        return [self._write(writer, choice, chosen, now, assignments) for choice in choices]

    def withdraw(self, writer: Writer, task: str, places: int, now: float) -> None:
        """Take free places of a task out of the queue, so that its items can be asked otherwise."""
        self._append(writer, Event("withdrawn", facts={"task": task, "places": places}, at=now))

    def pool(self, unseen: Mask | None) -> Pool:
        """What may be asked now, of anyone or of a rater who has not seen these items."""
        ledger = self.ledger
        allowed = np.ones(len(ledger.items), dtype=bool) if unseen is None else unseen
        return Pool(
            ledger.answered,
            ledger.pending,
            ledger.definition.redundancy,
            ledger.items.segments,
            ledger.items.systems[0],
            allowed,
            ledger.definition.unit == "system",
        )

    def write_task(self, writer: Writer, items: Sequence[str], chosen: Chosen, now: float) -> Task:
        """A task of these items, for one rater."""
        indices = tuple(self.ledger.items.index[item] for item in items)
        return self._write(writer, Choice(indices), chosen, now, 1)

    def _write(self, writer: Writer, choice: Choice, chosen: Chosen, now: float, assignments: int) -> Task:
        definition, ledger = self.ledger.definition, self.ledger
        task = Task(
            id=f"t{ledger.planned + 1}",
            items=tuple(ledger.items[at].id for at in choice.items),
            questions=tuple(question.id for question in definition.questions),
            protocol=definition.protocol,
            chosen=chosen,
            condition=definition.condition,
            round=ledger.round,
            assignments=definition.redundancy if choice.sequence is not None else assignments,
            sequence=choice.sequence,
            at=now,
        )
        self._append(writer, task)
        return task

    def _append(self, writer: Writer, entry: Task | Event) -> None:
        self.ledger.fold([writer.append(entry)])
