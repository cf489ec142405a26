"""Experiment 1 of Sakaguchi & Van Durme (2018): lexical frequency. Figures 6, 7 and 8, and note 17."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from steelyard.simulation.reproduction.claims import Check, Claim, near
from steelyard.simulation.reproduction.easl_data import AGREEMENT, ITEMS, draw_lexical
from steelyard.simulation.reproduction.easl_experiments import (
    COMPARED,
    DA,
    EASL,
    RA,
    SHORT,
    Experiment,
    calibrated,
    mean_and_reach,
    run_experiment,
    scaled,
)
from steelyard.simulation.reproduction.easl_figures import (
    belief_after,
    correlation_figure,
    histogram_figure,
    match_quality_figure,
    misplaced,
    quality_matrix,
)
from steelyard.simulation.reproduction.easl_rounds import LIST_SIZE, ROUNDS, answers_needed
from steelyard.simulation.reproduction.figures import Lines, Series
from steelyard.simulation.reproduction.reproduction import Request, Section

FACTORS = (0.85, 0.7, 0.55, 0.4)  # noise in lists relative to single items
CLOSE = 0.01  # Spearman; largest shortfall that counts as close
MISPLACED = 0.2  # largest share of items in a wrong fifth of the scale
AGREED = 0.05  # tolerance of agreement between raters
FALL = 0.01  # largest fall of a mean curve between rounds that counts as noise
HITS = 20  # lists per iteration in the paper
WHY_EASL = (
    "EASL's position is the mean of the scores, as in direct assessment (section 4). Here raters are as precise "
    "in lists as with single items, and the choice of items brings no gain."
)
WHY_RA = "Ranking aggregation uses only the order of the five scores of a list, and loses their distances."


def lexical_steps(repetitions: int) -> int:
    """Return the number of steps of this part."""
    return repetitions * (len(COMPARED) + len(FACTORS))


def lexical_section(repetitions: int, request: Request) -> Section:
    """Return experiment 1 with simulated raters."""
    scenario = calibrated(draw_lexical, AGREEMENT["lexical"], request.rng(1))
    experiment = run_experiment(draw_lexical, scenario, COMPARED, repetitions, request)
    sweep = {1.0: experiment}
    for factor in FACTORS:
        sweep[factor] = run_experiment(draw_lexical, scaled(scenario, factor), (EASL,), repetitions, request)
    claims = (
        agreement_claim("Note 17", "lexical", experiment),
        _budget(),
        *(rising_claim("Figure 6", method, experiment) for method in COMPARED),
        faster_claim("Section 5.1, Figure 6", RA, experiment, WHY_RA),
        faster_claim("Section 5.1, Figure 6", EASL, experiment, WHY_EASL),
        close_claim("Abstract, section 5.1", (2, 3), experiment, _why_two(sweep)),
        _planted_two(sweep),
        *(_captured(method, experiment) for method in COMPARED),
        *_matches(experiment),
    )
    text = (
        f"{ITEMS} items, lists of {LIST_SIZE}, {ROUNDS} answers per item, 40 simulated raters, {repetitions} "
        "simulated experiments. The words of the paper are not published: true positions are drawn from Beta(3, "
        "3), a stand-in.",
        f"Noise is set so that two raters agree as in the paper (Spearman {AGREEMENT['lexical']}). Raters also "
        "differ in bias and slope, and 5% are spammers. The first round covers every item, as in the code of the "
        "authors.",
    )
    figures = (
        correlation_figure(6, "lexical frequency", experiment),
        histogram_figure(7, "lexical frequency", experiment),
        match_quality_figure(experiment),
        _sweep_figure(sweep),
    )
    return Section("Experiment 1: lexical frequency", text, claims, figures)


def agreement_claim(where: str, name: str, experiment: Experiment) -> Claim:
    """Return the agreement of raters in direct assessment, which the simulated noise was set to.

    Parameters
    ----------
    where
        Place in the paper.
    name
        Name of the experiment.
    experiment
        Runs of all methods.

    Returns
    -------
    Claim
        The claim.
    """
    value, reach = experiment.agreement()
    return Claim(
        where,
        "Agreement of the raters of direct assessment: mean Spearman correlation of two raters.",
        f"{AGREEMENT[name]:.2f}",
        f"{value:.2f} ± {reach:.2f}",
        (near(value, AGREEMENT[name], AGREED),),
        f"noise for which raters agree to {AGREEMENT[name]:.2f}.",
        because="Raters who answer few items have few items in common.",
    )


def rising_claim(where: str, method: str, experiment: Experiment) -> Claim:
    """Return the claim that correlations rise with the number of answers.

    Parameters
    ----------
    where
        Place in the paper.
    method
        Name of the method.
    experiment
        Runs of all methods.

    Returns
    -------
    Claim
        The claim.
    """
    curve = experiment.mean_curve(method)
    return Claim(
        where,
        f"{SHORT[method]}: the correlations increase as more annotations are made.",
        "increase",
        f"Spearman {curve[0]:.3f} at 1, {curve[-1]:.3f} at {len(curve)}",
        (Check(float(np.diff(curve).min()), low=-FALL), Check(float(curve[-1] - curve[0]), low=0.0)),
    )


def faster_claim(where: str, method: str, experiment: Experiment, because: str) -> Claim:
    """Return the claim that a method is more accurate than direct assessment with equally many answers.

    Parameters
    ----------
    where
        Place in the paper.
    method
        Name of the method.
    experiment
        Runs of all methods.
    because
        Why the numbers differ, if they do.

    Returns
    -------
    Claim
        The claim.
    """
    levels = (3, 5)
    needed = " and ".join(_needed_words(experiment.needed(method, level)) for level in levels)
    gaps = [
        mean_and_reach(experiment.curves(method)[:, level - 1, 0] - experiment.curves(DA)[:, level - 1, 0])
        for level in levels
    ]
    shown = " and ".join(f"{mean:+.3f} ± {reach:.3f}" for mean, reach in gaps)
    return Claim(
        where,
        f"{SHORT[method]} reaches high correlation with fewer annotations than DA.",
        "fewer than 3 and 5",
        f"{needed} answers per item for DA's Spearman at 3 and 5; with equal numbers {shown}",
        tuple(Check(mean - reach, low=0.0) for mean, reach in gaps),
        because=because,
    )


def _needed_words(answers: float) -> str:
    return "more than 10" if np.isinf(answers) else f"{answers:.1f}"


def close_claim(where: str, levels: tuple[int, int], experiment: Experiment, because: str) -> Claim:
    """Return the claim that EASL with few answers is close to direct assessment with more.

    Parameters
    ----------
    where
        Place in the paper.
    levels
        Answers per item of EASL and of direct assessment.
    experiment
        Runs of all methods.
    because
        Why the numbers differ, if they do.

    Returns
    -------
    Claim
        The claim.
    """
    few, many = levels
    gap = experiment.curves(EASL)[:, few - 1, 0] - experiment.curves(DA)[:, many - 1, 0]
    mean, reach = mean_and_reach(gap)
    return Claim(
        where,
        f"EASL at {few} annotations per item is close to DA at {many} (Spearman).",
        "close",
        f"{experiment.mean_curve(EASL)[few - 1]:.3f} and {experiment.mean_curve(DA)[many - 1]:.3f}; "
        f"difference {mean:+.3f} ± {reach:.3f}",
        (Check(mean, low=-CLOSE),),
        because=because,
    )


def _budget() -> Claim:
    """Return the arithmetic of the budget."""
    lists, alone = HITS * LIST_SIZE * ROUNDS, ITEMS * ROUNDS
    return Claim(
        "Section 5.1",
        "20 lists of 5 in each of 10 iterations give the same number of annotations as DA.",
        "equal",
        f"20 x 5 x 10 = {lists:,}; 150 x 10 = {alone:,}",
        (near(lists, alone, 0.0),),
        because="Equal numbers need N / n = 30 lists per iteration, as in Algorithm 1. This is used here. The "
        "horizontal axes of Figures 6 and 9 are therefore uncertain by a factor of 1.5.",
    )


def _reached(sweep: Mapping[float, Experiment]) -> dict[float, float]:
    """Return by list noise the lead of EASL at 2 over direct assessment at 3, in mean Spearman."""
    target = float(sweep[1.0].mean_curve(DA)[2])
    return {factor: float(experiment.mean_curve(EASL)[1]) - target for factor, experiment in sweep.items()}


def _enough(sweep: Mapping[float, Experiment]) -> float:
    """Return the largest list noise at which EASL at 2 reaches direct assessment at 3; NaN if none does."""
    leads = _reached(sweep)
    factors = sorted(leads)
    lead = [leads[factor] for factor in factors]
    if lead[0] < 0.0:
        return float("nan")
    return float(np.interp(0.0, lead[::-1], factors[::-1]))


def _why_two(sweep: Mapping[float, Experiment]) -> str:
    enough = _enough(sweep)
    if np.isnan(enough):
        return f"{WHY_EASL} It is not reached for any list noise that was tried."
    return (
        f"{WHY_EASL} It is reached if answers in lists have {enough:.2f} times the noise of single answers."
    )


def _planted_two(sweep: Mapping[float, Experiment]) -> Claim:
    factor = min(FACTORS)
    lead = _reached(sweep)[factor]
    return Claim(
        "Abstract, section 5.1",
        "EASL at 2 is close to DA at 3, if lists make answers more precise.",
        "close",
        f"difference {lead:+.3f} with {factor:g} times the noise in lists",
        (Check(lead, low=-CLOSE),),
        f"answers in lists with {factor:g} times the noise of single answers. Whether people are more precise in "
        "lists cannot be known without them.",
        because="Bias, slope and spam of raters remain and are larger than the noise that lists remove.",
    )


def _captured(method: str, experiment: Experiment) -> Claim:
    value = misplaced(experiment, method)
    return Claim(
        "Figure 7",
        f"{SHORT[method]} captures the distribution of the items.",
        "captured",
        f"{value:.0%} of the items in another fifth of the scale than the truth (limit {MISPLACED:.0%})",
        (Check(value, high=MISPLACED),),
        because="Positions are drawn to the middle of the scale by clipped answers and by the bounded model.",
    )


def _matches(experiment: Experiment) -> tuple[Claim, ...]:
    """Return the claims about match quality before and after annotation."""
    truth = experiment.truths[0]
    start, end = (quality_matrix(belief_after(experiment, number), truth) for number in (0, ROUNDS))
    rank = np.arange(len(truth))
    far = np.abs(rank[:, None] - rank[None, :])
    near_pairs, far_pairs = (far > 0) & (far <= len(truth) // 10), far >= len(truth) // 2
    ratio = float(end[near_pairs].mean() / end[far_pairs].mean())
    return (
        Claim(
            "Figure 8",
            "At iteration 0 all pairs have the same match quality.",
            "equal",
            f"{start.min():.3f} to {start.max():.3f}",
            (near(float(np.ptp(start)), 0.0, 1e-12),),
        ),
        Claim(
            "Figure 8",
            "Later, pairs near the diagonal have a higher match quality.",
            "higher",
            f"{ratio:.1f} times that of distant pairs after iteration {ROUNDS}",
            (Check(ratio, low=1.0),),
        ),
    )


def _sweep_figure(sweep: Mapping[float, Experiment]) -> Lines:
    target = float(sweep[1.0].mean_curve(DA)[2])
    points = []
    for factor in sorted(sweep):
        needed = answers_needed(sweep[factor].mean_curve(EASL), target)
        if np.isfinite(needed):
            points.append((factor, needed))
    return Lines(
        "Answers that EASL needs, by the noise in lists",
        "Answers per item at which EASL reaches direct assessment at 3 (Spearman). 1 is the noise of single answers.",
        {"": (Series("EASL", tuple(points)),)},
        "noise in lists / noise of single answers",
        "answers per item",
    )
