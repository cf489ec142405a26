"""Results do not depend on the order of a file."""

import numpy as np
import pytest

from steelyard import DirectAssessment, Easl, Judgments, Rating, Steelyard


@pytest.mark.parametrize("model", [DirectAssessment(), Easl(), Steelyard(), DirectAssessment("rater")])
def test_shuffled_rows_give_the_same_numbers_to_the_last_digit(model):
    rng = np.random.default_rng(0)
    rows = [
        Rating(f"r{r}", f"i{i}", float(rng.integers(101)), {"task": f"t{r}-{i // 4}"})
        for r in range(8)
        for i in range(12)
    ]
    first = model.fit(Judgments.of(rows, range=(0, 100)))
    second = model.fit(Judgments.of([rows[at] for at in rng.permutation(len(rows))], range=(0, 100)))
    for one, other in zip(first.scale.ordered().rows(), second.scale.ordered().rows(), strict=True):
        assert one == other
    assert first.predict("i1", "i2") == second.predict("i1", "i2")


def test_the_scale_lists_items_as_the_judgments_name_them_and_draws_are_sorted():
    judgments = Judgments.of([Rating("a", "tea", 20), Rating("a", "egg", 70)], range=(0, 100))
    fit = DirectAssessment().fit(judgments)
    assert fit.scale.item.tolist() == ["tea", "egg"]
    assert fit.item.tolist() == ["egg", "tea"]
    drawn = fit.draws(4000, np.random.default_rng(1))
    assert np.median(drawn[:, 0]) > np.median(drawn[:, 1])
