import numpy as np
import pytest

from steelyard import Judgments
from steelyard.models.easl import Easl
from steelyard.models.steelyard.model import Steelyard
from steelyard.selection.early_stop import LEAST_ANSWERS, carries_too_little

ITEMS = np.array([f"i{at}" for at in range(40)], dtype=object)


def belief_of(raters, rng):
    """Return the belief after every rater has scored all items, with different habits."""
    truth = np.linspace(0.1, 0.9, len(ITEMS))
    columns = {"rater": np.repeat(list(raters), len(ITEMS)), "item": np.tile(ITEMS, len(raters))}
    score = np.concatenate([np.clip(answers(truth, rng), 0.0, 1.0) for answers in raters.values()])
    return Steelyard().believe(
        ITEMS, Judgments.from_columns("rating", {**columns, "score": score}, (0.0, 1.0))
    )


def careful(truth, rng):
    return truth + rng.normal(0, 0.1, len(truth))


def careless(truth, rng):
    return truth + rng.normal(0, 0.3, len(truth))


def at_random(truth, rng):
    return rng.random(len(truth))


def always_the_same(truth, rng):
    return np.full(len(truth), 0.6)


@pytest.fixture(scope="module")
def belief():
    ways = {f"careful{at}": careful for at in range(6)}
    others = {"careless": careless, "random": at_random, "constant": always_the_same}
    return belief_of({**ways, **others}, np.random.default_rng(4))


@pytest.mark.parametrize("rater", ["random", "constant"])
def test_a_rater_who_does_not_look_at_the_items_says_too_little(belief, rater):
    assert belief.worth(rater) < 0.05
    assert carries_too_little(belief, rater, 40, 0.25)


def test_the_information_of_an_answer_follows_precision(belief):
    careful_worth = [belief.worth(f"careful{at}") for at in range(6)]
    assert min(careful_worth) > 0.5
    assert belief.worth("careless") < 0.5 * min(careful_worth)


def test_no_rater_is_stopped_before_the_estimate_is_usable(belief):
    assert not carries_too_little(belief, "random", LEAST_ANSWERS - 1, 0.25)
    assert not carries_too_little(belief, "a new rater", 40, 0.25)
    assert not carries_too_little(Steelyard().start(ITEMS), "random", 40, 0.25)


def test_a_belief_without_raters_stops_no_rater():
    assert not carries_too_little(Easl().start(ITEMS), "random", 40, 0.25)
    assert not carries_too_little(None, "random", 40, 0.25)
