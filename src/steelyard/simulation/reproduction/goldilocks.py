"""Chen, Weld & Zhang (2021), Goldilocks: studies 1 to 3 with simulated raters."""

from __future__ import annotations

from steelyard.simulation.reproduction.goldilocks_anchors import anchors_section, anchors_steps
from steelyard.simulation.reproduction.goldilocks_probes import probes_section, probes_steps
from steelyard.simulation.reproduction.goldilocks_ranges import ranges_section, ranges_steps
from steelyard.simulation.reproduction.reproduction import Reproduction, Request

CITATION = (
    "Chen, Q., Weld, D. S., & Zhang, A. X. (2021). Goldilocks: Consistent crowdsourced scalar annotations with "
    "relative uncertainty. CSCW 2021."
)
STUDIES = (12, 100)  # simulated studies, by default and with --full
LEAD = (
    "The raters are simulated: no person was asked. Effects that the paper reports are put into the simulated "
    "answers, and the analysis of the paper is applied to them. A recovered effect shows that the analysis works, "
    "and not that people have it.",
)


def goldilocks_steps(request: Request) -> int:
    """Return how often the reproduction reports progress."""
    studies = request.repeat(*STUDIES)
    return anchors_steps(studies) + probes_steps(studies) + ranges_steps()


def reproduce_goldilocks(request: Request) -> Reproduction:
    """Return the reproduction of Chen, Weld & Zhang (2021)."""
    studies = request.repeat(*STUDIES)
    sections = (
        anchors_section(studies, request),
        probes_section(studies, request),
        ranges_section(studies, request),
    )
    return Reproduction(
        "goldilocks", CITATION, LEAD, sections, f"Seed {request.seed}, {studies} simulated studies."
    )
