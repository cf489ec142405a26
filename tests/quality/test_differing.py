import numpy as np
import pytest

from steelyard import Comparison, Judgments
from steelyard.errors import NothingToTest, UnknownItem
from steelyard.quality.differing import differing_raters

# R 4.2.2, prefmod 0.8-36: Dras (2015), Table 1, common worths of the four judges.
LAMBDA = {"A": 0.4006711436, "B": -1.098068142, "C": -1.549524257, "D": 0.0}
LOG_WORTH = {item: 2 * value for item, value in LAMBDA.items()}
TIE = -1.831704365
PAIRS = ("AB", "AC", "AD", "BC", "BD", "CD")
TABLE_1 = {
    "J1": ((38, 0, 2), (36, 1, 3), (37, 1, 2), (39, 1, 0), (0, 2, 38), (3, 0, 37)),
    "J2": ((37, 2, 1), (36, 3, 1), (38, 1, 1), (37, 2, 1), (2, 2, 36), (1, 0, 39)),
    "J3": ((33, 4, 3), (33, 3, 4), (3, 3, 34), (4, 4, 32), (2, 4, 34), (1, 0, 39)),
    "J4": ((37, 2, 1), (39, 0, 1), (35, 3, 2), (34, 2, 4), (2, 2, 36), (3, 1, 36)),
}


def judged(table, pairs=PAIRS):
    return Judgments.of(
        Comparison(rater, *pair, outcome, {"count": count})
        for rater, cells in table.items()
        for pair, cell in zip(pairs, cells, strict=True)
        for outcome, count in zip(("left", "tie", "right"), cell, strict=True)
    )


def log_likelihood(parameters, own):
    """Davidson's, with worths of A, B, C and the tie effect common, and three more for one rater."""
    common, tie, more = np.append(parameters[:3], 0.0), parameters[3], np.append(parameters[4:], 0.0)
    total = 0.0
    for rater, cells in TABLE_1.items():
        worth = common + (more if rater == own else 0.0)
        for (first, second), counts in zip(PAIRS, cells, strict=True):
            half = (worth["ABCD".index(first)] - worth["ABCD".index(second)]) / 2
            logs = np.array([half, tie, -half])
            total += np.array(counts) @ (logs - np.log(np.exp(logs).sum()))
    return total


def differences(function, at, step=1e-3):
    """Gradient and second derivatives by differences of fourth and second order."""
    size = len(at)
    shift = np.eye(size) * step
    gradient = [
        (8 * (function(at + e) - function(at - e)) - function(at + 2 * e) + function(at - 2 * e))
        / (12 * step)
        for e in shift
    ]
    second = [
        [
            (function(at + a + b) - function(at + a - b) - function(at - a + b) + function(at - a - b))
            / (4 * step**2)
            for b in shift
        ]
        for a in shift
    ]
    return np.array(gradient), np.array(second)


@pytest.mark.parametrize("own", TABLE_1)
def test_the_score_test_is_that_of_the_likelihood(own):
    at = np.array([LOG_WORTH["A"], LOG_WORTH["B"], LOG_WORTH["C"], TIE, 0.0, 0.0, 0.0])
    gradient, second = differences(lambda x: log_likelihood(x, own), at)
    expected = gradient @ np.linalg.solve(-second, gradient)
    difference = {each.rater: each for each in differing_raters(judged(TABLE_1), LOG_WORTH, TIE)}[own]
    assert difference.df == 3
    assert difference.statistic == pytest.approx(expected, rel=1e-4)


def test_the_rater_who_differs_in_dras_table_1_stands_out():
    tested = differing_raters(judged(TABLE_1), LOG_WORTH, TIE)
    assert max(tested, key=lambda each: each.statistic).rater == "J3"
    excess = next(each.excess for each in tested if each.rater == "J3")
    assert excess["D"] > 20 > -20 > excess["A"]
    assert sum(excess.values()) == pytest.approx(0.0, abs=1e-6)


def test_one_pair_without_ties_gives_pearsons_chi_square_of_two_by_two():
    table = {"ann": [(18, 0, 6)], "bob": [(9, 0, 11)], "cat": [(20, 0, 16)]}
    wins, losses = 47, 33
    tested = differing_raters(judged(table, ["xy"]), {"x": np.log(wins / losses), "y": 0.0})
    for each, (a, _, b) in zip(tested, (cell for (cell,) in table.values()), strict=True):
        c, d = wins - a, losses - b
        pearson = 80 * (a * d - b * c) ** 2 / ((a + b) * (c + d) * wins * losses)
        assert (each.statistic, each.df) == (pytest.approx(pearson), 1)


def test_a_rater_who_always_prefers_one_item_can_be_tested():
    table = {"ann": [(10, 0, 10)], "bob": [(12, 0, 10)], "cat": [(20, 0, 0)]}
    tested = differing_raters(judged(table, ["xy"]), {"x": np.log(42 / 20), "y": 0.0})
    assert min(tested, key=lambda each: each.p).rater == "cat"
    assert tested[2].p < 0.001


def test_raters_alike_are_called_different_as_often_as_p_says():
    rng = np.random.default_rng(3)
    small = []
    for _ in range(100):
        wins = rng.binomial(40, 0.6, size=8)
        table = {f"r{at}": [(int(won), 0, 40 - int(won))] for at, won in enumerate(wins)}
        fitted = {"x": float(np.log(wins.sum() / (320 - wins.sum()))), "y": 0.0}
        small += [each.p <= 0.05 for each in differing_raters(judged(table, ["xy"]), fitted)]
    assert np.mean(small) == pytest.approx(0.05, abs=3 * (0.05 * 0.95 / 800) ** 0.5)


def test_other_names_and_swapped_sides_change_nothing():
    turned = {rater: [cell[::-1] for cell in cells] for rater, cells in TABLE_1.items()}
    here = differing_raters(judged(TABLE_1), LOG_WORTH, TIE)
    there = differing_raters(judged(turned, [pair[::-1] for pair in PAIRS]), LOG_WORTH, TIE)
    assert [each.statistic for each in there] == pytest.approx([each.statistic for each in here])


def test_a_lone_rater_is_like_all():
    tested = differing_raters(judged({"ann": [(5, 0, 3)]}, ["xy"]), {"x": np.log(5 / 3), "y": 0.0})
    assert (tested[0].df, tested[0].p) == (0, 1.0)


def test_items_without_a_worth_and_too_many_items_are_refused():
    with pytest.raises(UnknownItem, match="'B'"):
        differing_raters(judged(TABLE_1), {"A": 0.0})
    many = Judgments.of(Comparison("ann", f"i{at}", f"i{at + 1}", "left") for at in range(300))
    with pytest.raises(NothingToTest, match="there are 301 items"):
        differing_raters(many, {f"i{at}": 0.0 for at in range(301)})
