from collections import Counter

import numpy as np
import pytest

from steelyard.errors import BadSetting, UnknownName
from steelyard.planning.designs import collect, make_design, plannable
from steelyard.planning.worlds import draw_world, stated_world


def collected(protocol, turns=3, items=12, raters=6, systems=0):
    rng = np.random.default_rng(1)
    design = make_design(protocol, items, raters, systems=systems)
    world = draw_world(stated_world("full", "uniform"), items, raters, rng)
    return design, collect(design, world, turns, rng)


@pytest.mark.parametrize("protocol", plannable())
def test_every_item_gets_the_planned_answers(protocol):
    design, done = collected(protocol)
    table = done.judgments.table(design.definition.kind.name)
    counts = Counter(int(code) for name in table.kind.items for code in table.codes[name])
    assert set(counts) == set(range(12))
    if not done.unasked and design.definition.asking.way.size is not None:
        assert set(counts.values()) == {3}


def test_the_first_passes_are_a_smaller_study():
    _, done = collected("list")
    assert len(done.first(1)) == 12
    assert len(done.first(2)) == 24


def test_no_rater_sees_an_item_twice():
    _, done = collected("rating", turns=6)
    table = done.judgments.table("rating")
    pairs = list(zip(table.codes["rater"].tolist(), table.codes["item"].tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert done.unasked == 0


def test_answers_beyond_the_number_of_raters_find_no_rater():
    _, done = collected("rating", turns=8)
    assert done.unasked == 2 * 12


def test_outputs_of_a_segment_are_compared():
    _, done = collected("comparison", systems=2)
    table = done.judgments.table("comparison")
    assert (table.codes["left"] // 2 == table.codes["right"] // 2).all()
    assert (table.codes["left_system"] != table.codes["right_system"]).all()


def test_protocols_that_do_not_suit_are_refused():
    with pytest.raises(BadSetting, match="best_worst"):
        make_design("best_worst", 20, 5, systems=2)
    with pytest.raises(UnknownName, match="comparison_list"):
        make_design("comparison_list", 20, 5)
