"""Sections 3 and 4 of Sakaguchi & Van Durme (2018): properties of the update rules, Figures 2 and 3."""

from __future__ import annotations

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.maths import beta, rao_kupper
from steelyard.maths.arrays import Vector
from steelyard.maths.gaussian import outcome_probabilities, tie_correction, win_correction
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.models.easl import Easl
from steelyard.simulation.reproduction.claims import Check, Claim, near
from steelyard.simulation.reproduction.figures import Lines, Series
from steelyard.simulation.reproduction.reproduction import Section

EPSILON = 0.5  # of Figures 2 and 3
GAPS = np.linspace(-4.0, 4.0, 81)
MODES = np.linspace(-1.0, 1.0, 81)
EXAMPLE = (1.0, 10.0)  # alpha and beta of an item near 0


def model_section() -> Section:
    """Return the claims about the update rules."""
    (win_v, win_w), (tie_v, tie_w) = win_correction(GAPS, EPSILON), tie_correction(GAPS, EPSILON)
    win, tie, _ = rao_kupper.outcome_probabilities(MODES, EPSILON)
    figures = (
        Lines(
            "Figure 2: surprisal of an outcome in TrueSkill",
            "Factors v (of the mean) and w (of the variance) by the difference t of the two items, epsilon = 0.5.",
            {
                "v": (_series("i wins", GAPS, win_v), _series("tie", GAPS, tie_v)),
                "w": (_series("i wins", GAPS, win_w), _series("tie", GAPS, tie_w)),
            },
            "t",
            "factor",
        ),
        Lines(
            "Figure 3: surprisal of an outcome in the bounded variant",
            "1 - p by the difference of the two modes, epsilon = 0.5.",
            {"1 - p": (_series("i wins", MODES, 1.0 - win), _series("tie", MODES, 1.0 - tie))},
            "difference of the modes",
            "1 - p",
        ),
    )
    claims = (
        *_figure_claims(win_v, tie_v, np.concatenate([win_w, tie_w]), 1.0 - win, 1.0 - tie),
        *_sentences(),
    )
    text = ("Figures 1, 4 and 5 of the paper are illustrations without numbers.",)
    return Section("Sections 3 and 4: the models", text, claims, figures)


def _series(name: str, x: Vector, y: Vector) -> Series:
    return Series(name, tuple(zip(x.tolist(), y.tolist(), strict=True)))


def _figure_claims(win_v: Vector, tie_v: Vector, w: Vector, win: Vector, tie: Vector) -> tuple[Claim, ...]:
    middle = len(GAPS) // 2
    return (
        Claim(
            "Figure 2 (a), (b)",
            "v of a win grows as the outcome becomes less expected; v of a tie is near 0 for equal items.",
            "monotone; 0",
            f"largest step {np.diff(win_v).max():.1e}; {abs(tie_v[middle]):.1e}",
            (Check(float(np.diff(win_v).max()), high=0.0), near(float(tie_v[middle]), 0.0, 1e-9)),
        ),
        Claim(
            "Figure 2 (c), (d)",
            "w is between 0 and 1.",
            "0 to 1",
            f"{w.min():.3f} to {w.max():.3f}",
            (Check(float(w.min()), low=0.0), Check(float(w.max()), high=1.0)),
        ),
        Claim(
            "Figure 3",
            "1 - p is at least 0 and grows as the outcome becomes less expected.",
            "at least 0",
            f"smallest {min(win.min(), tie.min()):.3f}; largest step of a win {np.diff(win).max():.1e}",
            (Check(float(min(win.min(), tie.min())), low=0.0), Check(float(np.diff(win).max()), high=0.0)),
        ),
    )


def _sentences() -> tuple[Claim, ...]:
    """Return the sentences about gamma, about variances and about EASL's estimate."""
    chain = float(outcome_probabilities(1.0 / np.sqrt(2.0), 0.0)[0])
    alpha, beta_parameter = (np.array([each]) for each in EXAMPLE)
    before = float(beta.variance(alpha, beta_parameter)[0])
    after = float(beta.variance(alpha + 1.0, beta_parameter)[0])
    apart = _mode_against_mean()
    return (
        Claim(
            "Section 3.1",
            "Two items that differ by gamma: the better one wins with probability 0.8.",
            "0.8",
            f"{chain:.3f}",
            (near(chain, 0.8, 0.005),),
            because="Eqn 1 with sigma = gamma gives Phi(1 / sqrt 2) = 0.760.",
        ),
        Claim(
            "Sections 3.1, 3.2",
            "The variance of an item always decreases with more judgments, also in the bounded variant.",
            "decreases",
            f"Beta(1, 10) to Beta(2, 10): {before:.5f} to {after:.5f}",
            (Check(after - before, high=0.0),),
            because="alpha and beta never decrease, but the variance of a Beta distribution grows if an item near "
            "one end gets an answer at the other.",
        ),
        Claim(
            "Section 4",
            "EASL differs from averaging scores: each item is a probability distribution.",
            "another estimate",
            f"largest difference between EASL's position and the mean score: {apart:.0e}",
            (Check(apart, low=1e-6),),
            because="The mode of Beta(1 + sum s, 1 + sum (1 - s)) is the mean of the scores. A gain over direct "
            "assessment can only come from the choice of items, or from lists that make answers more precise.",
        ),
    )


def _mode_against_mean() -> float:
    """Return the largest difference between EASL's positions and mean scores, on random ratings."""
    rng = np.random.default_rng(0)
    rows = 400
    columns = {
        "rater": [f"r{at % 20}" for at in range(rows)],
        "item": [f"i{at % 37}" for at in range(rows)],
        "score": rng.random(rows).tolist(),
    }
    judgments = Judgments.from_columns("rating", columns, (0.0, 1.0))
    easl, mean = Easl().fit(judgments).scale, DirectAssessment().fit(judgments).scale
    positions = dict(zip(mean.item.tolist(), mean.position.tolist(), strict=True))
    return max(
        float(abs(positions[item] - at))
        for item, at in zip(easl.item.tolist(), easl.position.tolist(), strict=True)
    )
