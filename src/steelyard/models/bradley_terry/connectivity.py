"""Can the parameters be estimated at all? Checked before fitting, and answered with names and remedies.

Items must be connected by comparisons, and no group of items may win all its comparisons with the rest: then
and only then do all differences of log-worths have finite estimates (Ford 1957; a tie counts for both sides).
With more effects than the items, the same question is a linear program (Konis 2007).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from steelyard.errors import NoTies, OnlyTies, Separated, TooFewItems, Unconnected
from steelyard.judgments.counts import FIRST, SECOND, TIE, PairCounts
from steelyard.maths.arrays import Codes, Mask, Matrix, Vector
from steelyard.models.bradley_terry.design import Design
from steelyard.models.bradley_terry.settings import Settings

ALIASED = (
    1e-9  # a column whose squared length beside the columns before it shrinks below this share is aliased
)
LARGEST_PROGRAM = 2_000_000  # constraints x parameters up to which separation by other effects is looked for


def check_counts(table: PairCounts, settings: Settings) -> None:
    """Refuse what no model of this kind can be fitted to."""
    if len(table.items) < 2:
        raise TooFewItems(len(table.items))
    ties, decided = table.counts[TIE].sum(), table.counts[[FIRST, SECOND]].sum()
    if not decided:
        raise OnlyTies()
    if settings.has_tie_effect and not ties:
        raise NoTies(settings.ties)


def components_of(table: PairCounts, directed: bool, ties: bool) -> tuple[int, Codes]:
    """How many groups of items hang together, and the group of each item.

    Directed: every item of a group can be reached from every other by "was preferred to"; ties go both ways.
    """
    from scipy import sparse  # late: SciPy slows `import steelyard`
    from scipy.sparse.csgraph import connected_components

    size = len(table.items)
    even = table.counts[TIE] if ties else np.zeros(len(table))
    up, down = table.counts[FIRST] + even > 0, table.counts[SECOND] + even > 0
    start = np.concatenate([table.left[up], table.right[down]])
    end = np.concatenate([table.right[up], table.left[down]])
    graph = sparse.coo_array((np.ones(len(start), dtype=np.int8), (start, end)), shape=(size, size)).tocsr()
    found, labels = connected_components(graph, directed=directed, connection="strong")
    return int(found), np.asarray(labels, dtype=np.int64)


def all_mutual(table: PairCounts, ties: bool) -> bool:
    """Do pairs in which both items won, or tied, connect all items? Then nothing can be infinite: a quick answer."""
    from scipy import sparse  # late: SciPy slows `import steelyard`
    from scipy.sparse.csgraph import connected_components

    size = len(table.items)
    both = (table.counts[FIRST] > 0) & (table.counts[SECOND] > 0)
    rows = np.flatnonzero(both | (table.counts[TIE] > 0) if ties else both)
    ends = (table.left[rows], table.right[rows])
    graph = sparse.coo_array((np.ones(len(rows), dtype=np.int8), ends), shape=(size, size)).tocsr()
    found, _ = connected_components(graph, directed=False)
    return int(found) == 1


def infinite_without(table: PairCounts, settings: Settings) -> bool:
    """Would these counts leave some item effect infinite, or no tie to estimate ties from?"""
    if settings.has_tie_effect and not table.counts[TIE].any():
        return True
    ties = settings.ties != "drop"
    if not settings.item_effects or all_mutual(table, ties):
        return False
    return components_of(table, directed=True, ties=ties)[0] > 1


def connect(design: Design, settings: Settings) -> Design:
    """The design with references and aliased columns held at 0; refuses data that leave estimates infinite."""
    table = design.table
    linked = settings.penalty in ("ridge", "pseudo")
    mutual = all_mutual(table, settings.ties != "drop")
    component = np.zeros(len(table.items), dtype=np.int64)
    if settings.item_effects and not linked and not mutual:
        groups, component = components_of(table, directed=False, ties=settings.ties != "drop")
        if groups > 1 and settings.unconnected == "refuse":
            raise Unconnected(_named(table, component, groups))
    pinned = _pinned(design, component, settings)
    free, aliased = _without_aliases(design, ~pinned)
    rank = int(free.sum()) - (design.size > len(table.items))
    if settings.penalty == "ridge":
        free = np.ones_like(free)
        free[[design.names.index(name) for name in aliased if not _in_block(design, name)]] = False
    found = replace(design, free=free, rank=rank, aliased=aliased, component=component)
    if settings.penalty == "none":
        _check_separation(found, settings, mutual)
    return found


def _in_block(design: Design, name: str) -> bool:
    at = design.names.index(name)
    return any(block.start <= at < block.start + len(design.items) for block in design.blocks)


def _named(table: PairCounts, component: Codes, groups: int) -> list[list[str]]:
    """The items of each group, the largest first."""
    found = [[str(item) for item in table.items[component == group]] for group in range(groups)]
    return sorted(found, key=len, reverse=True)


def _pinned(design: Design, component: Codes, settings: Settings) -> Mask:
    """One item of each connected group in every block of item columns.

    The reference pins its own group; any other group is pinned by its last item, as R's pivoting does.
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
    """Columns that are combinations of columns before them are held at 0, as R does; their names are kept."""
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
    """Indices of the columns that depend on columns before them, by an unpivoted Cholesky factor."""
    empty = length <= 1e-140
    try:
        factor = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        factor = np.zeros_like(gram)
    if not empty.any() and float(np.min(np.diag(factor), initial=1.0)) > np.sqrt(ALIASED):
        return np.empty(0, dtype=np.int64)
    left = gram.copy()
    found: list[int] = []
    for at in range(len(gram)):
        if empty[at] or left[at, at] <= ALIASED:
            found.append(at)
            continue
        row = left[at] / np.sqrt(left[at, at])
        left = left - np.outer(row, row)
    return np.array(found, dtype=np.int64)


