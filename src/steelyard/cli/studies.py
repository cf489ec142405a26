"""Opening a study's folder from a command."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steelyard.study.session import Session


def open_session(folder: Path) -> Session:
    """A session on the study in a folder."""
    from steelyard.storage.database import open_database  # late: the study parts are an extra
    from steelyard.study.session import Session
    from steelyard.study.study import open_study

    database = open_database(folder)
    return Session(open_study(folder), database, database, time.time)


def up_to_date(session: Session) -> Session:
    """The session, with its ledger at the head of the log."""
    session.ledger.fold(session.log.since(session.ledger.position))
    return session
