"""Study 1 of Chen, Weld & Zhang (2021): labels or examples along the scale. Table 1 and Figure 5."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.quality.conditions import (
    ScaleUse,
    compare_disagreement,
    disagreement_along_scale,
    scale_use,
)
from steelyard.quality.paired import PairedTest
from steelyard.quality.trends import AlongScale
from steelyard.simulation.reproduction.claims import Check, Claim
from steelyard.simulation.reproduction.figures import Clouds, Grid, Series
from steelyard.simulation.reproduction.goldilocks_arms import ArmsDesign, Views, collect
from steelyard.simulation.reproduction.reproduction import Request, Section
from steelyard.simulation.reproduction.sampled import shown_range, within_range

SEMANTIC, EXAMPLE = "semantic", "example"
ARMS: Mapping[str, Mapping[str, Any]] = {
    SEMANTIC: {"scale": {"labels": [str(level) for level in range(1, 8)]}},
    EXAMPLE: {"anchors": {"file": "anchors.csv", "show": ["examples"]}},
}
LENGTH = 10
FITTING_STEPS, FITTING_WORLDS = 12, 40
CLIPPED = "answers that are clipped at the ends of the scale."


@dataclass(frozen=True, slots=True)
class Consistency:
    """A domain of Table 1.

    Attributes
    ----------
    name
        Name of the domain.
    items
        Number of items.
    disagreement
        Mean standard error of an item over ten raters, in the arms semantic and example.
    p
        Bound of the p value of the difference.
    use
        Lowest and highest value that a rater uses, in both arms.
    """

    name: str
    items: int
    disagreement: tuple[float, float]
    p: float
    use: tuple[tuple[float, float], tuple[float, float]]


DOMAINS = (
    Consistency("toxicity", 100, (0.07348, 0.06379), 0.001, ((0.103, 0.876), (0.104, 0.899))),
    Consistency("satiety", 80, (0.06373, 0.05548), 0.005, ((0.230, 0.833), (0.166, 0.801))),
    Consistency("age", 100, (0.02765, 0.04443), 0.001, ((0.054, 0.751), (0.072, 0.665))),
)


@dataclass(frozen=True, eq=False)
class Compared:
    """One simulated study: the test of the two arms, the use of the scale, and disagreement along the scale."""

    test: PairedTest
    use: dict[str, ScaleUse]
    along: dict[str, AlongScale]


def anchors_steps(studies: int) -> int:
    """Return the number of steps of this part."""
    return studies * len(DOMAINS)


def anchors_section(studies: int, request: Request) -> Section:
    """Return study 1 with simulated raters in two arms."""
    claims: list[Claim] = []
    clouds, rows = {}, []
    for at, domain in enumerate(DOMAINS):
        found = simulate_domain(domain, studies, request, at)
        claims += _claims(domain, found)
        clouds[domain.name] = tuple(_series(arm, found[0].along[arm]) for arm in (SEMANTIC, EXAMPLE))
        rows += _use_rows(domain, found)
    claims.append(_younger())
    figures = (
        Clouds(
            "Figure 5: disagreement along the scale",
            "Standard error of each item over ten raters, by its mean position. One simulated study per domain. "
            "Lines are quadratic trends.",
            clouds,
            "mean position",
            "standard error",
        ),
        Grid(
            "Table 1: use of the scale",
            "Mean over raters of their lowest and highest value.",
            ("domain and condition", "paper: low, high", "simulated: low, high"),
            tuple(rows),
        ),
    )
    text = (
        f"A study with two arms, {studies} times per domain: raters see numbered labels (semantic) or seven items "
        "as examples (example). Raters are assigned to an arm when they join, and each answers one sequence of "
        "ten items. Each sequence has ten raters per arm. The examples are items of the study; those of the paper "
        "were other items.",
        "Simulated raters do not see the examples. The disagreement of each arm is put into their answers.",
    )
    return Section("Study 1: labels or examples (section 4.5)", text, tuple(claims), figures)


@dataclass(frozen=True, eq=False)
class _Disagreeing:
    """Raters whose standard deviation depends on their arm."""

    views: Views
    sd: Mapping[str, float]

    def place(self, rater: int, condition: str, item: int, times: int) -> float:
        """Return where a rater places an item."""
        return float(self.views.truth[item] + self.sd[condition] * self.views.deviation(rater, item))


def simulate_domain(domain: Consistency, studies: int, request: Request, stream: int) -> list[Compared]:
    """Return simulated studies of one domain, with the disagreement of the paper in each arm.

    Parameters
    ----------
    domain
        Domain of the paper.
    studies
        Number of simulated studies.
    request
        Seed, log and progress.
    stream
        Number that distinguishes the random numbers of the domains.

    Returns
    -------
    list
        One entry per simulated study.
    """
    if request.make_log is None:
        raise TypeError("A simulated study needs a log.")
    rng = request.rng(10 + stream)
    sd = {arm: fitted_sd(error, rng) for arm, error in zip(ARMS, domain.disagreement, strict=True)}
    design = ArmsDesign(domain.items, LENGTH, ARMS)
    found = []
    for number in range(studies):
        views = Views.draw(domain.items, design.raters, rng)
        judgments = collect(design, _Disagreeing(views, sd), request.seed + number, request.make_log)
        uses = {use.condition: use for use in scale_use(judgments)}
        found.append(
            Compared(
                compare_disagreement(judgments, SEMANTIC, EXAMPLE), uses, disagreement_along_scale(judgments)
            )
        )
        request.step()
    return found


def fitted_sd(error: float, rng: np.random.Generator, raters: int = 10) -> float:
    """Return the standard deviation between raters at which the mean standard error of an item is `error`.

    Answers are clipped at the ends of the scale, so this is found by bisection.

    Parameters
    ----------
    error
        Mean standard error of an item.
    rng
        Source of randomness.
    raters
        Number of raters per item.

    Returns
    -------
    float
        Standard deviation as a share of the scale.
    """
    views = [Views.draw(LENGTH, raters, rng) for _ in range(FITTING_WORLDS)]
    drawn = [
        np.array([[view.deviation(rater, item) for item in range(LENGTH)] for rater in range(raters)])
        for view in views
    ]
    low, high = 0.0, 1.0
    for _ in range(FITTING_STEPS):
        middle = (low + high) / 2.0
        errors = [_mean_error(view.truth + middle * each) for view, each in zip(views, drawn, strict=True)]
        low, high = (middle, high) if np.mean(errors) < error else (low, middle)
    return (low + high) / 2.0


def _mean_error(positions: Vector) -> float:
    answers = np.clip(positions, 0.0, 1.0)
    return float(np.mean(answers.std(axis=0, ddof=1)) / np.sqrt(len(answers)))


def _claims(domain: Consistency, found: list[Compared]) -> list[Claim]:
    first = np.array([each.test.first for each in found])
    second = np.array([each.test.second for each in found])
    planted = "the disagreement that the paper reports for each arm."
    numbers = [
        Claim(
            "Table 1",
            f"{domain.name}, {arm}: mean standard error of an item over 10 raters.",
            f"{published:.5f}",
            shown_range(values, 5),
            (within_range(published, values),),
            planted,
        )
        for arm, published, values in zip(ARMS, domain.disagreement, (first, second), strict=True)
    ]
    return [*numbers, _difference(domain, found, planted), _use(domain, found), _trend(domain, found)]


def _difference(domain: Consistency, found: list[Compared], planted: str) -> Claim:
    gap = np.array([each.test.difference for each in found])
    p = np.array([each.test.p for each in found])
    sign = np.sign(domain.disagreement[0] - domain.disagreement[1])
    words = "less" if sign > 0 else "more"
    return Claim(
        "Table 1, H1-a",
        f"{domain.name}: {words} disagreement with examples than with labels, paired t-test over items.",
        f"p < {domain.p:g}",
        f"median p {np.median(p):.1e}; p below {domain.p:g} in {np.mean(p < domain.p):.0%} of the simulated studies",
        (Check(float(np.median(sign * gap)), low=0.0), Check(float(np.median(p)), high=domain.p)),
        planted,
        because="The difference is small compared with the variation between items, so that about half of the "
        "simulated studies or more do not reach this p value.",
        note="The test treats items as independent, although all items of a sequence share ten raters.",
    )


def _use(domain: Consistency, found: list[Compared]) -> Claim:
    widths = {arm: np.array([each.use[arm].width for each in found]) for arm in ARMS}
    published = [high - low for low, high in domain.use]
    return Claim(
        "Table 1",
        f"{domain.name}: share of the scale that a rater uses, semantic and example.",
        " and ".join(f"{each:.3f}" for each in published),
        " and ".join(f"{np.median(widths[arm]):.3f}" for arm in ARMS),
        note="It depends on the items and on how people use the scale; simulated items are uniform from 0.1 to 0.9.",
    )


def _trend(domain: Consistency, found: list[Compared]) -> Claim:
    bend = np.array([each.along[SEMANTIC].trend.quadratic for each in found])
    return Claim(
        "Figure 5",
        f"{domain.name}, semantic: less disagreement at the ends of the scale than in the middle.",
        "maximum in the middle",
        f"quadratic coefficient {shown_range(bend)}",
        (Check(float(np.median(bend)), high=0.0),),
        CLIPPED,
        because="Disagreement is small compared with the distance of the items from the ends of the scale, so few "
        "answers are clipped.",
    )


def _younger() -> Claim:
    return Claim(
        "Figure 5 (c)",
        "age: much more uncertainty about younger people with examples.",
        "higher for young",
        "not simulated",
        note="Nothing in the method leads to this; it is a property of people and portraits.",
    )


def _series(name: str, along: AlongScale) -> Series:
    return Series(name, tuple(zip(along.position.tolist(), along.size.tolist(), strict=True)))


def _use_rows(domain: Consistency, found: list[Compared]) -> list[tuple[str, str, str]]:
    rows = []
    for arm, (low, high) in zip(ARMS, domain.use, strict=True):
        ends = [float(np.median([getattr(each.use[arm], end) for each in found])) for end in ("low", "high")]
        rows.append((f"{domain.name}, {arm}", f"{low:.3f}, {high:.3f}", f"{ends[0]:.3f}, {ends[1]:.3f}"))
    return rows
