"""Prediction-powered estimates against the formulas of the papers, computed here in another way."""

import numpy as np
import pytest

from steelyard import Judgments, read
from steelyard.errors import NothingToTest
from steelyard.quality.machine import PoolSettings, cross_predictions, estimate_means, machine_judges, pool_of
from steelyard.quality.machine.reporting import JudgeSettings

ALL = np.ones(1)


def judged(answers: np.ndarray, metric: np.ndarray, **more: list[float]) -> Judgments:
    """One answer by a rater of its own about each of the first items; the metric scores all items."""
    n, size = len(answers), len(metric)
    rows = {
        "rater": [*(f"p{at}" for at in range(n)), *["metric"] * size],
        "item": [*(f"i{at}" for at in range(n)), *(f"i{at}" for at in range(size))],
        "score": [*answers, *metric],
        "source": ["human"] * n + ["machine"] * size,
        **{name: [*values, *[None] * size] for name, values in more.items()},
    }
    return read(rows)


def world(n: int, size: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=size)
    return truth[:n], 0.8 * truth + 0.6 * rng.normal(size=size) + 3.0


def test_the_estimate_is_that_of_ppi_plus_plus() -> None:
    """[Angelopoulos, Duchi & Zrnic 2023], eq. 2 with the factor of their section on power tuning."""
    n, size = 200, 1200
    answer, metric = world(n, size)
    pool = pool_of(judged(answer, metric))
    estimate = estimate_means(pool, cross_predictions(pool, np.random.default_rng(0)))
    labelled, rest = metric[:n], metric[n:]
    factor = estimate.power * len(rest) / size
    by_paper = factor * rest.mean() + (answer - factor * labelled).mean()
    variance = factor**2 * rest.var() / len(rest) + (answer - factor * labelled).var() / n
    best = np.cov(answer, labelled)[0, 1] / ((1.0 + n / len(rest)) * metric.var())
    assert estimate.mean[0] == pytest.approx(by_paper, abs=1e-12)
    assert estimate.error(ALL) == pytest.approx(np.sqrt(variance), rel=0.02)
    assert factor == pytest.approx(best, rel=0.05)


def test_a_small_example_by_hand() -> None:
    """Answers 2, 4, 9 about items scored 1, 3, 8; three more items score 2, 2, 4; the factor is 1."""
    pool = pool_of(judged(np.array([2.0, 4.0, 9.0]), np.array([1.0, 3.0, 8.0, 2.0, 2.0, 4.0])))
    estimate = estimate_means(pool, pool.scores[:, 0], power=1.0)
    assert estimate.mean[0] == pytest.approx(20 / 6 + 1.0)
    # residuals are all 1, so only the spread of the six scores is left: sum of squares 98 - 6 (10/3)^2, over 6^2,
    # with 3 / (3 - 1) for three clusters with answers
    assert estimate.error(ALL) ** 2 == pytest.approx(1.5 * (98 - 6 * (10 / 3) ** 2) / 36)


def test_without_the_machine_it_is_the_mean_of_people_with_its_standard_error() -> None:
    answer, metric = world(50, 90)
    pool = pool_of(judged(answer, metric))
    alone = estimate_means(pool, pool.scores[:, 0], power=0.0)
    assert alone.mean[0] == pytest.approx(answer.mean())
    by_item = answer.var(ddof=1) / 50
    # 50 raters with one answer each: the part between raters is that of items times 50/49 - 1
    assert alone.error(ALL) ** 2 == pytest.approx(by_item * (1 + 1 / 49), rel=1e-9)


def test_answers_are_weighted_by_the_inverse_of_their_probability() -> None:
    answer, metric = np.array([2.0, 4.0, 9.0]), np.array([1.0, 3.0, 8.0, 2.0])
    chance = [0.5, 0.25, 0.1]
    pool = pool_of(judged(answer, metric, chance=chance), PoolSettings(probability="chance"))
    estimate = estimate_means(pool, pool.scores[:, 0], power=0.5)
    weight = 1.0 / np.array(chance)
    expected = 0.5 * metric.mean() + np.sum(weight * (answer - 0.5 * metric[:3])) / weight.sum()
    assert estimate.mean[0] == pytest.approx(expected)


def test_weighting_removes_the_bias_of_choosing_high_scores_more_often() -> None:
    rng = np.random.default_rng(4)
    truth = rng.normal(size=4000)
    chance = 1.0 / (1.0 + np.exp(-1.5 * truth)) * 0.5
    picked = rng.random(4000) < chance
    order = np.concatenate([np.flatnonzero(picked), np.flatnonzero(~picked)])
    truth, chance, n = truth[order], chance[order], int(picked.sum())
    metric = 0.5 * truth + rng.normal(size=4000)
    judgments = judged(truth[:n], metric, chance=chance[:n].tolist())
    plain = machine_judges(judgments).estimates[0]
    weighted = machine_judges(judgments, JudgeSettings(probability="chance")).estimates[0]
    assert plain["low"] > truth.mean()
    assert weighted["low"] < truth.mean() < weighted["high"]


