"""The rosters of other studies, whose raters may not join a study."""

from __future__ import annotations

from steelyard.errors import BadSetting, SteelyardError
from steelyard.storage.database import open_database
from steelyard.study.definition.study import Study
from steelyard.study.log.interface import Roster


def excluded_rosters(study: Study) -> list[Roster]:
    """Return the rosters of the studies in `exclude_raters_of`; raise BadSetting if one cannot be opened."""
    rosters: list[Roster] = []
    for name in study.definition.joining.exclude_raters_of:
        try:
            rosters.append(open_database(study.folder / name))
        except SteelyardError as reason:
            raise BadSetting("exclude_raters_of", f"{name!r} cannot be opened. {reason}") from reason
    return rosters
