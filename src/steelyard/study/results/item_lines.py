"""All items of a scale with their uncertainty and the number of answers, for the owner's table of items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from steelyard.scales.distributions import sources_of
from steelyard.scales.fit import Fit

Order = Literal["rank", "answers", "interval", "ambiguity", "disagreement"]
ORDERS: dict[Order, str] = {
    "rank": "Highest position",
    "answers": "Fewest answers",
    "interval": "Widest interval",
    "ambiguity": "Most ambiguous",
    "disagreement": "Most disputed",
}


@dataclass(frozen=True, slots=True)
class ItemLine:
    """One item or system of a scale.

    Attributes
    ----------
    item, label
        Id and label.
    position, low, high
        Position with its 95% interval.
    rank, rank_low, rank_high
        Rank with its 95% interval.
    answers
        Number of judgments.
    ambiguity, disagreement
        Estimates of the model; None if it has none.
    """

    item: str
    label: str
    position: float
    low: float
    high: float
    rank: int
    rank_low: int
    rank_high: int
    answers: float
    ambiguity: float | None = None
    disagreement: float | None = None

    @property
    def ranks(self) -> str:
        """Rank with its 95% interval, as text."""
        return f"{self.rank} ({self.rank_low}–{self.rank_high})"


def item_lines(fit: Fit, labels: Mapping[str, str], order: Order = "rank") -> tuple[ItemLine, ...]:
    """Return all items of a scale.

    Parameters
    ----------
    fit
        Fit of the scale.
    labels
        Label of each item id; ids without a label are shown themselves.
    order
        What comes first; items that are equal in it are in the order of their rank.

    Returns
    -------
    tuple of ItemLine
        One line per item.
    """
    scale = fit.scale.ordered()
    sources = sources_of(fit, scale.item)
    names = ("position", "low", "high", "rank", "rank_low", "rank_high", "count")
    columns = [getattr(scale, name).tolist() for name in names]
    extra = [sources.get(name, [None] * len(scale)) for name in ("ambiguity", "disagreement")]
    cells = zip(map(str, scale.item), *columns, *extra, strict=True)
    lines = [ItemLine(item, labels.get(item, item), *values) for item, *values in cells]
    return tuple(sorted(lines, key=KEYS[order]))


def orders_of(lines: tuple[ItemLine, ...]) -> tuple[Order, ...]:
    """Return the orders that apply to a scale: only some models estimate ambiguity and disagreement."""
    return tuple(
        order
        for order in ORDERS
        if order not in ("ambiguity", "disagreement")
        or any(getattr(line, order) is not None for line in lines)
    )


def _largest(value: float | None) -> float:
    return float("inf") if value is None else -value


KEYS: dict[Order, Callable[[ItemLine], float]] = {
    "rank": lambda line: line.rank,
    "answers": lambda line: line.answers,
    "interval": lambda line: line.low - line.high,
    "ambiguity": lambda line: _largest(line.ambiguity),
    "disagreement": lambda line: _largest(line.disagreement),
}
