"""A study's items while it runs: items added to the file are picked up without a restart."""

from __future__ import annotations

import logging
from dataclasses import replace

from steelyard.errors import SteelyardError, StudyChanged
from steelyard.study.definition.items import read_items
from steelyard.study.definition.study import Study

Stamp = tuple[int, int]  # of a file: when it was changed, in nanoseconds, and its size in bytes
LOG = logging.getLogger(__name__)


class ItemsFile:
    """Notices when the items file of a running study changes. What cannot be used is logged and kept in `problem`."""

    def __init__(self, study: Study) -> None:
        self.problem = ""
        self._study = study
        self._stamp = _stamp_of(study)

    def newer(self, at_once: bool = False) -> Study | None:
        """The study with its items read again where the file has changed, or at once; None where nothing is new.

        Items may be added. A file that lacks one of the study's items, or cannot be read, changes nothing.
        """
        stamp = _stamp_of(self._study)
        if stamp is None or (stamp == self._stamp and not at_once):
            return None
        self._stamp = stamp
        try:
            self._study = _read_again(self._study)
        except (SteelyardError, OSError) as reason:
            self.problem = f"The items file has changed and is not used: {reason}"
            LOG.warning("%s", self.problem)
            return None
        self.problem = ""
        return self._study


def _read_again(study: Study) -> Study:
    items = read_items(study.folder, study.definition.items)
    gone = [item.id for item in study.items.all if item.id not in items.index]
    if gone:
        raise StudyChanged(f"the items: {gone[0]!r} is gone")
    return replace(study, items=items)


def _stamp_of(study: Study) -> Stamp | None:
    try:
        status = (study.folder / study.definition.items.file).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
