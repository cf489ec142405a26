"""The model of a study that names none.

The selection's own default comes first, since a selection may need a certain belief; then that of the kind of judgment,
which `steelyard fit` takes too. A study that has begun keeps the default of its kind that it began with, so that its
scale stays what it was: the `defined` event of its log states it, and logs without that fact were begun with the
earlier default of the kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.kinds.known import KINDS
from steelyard.kinds.protocol import Protocol
from steelyard.models.known import default_model
from steelyard.selection.known import SELECTIONS

DEFAULT_MODEL = "default_model"  # the fact of a `defined` event

Facts = Mapping[str, Any]


def default_model_for(asks: Protocol, selection: str, begun: Facts | None = None) -> str:
    """The model of a study that asks in this way, chooses by this selection and names no model.

    `begun` has the facts of the newest `defined` event of the study's log; None before the study has begun.

    >>> from steelyard.kinds.known import PROTOCOLS
    >>> default_model_for(PROTOCOLS["comparison"], "balanced")
    'bradley_terry'
    >>> default_model_for(PROTOCOLS["comparison"], "match_quality")
    'trueskill'
    """
    own = SELECTIONS[selection].traits.default_models if selection in SELECTIONS else {}
    return next((own[kind] for kind in asks.kinds if kind in own), kind_default(asks, begun))


def kind_default(asks: Protocol, begun: Facts | None = None) -> str:
    """The default model of the protocol's kind of judgment, in a study with this log."""
    now = default_model((asks.kind,))
    if begun is None:
        return now
    return str(begun.get(DEFAULT_MODEL, KINDS[asks.kind].earlier_default_model or now))
