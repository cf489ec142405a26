"""Claims of a paper: what it reports, what is computed here, and a verdict that follows from the numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["reproduced", "differs", "planted", "people"]
VERDICTS: dict[Verdict, str] = {
    "reproduced": "reproduced",
    "differs": "differs",
    "planted": "the analysis recovers a planted effect",
    "people": "cannot be checked without people",
}
UNEXPLAINED = "The cause is not known."


@dataclass(frozen=True, slots=True)
class Check:
    """A number computed here, and the interval in which it has to be for the claim to hold.

    Attributes
    ----------
    value
        The number. NaN never holds.
    low, high
        Ends of the interval, both included.
    """

    value: float
    low: float = -math.inf
    high: float = math.inf

    @property
    def holds(self) -> bool:
        """Whether the number is in the interval."""
        return self.low <= self.value <= self.high


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of a reproduction.

    The verdict is computed: a claim without checks needs people, a claim with a failed check differs, and one whose
    checks all hold is reproduced, or recovered if the effect was put into the simulated answers.

    Attributes
    ----------
    where
        Place in the paper, such as "Table 1".
    statement
        What the paper reports.
    paper
        Numbers that the paper reports, as text.
    ours
        Numbers computed here, as text.
    checks
        Conditions under which the claim holds.
    planted
        What was put into the simulated answers so that the analysis should find it; empty if nothing was.
    because
        Why the numbers differ; shown only if they do.
    note
        What else a reader has to know.
    """

    where: str
    statement: str
    paper: str
    ours: str
    checks: tuple[Check, ...] = ()
    planted: str = ""
    because: str = ""
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """The verdict that follows from the checks."""
        if not self.checks:
            return "people"
        if not all(check.holds for check in self.checks):
            return "differs"
        return "planted" if self.planted else "reproduced"

    @property
    def reason(self) -> str:
        """The explanation that belongs to the verdict, with the note."""
        of_verdict: dict[Verdict, str] = {
            "reproduced": "",
            "differs": self.because or UNEXPLAINED,
            "planted": f"Planted: {self.planted}",
            "people": "",
        }
        return " ".join(part for part in (of_verdict[self.verdict], self.note) if part)


def rounded(value: float, printed: str) -> Check:
    """Return the check that a value has the printed digits, that is, differs by at most half of the last digit.

    Parameters
    ----------
    value
        Value computed here.
    printed
        The number as the paper prints it.

    Returns
    -------
    Check
        An interval around the printed number, with a margin for binary fractions.

    Examples
    --------
    >>> rounded(0.27776, "0.2778").holds, rounded(0.2777, "0.2778").holds
    (True, False)
    """
    digits = len(printed.partition(".")[2])
    half = 0.5 * 10.0**-digits * (1.0 + 1e-9)
    return Check(value, float(printed) - half, float(printed) + half)


def near(value: float, target: float, tolerance: float) -> Check:
    """Return the check that a value differs from a target by at most a tolerance.

    Parameters
    ----------
    value
        Value computed here.
    target
        Value that it should have.
    tolerance
        Largest difference.

    Returns
    -------
    Check
        An interval around the target.
    """
    return Check(value, target - tolerance, target + tolerance)


def printed_claim(where: str, statement: str, printed: str, value: float, because: str = "") -> Claim:
    """Return a claim about one printed number that can be computed from published data.

    Parameters
    ----------
    where
        Place in the paper.
    statement
        What the number is.
    printed
        The number as the paper prints it.
    value
        The number computed here.
    because
        Why it differs, if it does.

    Returns
    -------
    Claim
        The claim, reproduced if all printed digits agree.
    """
    digits = len(printed.partition(".")[2])
    ours = f"{value:.{digits}f}"
    return Claim(where, statement, printed, ours, (rounded(value, printed),), because=because)


def count_verdicts(claims: Iterable[Claim]) -> dict[Verdict, int]:
    """Return the number of claims by verdict, in the order of `VERDICTS`."""
    counted = Counter(claim.verdict for claim in claims)
    return {verdict: counted[verdict] for verdict in VERDICTS}
