"""The report of a reproduced paper as one self-contained page, as a table of claims, and as lines of text."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from steelyard.report.charts import COLOURS, Theme
from steelyard.report.page import DRAWING, FIGURE, environment
from steelyard.report.reproduction.drawings import panels_of
from steelyard.simulation.reproduction.claims import VERDICTS, Claim
from steelyard.simulation.reproduction.figures import Figure, Grid
from steelyard.simulation.reproduction.reproduction import Reproduction
from steelyard.version import VERSION


def render_reproduction(reproduction: Reproduction) -> str:
    """Return the report as one HTML page."""
    return (
        environment()
        .get_template("reproduction.html")
        .render(
            reproduction=reproduction,
            verdicts=VERDICTS,
            is_table=lambda figure: isinstance(figure, Grid),
            drawings=drawings,
            version=VERSION,
        )
    )


def drawings(figure: Figure) -> list[tuple[str, Markup]]:
    """Return the panels of a figure: title, and drawings for every theme."""
    return [(title, _panel(title or figure.title, draw)) for title, draw in panels_of(figure)]


def _panel(alternative: str, draw: Callable[[Theme], str]) -> Markup:
    # Safe as Markup: vl-convert escapes the labels.
    drawn = [DRAWING.format(theme, Markup(draw(theme))) for theme in COLOURS]
    return FIGURE.format(alternative, Markup("").join(drawn))


def claim_columns(reproduction: Reproduction) -> dict[str, list[str]]:
    """Return the claims as columns of text, with the section of each."""
    rows = [(section.title, claim) for section in reproduction.sections for claim in section.claims]
    columns: dict[str, Callable[[Claim], str]] = {
        "where": lambda claim: claim.where,
        "claim": lambda claim: claim.statement,
        "paper": lambda claim: claim.paper,
        "ours": lambda claim: claim.ours,
        "verdict": lambda claim: VERDICTS[claim.verdict],
        "why": lambda claim: claim.reason,
    }
    return {
        "section": [title for title, _ in rows],
        **{name: [cell(claim) for _, claim in rows] for name, cell in columns.items()},
    }


def summary_line(reproduction: Reproduction) -> str:
    """Return the number of lines by verdict, as text."""
    counts = [f"{number} {VERDICTS[verdict]}" for verdict, number in reproduction.counts.items()]
    return f"{len(reproduction.claims)} lines: {'; '.join(counts)}."
