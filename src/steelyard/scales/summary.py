"""The plain text of a fit: its summary and its remark on unlinked parts."""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.scales.scale import Scale

LISTED_PARTS, LISTED_ITEMS = 4, 3  # number of parts, and of items in each part, that a remark names


def summary_of(signature: str, remarks: Sequence[str], scale: Scale, most: int) -> str:
    """Return the signature, the remarks, a table of the highest items, and how standard errors were computed.

    Parameters
    ----------
    signature
        First line of the text.
    remarks
        Sentences below the signature, one per line.
    scale
        The scale to print.
    most
        Largest number of items in the table.

    Returns
    -------
    str
        Several lines of plain text.
    """
    ordered = scale.ordered()
    width = max([4, *(len(str(item)) for item in ordered.item[:most])])
    lines = [
        signature,
        *remarks,
        "",
        f"{'item':<{width}}  position  spread  95% interval      rank      count",
    ]
    for row in list(ordered.rows())[:most]:
        interval = f"{row['low']:7.3f} to {row['high']:7.3f}"
        ranks = f"{row['rank']} ({row['rank_low']}-{row['rank_high']})"
        numbers = f"{row['position']:8.3f} {row['spread']:7.3f}  {interval} {ranks:>11} {row['count']:>6}"
        lines.append(f"{row['item']:<{width}}  {numbers}")
    if len(ordered) > most:
        lines.append(f"... and {len(ordered) - most} more items")
    return "\n".join([*lines, scale.described])


def unlinked_in_words(parts: Sequence[Sequence[str]]) -> str:
    """Return a sentence about parts of the items that no judgment links.

    >>> unlinked_in_words([("a", "b"), ("c",)])[:62]
    'No judgment links these 2 parts of the items: a, b (2); c (1).'
    """
    shown = [f"{_leading(part)} ({len(part):,})" for part in parts[:LISTED_PARTS]]
    more = [f"and {len(parts) - LISTED_PARTS:,} more"] if len(parts) > LISTED_PARTS else []
    return (
        f"No judgment links these {len(parts):,} parts of the items: {'; '.join([*shown, *more])}. Compare "
        "positions and ranks only within a part. Rank intervals allow for any order of the parts."
    )


def _leading(part: Sequence[str]) -> str:
    return ", ".join(part[:LISTED_ITEMS]) + (", ..." if len(part) > LISTED_ITEMS else "")
