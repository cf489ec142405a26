"""Compilation of loops by numba. Without numba, the same functions run as plain Python, much more slowly."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])


def _has_numba() -> bool:
    try:
        return find_spec("numba") is not None
    except ValueError:  # a module that was blocked
        return False


IS_COMPILED = _has_numba()
NOT_COMPILED = (
    "numba is not installed, so the loops of models are not compiled: fits of 5,000 ratings take about 3 s instead of "
    "0.04 s, and larger ones longer in proportion. Install it with: pip install 'steelyard[fast]'"
)


class NotCompiled(UserWarning):
    """Models run without compiled loops. Python shows it once in a process; commands print it as a remark."""


if TYPE_CHECKING:
    from numba import njit as njit  # noqa: PLC0414 - kernels import it from here
else:

    def njit(**settings: Any) -> Any:
        """Return numba's decorator with these settings, or one that leaves functions as they are."""
        if IS_COMPILED:
            import numba  # slow to import

            return numba.njit(**settings)
        warnings.warn(NOT_COMPILED, NotCompiled, stacklevel=1)
        return _plain


def _plain(function: Function) -> Function:
    """Return a function with the floating-point rules of compiled code, which divides by zero without a warning."""
    if function.__name__.startswith("_"):  # called inside another
        return function
    quiet: Function = np.errstate(all="ignore")(function)
    return quiet