def _check_separation(design: Design, settings: Settings, mutual: bool) -> None:
    others = design.others.shape[1] or design.ties.shape[1] > 1
    if settings.item_effects and not mutual and not others:
        table = design.table
        groups, strong = components_of(table, directed=True, ties=settings.ties != "drop")
        if groups > len(np.unique(design.component)):
            raise Separated(_apart(table, strong, groups))
    if others and len(design.left) * len(design.names) <= LARGEST_PROGRAM:
        names = _separating(design, settings)
        if names:
            raise Separated(names)


def _apart(table: PairCounts, strong: Codes, groups: int) -> list[str]:
    """The items outside the largest group whose members all won and lost among each other."""
    sizes = np.bincount(strong, minlength=groups)
    return [str(item) for item in table.items[strong != int(np.argmax(sizes))]]


def _separating(design: Design, settings: Settings) -> list[str]:
    """Parameters along which the likelihood never falls: maximise the sum of a'd with a'd >= 0, |d| <= 1."""
    from scipy import sparse  # late: SciPy slows `import steelyard`
    from scipy.optimize import linprog

    constraints = _constraints(design, settings)
    constraints = constraints[:, design.free]
    toward = np.asarray(constraints.sum(axis=0)).ravel()
    limits: Any = sparse.csr_array(-constraints)
    found = linprog(-toward, A_ub=limits, b_ub=np.zeros(limits.shape[0]), bounds=(-1.0, 1.0), method="highs")
    if found.x is None or found.fun is None or -found.fun < 1e-6:
        return []
    names = np.array(design.names, dtype=object)[design.free]
    return [str(name) for name in names[np.abs(found.x) > 1e-6]]


def _constraints(design: Design, settings: Settings) -> Any:
    """Directions that keep every observed outcome as likely as it is: one row each, times parameters."""
    from scipy import sparse  # late: SciPy slows `import steelyard`

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
