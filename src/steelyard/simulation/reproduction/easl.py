"""Sakaguchi & Van Durme (2018), Efficient Online Scalar Annotation with Bounded Support, with simulated raters."""

from __future__ import annotations

from steelyard.simulation.reproduction.easl_data import read_given
from steelyard.simulation.reproduction.easl_lexical import lexical_section, lexical_steps
from steelyard.simulation.reproduction.easl_model import model_section
from steelyard.simulation.reproduction.easl_political import political_section, political_steps
from steelyard.simulation.reproduction.easl_systems import systems_section, systems_steps
from steelyard.simulation.reproduction.reproduction import Reproduction, Request

CITATION = (
    "Sakaguchi, K., & Van Durme, B. (2018). Efficient online scalar annotation with bounded support. ACL "
)
"2018, 208-218."
EXPERIMENTS = (25, 100)  # simulated experiments, by default and with --full
REPLAYS = (30, 200)
LEAD = (
    "The raters of experiments 1 and 2 are simulated: no person was asked. A simulation shows what follows from the "
    "methods, and not whether people answer better in lists.",
    "A claim holds if the mean over simulated experiments meets the condition that is printed with it. Agreement "
    "of raters is put into the simulation, so these lines show only that the analysis finds it again.",
)


def easl_steps(request: Request) -> int:
    """Return how often the reproduction reports progress."""
    repetitions = request.repeat(*EXPERIMENTS)
    given = len(read_given(request.data).systems)
    return lexical_steps(repetitions) + political_steps(repetitions) + systems_steps(given)


def reproduce_easl(request: Request) -> Reproduction:
    """Return the reproduction of Sakaguchi & Van Durme (2018)."""
    repetitions, replays = request.repeat(*EXPERIMENTS), request.repeat(*REPLAYS)
    given = read_given(request.data)
    sections = (
        model_section(),
        lexical_section(repetitions, request),
        political_section(repetitions, given.gold, request),
        systems_section(replays, given.systems, request),
    )
    settings = f"Seed {request.seed}, {repetitions} simulated experiments, {replays} replays."
    return Reproduction("easl", CITATION, LEAD, sections, settings)
