"""Beliefs of studies that ask for several kinds of judgment."""

import numpy as np
import pytest

from steelyard import Comparison, Judgments, Rating, Steelyard
from steelyard.models.model import learn_all
from steelyard.study.collecting.plain_records import from_text, to_text

ITEMS = np.array([f"i{at}" for at in range(12)], dtype=object)


@pytest.fixture(scope="module")
def judgments():
    rng = np.random.default_rng(5)
    truth = np.linspace(10.0, 90.0, len(ITEMS))
    rows = []
    for rater in ("ann", "bob", "cy", "dee"):
        for at in range(len(ITEMS)):
            rows.append(
                Rating(rater, ITEMS[at], float(np.clip(truth[at] + 12 * rng.standard_normal(), 0, 100)))
            )
        for one, other in rng.choice(len(ITEMS), (15, 2)):
            if one != other:
                wins = truth[one] + 12 * rng.standard_normal() > truth[other] + 12 * rng.standard_normal()
                rows.append(Comparison(rater, ITEMS[one], ITEMS[other], "left" if wins else "right"))
    return Judgments.of(rows, range=(0, 100))


def test_a_refit_believes_the_positions_of_the_joint_fit(judgments):
    belief = learn_all(Steelyard(), ITEMS, judgments)
    scale = Steelyard().fit(judgments).scale
    fitted = dict(zip(scale.item, scale.position, strict=True))
    assert 100 * belief.position == pytest.approx([fitted[item] for item in ITEMS], abs=0.01)
    rated_only = learn_all(Steelyard(), ITEMS, judgments.only("rating"))
    assert (belief.variance < rated_only.variance).mean() > 0.9
    assert belief.count.sum() > rated_only.count.sum()


@pytest.mark.parametrize("start", ["fresh", "refitted"])
def test_a_comparison_moves_its_two_items_and_narrows_them(judgments, start):
    model = Steelyard()
    before = model.start(ITEMS) if start == "fresh" else learn_all(model, ITEMS, judgments)
    after = model.update(before, Judgments.of([Comparison("ann", "i4", "i6", "left")], range=(0, 100)))
    moved = after.position - before.position
    assert moved[4] > 0 > moved[6]
    assert np.flatnonzero(moved).tolist() == [4, 6]
    assert (after.variance[[4, 6]] < before.variance[[4, 6]]).all()
    tied = model.update(before, Judgments.of([Comparison("ann", "i1", "i11", "tie")], range=(0, 100)))
    gap = before.position[11] - before.position[1]
    assert tied.position[11] - tied.position[1] <= gap


def test_updates_with_comparisons_alone_order_items_before_the_first_rating(judgments):
    belief = learn_all(Steelyard(), ITEMS, judgments.only("comparison"))
    assert np.corrcoef(belief.position, np.arange(len(ITEMS)))[0, 1] > 0.8


def test_a_stored_belief_is_read_with_its_links(judgments):
    belief = learn_all(Steelyard(), ITEMS, judgments)
    again = from_text(to_text(belief))
    assert again.links == belief.links
    assert again.position.tolist() == belief.position.tolist()
