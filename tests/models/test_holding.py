"""Models that update by refitting: updating equals fitting, also through a file."""

import numpy as np
import pytest

from steelyard.errors import UnknownItem, UnreadableFile
from steelyard.judgments.table import Judgments
from steelyard.kinds.best_worst import BestWorst as Choice
from steelyard.kinds.ranking import Ranking
from steelyard.maths.arrays import object_cells
from steelyard.models.best_worst import BestWorstScaling
from steelyard.models.plackett_luce.model import PlackettLuce
from steelyard.scales.saved import load_belief, save_belief

ITEMS = object_cells(["tea", "milk", "soup", "egg", "rye"])


def rankings(rng, tasks, start=0):
    rows = []
    for at in range(start, start + tasks):
        shown = rng.permutation(ITEMS[:4])[:3]
        rows.append(Ranking(f"r{at}", f"t{at}", {str(item): place + 1 for place, item in enumerate(shown)}))
    return Judgments.of(rows)


def choices(rng, tasks, start=0):
    rows = []
    for at in range(start, start + tasks):
        shown = tuple(str(item) for item in rng.permutation(ITEMS[:4])[:3])
        rows.append(Choice(f"r{at}", f"t{at}", shown, shown[0], shown[2]))
    return Judgments.of(rows)


CASES = [
    (PlackettLuce(), rankings),
    (BestWorstScaling(), choices),
    (BestWorstScaling(method="model"), choices),
]


@pytest.mark.parametrize(("model", "judge"), CASES)
def test_updating_in_parts_through_a_file_equals_fitting_all(model, judge, tmp_path):
    rng = np.random.default_rng(3)
    first, second = judge(rng, 12), judge(rng, 9, start=12)
    save_belief(model.update(model.start(ITEMS), first), tmp_path / "belief.json")
    folded = model.update(load_belief(tmp_path / "belief.json"), second)
    fit = model.fit(first + second)
    at = [list(ITEMS).index(label) for label in fit.item]
    np.testing.assert_array_equal(folded.position[at], fit.posterior.position)
    np.testing.assert_array_equal(folded.variance[at], fit.posterior.spread**2)
    np.testing.assert_array_equal(folded.count[at], fit.count)


@pytest.mark.parametrize(("model", "judge"), CASES)
def test_an_item_nobody_judged_keeps_its_prior(model, judge):
    start = model.start(ITEMS)
    after = model.update(start, judge(np.random.default_rng(1), 5))
    assert after.position[4] == start.position[4]
    assert after.variance[4] == start.variance[4]
    assert after.count[4] == 0


def test_an_item_that_the_belief_does_not_contain_is_refused():
    model = PlackettLuce()
    with pytest.raises(UnknownItem):
        model.update(model.start(ITEMS[:2]), rankings(np.random.default_rng(0), 4))


def test_a_file_with_damaged_columns_is_refused(tmp_path):
    model = PlackettLuce()
    path = tmp_path / "belief.json"
    save_belief(model.update(model.start(ITEMS), rankings(np.random.default_rng(0), 4)), path)
    path.write_text(path.read_text().replace('"rank": [1, ', '"rank": ['))
    with pytest.raises(UnreadableFile, match="columns"):
        load_belief(path)