def test_only_the_audit_slice_is_used_if_it_is_named() -> None:
    answer, metric = world(40, 90)
    marks = [1.0] * 25 + [0.0] * 15
    pool = pool_of(judged(answer, metric, audit=marks), PoolSettings(audit="audit"))
    assert len(pool.answer) == 25


def test_a_judge_biased_for_one_system_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    size, n = 80, 30
    rows: dict[str, list[object]] = {name: [] for name in ("rater", "item", "system", "score", "source")}
    for system in ("x", "y"):
        truth = rng.normal(size=size)
        for at in range(size):
            values = [("metric", truth[at] + rng.normal(), "machine")]
            values += [(f"p{at % 7}", truth[at], "human")] if at < n else []
            for rater, score, source in values:
                for name, value in zip(rows, (rater, f"{system}{at}", system, score, source), strict=True):
                    rows[name].append(value)
    biased = dict(rows)
    biased["score"] = [
        score + 50.0 * (source == "machine" and system == "x")
        for score, source, system in zip(rows["score"], rows["source"], rows["system"], strict=True)
    ]
    fair, unfair = (machine_judges(read(each)).differences[0] for each in (rows, biased))
    assert unfair["estimate"] == pytest.approx(fair["estimate"], abs=1e-9)
    assert unfair["high"] == pytest.approx(fair["high"], abs=1e-9)


def test_several_judges_are_combined_without_the_answers_of_the_own_fold() -> None:
    answer, metric = world(60, 300)
    rows = judged(answer, metric)
    noise = read(
        {
            "rater": ["noise"] * 300,
            "item": [f"i{at}" for at in range(300)],
            "score": np.random.default_rng(9).random(300),
        },
        machine_raters=["noise"],
    )
    pool = pool_of(rows + noise)
    predicted = cross_predictions(pool, np.random.default_rng(0))
    changed = Judgments.concat([rows, noise])
    position = int(np.flatnonzero(pool.names == "all items|i0")[0])
    table = changed.tables["rating"]
    table.numbers["score"][0] += 100.0
    again = cross_predictions(pool_of(changed), np.random.default_rng(0))
    assert again[position] == pytest.approx(predicted[position])
    assert np.corrcoef(predicted[~pool.labelled], pool.scores[~pool.labelled][:, 0])[0, 1] > 0.9


def test_win_rates_of_two_systems_sum_to_one() -> None:
    rng = np.random.default_rng(3)
    rows: dict[str, list[str]] = {
        name: [] for name in ("rater", "left", "right", "outcome", "segment", "source")
    }
    for at in range(60):
        wins = rng.random() < 0.7
        for rater, source in (("judge", "machine"), *([(f"p{at % 5}", "human")] if at < 25 else [])):
            flipped = source == "machine" and rng.random() < 0.2
            outcome = "left" if wins != flipped else "right"
            for name, value in zip(rows, (rater, "new", "old", outcome, f"s{at}", source), strict=True):
                rows[name].append(value)
    result = machine_judges(read(rows), JudgeSettings(width=0.05))
    new, old = result.estimates
    assert new["estimate"] + old["estimate"] == pytest.approx(1.0)
    assert new["high"] - new["low"] < new["people_high"] - new["people_low"]
    assert new["saved"] > 0.0
    assert new["needed"] is None or new["needed"] > 0


def test_comparisons_of_a_judge_count_although_it_also_rated_items() -> None:
    pairs = {
        "rater": ["ann", "bob", "judge", "judge", "judge"],
        "left": ["a1", "b1", "a1", "b1", "a2"],
        "right": ["b1", "a1", "b1", "a1", "b2"],
        "outcome": ["left", "right", "left", "right", "tie"],
        "source": ["human", "human", *["machine"] * 3],
    }
    scores = {"rater": ["other"], "item": ["a1"], "score": [3.0], "source": ["machine"]}
    assert pool_of(read(scores) + read(pairs)).judges.tolist() == ["judge"]


def test_the_correlation_is_corrected_for_the_noise_of_people() -> None:
    rng = np.random.default_rng(5)
    truth = rng.normal(size=400)
    rows = {"rater": [], "item": [], "score": [], "source": []}
    metric = 0.8 * truth + 0.6 * rng.normal(size=400)
    for at in range(400):
        for rater in ("a", "b", "metric"):
            score = metric[at] if rater == "metric" else truth[at] + rng.normal()
            for name, value in zip(
                rows, (rater, f"i{at}", score, "machine" if rater == "metric" else "human"), strict=True
            ):
                rows[name].append(value)
    (row,) = machine_judges(read(rows)).judges
    assert row["low"] < 0.8 * np.sqrt(2.0 / 3.0) < row["high"]
    assert row["corrected"] == pytest.approx(0.8, abs=0.05)


