"""[checks] of study.toml: tasks with a known answer, repeated tasks, hidden items, and what follows from failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steelyard.errors import BadSetting
from steelyard.study.definition.sections.limits import check_limits

Several = str | tuple[str, ...]  # one id, or one per item of the page
CheckType = Literal["attention", "gold", "degraded", "repeat", "hidden"]
CHECK_TYPES: tuple[CheckType, ...] = ("attention", "gold", "degraded", "repeat", "hidden")
MOST_CHECKS = 0.5  # largest share of tasks that are checks


@dataclass(frozen=True, slots=True)
class CheckTask:
    """One check: the items that it shows and the reference answer, or the original of a degraded copy.

    Parameters
    ----------
    item
        Id of an item of the items file, or a list of ids for pages with several items.
    ask
        Whether these items are also asked outside of checks, as part of the scale.
    type
        `"gold"` for an item with a known answer, `"attention"` for an instruction that anybody who reads it follows.
        Rules can apply to one of them.
    question
        Id of the question that the reference answers. The default is the first question.
    below
        Id of the original of a degraded copy. The copy must score below the rater's own answer to the original. Where
        items are compared, the page shows both. Set either `below` or a reference answer.
    answer
        The reference answer: a number (`rating`), a list of numbers (`list`), `"left"`, `"right"` or `"tie"`
        (`comparison`), or a list of those (`comparison_list`).
    low
        `range`: the lower bound of the reference.
    high
        `range`: the upper bound of the reference.
    ranks
        `ranking`: the ranks of the reference, 1 = most.
    best
        `best_worst`: which item is the best, 1 = the first.
    worst
        `best_worst`: which item is the worst, 1 = the first.
    tolerance
        Largest accepted difference from the reference answer, in units of the scale. 0 is a tenth of the scale. With
        `below`, the smallest accepted difference, and 0 accepts any lower score.
    """

    item: Several
    ask: bool = False
    type: Literal["attention", "gold"] = "gold"
    question: str = ""
    below: str = ""
    answer: float | str | tuple[float, ...] | tuple[str, ...] | None = None
    low: float | None = None
    high: float | None = None
    ranks: tuple[int, ...] = ()
    best: int = 0
    worst: int = 0
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        if self.tolerance < 0:
            raise BadSetting("checks, tolerance", f"{self.tolerance:g} is negative. Write at least 0.")


@dataclass(frozen=True, slots=True)
class HiddenItems:
    """Items that are added to every list of their segment, such as the hidden reference and anchors of MUSHRA.

    Parameters
    ----------
    system
        The items of this system are hidden items. They are not asked outside of lists of their segment.
    least
        Smallest score that passes, such as 90 for a hidden reference. The default accepts any score.
    most
        Largest score that passes, such as 40 for a hidden anchor. The default accepts any score.
    below
        Name of another hidden system. A hidden item must score below the item of that system in the same list.
    """

    system: str
    least: float | None = None
    most: float | None = None
    below: str = ""


@dataclass(frozen=True, slots=True)
class RepeatSettings:
    """Tasks that repeat an earlier task of the same rater.

    Parameters
    ----------
    rate
        Share of a rater's tasks that are repeats, from 0 to 0.5.
    tolerance
        Largest accepted difference between the two answers, as a share of the scale. Repeated comparisons must be
        equal. A repeated ranking must keep the order of more than half of the pairs. A repeated best-worst choice must
        keep the best or the worst item, and must not exchange them.
    apart
        Smallest number of tasks between the two answers.
    """

    rate: float = 0.05
    tolerance: float = 0.25
    apart: int = 5

    def __post_init__(self) -> None:
        check_limits(self, {"rate": 0, "tolerance": 0, "apart": 1}, {"rate": MOST_CHECKS, "tolerance": 1})


@dataclass(frozen=True, slots=True)
class CheckRule:
    """What happens to a rater who fails checks. Every act is logged.

    Parameters
    ----------
    act
        `"warn"` shows a message above the next task. `"pause"` gives the rater no tasks for some time. `"end"` ends
        the session, leaves the rater's answers out, and asks their tasks again.
    failed
        Number of failed checks from which the rule applies.
    share
        Smallest share of failed checks among the answered ones, from 0 to 1.
    types
        Types of check that the rule counts. The default is every type.
    minutes
        `"pause"`: length of the pause. 0 waits until the owner reinstates the rater.
    message
        Text that the rater reads. The default is a general sentence.
    """

    act: Literal["warn", "pause", "end"]
    failed: int = 1
    share: float = 0.0
    types: tuple[CheckType, ...] = CHECK_TYPES
    minutes: float = 10.0
    message: str = ""

    def __post_init__(self) -> None:
        check_limits(self, {"failed": 1, "share": 0, "minutes": 0}, {"share": 1})

    @property
    def key(self) -> str:
        """Name of the rule in the log, by which it is applied once."""
        return f"{self.act} at {self.failed}, {self.share:g}, {' '.join(self.types)}"

    def applies(self, failed: int, answered: int) -> bool:
        """Whether the rule applies to a rater with these numbers of failed and answered checks."""
        return failed >= self.failed and failed >= self.share * answered


@dataclass(frozen=True, slots=True)
class ChecksSettings:
    """Checks of raters: tasks with a known answer, repeats, hidden items and a minimum time per task.

    Answers to checks are left out of the scale, of all counts of answers, and of stopping rules.

    Parameters
    ----------
    rate
        Share of a rater's tasks that are checks with a reference answer or degraded copies, from 0 to 0.5.
    file
        CSV, JSONL or Parquet file in the study folder with one check per row, in the columns `item`, `type`, `below`,
        `answer`, `low`, `high`, `best`, `worst`, `ranks`, `question` and `tolerance`, as far as they are needed. A cell
        with several ids, answers or ranks separates them by `|`.
    tasks
        Checks in tables `[[checks.tasks]]`, in addition to those of the file.
    repeats
        Repeated tasks, in a table `[checks.repeats]`.
    hidden
        Hidden items in lists, in tables `[[checks.hidden]]`.
    rules
        What happens to raters who fail checks, in tables `[[checks.rules]]`.
    least_seconds
        Minimum time per task in seconds. 0 sets none.
    too_fast
        What happens to a faster answer: `"warn"` stores it, logs a warning and shows a message. `"refuse"` asks the
        rater to look at the task again, and does not store the answer.
    """

    rate: float = 0.1
    file: str = ""
    tasks: tuple[CheckTask, ...] = ()
    repeats: RepeatSettings | None = None
    hidden: tuple[HiddenItems, ...] = ()
    rules: tuple[CheckRule, ...] = ()
    least_seconds: float = 0.0
    too_fast: Literal["warn", "refuse"] = "warn"

    def __post_init__(self) -> None:
        check_limits(self, {"rate": 0, "least_seconds": 0}, {"rate": MOST_CHECKS, "least_seconds": 3_600})
        if self.rules and not self.are_asked:
            raise BadSetting(
                "checks, rules", "the study has no checks. Add [[checks.tasks]], file, repeats or hidden."
            )

    @property
    def are_asked(self) -> bool:
        """Whether raters receive any checks."""
        in_tasks = self.rate > 0 and bool(self.file or self.tasks)
        return in_tasks or (self.repeats is not None and self.repeats.rate > 0) or bool(self.hidden)
