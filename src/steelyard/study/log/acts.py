"""The audit trail: what owners did to a study, with which key, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

# Acts in the words of the owner's page.
WORDS: Mapping[str, str] = {
    "signed_in": "Signed in",
    "excluded": "Excluded a rater",
    "included": "Included a rater again",
    "reinstated": "Reinstated a rater",
    "noted": "Wrote a note about a rater",
    "invited": "Created a link for a rater",
    "forgotten": "Deleted the data of a rater",
    "paused": "Paused the study",
    "resumed": "Resumed the study",
    "round_closed": "Closed a round",
    "seeds_closed": "Used the examples placed so far",
    "exported": "Exported a table",
    "imported": "Imported answers",
    "simulated": "Added answers of simulated raters",
    "items_added": "Added items",
    "webhook_added": "Added a webhook",
    "webhook_removed": "Removed a webhook",
    "published": "Published the study on a crowd",
    "approved": "Approved work on a crowd",
    "bonuses_paid": "Paid bonuses on a crowd",
    "backed_up": "Wrote a backup",
    "moved": "Moved the study to another database",
    "key_added": "Created a key",
    "key_revoked": "Revoked a key",
    "owner_key_replaced": "Replaced the first owner key",
}


@dataclass(frozen=True, slots=True)
class Act:
    """One act of an owner.

    Texts that the log stores anyway, such as the reason of an exclusion or a note, are not repeated here.

    Attributes
    ----------
    what
        Name of the act, as in `WORDS`.
    who
        Name of the key that was used, or "command line" with the user of the machine.
    rater
        Id of the rater concerned, or "".
    facts
        Details, such as the table that was exported.
    at
        Time of the act, in seconds since 1970.
    """

    what: str
    who: str
    rater: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    at: float = 0.0

    @property
    def words(self) -> str:
        """The act in words."""
        return WORDS.get(self.what, self.what)

    @property
    def details(self) -> str:
        """The details as one line of text.

        >>> Act("exported", "owner", facts={"table": "raters", "format": "csv"}).details
        'table: raters, format: csv'
        """
        return ", ".join(f"{name}: {value}" for name, value in self.facts.items())


class Trail(Protocol):
    """The audit trail of one study. Acts are only appended."""

    def record(self, act: Act) -> None:
        """Store an act."""

    def acts(self) -> Sequence[Act]:
        """Return all acts, oldest first."""