def test_biases_show_where_people_rate_higher_than_the_score_predicts() -> None:
    rng = np.random.default_rng(6)
    length = rng.normal(size=300)
    truth = rng.normal(size=300)
    answers, metric = truth, truth + 0.7 * length
    judgments = judged(answers[:200], metric, length=length[:200].tolist())
    (row,) = machine_judges(judgments, JudgeSettings(features=("length",))).biases
    assert row["level"] == "per sd"
    assert row["high"] < 0.0


def test_no_machine_answers_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(NothingToTest, match="Write machine in the column source of their rows"):
        machine_judges(read({"rater": ["a"], "item": ["x"], "score": [1]}))


def _without_gain() -> dict[str, Judgments]:
    rng = np.random.default_rng(7)
    truth = rng.normal(50.0, 15.0, size=40)
    metric = truth + rng.normal(0.0, 5.0, size=40)
    answers = truth + rng.normal(0.0, 8.0, size=40)
    return {
        "every item labelled": judged(answers, metric),
        "one unlabelled": judged(answers[:39], metric),
        "constant scores": judged(answers[:10], np.full(40, 3.0)),
    }


@pytest.mark.parametrize("case", ["every item labelled", "one unlabelled", "constant scores"])
def test_a_machine_that_adds_nothing_leaves_the_estimates_and_intervals_of_people(case: str) -> None:
    row = machine_judges(_without_gain()[case]).estimates[0]
    assert row["estimate"] == pytest.approx(row["people"], rel=1e-12)
    assert row["low"] == pytest.approx(row["people_low"], rel=1e-12)
    assert row["high"] == pytest.approx(row["people_high"], rel=1e-12)
    assert row["saved"] == 0.0


def test_the_factor_is_at_most_that_of_a_judge_who_agrees_perfectly() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        answers, metric = rng.normal(size=6), 1e-4 * rng.normal(size=8)
        pool = pool_of(judged(answers, metric))
        estimate = estimate_means(pool, pool.filled[:, 0])
        assert abs(estimate.power) <= answers.std() / metric.std() * (1.0 + 1e-9)


def test_a_system_named_in_any_row_of_an_item_counts_for_its_scores_and_others_are_reported() -> None:
    rows = {
        "rater": ["ann", "ann", "bob", *["metric"] * 5],
        "item": ["a", "b", None, *"abcde"],
        "left": [None, None, "c", *[None] * 5],
        "right": [None, None, "d", *[None] * 5],
        "outcome": [None, None, "left", *[None] * 5],
        "score": [1.0, 2.0, None, 1.0, 2.0, 3.0, 4.0, 5.0],
        "system": ["x", "x", *[None] * 6],
        "left_system": [None, None, "x", *[None] * 5],
        "right_system": [None, None, "x", *[None] * 5],
        "source": ["human"] * 3 + ["machine"] * 5,
    }
    judged = read(rows)
    pool = pool_of(judged)
    assert pool.groups[pool.group].tolist().count("x") == 4
    assert any("1 item without a system" in note for note in machine_judges(judged).notes)


def test_a_judge_that_prefers_the_left_side_is_reported() -> None:
    rng = np.random.default_rng(5)
    rows: dict[str, list[object]] = {name: [] for name in ("rater", "left", "right", "outcome", "source")}
    for at in range(80):
        gap = rng.normal()
        for rater, source, side in ((f"p{at % 9}", "human", 0.0), ("bot", "machine", 1.0)):
            outcome = "left" if gap + side + 0.5 * rng.normal() > 0.0 else "right"
            cells = (rater, f"{at}a", f"{at}b", outcome, source)
            for name, cell in zip(rows, cells, strict=True):
                rows[name].append(cell)
    settings = JudgeSettings(draws=20)  # bootstrap samples of estimates, which are not tested here
    (row,) = [row for row in machine_judges(read(rows), settings).biases if row["feature"] == "side"]
    assert (row["judge"], row["level"]) == ("bot", "shown on the left")
    assert row["high"] < 0.0


@pytest.mark.parametrize("items", [5, 40])
def test_a_factor_that_is_negative_or_from_few_items_is_questioned(items: int) -> None:
    score = np.random.default_rng(3).permutation(2 * items)
    names = [f"i{at}" for at in range(2 * items)]
    judged = read(
        {
            "rater": ["ann"] * items + ["metric"] * 2 * items,
            "item": names[:items] + names,
            "score": [*(500.0 - 11.0 * score[:items]), *score],
        },
        machine_raters=["metric"],
    )
    notes = " ".join(machine_judges(judged).notes)
    assert "The factor is negative" in notes
    assert ("The factor cannot be estimated well" in notes) == (items == 5)
