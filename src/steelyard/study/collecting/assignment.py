"""Assign raters to the arms of a study: at random, balanced within strata, and for good."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steelyard.study.collecting.follower import Arm, Follower
from steelyard.study.collecting.queue import NEWCOMER, Need
from steelyard.study.collecting.several_ways import queue_of
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.log.rater_record import RaterRecord
from steelyard.study.log.transaction import Transaction

LONGEST_FIELD = 80
NEEDS: tuple[Need, ...] = ("open", "held", "over")


@dataclass(frozen=True, slots=True)
class Arrival:
    """What is known about a rater when they are assigned.

    Attributes
    ----------
    rater
        Id of the rater.
    twins
        Ids of earlier raters who are the same person. The rater joins their arm.
    """

    rater: str
    twins: tuple[str, ...] = ()


def assign(transaction: Transaction, follower: Follower, arrival: Arrival) -> Arm | None:
    """Assign a rater to an arm and log it; an assignment is final.

    Among the arms that need answers and are not full, the rater joins the one with the fewest raters of their stratum
    for its share. Ties are broken at random.

    Parameters
    ----------
    transaction
        Open transaction of the study.
    follower
        Arms of the study.
    arrival
        The rater.

    Returns
    -------
    Arm or None
        The arm of the rater; None if the survey must come first, or if no arm needs raters.
    """
    assigned = follower.arm_of(arrival.rater)
    if assigned is not None or not follower.study.arms:
        return assigned
    record, definition = transaction.ledger.rater(arrival.rater), follower.study.definition
    if record.screened_out or (definition.strata_in_survey and record.survey is None):
        return None
    stratum = stratum_of(definition, record)
    joined_before = (follower.arm_of(twin) for twin in arrival.twins)
    chosen = next((arm for arm in joined_before if arm is not None), None)
    if chosen is None:
        chosen = _drawn(transaction, follower, stratum)
    if chosen is None:
        return None
    seed = [definition.seed, transaction.ledger.log_position]
    facts = {"condition": chosen.name, "stratum": list(stratum), "seed": seed}
    transaction.note("assigned", arrival.rater, facts)
    return chosen


def stratum_of(definition: StudyDefinition, record: RaterRecord) -> tuple[str, ...]:
    """Return the values of the strata of a rater: answers to the survey, or parameters of the address.

    An unknown value is an empty text.
    """
    survey = {} if record.survey is None else record.survey
    values = (survey.get(name, record.fields.get(name, "")) for name in definition.assignment.strata)
    return tuple(str(value)[:LONGEST_FIELD] for value in values)


def need_of_newcomers(transaction: Transaction, follower: Follower) -> Need:
    """Return whether an arm that is not full has work for someone new: "open", "held" by others, or "over"."""
    arms = [arm for arm in follower.arms.values() if not _is_full(transaction, arm)]
    needs = [_need(transaction, arm) for arm in arms]
    return min(needs, key=NEEDS.index, default="over")


def _drawn(transaction: Transaction, follower: Follower, stratum: tuple[str, ...]) -> Arm | None:
    """Draw one of the arms that lack most raters of this stratum; if these are equal, most raters in all."""
    arms = [arm for arm in follower.arms.values() if not _is_full(transaction, arm)]
    free = [arm for arm in arms if _need(transaction, arm) == "open"]
    if not free:
        return None
    filled = [_filled(transaction, arm, stratum) for arm in free]
    fewest = [arm for arm, each in zip(free, filled, strict=True) if each == min(filled)]
    seed = (follower.study.definition.seed, transaction.ledger.log_position)
    return fewest[int(np.random.default_rng(seed).integers(len(fewest)))]


def _filled(transaction: Transaction, arm: Arm, stratum: tuple[str, ...]) -> tuple[float, float]:
    """Return the number of raters of an arm for its share: of the stratum, and of all strata."""
    present, share = _present(transaction, arm), arm.study.definition.arm.share
    return sum(each.stratum == stratum for each in present) / share, len(present) / share


def _is_full(transaction: Transaction, arm: Arm) -> bool:
    most = arm.study.definition.arm.raters
    return bool(most) and len(_present(transaction, arm)) >= most


def _present(transaction: Transaction, arm: Arm) -> list[RaterRecord]:
    """Return the raters who take a place of an arm: those who have answered, and those who have just joined."""
    latest = transaction.now - 60.0 * arm.study.definition.choosing.lease_minutes
    records = (arm.ledger.rater(rater) for rater, each in _assigned(transaction) if each == arm.name)
    return [
        record
        for record in records
        if not (record.excluded or record.declined or record.screened_out or record.ended)
        and (record.answers or record.assigned_at >= latest)
    ]


def _assigned(transaction: Transaction) -> list[tuple[str, str]]:
    """Return the raters of all arms, with the names of their arms."""
    return [
        (rater, record.condition) for rater, record in transaction.ledger.raters.items() if record.condition
    ]


def _need(transaction: Transaction, arm: Arm) -> Need:
    return queue_of(arm.planner, transaction.in_arm(arm.ledger), NEWCOMER).need()
