"""[[condition]] and [assignment] of study.toml: the arms of a study, and how raters are assigned to them."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.errors import BadSetting
from steelyard.study.definition.sections.limits import check_distinct

LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class ConditionSettings:
    """One arm of the study.

    Every other key of study.toml may follow in the same table, and replaces the value of the study in this arm, such as
    `protocol = "range"` or `[condition.scale]`.

    Parameters
    ----------
    name
        Name of the condition in the log, in files and in reports. Raters do not see it.
    share
        Size of the arm relative to the other arms. With shares 2 and 1, the first arm receives two thirds of the
        raters.
    raters
        Largest number of raters in this arm. 0 sets no limit. Raters who decline, who are excluded, or who do not
        answer within `lease_minutes` after they joined do not count.
    without
        Keys of the study that this arm does not have, such as `["training", "anchors"]`.
    """

    name: str = ""
    share: float = 1.0
    raters: int = 0
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.share <= 0:
            raise BadSetting("condition, share", f"{self.share:g} is not above 0. Write a larger number.")
        if self.raters < 0:
            raise BadSetting("condition, raters", f"{self.raters} is negative. Write 0 for no limit.")


@dataclass(frozen=True, slots=True)
class AssignmentSettings:
    """How raters are assigned to the conditions.

    Parameters
    ----------
    strata
        Raters with equal values of these fields are distributed evenly over the conditions. A field is the id of a
        question of the survey, or the name of a parameter in the address that raters open, such as `source` for
        `/join?source=mail`. With a question of the survey, raters are assigned after the survey.
    """

    strata: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_distinct("assignment, strata", list(self.strata))


def check_names(names: list[str]) -> None:
    """Raise BadSetting unless there are at least two conditions with different names that can be printed."""
    if len(names) < 2:
        raise BadSetting("condition", "has only one arm. Write at least two [[condition]] tables.")
    for name in names:
        if not name or name != name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
            reason = f"{name!r} is not a name. Write 1 to {LONGEST_NAME} visible characters."
            raise BadSetting("condition, name", reason)
    check_distinct("condition", names)
