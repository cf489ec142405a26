"""How raters join an open study, are found by their links, and are assigned to an arm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor

from steelyard.study.collecting.assignment import Arrival, assign
from steelyard.study.collecting.open_study import OpenStudy
from steelyard.study.collecting.raters import Raters, has_begun
from steelyard.study.definition.study import Study
from steelyard.study.log.interface import Cache, Log, Rater, Roster, Source
from steelyard.study.log.rater_record import RaterRecord


class Joining(OpenStudy):
    """An open study with its raters: who they are, and whether they may start.

    Parameters
    ----------
    study
        The study.
    log
        Log of the study.
    roster
        Raters of the study.
    clock
        Function that returns the current time, in seconds since 1970.
    background
        Executor for refits of the model; without one, refits run in the calling thread.
    cache
        Beliefs that another process learns; with it, this process does not refit.
    elsewhere
        Rosters of the studies in `exclude_raters_of`. Default: none.
    """

    def __init__(
        self,
        study: Study,
        log: Log,
        roster: Roster,
        clock: Callable[[], float],
        background: Executor | None = None,
        *,
        cache: Cache | None = None,
        elsewhere: Sequence[Roster] = (),
    ) -> None:
        super().__init__(study, log, clock, background, cache)
        self.roster = roster
        self.raters = Raters(roster, clock, elsewhere)

    def join(self, name: str, source: Source, key: str = "") -> Rater:
        """Add a rater with a personal link, or return the existing rater with this source and key.

        Inside `transaction()`, the rater is stored with the rest of the transaction.

        Parameters
        ----------
        name
            Name of the rater.
        source
            How the rater joins.
        key
            Id of the rater on another site or in a file; empty if there is none.

        Returns
        -------
        Rater
            The new or existing rater.
        """
        return self.join_once(name, source, key)[0]

    def join_once(self, name: str, source: Source, key: str = "") -> tuple[Rater, bool]:
        """Add a rater as `join` does, and also return whether the rater is new.

        Parameters
        ----------
        name
            Name of the rater.
        source
            How the rater joins.
        key
            Id of the rater on another site or in a file; empty if there is none.

        Returns
        -------
        rater : Rater
            The new or existing rater.
        is_new : bool
            Whether the rater was added.
        """
        with self._lock:
            return self.raters.join(name, source, key, self._transaction)

    def rater_of_link(self, token: str) -> Rater:
        """Return the rater with this link; raise UnknownRater if there is none."""
        with self._lock:
            self.fresh_ledger()  # reads the log from its beginning if a rater was forgotten
            return self.raters.by_link(token, self.follower.restarts)

    def may_start(self, rater: str) -> bool:
        """Whether the rater has given consent, answered the survey and finished the training, if there are any."""
        with self._lock:
            arm = self.follower.arm_of(rater)
            begun = arm is not None and has_begun(arm.study.definition, arm.ledger.rater(rater))
        return begun or has_begun(self.study_of(rater).definition, self.record(rater))

    def record(self, rater: str) -> RaterRecord:
        """Return the record of a rater at the newest log position."""
        with self._lock:
            return self.ledger_of(rater).rater(rater)

    def arrive(self, rater: str, fields: Mapping[str, str] | None = None) -> None:
        """Assign a rater who has opened the study to one of its arms; nothing happens if they have an arm.

        Parameters
        ----------
        rater
            Id of the rater.
        fields
            Parameters of the address that the rater opened, for the strata of [assignment].
        """
        if not self.study.arms or self.follower.arm_of(rater) is not None:
            return
        twins = self.raters.same_person(rater)
        with self.transaction() as transaction:
            if fields and not transaction.ledger.rater(rater).fields:
                transaction.note("joined", rater, {"fields": dict(fields)})
            assign(transaction, self.follower, Arrival(rater, twins))

    def assign_to(self, rater: str, condition: str) -> None:
        """Assign a rater to an arm that is named, as for imported answers; nothing happens if they have an arm."""
        with self.transaction() as transaction:
            if self.follower.arm_of(rater) is None:
                name = self.arm(condition).name
                transaction.note("assigned", rater, {"condition": name, "stratum": [], "by": "file"})
