import numpy as np

from steelyard.maths.arrays import object_cells
from steelyard.scales.belief import BetaBelief


def test_adding_makes_a_new_belief_and_leaves_the_old_one():
    before = BetaBelief.fresh(object_cells(["tea", "soup"]))
    after = before.added(np.array([0.7, 0.0]), np.array([0.3, 0.0]), np.array([1.0, 0.0]))
    assert before.alpha.tolist() == [1.0, 1.0]
    assert after.alpha.tolist() == [1.7, 1.0]
    assert after.count.tolist() == [1.0, 0.0]
    assert after.position.round(6).tolist() == [0.7, 0.5]
