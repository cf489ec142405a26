"""Remarks and summary of a fit report what it leaves out or cannot estimate."""

import numpy as np
import pytest

from steelyard import BestWorst as Choice
from steelyard import BradleyTerry, Comparison, Judgments, PlackettLuce, Range, Ranking, Rating
from steelyard.models.known import item_models, model_named

RATED = Judgments.of(
    [
        Rating(f"r{a}", f"i{i}", 10 * i + a, {"system": f"s{i % 2}", "segment": f"g{i // 2}"})
        for a in range(4)
        for i in range(4)
    ],
    (0, 100),
)
COMPARED = Judgments.of(
    [
        Comparison(f"r{a}", f"i{i}", f"i{j}", "left" if (a + i) % 3 else "right")
        for a in range(12)
        for i in range(4)
        for j in range(i)
    ]
)
RANKED = Judgments.of([Ranking(f"r{a}", "t", {"i0": 1 + a % 2, "i1": 2 - a % 2, "i2": 3}) for a in range(4)])
CHOSEN = Judgments.of([Choice(f"r{a}", "t", ("i0", "i1", "i2"), "i0", f"i{1 + a % 2}") for a in range(4)])
RANGED = Judgments.of(
    [Range(f"r{a}", f"i{i}", 10 * i, 10 * i + a) for a in range(4) for i in range(3)], (0, 100)
)
BY_KIND = {"rating": RATED, "comparison": COMPARED, "ranking": RANKED, "best_worst": CHOSEN, "range": RANGED}
CASES = [(name, model.kinds[0]) for name, model in item_models().items()]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_fit_that_uses_everything_has_no_remarks(name, kind):
    assert model_named(name).fit(BY_KIND[kind]).remarks == ()


def test_ties_that_are_left_out_are_counted():
    tied = COMPARED + Judgments.of([Comparison("r9", "i0", "i1", "tie"), Comparison("r9", "i0", "i2", "tie")])
    sentence = "2 of the comparisons are ties"
    for model in (BradleyTerry(ties="drop"), model_named("win_rate")):
        assert any(remark.startswith(sentence) for remark in model.fit(tied).remarks)
    ranked = PlackettLuce(ties="drop").fit(tied).remarks
    assert ranked == ("2 of the rankings have ties and are excluded (ties=drop).",)


def test_best_worst_tasks_that_cannot_be_used_are_counted():
    odd = {
        "rater": ["x"] * 3,
        "task": ["u"] * 3,
        "item": ["i0", "i1", "i2"],
        "choice": ["best", "none", "none"],
    }
    fit = model_named("best_worst", method="model").fit(CHOSEN + Judgments.from_columns("best_worst", odd))
    assert any(remark.startswith("1 tasks without one best") for remark in fit.remarks)


def test_draws_of_raters_that_failed_are_counted():
    rows = [Comparison(f"r{at}", "a", "b", "left" if at else "right") for at in range(5)]
    fit = BradleyTerry().fit(Judgments.of(rows)).bootstrapped(60, np.random.default_rng(1))
    assert fit.posterior.failed
    assert f"{fit.posterior.failed} of 60 draws of the raters" in fit.remarks[-1]


def test_a_fit_that_did_not_converge_says_so_before_its_numbers():
    from dataclasses import replace

    fit = model_named("bradley_terry").fit(COMPARED)
    stuck = replace(fit, provenance=replace(fit.provenance, converged=False, iterations=100))
    assert stuck.remarks[0].startswith("The fit did NOT converge in 100 steps")
    assert stuck.remarks[0] in stuck.summary()
