"""Raters and segments as samples: remarks about samples that are small, absent or not included in standard errors."""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.maths.sandwich import FEW, counted_clusters


def sampled(target: str, raters: str) -> list[str]:
    """Return what a scale of systems generalises over.

    >>> sampled("new", "these")
    ['segment']
    """
    return [name for name, sample in (("rater", raters), ("segment", target)) if sample == "new"]


def absent(name: str, count: int) -> str:
    """Return the remark that judgments name none or one of the raters or segments.

    >>> absent("rater", 1)
    'The judgments name 1 rater, so standard errors do not include the variation between raters.'
    """
    clusters = counted_clusters(count, name) if count else f"no {name}s"
    return f"The judgments name {clusters}, so standard errors do not include the variation between {name}s."


def left_out(cluster: str, target: str, raters: str) -> list[str]:
    """Return a remark for each variation that the target includes and that the setting `cluster` leaves out.

    Parameters
    ----------
    cluster
        `"rater"`, `"segment"`, `"both"` or `"none"`.
    target
        Segments that the scale describes: `"new"` or `"these"`.
    raters
        Raters that the scale describes: `"new"` or `"these"`.

    Returns
    -------
    list of str
        Sentences for readers, empty if nothing is left out.
    """
    return [
        f"With cluster={cluster}, standard errors do not include the variation between {name}s, so intervals do not "
        f"apply to new {name}s."
        for name in sampled(target, raters)
        if cluster not in (name, "both")
    ]


def small_samples(counts: Mapping[str, int], target: str, raters: str) -> list[str]:
    """Return remarks about few raters or segments, for standard errors of a model.

    Parameters
    ----------
    counts
        Number of raters and of segments, by `"rater"` and `"segment"`.
    target
        Segments that the scale describes: `"new"` or `"these"`.
    raters
        Raters that the scale describes: `"new"` or `"these"`.

    Returns
    -------
    list of str
        Sentences for readers, empty if there are enough of each.
    """
    wanted = {name: counts[name] for name in sampled(target, raters) if name in counts}
    remarks = [absent(name, count) for name, count in wanted.items() if count < 2]
    few = [counted_clusters(count, name) for name, count in wanted.items() if 2 <= count < FEW]
    if few:
        remarks.append(
            f"There are only {' and '.join(few)}. Variances estimated from so few are uncertain, and so are the "
            "standard errors. Collect more of them before you generalise beyond these."
        )
    return remarks
