"""Study 2 of Chen, Weld & Zhang (2021): own earlier answers as examples. Table 2 and Figure 6."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard.maths.arrays import Vector
from steelyard.quality.probes import (
    ProbeChange,
    ProbeComparison,
    ProbeSummary,
    compare_probes,
    probe_changes,
)
from steelyard.simulation.reproduction.claims import Check, Claim
from steelyard.simulation.reproduction.figures import Grid, Histograms
from steelyard.simulation.reproduction.goldilocks_arms import ArmsDesign, Views, collect
from steelyard.simulation.reproduction.reproduction import Request, Section
from steelyard.simulation.reproduction.sampled import shown_range, within_range

CONTROL, AUGMENT = "control", "augment"
ARMS: Mapping[str, Mapping[str, Any]] = {
    CONTROL: {"anchors": {"file": "anchors.csv", "show": ["examples"], "most": 3}},
    AUGMENT: {"anchors": {"file": "anchors.csv", "show": ["examples", "own"], "most": 3}},
}
LENGTH, EVERY = 18, 10  # 18 items and 2 repeats of the first one are 20 tasks
BETWEEN_SD = 0.2  # standard deviation between raters; it does not enter the changes
MEAN_ABSOLUTE = float(np.sqrt(2.0 / np.pi))  # mean of |N(0, 1)|
SIGNIFICANT = 0.05
BINS = (-np.inf, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, np.inf)
BIN_NAMES = ("< -4", "-4", "-2", "-1", "0", "1", "2", "> 4")
WHY_TAILS = (
    "Planted changes are normal with the means of Table 2. The changes of people had heavier tails: a few "
    "sessions changed much, and many hardly at all."
)


@dataclass(frozen=True, slots=True)
class Repeated:
    """A domain of Table 2: mean first and second change, and the same among the 30% with the largest first change.

    Attributes
    ----------
    name
        Name of the domain.
    sequences
        Number of sequences.
    control, augment
        The four numbers of each arm.
    improves
        Bound of the p value of the sign test in both arms; None if the paper found no improvement.
    medians
        Median ratios of the uncertain sessions, augment and control; None if not reported.
    """

    name: str
    sequences: int
    control: tuple[float, float, float, float]
    augment: tuple[float, float, float, float]
    improves: float | None = None
    medians: tuple[float, float] | None = None


DOMAINS = (
    Repeated(
        "toxicity", 5, (0.105, 0.062, 0.244, 0.077), (0.133, 0.090, 0.347, 0.095), 0.005, (0.190, 0.310)
    ),
    Repeated("satiety", 4, (0.140, 0.086, 0.308, 0.171), (0.126, 0.052, 0.286, 0.027), None, (0.076, 0.263)),
    Repeated("age", 5, (0.110, 0.063, 0.280, 0.133), (0.063, 0.066, 0.157, 0.067)),
)
NUMBERS = ("mean first change", "mean second change", "first change, top 30%", "second change, top 30%")


def probes_steps(studies: int) -> int:
    """Return the number of steps of this part."""
    return studies * len(DOMAINS)


def probes_section(studies: int, request: Request) -> Section:
    """Return study 2 with simulated raters in two arms."""
    claims: list[Claim] = []
    histograms, rows = {}, []
    for at, domain in enumerate(DOMAINS):
        changes = simulate_domain(domain, studies, request, at)
        compared = [compare_probes(each, CONTROL, AUGMENT) for each in changes]
        claims += _claims(domain, compared)
        for arm in ARMS:
            ratios = [change.log_ratio for each in changes for change in each if change.condition == arm]
            histograms[f"{domain.name}, {arm}"] = _shares(np.array(ratios))
        rows += _rows(domain, compared)
    figures = (
        Histograms(
            "Figure 6: log ratio of the second and first change",
            "Share of sessions over all simulated studies. Negative: the second change is smaller.",
            histograms,
            BIN_NAMES,
            "log ratio, from",
            "share",
        ),
        Grid(
            "Table 2 beside the simulated studies",
            "Means of the simulated studies with 95% prediction intervals of one study.",
            ("domain, condition and number", "paper", "simulated"),
            tuple(rows),
        ),
    )
    text = (
        f"A study with two arms, {studies} times per domain: raters see three examples (control), or also their "
        "own earlier answers (augment). A sequence has 20 tasks, of which the 10th and 20th repeat the first "
        "item. Ten raters per sequence and arm.",
        "Simulated raters do not see their earlier answers. The noise of their first and later answers is set so "
        "that the mean changes are those of Table 2.",
    )
    return Section("Study 2: own answers as examples (section 4.6)", text, tuple(claims), figures)


def noise_of(first: float, second: float) -> tuple[float, float]:
    """Return the noise of first and later answers for which the two mean changes are as given.

    A change is the difference of two normal answers: its mean is sqrt(2/pi) times the root of the summed variances.
    """
    later = second / (MEAN_ABSOLUTE * np.sqrt(2.0))
    return float(np.sqrt(max((first / MEAN_ABSOLUTE) ** 2 - later**2, 0.0))), float(later)


@dataclass(frozen=True, eq=False)
class _Settling:
    """Raters with an opinion of each item, whose noise after the first answer depends on their arm."""

    views: Views
    noise: Mapping[str, tuple[float, float]]
    opinions: dict[tuple[int, int], float] = field(default_factory=dict)

    def place(self, rater: int, condition: str, item: int, times: int) -> float:
        """Return where a rater places an item, after `times` earlier answers to it."""
        own = self.opinions.setdefault((rater, item), BETWEEN_SD * self.views.deviation(rater, item))
        noise = self.noise[condition][min(times, 1)] * self.views.rng.standard_normal()
        return float(self.views.truth[item] + own + noise)


def simulate_domain(
    domain: Repeated, studies: int, request: Request, stream: int
) -> list[tuple[ProbeChange, ...]]:
    """Return the changes of the probes in simulated studies of one domain.

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
    rng = request.rng(20 + stream)
    noise = {
        arm: noise_of(*numbers[:2])
        for arm, numbers in zip(ARMS, (domain.control, domain.augment), strict=True)
    }
    design = ArmsDesign(LENGTH * domain.sequences, LENGTH, ARMS, EVERY)
    found = []
    for number in range(studies):
        views = Views.draw(design.items, design.raters, rng)
        judgments = collect(design, _Settling(views, noise), request.seed + number, request.make_log)
        found.append(probe_changes(judgments))
        request.step()
    return found


