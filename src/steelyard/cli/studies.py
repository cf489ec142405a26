"""Opening a study's folder from a command."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.cli.output import remark

if TYPE_CHECKING:
    from steelyard.study.collecting.session import Session
    from steelyard.study.definition.study import Study
    from steelyard.study.results.watch import Watch


def open_session(folder: Path) -> Session:
    """A session on the study in a folder."""
    from steelyard.storage.database import open_database  # the study parts are an extra
    from steelyard.study.collecting.session import Session  # the study parts are an extra
    from steelyard.study.definition.study import open_study  # the study parts are an extra
    from steelyard.study.log.changes import begun_with, reconcile  # the study parts are an extra

    open_or_start(folder)
    database = open_database(folder)
    study = open_study(folder, begun_with(database))
    reconcile(study, database, time.time())
    return Session(study, database, database, time.time)


def open_or_start(folder: Path) -> tuple[Study, str | None]:
    """The study in a folder; one that has no log yet gets one, and then the owner's key is given too."""
    from steelyard.storage.database import (  # the study parts are an extra
        DATABASE_FILE,
        create_database,
    )
    from steelyard.study.definition.study import open_study  # the study parts are an extra

    study = open_study(folder)
    key = None if (folder / DATABASE_FILE).exists() else create_database(folder)[1]
    warn_if_open(folder)
    return study, key


def warn_if_open(folder: Path) -> None:
    """Say on stderr which of the study's secrets other users of the machine may read."""
    from steelyard.study.definition.private_files import open_to_others  # the study parts are an extra

    names = open_to_others(folder)
    if names:
        remark(
            f"Warning: other users of this machine can open {folder}: {', '.join(names)}. These hold the links "
            f"of raters and the keys of cookies. Close the folder with: chmod 700 {folder}"
        )


def open_watch(folder: Path) -> Watch:
    """What the study in a folder has come to."""
    from steelyard.study.results.watch import Watch  # the study parts are an extra

    session = open_session(folder)
    return Watch(session.study, session.log, session.roster)
