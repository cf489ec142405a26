"""The collection of a study with arms: the numbers of all arms together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from steelyard.report.parts.collection import Collection


def joined_collections(conditions: Sequence[str], collections: Sequence[Collection]) -> Collection:
    """Return how the judgments of all arms of a study were collected.

    Parameters
    ----------
    conditions
        Names of the arms.
    collections
        Collection of each arm.

    Returns
    -------
    Collection
        Numbers of all arms together; what differs between arms is listed with their names.
    """

    def listed(texts: Sequence[str]) -> str:
        if len(set(texts)) == 1:
            return texts[0]
        return "; ".join(f"{name}: {text}" for name, text in zip(conditions, texts, strict=True))

    first, sources = collections[0], Counter[str]()
    for each in collections:
        sources.update(dict(each.sources))
    starts = [each.first_at for each in collections if each.first_at is not None]
    ends = [each.last_at for each in collections if each.last_at is not None]
    hours = [each.hours for each in collections if each.hours is not None]
    described = f"The methods paragraph describes the condition “{conditions[0]}”."
    return replace(
        first,
        task=listed([each.task for each in collections]),
        kinds=tuple(dict.fromkeys(kind for each in collections for kind in each.kinds)),
        raters=sum(each.raters for each in collections),
        sources=tuple(sources.most_common()),
        judgments=sum(each.judgments for each in collections),
        cannot_judge=sum(each.cannot_judge for each in collections),
        probes=sum(each.probes for each in collections),
        first_at=min(starts, default=None),
        last_at=max(ends, default=None),
        median_milliseconds=None,
        hours=sum(hours) if hours else None,
        scale=listed([each.scale for each in collections]),
        selection=listed([each.selection for each in collections]),
        exclusions=tuple(exclusion for each in collections for exclusion in each.exclusions),
        remarks=(*dict.fromkeys(remark for each in collections for remark in each.remarks), described),
    )
