"""Threads of the linear algebra library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

ALONE = 1_000  # largest number of rows for which a second thread costs more than it gains


@contextmanager
def threads_for(rows: int) -> Iterator[None]:
    """Factor matrices of this size with a suitable number of threads.

    For small matrices, threads mostly wait for each other, for hundreds of times the duration of the computation if
    other programs use the same processors. They are factored by one thread.
    """
    if rows > ALONE:
        yield
        return
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    """Return the controller of the libraries that NumPy and SciPy use."""
    import scipy.linalg  # noqa: F401  # loads the library of SciPy
    from threadpoolctl import (
        ThreadpoolController,
    )  # reads the list of loaded libraries, which takes milliseconds

    return ThreadpoolController()
