"""Checks before fitting that all estimates are identified and finite.

Differences of log-worths have finite estimates if and only if comparisons connect all items and no group of items wins
all its comparisons with the others (Ford 1957). A tie counts for both sides. With effects other than items, the same
condition is checked by a linear program (Konis 2007).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.errors import NothingCounted, NoTies, OnlyTies, Separated, TooFewItems
from steelyard.judgments.counts import FIRST, SECOND, TIE, PairCounts
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.settings import Settings
from steelyard.models.linking import Preferences

MODEL = "bradley_terry"
LINK = (
    "Add comparisons between the groups. To fit each group separately, use --set unconnected=apart (in Python "
    "unconnected='apart'). --penalty pseudo (or --penalty ridge --prior-sd 1; in Python penalty='pseudo' or "
    "penalty='ridge') gives one scale, but differences between groups then come from the penalty, not from the data."
)
LINK_RANDOM = (
    "Add comparisons between the groups, or leave out the random effects of raters and use --penalty pseudo."
)
FINITE_ITEMS = (
    "Add comparisons, remove all rows with the items named here, or keep the estimates finite with --penalty firth "
    "(which also reduces their bias) or --penalty pseudo (which adds half a win and half a loss to each item). In "
    "Python: penalty='firth' or penalty='pseudo'."
)
FINITE_EFFECTS = (
    "Add comparisons, leave out these effects, or use --penalty firth (in Python penalty='firth')."
)
FINITE_RANDOM = (
    "Add comparisons, remove all rows with these items, leave out these effects, or leave out the random effects of "
    "raters and use --penalty firth (in Python penalty='firth')."
)
ALIASED = 1e-9  # a column is aliased if the earlier columns explain all but this share of its squared length
LARGEST_PROGRAM = 2_000_000  # constraints x parameters up to which the linear program is solved


def check_counts(table: PairCounts, settings: Settings) -> None:
    """Raise an error if there are too few items, no comparisons, only ties, or no ties for a tie parameter."""
    if len(table.items) < 2:
        raise TooFewItems(len(table.items))
    if not len(table):
        raise NothingCounted(MODEL)
    ties, decided = table.counts[TIE].sum(), table.counts[[FIRST, SECOND]].sum()
    bounded = settings.has_tie_effect and settings.penalty == "pseudo"  # pseudo-comparisons have no ties
    if not decided and not bounded and settings.ties not in ("half", "kept"):
        raise OnlyTies()
    if settings.has_tie_effect and not ties:
        raise NoTies(settings.ties)


def preferences_of(table: PairCounts, settings: Settings) -> Preferences:
    """Return the graph of preferences. A tie counts in both directions, unless ties are excluded."""
    even = table.counts[TIE] if settings.ties != "drop" else np.zeros(len(table))
    up, down = table.counts[FIRST] + even > 0, table.counts[SECOND] + even > 0
    upper = np.concatenate([table.left[up], table.right[down]])
    lower = np.concatenate([table.right[up], table.left[down]])
    return Preferences(len(table.items), upper, lower)


def all_mutual(table: PairCounts, settings: Settings) -> bool:
    """Whether pairs in which both items won, or that were tied, connect all items: no estimate is then infinite."""
    both = (table.counts[FIRST] > 0) & (table.counts[SECOND] > 0)
    rows = both if settings.ties == "drop" else both | (table.counts[TIE] > 0)
    mutual = Preferences(len(table.items), table.left[rows], table.right[rows])
    return int(mutual.linked().max(initial=0)) == 0


def infinite_without(table: PairCounts, settings: Settings) -> bool:
    """Whether these counts give an infinite item effect, or have no tie to estimate the tie parameter."""
    if settings.has_tie_effect and not table.counts[TIE].any():
        return True
    if not settings.item_effects or all_mutual(table, settings):
        return False
    return int(preferences_of(table, settings).mixed().max()) > 0


def connect(design: Design, settings: Settings) -> Design:
    """Return the design with reference and aliased columns fixed at 0; raise an error for infinite estimates."""
    mutual = all_mutual(design.table, settings)
    component = np.zeros(len(design.items), dtype=np.int64)
    if settings.item_effects and settings.penalty not in ("ridge", "pseudo") and not mutual:
        preferences = preferences_of(design.table, settings)
        if settings.unconnected == "refuse":
            preferences.check_linked(design.items, MODEL, LINK_RANDOM if settings.random_effects else LINK)
        component = preferences.linked()
    free, aliased = _without_aliases(design, ~_pinned(design, component, settings))
    rank = int(free.sum()) - (design.size > len(design.items))
    if settings.penalty == "ridge":  # the prior identifies what the counts do not
        held = penalised(design, settings)
        loose, aliased = _without_aliases(design, ~held)
        free = loose | held
    connected = replace(design, free=free, rank=rank, aliased=aliased, component=component)
    _check_separation(connected, settings, mutual)
    return connected


def penalised(design: Design, settings: Settings) -> Mask:
    """Return the parameters with a ridge penalty: item effects and their differences between raters."""
    held = np.zeros(len(design.names), dtype=bool)
    if settings.penalty == "ridge":
        for block in design.blocks:
            held[block.start : block.start + len(design.items)] = True
    return held


def _pinned(design: Design, component: Codes, settings: Settings) -> Mask:
    """Return the parameters fixed at 0: one item of each connected group in every block of item columns.

    It is the reference item in its own group, and the last item in any other group, as with R's pivoting.
    """
    pinned = np.zeros(len(design.names), dtype=bool)
    items = [str(item) for item in design.items]
    reference = items.index(settings.reference) if settings.reference in items else None
    for block in design.blocks:
        for group in np.unique(component):
            members = np.flatnonzero(component == group)
            held = reference if reference is not None and reference in members else int(members[-1])
            pinned[block.start + held] = True
    return pinned


def _without_aliases(design: Design, free: Mask) -> tuple[Mask, tuple[str, ...]]:
    """Fix columns that are linear combinations of earlier columns at 0, as R does; return also their names."""
    if not (design.others.shape[1] or design.ties.shape[1] > 1):
        return free, ()
    if int(free.sum()) > 2500:
        return free, ()
    gram = np.asarray((design.matrix.T @ design.matrix + design.tie_matrix.T @ design.tie_matrix).toarray())
    length = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    gram = gram / np.outer(length, length)
    at = np.flatnonzero(free)
    dependent = _dependent(gram[np.ix_(at, at)], length[at])
    kept = free.copy()
    kept[at[dependent]] = False
    return kept, tuple(design.names[each] for each in at[dependent])


def _dependent(gram: Matrix, length: Vector) -> Codes:
    """Return the indices of columns that depend on earlier columns, from a Cholesky factor without pivoting."""
    empty = length <= 1e-140
    try:
        factor = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        factor = np.zeros_like(gram)
    if not empty.any() and float(np.min(np.diag(factor), initial=1.0)) > np.sqrt(ALIASED):
        return np.empty(0, dtype=np.int64)
    left = gram.copy()
    dependent: list[int] = []
    for at in range(len(gram)):
        if empty[at] or left[at, at] <= ALIASED:
            dependent.append(at)
            continue
        row = left[at] / np.sqrt(left[at, at])
        left = left - np.outer(row, row)
    return np.array(dependent, dtype=np.int64)


def _check_separation(design: Design, settings: Settings, mutual: bool) -> None:
    """Raise `Separated` for infinite estimates: of items by the graph, of other effects by the linear program.

    Ridge and pseudo-comparisons bound items only. Firth's penalty bounds all effects.
    """
    if settings.penalty in ("firth", "firth_poisson"):
        return
    others = design.others.shape[1] or design.ties.shape[1] > 1
    if settings.penalty == "none" and settings.item_effects and not mutual and not others:
        remedy = FINITE_RANDOM if settings.random_effects else FINITE_ITEMS
        preferences_of(design.table, settings).check_mixed(design.items, remedy)
    if others and len(design.left) * len(design.names) <= LARGEST_PROGRAM:
        names = _separating(design, settings)
        if names:
            raise Separated.by_effects(names, remedy_for_effects(settings))


def remedy_for_effects(settings: Settings) -> str:
    """Return what to do about infinite effects. Only Firth's penalty bounds effects other than those of items."""
    return FINITE_RANDOM if settings.random_effects else FINITE_EFFECTS


