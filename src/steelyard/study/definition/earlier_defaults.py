"""The default model of a study whose study.toml names no model.

The default of the selection has priority, because a selection may need the estimates of a certain model. Otherwise the
default of the kind of judgment is used, as in `steelyard fit`. A study that has started keeps the default with which it
started, so that its scale does not change. The `defined` event of the log stores this default. Logs without it use
the earlier default of their kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.kinds.known import KINDS
from steelyard.kinds.protocol import Protocol
from steelyard.models.known import default_model
from steelyard.selection.known import SELECTIONS

DEFAULT_MODEL = "default_model"  # key in the facts of a `defined` event

Facts = Mapping[str, Any]


def default_model_for(asks: Protocol, selection: str, begun: Facts | None = None) -> str:
    """Return the default model for a protocol and a selection.

    Parameters
    ----------
    asks
        Protocol of the study.
    selection
        Name of the selection.
    begun
        Facts of the newest `defined` event of the log, or None if the study has not started.

    Returns
    -------
    str
        Name of a model.

    Examples
    --------
    >>> from steelyard.kinds.known import PROTOCOLS
    >>> default_model_for(PROTOCOLS["comparison"], "balanced")
    'bradley_terry'
    >>> default_model_for(PROTOCOLS["comparison"], "match_quality")
    'trueskill'
    """
    own = SELECTIONS[selection].traits.default_models if selection in SELECTIONS else {}
    return next((own[kind] for kind in asks.kinds if kind in own), kind_default(asks, begun))


def kind_default(asks: Protocol, begun: Facts | None = None) -> str:
    """Return the default model of the kind of judgment; see `default_model_for` for `begun`."""
    now = default_model((asks.kind,))
    if begun is None:
        return now
    return str(begun.get(DEFAULT_MODEL, KINDS[asks.kind].earlier_default_model or now))
