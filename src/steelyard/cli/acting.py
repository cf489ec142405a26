"""The audit trail of a study: acts of an owner at the command line."""

from __future__ import annotations

import getpass
import time
from typing import TYPE_CHECKING

from steelyard.cli.output import remark
from steelyard.errors import StoreUnavailable

if TYPE_CHECKING:
    from steelyard.study.log.acts import Trail


def record_act(trail: Trail, what: str, rater: str = "", **facts: str | int) -> None:
    """Record an act with the name of the user of this machine.

    A command that only reads also works on a study that cannot be written. It then reports that nothing was recorded.

    Parameters
    ----------
    trail
        Audit trail of the study.
    what
        Name of the act.
    rater
        Id of the rater concerned, or "".
    **facts
        Details of the act.
    """
    from steelyard.study.log.acts import Act  # optional dependencies

    try:
        trail.record(Act(what, f"command line{_user()}", rater, facts, time.time()))
    except StoreUnavailable as reason:
        remark(f"The audit trail of the study does not contain this command. {reason}")


def _user() -> str:
    try:
        return f" ({getpass.getuser()})"
    except (KeyError, OSError):  # a container may run as a user without a name
        return ""
