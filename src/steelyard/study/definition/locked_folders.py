"""A lock on a folder, so that two processes do not change its files at the same time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

_IN_PROCESS = Lock()  # the lock of a file does not keep out other threads on every system


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, waiting for other threads and processes that hold it; it ends with its process.

    On Windows, only threads of this process wait for each other.
    """
    with _IN_PROCESS:
        if sys.platform == "win32":
            yield
            return
        import fcntl  # not on Windows

        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