def _values(compared: list[ProbeComparison], arm: int) -> list[Vector]:
    """Return the four numbers of Table 2 of one arm in every simulated study."""
    summaries: list[tuple[ProbeSummary, ProbeSummary]] = [
        (each.everyone[arm], each.uncertain[arm]) for each in compared
    ]
    return [
        np.array([each.first for each, _ in summaries]),
        np.array([each.second for each, _ in summaries]),
        np.array([each.first for _, each in summaries]),
        np.array([each.second for _, each in summaries]),
    ]


def _claims(domain: Repeated, compared: list[ProbeComparison]) -> list[Claim]:
    claims = []
    for at, (arm, numbers) in enumerate(zip(ARMS, (domain.control, domain.augment), strict=True)):
        values = _values(compared, at)
        for which, pair in (("all sessions", (0, 1)), ("the 30% with the largest first change", (2, 3))):
            claims.append(
                Claim(
                    "Table 2",
                    f"{domain.name}, {arm}: mean first and second change, {which}.",
                    " and ".join(f"{numbers[each]:.3f}" for each in pair),
                    " and ".join(shown_range(values[each]) for each in pair),
                    tuple(within_range(numbers[each], values[each]) for each in pair),
                    "changes with the means of Table 2 over all sessions.",
                    because=WHY_TAILS,
                )
            )
        claims.append(_improvement(domain, arm, np.array([_sign_p(each.everyone[at]) for each in compared])))
    claims.append(_between(domain, compared))
    if domain.medians is not None:
        claims.append(_medians(domain, domain.medians, compared))
    return claims


def _sign_p(summary: ProbeSummary) -> float:
    return 1.0 if summary.test is None else summary.test.p


def _improvement(domain: Repeated, arm: str, p: Vector) -> Claim:
    median = float(np.median(p))
    found = domain.improves is not None
    check = Check(median, high=float(domain.improves or 0.0)) if found else Check(median, low=SIGNIFICANT)
    statement = "self-consistency improves" if found else "no significant improvement of self-consistency"
    return Claim(
        "Section 4.6.1",
        f"{domain.name}, {arm}: {statement}, sign test.",
        f"p < {domain.improves:g}" if found else "not significant",
        f"median p {median:.2g}; p below 0.05 in {np.mean(p < SIGNIFICANT):.0%} of the simulated studies",
        (check,),
        "changes with the means of Table 2 over all sessions.",
        because=WHY_TAILS,
    )


def _between(domain: Repeated, compared: list[ProbeComparison]) -> Claim:
    p = np.array([each.test.p for each in compared])
    return Claim(
        "Section 4.6.1, H1-b",
        f"{domain.name}: the ratio of the changes does not differ significantly between the conditions.",
        "not significant",
        f"median p {np.median(p):.2g} (Mann-Whitney); p below 0.05 in {np.mean(p < SIGNIFICANT):.0%} of the "
        "simulated studies",
        (Check(float(np.median(p)), low=SIGNIFICANT),),
        "changes with the means of Table 2 over all sessions.",
        because="The planted means imply a difference of the ratios that a study of this size finds in most cases.",
    )


def _medians(domain: Repeated, published: tuple[float, float], compared: list[ProbeComparison]) -> Claim:
    augment = np.array([each.uncertain[1].median_ratio for each in compared])
    control = np.array([each.uncertain[0].median_ratio for each in compared])
    return Claim(
        "Section 4.6.1",
        f"{domain.name}: median ratio of the 30% with the largest first change, augment and control.",
        " and ".join(f"{each:.3f}" for each in published),
        f"{shown_range(augment)} and {shown_range(control)}",
        (within_range(published[0], augment), within_range(published[1], control)),
        "changes with the means of Table 2 over all sessions.",
        because=WHY_TAILS,
        note="The paper does not claim significance for this difference.",
    )


def _shares(ratios: Vector) -> tuple[float, ...]:
    counts = np.histogram(ratios, np.array(BINS))[0]
    return tuple((counts / max(len(ratios), 1)).tolist())


def _rows(domain: Repeated, compared: list[ProbeComparison]) -> list[tuple[str, str, str]]:
    rows = []
    for at, (arm, numbers) in enumerate(zip(ARMS, (domain.control, domain.augment), strict=True)):
        for name, published, values in zip(NUMBERS, numbers, _values(compared, at), strict=True):
            rows.append((f"{domain.name}, {arm}: {name}", f"{published:.3f}", shown_range(values)))
    return rows
