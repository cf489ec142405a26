"""The registry of selections."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from steelyard.errors import BadSetting, UnknownName
from steelyard.registry import AnyPart, Registry, check_shape
from steelyard.selection.all_pairs import AllPairs
from steelyard.selection.balanced import Balanced
from steelyard.selection.easl import EaslSelection
from steelyard.selection.information import Information
from steelyard.selection.match_quality import MatchQuality
from steelyard.selection.pair_information import PairInformation
from steelyard.selection.pool import Selection, Traits
from steelyard.selection.sequences import Sequences


def check_selection(selection: type[Any]) -> None:
    """Raise BadSetting with the parts that a class lacks to be a selection."""
    check_shape("selection", selection, ("name", "traits"), ("choose", "round_size"))
    if not is_dataclass(selection):
        raise BadSetting(
            f"selection {selection.__qualname__}",
            "is not a dataclass. Decorate the class with @dataclass.",
        )


SELECTIONS: Registry[type[Any]] = Registry(
    "selection",
    "steelyard.selections",
    (AllPairs, Balanced, EaslSelection, Information, MatchQuality, PairInformation, Sequences),
    check_selection,
)


# Selections that help texts and tables offer, in words. pair_information is what information does for comparisons.
OFFERED_WORDS = {
    "all_pairs": "every pair of the items of a group: a segment or, for items without segments, as many items as "
    "group_size in study.toml states (10 by default)",
    "balanced": "items with the fewest answers first",
    "easl": "the rule of EASL (Sakaguchi and Van Durme 2018), for the models easl, trueskill and beta_ranking",
    "information": "items about which one more answer reduces the uncertainty most",
    "match_quality": "items that are close on the scale, for trueskill and beta_ranking",
    "sequences": "each rater works through one fixed sequence of items",
}
OFFERED = tuple(OFFERED_WORDS)


def register_selection(selection: AnyPart) -> AnyPart:
    """Register a selection, so that a study can use it by name; usable as a class decorator.

    An installed package can declare its selection in the entry point group `steelyard.selections` instead.

    Parameters
    ----------
    selection
        Dataclass with the class attributes `name` and `traits` and the methods `choose` and `round_size`. Its fields
        are its settings. See `steelyard.selection.pool.Selection` and docs/how-to/extending.md.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    BadSetting
        If a part is missing, or the name is already used.

    Examples
    --------
    >>> from steelyard import register_selection
    >>> from steelyard.selection.balanced import Balanced
    >>> register_selection(Balanced).name  # already registered, so this changes nothing
    'balanced'
    """
    SELECTIONS.register(selection)
    return selection


def find_selection(name: str, where: str = "") -> type[Any]:
    """Return the selection class of this name; the error for an unknown name suggests the most similar one.

    `where` is the name of the setting in this error.
    """
    if name not in SELECTIONS:
        raise UnknownName(
            "selection", name, tuple(each for each in SELECTIONS if each != PairInformation.name), where
        )
    return SELECTIONS[name]


def traits_of(name: str) -> Traits:
    """Return the traits of the selection of this name.

    >>> traits_of("information").audit_share
    0.1
    """
    traits: Traits = find_selection(name).traits
    return traits


def takes_list_size(size: int | None, selection: str) -> bool:
    """Return whether `list_size` sets the number of items on a page of a protocol.

    `size` is the fixed number of items on its pages, if it has one, and `selection` is its default selection.
    """
    return size is None and not traits_of(selection).asks_every_pair


def selections_with(trait: str) -> tuple[str, ...]:
    """Return the names of the selections that have this trait.

    >>> selections_with("takes_probes")
    ('sequences',)
    """
    return tuple(name for name, selection in SELECTIONS.items() if getattr(selection.traits, trait))


# Settings of selections that have their own key in study.toml; all others are selection_settings.
STUDY_KEYS = {
    "size": "list_size",
    "least": "protocol",
    "linking": "protocol",
    "aim": "aim",
    "top_k": "top_k",
    "length": "sequence_length",
    "probe_every": "every in [probes]",
    "group_size": "group_size",
    "redundancy": "redundancy",
    "seed": "seed",
    "first": "protocol",
}


def own_settings(name: str) -> tuple[str, ...]:
    """Return the settings of a selection that `selection_settings` in study.toml accepts.

    >>> own_settings("easl"), own_settings("balanced")
    (('gamma',), ())
    """
    return tuple(field.name for field in fields(SELECTIONS[name]) if field.name not in STUDY_KEYS)


def check_settings(name: str, settings: Mapping[str, Any]) -> None:
    """Raise an error for a setting that is unknown, that another key sets, or that is not a number above 0."""
    for setting, value in settings.items():
        if setting in STUDY_KEYS:
            key = STUDY_KEYS[setting]
            raise BadSetting(f"selection_settings, {setting}", f"use the key {key} of study.toml instead.")
        if setting not in own_settings(name):
            raise UnknownName("setting", setting, own_settings(name), f"selection {name}")
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0.0 < value < math.inf:
            raise BadSetting(f"selection_settings, {setting}", f"{value!r} is not a number above 0.")


def selection_named(name: str, **settings: Any) -> Selection:
    """Return the selection of this name with the settings that it has.

    >>> selection_named("balanced", size=5).name
    'balanced'
    """
    selection = find_selection(name)
    own = {field.name for field in fields(selection)}
    made: Selection = selection(**{key: value for key, value in settings.items() if key in own})
    return made
