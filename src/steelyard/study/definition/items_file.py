"""Reload the items file of a running study, so that new items are used without a restart."""

from __future__ import annotations

import logging

from steelyard.errors import SteelyardError, StudyChanged
from steelyard.study.definition.items import read_items
from steelyard.study.definition.study import Study

Stamp = tuple[int, int]  # time of the last change to a file, in nanoseconds, and its size in bytes
LOG = logging.getLogger(__name__)


class ItemsFile:
    """Watch the items file of a running study for changes.

    If a changed file cannot be used, the reason is logged and kept in `problem`.
    """

    def __init__(self, study: Study) -> None:
        self.problem = ""
        self._study = study
        self._stamp = _stamp_of(study)

    def newer(self, at_once: bool = False) -> Study | None:
        """Return the study with its items read again if the file has changed, else None.

        With `at_once`, the file is read even if it has not changed. Items may be added. A file that cannot be read,
        or from which an item was removed, is not used.
        """
        stamp = _stamp_of(self._study)
        if stamp is None or (stamp == self._stamp and not at_once):
            return None
        self._stamp = stamp
        try:
            self._study = _read_again(self._study)
        except (SteelyardError, OSError) as reason:
            self.problem = f"The items file has changed, but the new version cannot be used: {reason}"
            LOG.warning("%s", self.problem)
            return None
        self.problem = ""
        return self._study


def _read_again(study: Study) -> Study:
    items = read_items(study.folder, study.definition.items)
    gone = [item.id for item in study.items.all if item.id not in items.index]
    if gone:
        raise StudyChanged(f"the items file (item {gone[0]!r} is missing)")
    return study.with_items(items)


def _stamp_of(study: Study) -> Stamp | None:
    try:
        status = (study.folder / study.definition.items.file).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