def _separating(design: Design, settings: Settings) -> list[str]:
    """Return the parameters along which the likelihood never decreases: maximise sum a'd, a'd >= 0, |d| <= 1."""
    from scipy import sparse  # SciPy is slow to import
    from scipy.optimize import linprog  # SciPy is slow to import

    loose = design.free & ~penalised(design, settings)
    constraints = _constraints(design, settings)[:, loose]
    toward = np.asarray(constraints.sum(axis=0)).ravel()
    limits: Any = sparse.csr_array(-constraints)
    optimum = linprog(
        -toward, A_ub=limits, b_ub=np.zeros(limits.shape[0]), bounds=(-1.0, 1.0), method="highs"
    )
    if optimum.x is None or optimum.fun is None or -optimum.fun < 1e-6:
        return []
    names = np.array(design.names, dtype=object)[loose]
    return [str(name) for name in names[np.abs(optimum.x) > 1e-6]]


def _constraints(design: Design, settings: Settings) -> Any:
    """Return the constraints under which no observed outcome becomes less likely: constraints x parameters."""
    from scipy import sparse  # SciPy is slow to import

    x, z = design.matrix, design.tie_matrix
    seen = [np.flatnonzero(each > 0) for each in design.outcomes]
    if len(design.outcomes) == 2:
        return sparse.vstack([x[seen[0]], -x[seen[1]]], format="csr")
    first, even, second = seen
    if settings.ties == "rao_kupper":
        parts = [x[first] - z[first], -x[second] - z[second], z[even] - x[even], z[even] + x[even]]
    else:
        half = 0.5 * x
        parts = [half[first] - z[first], x[first], -half[second] - z[second], -x[second]]
        parts += [z[even] - half[even], z[even] + half[even]]
    return sparse.vstack(parts, format="csr")
