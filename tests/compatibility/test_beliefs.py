"""Beliefs that the version before saved: they load, go on learning, and are saved as they were."""

import json
from pathlib import Path

import numpy as np
import pytest

from steelyard import load_belief, save_belief
from tests.compatibility.beliefs import LEARNT_FROM, halves, items_of, make_model

KEPT = Path(__file__).parent / "kept"
every_model = pytest.mark.parametrize("name", LEARNT_FROM)


@every_model
def test_a_saved_belief_is_saved_again_to_the_byte(name, tmp_path):
    for file in (f"{name}.json", f"{name}_later.json"):
        save_belief(load_belief(KEPT / "beliefs" / file), tmp_path / file)
        assert (tmp_path / file).read_bytes() == (KEPT / "beliefs" / file).read_bytes()


@every_model
def test_a_saved_belief_learns_what_it_would_have_learnt(name, tmp_path):
    model, (_, second) = make_model(name), halves(KEPT, name)
    later = model.update(load_belief(KEPT / "beliefs" / f"{name}.json"), second)
    check_same(later, f"{name}_later.json", tmp_path)


@every_model
def test_judgments_give_the_belief_that_was_saved(name, tmp_path):
    model, (first, second) = make_model(name), halves(KEPT, name)
    belief = model.update(model.start(items_of((first, second))), first)
    check_same(belief, f"{name}.json", tmp_path)


def check_same(belief, file, folder):
    """The belief in a file is the one kept, with numbers that may differ by rounding."""
    save_belief(belief, folder / file)
    now, before = (json.loads((place / file).read_bytes()) for place in (folder, KEPT / "beliefs"))
    assert list(now) == list(before)
    for field, value in before.items():
        if isinstance(value, list) and value and isinstance(value[0], float):
            np.testing.assert_allclose(now[field], value, rtol=1e-9, atol=1e-12)
        else:
            assert now[field] == value
