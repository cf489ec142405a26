"""The planner: fills the queue of tasks, and counts open places as expected answers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Set
from dataclasses import dataclass, replace

import numpy as np

from steelyard.maths.arrays import Codes, Mask
from steelyard.scales.belief import Belief
from steelyard.selection.across_kinds import BeliefOfKinds
from steelyard.selection.audit import AuditChoice, choose_at_random
from steelyard.selection.early_stop import LEAST_ANSWERS, carries_too_little
from steelyard.selection.pairing import Pair
from steelyard.selection.pool import Choice, Pool
from steelyard.selection.stopping import should_stop
from steelyard.study.collecting.fitting import LEADING, asked_units
from steelyard.study.collecting.learning import Learner
from steelyard.study.collecting.new_tasks import write_chosen
from steelyard.study.collecting.supply import Supply
from steelyard.study.log.entries import Chosen, Task
from steelyard.study.log.ledger import Ledger
from steelyard.study.log.transaction import Transaction

AUDIT = "audit"  # name in the log of tasks chosen at random
QUEUE = 8  # number of ready tasks; small, so that selection uses recent estimates


@dataclass(frozen=True, eq=False)
class Planner:
    """Chooses the tasks of one study. It reads the ledger and writes tasks in a transaction.

    Attributes
    ----------
    ledger
        Tasks and answers.
    learner
        The belief.
    among
        Ledger of the whole study, if `ledger` has the tasks of one of its protocols. Otherwise None.
    ways
        Planners of the protocols of a study with several, which choose its tasks. Otherwise empty.
    """

    ledger: Ledger
    learner: Learner
    among: Ledger | None = None
    ways: tuple[Planner, ...] = ()

    @property
    def whole(self) -> Ledger:
        """Ledger with the tasks of all protocols of the study."""
        return self.ledger if self.among is None else self.among

    @property
    def asking(self) -> tuple[Planner, ...]:
        """The planners that choose tasks: one per protocol."""
        return self.ways or (self,)

    def in_way(self, protocol: str) -> Planner:
        """Return the planner of a protocol; this one if the study has only one protocol."""
        return next((way for way in self.ways if way.ledger.protocol == protocol), self)

    def top_up(self, transaction: Transaction, ready: int) -> int:
        """Add tasks to the queue if it has few ready tasks; return the number of tasks added."""
        definition = self.ledger.definition
        whole_round = definition.learning.update == "round" or definition.choosing.traits.plans_sequences
        if definition.choosing.traits.plans_sequences and self.ledger.current_sequences():
            return len(self._plan_sequences(transaction)) if self._unasked().any() else 0
        if self.ledger.pending.any() if whole_round else ready > QUEUE // 2:
            return 0
        pool = self.pool(None)
        if not self.is_short(pool):
            return 0
        if not whole_round:
            return len(self.plan(transaction, pool, min(QUEUE, self._room())))
        return len(self.plan_batch(transaction, None, 1))

    def _room(self) -> int:
        """Return how many tasks may still be ready: with several protocols, not more than the share of this one."""
        if self.among is None:
            return QUEUE
        asking, protocol = self.among.definition.asking, self.ledger.definition.asking.way.name
        shares = dict(zip(asking.protocols, asking.shares_of_tasks, strict=True))
        items = sum(shares[way.asking.way.name] * way.asking.task_size for way in self.among.definition.ways)
        missing = int(np.maximum(self.among.wanted - self.among.answered, 0).sum())
        if self.among.definition.compares_kinds:  # any share of what is missing may have this protocol
            most = missing / self.ledger.definition.asking.task_size
        else:
            most = shares[protocol] * missing / items
        return max(math.ceil(most) - self.ledger.open_places.total(), 0)

    def plan_batch(self, transaction: Transaction, tasks: int | None, assignments: int) -> list[Task]:
        """Choose several tasks at once and write them to the log.

        If the model is updated by rounds and the current round is finished, this starts the next round.

        Parameters
        ----------
        transaction
            Open transaction of the study.
        tasks
            Largest number of tasks; None for a whole round.
        assignments
            Number of raters who answer each task.

        Returns
        -------
        list of Task
            The new tasks.
        """
        if self.ledger.definition.choosing.traits.plans_sequences:
            return self._plan_sequences(transaction)
        pool = self.pool(None)
        more = self.is_short(pool) and not self.enough()
        done = self.ledger.planned and not self.ledger.pending.any()
        if self.ledger.definition.learning.update == "round" and done and more:
            transaction.note("round_closed", facts={"round": self.ledger.round})
        size = self.ledger.definition.make_selection().round_size(pool) if tasks is None else tasks
        return self.plan(transaction, pool, size, assignments)

    def plan(self, transaction: Transaction, pool: Pool, tasks: int, assignments: int = 1) -> list[Task]:
        """Choose tasks from a pool and write them to the log.

        Parameters
        ----------
        transaction
            Open transaction of the study.
        pool
            Items that may be asked.
        tasks
            Largest number of tasks.
        assignments
            Number of raters who answer each task.

        Returns
        -------
        list of Task
            The new tasks.
        """
        tasks = min(tasks, -(-self._tasks_left(pool) // assignments))
        if assignments > 1:
            pool = _per_task(pool, assignments)
        return [
            write_chosen(self.ledger, transaction, choice, chosen, assignments)
            for choice, chosen in self._choose(pool, tasks)
        ]

    def _choose(self, pool: Pool, tasks: int) -> list[tuple[Choice, Chosen]]:
        """Return up to `tasks` choices and how each was made, starting with the random choices of the audit."""
        definition, position = self.ledger.definition, self.ledger.log_position
        selection = definition.make_selection()
        # The log position makes the seed of each choice different, and the task stores the seed.
        seed = (definition.seed, position)
        rng = np.random.default_rng(seed)
        audited = self._audit(pool, tasks, rng) if selection.traits.learns else []
        for each in audited:
            pool = pool.asked(each.choice.items)
        belief = self.belief() if selection.traits.learns else None
        chosen = Chosen(definition.choosing.selection, position, seed)
        choices = self._numbered(selection.choose(pool, belief, tasks - len(audited), rng))
        at_random = [
            (each.choice, replace(chosen, selection=AUDIT, probability=each.probability)) for each in audited
        ]
        return [*at_random, *((choice, chosen) for choice in choices)]

    def _numbered(self, choices: list[Choice]) -> list[Choice]:
        """Return the choices with sequence numbers that continue those of earlier rounds."""
        first = len(self.ledger.sequences_logged)
        return [c if c.sequence is None else replace(c, sequence=first + c.sequence) for c in choices]

    def _plan_sequences(self, transaction: Transaction) -> list[Task]:
        """Plan the sequences of a round; if they exist, plan sequences of items that were added later."""
        if not self.ledger.sequences:
            return self.plan(transaction, self.pool(None), 1)
        if not self.ledger.current_sequences():  # a later round leaves out items of earlier rounds
            return self.plan(transaction, self.pool(self._short()), 1)
        return self.plan(transaction, self.pool(self._with_partners(self._unasked())), 1)

    def _unasked(self) -> Mask:
        """Return a mask of items that need answers and are in no task, such as items added to a running study."""
        ledger = self.ledger
        return np.asarray((ledger.answered + ledger.pending == 0) & (ledger.wanted > 0))

    def _with_partners(self, items: Mask) -> Mask:
        """Return these items and, in comparisons, at least one item per segment that links them to the others."""
        if not self.ledger.definition.asking.way.against or not items.any():
            return items
        segments = self.ledger.items.segments
        rng = np.random.default_rng((self.ledger.definition.seed, self.ledger.log_position))
        both = items.copy()
        for segment in np.unique(segments[items]):
            others = np.flatnonzero((segments == segment) & ~items & np.greater(self.ledger.wanted, 0))
            missing = max(
                self.ledger.definition.asking.way.least - int(np.sum(items & (segments == segment))), 1
            )
            both[rng.permutation(others)[:missing]] = True
        return both

    def is_short(self, pool: Pool) -> bool:
        """Whether the study needs more answers than it has or expects; if every pair is asked, for any pair."""
        return (
            self.finds(pool) if self.ledger.definition.choosing.traits.asks_every_pair else pool.remaining > 0
        )

    def belief(self) -> Belief | None:
        """Return the belief that the selection uses: in units of its own kind if the study asks for several kinds."""
        belief, definition = self.learner.belief(), self.ledger.definition
        if self.among is not None and definition.compares and isinstance(belief, BeliefOfKinds):
            return belief.in_kind(definition.fitted_kind)
        return belief

    def finds(self, pool: Pool) -> bool:
        """Whether the selection finds a task in this pool."""
        selection = self.ledger.definition.make_selection()
        belief = self.belief() if selection.traits.learns else None
        return bool(selection.choose(pool, belief, 1, np.random.default_rng(self.ledger.log_position)))

    def finds_full(self, pool: Pool) -> bool:
        """Whether the selection finds a task with the full number of items that all need answers."""
        selection, size = self.ledger.definition.make_selection(), self.ledger.definition.asking.task_size
        rng = np.random.default_rng(self.ledger.log_position)
        return any(len(choice.items) == size for choice in selection.choose(pool.short, None, 1, rng))

    def can_plan(self, pool: Pool) -> bool:
        """Whether a task can be planned from this pool, checked without choosing one if possible."""
        if not self._tasks_left(pool):
            return False
        definition = self.ledger.definition
        if definition.asking.way.against:
            # A round starts only if the total of answers is too small. A single task is planned if any item needs one.
            return (definition.learning.update == "answer" or self.is_short(pool)) and self.finds(pool)
        if definition.choosing.learns:
            return bool(pool.allowed.any()) and pool.remaining > 0
        return bool(np.any(pool.allowed & (pool.expected < pool.wanted)))

    def _audit(self, pool: Pool, tasks: int, rng: np.random.Generator) -> list[AuditChoice]:
        """Return the random choices among these tasks; empty until every item has been asked once."""
        share = self.ledger.definition.choosing.audit_share
        if not share or (pool.expected[self.ledger.items.asked] == 0).any():
            return []
        size = self.ledger.definition.asking.task_size
        drawn = [choose_at_random(pool, size, rng) for _ in range(int(rng.binomial(tasks, share)))]
        return [each for each in drawn if each is not None]

    def _tasks_left(self, pool: Pool) -> int:
        """Return the number of tasks that the stopping rules still allow."""
        stop = self.ledger.definition.choosing.stop
        if stop.budget:
            left = max(stop.budget - int((self.whole.answered + self.whole.pending).sum()), 0)
            return -(-left // self.ledger.definition.asking.task_size)
        return 0 if self.enough() else int(np.broadcast_to(pool.wanted, len(pool)).sum())

    def enough(self) -> bool:
        """Whether a stopping rule is met."""
        stop = self.ledger.definition.choosing.stop
        if not stop.looks_at_belief:
            return bool(stop.budget) and int(self.whole.answered.sum()) >= stop.budget
        belief = self.learner.belief()
        if belief is None:
            return False
        asked = asked_units(self.whole)
        return should_stop(stop, belief.position[asked], belief.variance[asked], belief.count[asked])

    def should_stop_early(self, rater: str) -> bool:
        """Whether the answers of a rater carry too little information; always False after reinstatement."""
        definition, record = self.whole.definition, self.whole.rater(rater)
        if not definition.choosing.stop_below or record.reinstated:
            return False
        judged_cells = (
            cell
            for answer in record.answers.values()
            for cell in answer.cells
            if cell.question == LEADING and cell.value is not None
        )
        answers = len(list(itertools.islice(judged_cells, LEAST_ANSWERS)))
        return carries_too_little(self.learner.belief(), rater, answers, definition.choosing.stop_below)

    def _short(self) -> Mask:
        """Return a mask of items that need more answers than they have or expect."""
        return np.asarray(self.ledger.answered + self.ledger.pending < self.ledger.wanted)

    def wanted(self) -> Codes:
        """Return the judgments that each item should have from these tasks.

        Answers of all protocols count, so those of other protocols are subtracted.
        """
        if self.among is None:
            return self.ledger.wanted
        others = self.among.answered + self.among.pending - self.ledger.answered - self.ledger.pending
        return self.among.wanted - others

    def pool(self, unseen: Mask | None, met: Set[Pair] = frozenset()) -> Pool:
        """Return the items that may be asked now.

        `unseen` is a mask of the items that a rater may still see, or None for any rater. `met` has the pairs that the
        rater has compared.
        """
        ledger, wanted, counted = self.ledger, self.wanted(), self.ledger
        linked: Codes | None = ledger.linked()
        if self.among is not None and self.among.definition.compares_kinds:
            # Answers of all kinds are information about an item, and raters who rate link all items.
            counted, wanted = self.among, self.among.wanted
            linked = None if ledger.definition.compares else linked
        in_this_round = np.greater(ledger.wanted, 0)
        most = ledger.definition.choosing.most_per_item
        if most:
            in_this_round &= self.whole.answered + self.whole.pending < most
        return Pool(
            counted.answered,
            counted.pending,
            wanted,
            ledger.items.segments,
            ledger.items.systems[0],
            in_this_round if unseen is None else in_this_round & unseen,
            ledger.definition.learning.unit == "system",
            linked,
            met,
            ledger.paired,
            ledger.groups,
        )

    def supply(self) -> Supply:
        """Return the numbers of answers wanted, received and expected, and why the study is stopped."""
        ledger, stop = self.ledger, self.ledger.definition.choosing.stop
        wanted, answered, pending = (
            int(each.sum()) for each in (ledger.wanted, ledger.answered, ledger.pending)
        )
        rule = "a stopping rule of [stop] in study.toml is met" if self.enough() else ""
        if stop.budget and answered + pending >= stop.budget:
            rule = f"the budget of {stop.budget:,} ([stop] in study.toml) is used up"
        return Supply(wanted, answered, pending, rule, ledger.paused)


def _per_task(pool: Pool, assignments: int) -> Pool:
    """Return the pool with counts divided by `assignments`, so that choices do not exceed the answers wanted."""
    return replace(
        pool,
        answers=pool.expected // assignments,
        pending=np.zeros_like(pool.pending),
        wanted=-(-np.broadcast_to(pool.wanted, len(pool)) // assignments),
        paired={pair: count // assignments for pair, count in pool.paired.items()},
    )
