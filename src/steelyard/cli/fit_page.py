"""`steelyard fit --page`: the leaderboard as an HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from steelyard.cli.fit_groups import GroupFit
from steelyard.cli.output import progress, write_text


def write_page(fits: Sequence[GroupFit], path: Path, notes: Sequence[str]) -> None:
    """Write a leaderboard of every group to one page.

    Parameters
    ----------
    fits
        The fit of each group.
    path
        HTML file.
    notes
        Sentences about all judgments.
    """
    from steelyard.report.leaderboard import board_of, render_leaderboard  # templates are slow to import

    with progress("Writing the page"):
        boards = [board_of(each.fit, each.group.label) for each in fits]
        page = render_leaderboard(boards, path.stem, notes)
    write_text(page, path)
