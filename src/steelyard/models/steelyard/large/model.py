"""Fit of the model to ratings in files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from steelyard.judgments.logs import StreamedRatings
from steelyard.maths.arrays import Labels, Vector
from steelyard.models.steelyard.features import features_of
from steelyard.models.steelyard.large.filling import filled
from steelyard.models.steelyard.large.inference import average_of
from steelyard.models.steelyard.large.linking import linked_items, sentence_of_parts
from steelyard.models.steelyard.large.posterior import LargePosterior, posterior_of
from steelyard.models.steelyard.large.store import Store

NOTE = (
    "The ratings were fitted in blocks from temporary files. Systems, segments and features are not used, and errors "
    "of different items are independent in draws."
)


@dataclass(frozen=True, eq=False)
class BlockFit:
    """Posterior, labels, number of answers of each item, and notes."""

    posterior: LargePosterior
    items: Labels
    raters: Labels
    count: Vector
    notes: tuple[str, ...]


def fit_blocks(log: StreamedRatings, folder: Path) -> BlockFit:
    """Fit the model to a log of ratings, in blocks of raters.

    Parameters
    ----------
    log
        Log of ratings.
    folder
        Folder for temporary files: about 60 bytes per rating.

    Returns
    -------
    BlockFit
        Posterior with labels.
    """
    labels = log.rating_labels()
    files = filled(log, labels, Store(folder))
    features = features_of({}, labels.items)
    fitted = average_of(files, features)
    posterior = posterior_of(files, features, fitted, log.score_range)
    unlinked = sentence_of_parts(linked_items(files.blocks), labels.items)
    notes = (NOTE, unlinked) if unlinked else (NOTE,)
    return BlockFit(posterior, labels.items, labels.raters, files.count, notes)
