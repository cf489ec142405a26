"""Opening of studies by commands."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli.output import progress, remark
from steelyard.errors import BadSetting, NoSuchFile, UnknownName

ConditionName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Condition (arm) of a study that compares several ways of asking. Default: all conditions.",
    ),
]

if TYPE_CHECKING:
    from steelyard.study.collecting.session import Session
    from steelyard.study.definition.study import Study
    from steelyard.study.results.watch import Watch


def check_condition(study: Study, condition: str) -> None:
    """Raise an error if --condition names a condition that the study does not have."""
    if not condition:
        return
    if study.arms:
        names = tuple(arm.definition.condition for arm in study.arms)
        if condition not in names:
            raise UnknownName("condition", condition, names, "--condition")
    elif condition != study.definition.condition:
        raise BadSetting(
            "--condition",
            f"the study {study.folder} has no condition {condition!r}, because it does not compare conditions. Leave "
            "out --condition.",
        )


def check_exists(source: str) -> None:
    """Raise an error if a source, which may be a study or a file, does not exist; the remedy fits its name."""
    if source != "-" and not Path(source).suffix and not Path(source).exists():
        raise NoSuchFile(
            source, f"Check the path, or create a study: steelyard new {source} --items items.csv"
        )


def open_session(folder: Path) -> Session:
    """Return a session on the study in a folder."""
    from steelyard.storage.database import open_database  # optional dependencies
    from steelyard.storage.other_studies import excluded_rosters  # optional dependencies
    from steelyard.study.collecting.session import Session  # optional dependencies
    from steelyard.study.definition.study import open_study  # optional dependencies
    from steelyard.study.log.changes import begun_with, reconcile  # optional dependencies

    open_or_start(folder)
    database = open_database(folder)
    study = open_study(folder, begun_with(database))
    with progress("Opening the study"):
        reconcile(study, database, time.time())
        return Session(study, database, database, time.time, elsewhere=excluded_rosters(study))


def open_or_start(folder: Path, url: str = "") -> tuple[Study, str | None]:
    """Return the study in a folder, and the owner key if its database was created now, by default in the folder."""
    from steelyard.storage.database import create_database  # optional dependencies
    from steelyard.storage.location import exists, location_of  # optional dependencies
    from steelyard.study.definition.study import open_study  # optional dependencies

    study = open_study(folder)
    key = None if exists(location_of(folder, url)) else create_database(folder, url)[1]
    warn_if_open(folder)
    return study, key


def warn_if_open(folder: Path) -> None:
    """Print a warning if other users of the machine can read secrets of the study."""
    from steelyard.study.definition.private_files import open_to_others  # optional dependencies

    names = open_to_others(folder)
    if names:
        remark(
            f"Warning: other users of this machine can read {', '.join(names)} in {folder}, with the links of "
            f"raters and the keys of cookies. To prevent this, run: chmod 700 {folder}"
        )


def open_watch(folder: Path, condition: str = "") -> Watch:
    """Return the results of the study in a folder, updated with its log; the study must have the condition, if any."""
    from steelyard.study.results.watch import Watch  # optional dependencies

    session = open_session(folder)
    check_condition(session.study, condition)
    with progress("Reading the answers"):
        return Watch(session.study, session.log, session.roster)
