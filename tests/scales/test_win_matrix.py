"""Win probabilities of all pairs."""

import numpy as np
import pytest

from steelyard import BradleyTerry, DirectAssessment, Judgments, PlackettLuce, Rating, read

COUNTS = {
    "left": ["tea", "tea", "milk", "soup"],
    "right": ["milk", "soup", "soup", "tea"],
    "wins": [61, 30, 22, 9],
    "ties": [24, 3, 5, 4],
    "losses": [35, 7, 12, 11],
}


def cell(matrix, row, column):
    names = [str(item) for item in matrix.item]
    return matrix.probability[names.index(row), names.index(column)]


def test_a_bradley_terry_fit_predicts_one_comparison():
    fit = BradleyTerry().fit(read(COUNTS))
    wanted = fit.probabilities("tea", "milk")
    assert cell(fit.win_matrix(), "tea", "milk") == pytest.approx(wanted["left"][0] + wanted["tie"][0] / 2.0)
    assert "preferred" in fit.win_matrix().meaning


def test_an_order_effect_is_averaged_over_both_orders():
    fit = BradleyTerry(order=True).fit(read(COUNTS))
    first, second = fit.probabilities("tea", "milk"), fit.probabilities("milk", "tea")
    wins = 0.5 * (first["left"][0] + second["right"][0]) + 0.25 * (first["tie"][0] + second["tie"][0])
    assert cell(fit.win_matrix(), "tea", "milk") == pytest.approx(wins)


def test_the_plackett_luce_model_of_pairs_is_that_of_bradley_and_terry():
    judgments = read({**COUNTS, "ties": [0, 0, 0, 0]})
    bradley_terry = BradleyTerry(cluster="none").fit(judgments).win_matrix()
    plackett_luce = PlackettLuce(cluster="none", pseudo=0.0).fit(judgments).win_matrix()
    assert plackett_luce.probability == pytest.approx(bradley_terry.probability, abs=1e-5, nan_ok=True)


def test_a_pair_and_its_reverse_sum_to_one_and_items_are_sorted():
    ratings = [Rating(f"r{at}", item, score + at) for item, score in (("a", 5), ("b", 9)) for at in range(3)]
    matrix = DirectAssessment().fit(Judgments.of(ratings, range=(0, 100))).win_matrix()
    assert matrix.columns()["item"] == ["b", "a"]
    assert matrix.probability[0, 1] + matrix.probability[1, 0] == pytest.approx(1.0)
    assert np.isnan(matrix.probability[0, 0])
    assert "higher position" in matrix.meaning


def test_pairs_that_no_judgment_links_have_no_probability():
    counts = {
        "left": ["a", "a", "c", "c"],
        "right": ["b", "b", "d", "d"],
        "wins": [3, 2, 4, 1],
        "losses": [1, 3, 2, 2],
    }
    matrix = BradleyTerry(unconnected="apart").fit(read(counts)).win_matrix()
    assert np.isnan(cell(matrix, "a", "c"))
    assert len(matrix.pairs()) == 4


def test_an_item_named_item_keeps_its_column():
    counts = {"left": ["item"], "right": ["b"], "wins": [3], "losses": [1]}
    assert list(BradleyTerry().fit(read(counts)).win_matrix().columns()) == ["winner", "item", "b"]
