"""[pay] of study.toml: what raters are paid."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.errors import BadSetting
from steelyard.study.definition.sections.limits import check_limits

AMOUNTS = ("base", "per_task", "completion", "hourly", "screened_out")


@dataclass(frozen=True, slots=True)
class PaySettings:
    """What raters are paid. `steelyard export --what pay` computes the amount of each rater.

    Parameters
    ----------
    base
        Amount for a rater who has answered at least one task. A rater whose session ended because of failed checks
        receives only this amount.
    per_task
        Amount for each answered task, including checks.
    completion
        Amount for a rater who has finished: no task was left for them, or they reached `tasks_per_rater`.
    hourly
        Hourly rate. A rater whose other amounts are lower for the measured time receives the difference.
    screened_out
        Amount for a rater whom the survey screened out.
    currency
        Currency of the amounts.
    idle_minutes
        Longest gap between two acts of a rater that counts as work in full. From a longer gap, this number of minutes
        is counted.
    """

    base: float = 0.0
    per_task: float = 0.0
    completion: float = 0.0
    hourly: float = 0.0
    screened_out: float = 0.0
    currency: str = "USD"
    idle_minutes: float = 5.0

    def __post_init__(self) -> None:
        check_limits(self, dict.fromkeys(AMOUNTS, 0.0) | {"idle_minutes": 0.1}, {})
        if not self.currency.strip():
            raise BadSetting("pay, currency", 'is empty. Write a code such as "USD".')

    @property
    def is_paid(self) -> bool:
        """Whether raters are paid anything."""
        return any(getattr(self, name) for name in AMOUNTS)
