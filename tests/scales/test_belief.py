import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steelyard.errors import CannotWrite, NoSuchFile, UnreadableFile
from steelyard.maths.arrays import object_cells
from steelyard.scales.belief import BetaBelief, GaussianBelief
from steelyard.scales.saved import load_belief, save_belief
from steelyard.scales.tally import TallyBelief

ITEMS = object_cells(["tea", "soup\n", "卵"])


def tally():
    left, right, outcome = np.array([0, 2, 1]), np.array([1, 1, 2]), np.array([1, 0, -1])
    return TallyBelief.fresh(ITEMS, "half", "opponents").added(
        left, right, outcome, np.array([1.0, 1 / 3, 2.0])
    )


def test_adding_makes_a_new_belief_and_leaves_the_old_one():
    before = BetaBelief.fresh(object_cells(["tea", "soup"]))
    after = before.added(np.array([0.7, 0.0]), np.array([0.3, 0.0]), np.array([1.0, 0.0]))
    assert before.alpha.tolist() == [1.0, 1.0]
    assert after.alpha.tolist() == [1.7, 1.0]
    assert after.count.tolist() == [1.0, 0.0]
    assert after.position.round(6).tolist() == [0.7, 0.5]


def test_the_position_of_a_beta_belief_may_be_its_mean():
    belief = BetaBelief(ITEMS, np.array([3.0, 1.0, 1.0]), np.array([1.0, 1.0, 4.0]), np.zeros(3), "mean")
    assert belief.position.tolist() == [0.75, 0.5, 0.2]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.floats(allow_nan=False), min_size=3, max_size=3))
def test_a_saved_belief_is_the_same_to_the_last_bit(tmp_path, numbers):
    path = tmp_path / "belief.json"
    before = GaussianBelief(ITEMS, np.array(numbers), np.array(numbers[::-1]), np.array([0.0, 1 / 3, 5e-324]))
    save_belief(before, path)
    after = load_belief(path)
    assert isinstance(after, GaussianBelief)
    assert after.item.tolist() == before.item.tolist()
    for name in ("position", "variance", "count"):
        assert getattr(after, name).tobytes() == getattr(before, name).tobytes()


@pytest.mark.parametrize(
    "belief", [BetaBelief.fresh(ITEMS, "mean"), tally(), TallyBelief.fresh(ITEMS, "ignore", "pooled")]
)
def test_every_field_of_a_belief_is_kept(tmp_path, belief):
    save_belief(belief, tmp_path / "belief.json")
    after = load_belief(tmp_path / "belief.json")
    assert type(after) is type(belief)
    for name, value in vars(belief).items():
        kept = getattr(after, name)
        if isinstance(value, np.ndarray):
            assert kept.dtype == value.dtype
            assert kept.tolist() == value.tolist()
        else:
            assert kept == value


def test_an_old_file_stays_when_the_new_one_cannot_be_written(tmp_path):
    path = tmp_path / "belief.json"
    save_belief(BetaBelief.fresh(ITEMS), path)
    assert [each.name for each in tmp_path.iterdir()] == ["belief.json"]
    with pytest.raises(CannotWrite, match="nowhere"):
        save_belief(BetaBelief.fresh(ITEMS), tmp_path / "nowhere" / "belief.json")


def test_a_belief_without_a_file_format_is_refused(tmp_path):
    from steelyard import Steelyard

    with pytest.raises(CannotWrite, match="SteelyardBelief cannot be saved"):
        save_belief(Steelyard().start(ITEMS), tmp_path / "belief.json")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(NoSuchFile, match=r"none\.json"):
        load_belief(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-30], "not a complete JSON file"),
        (lambda text: "PK\x03\x04", "not a complete JSON file"),
        (lambda text: "[1, 2]", "does not contain a belief"),
        (lambda text: "{}", "does not contain a belief"),
        (
            lambda text: text.replace('"version": 1', '"version": 2'),
            "version 2 of kind 'tally', which this version of Steelyard cannot read",
        ),
        (lambda text: text.replace('"tally"', '"guess"'), "kind 'guess', which this version"),
        (lambda text: text.replace('"won"', '"gone"'), "'won' is missing"),
        (lambda text: text.replace('"tea"', "7"), "'item' has an invalid value"),
        (lambda text: text.replace('"tea"', '"卵"'), "'item' has an invalid value"),
        (lambda text: text.replace('"half"', '"third"'), "'ties' has an invalid value"),
        (lambda text: _with(text, "won", [1.0, "x"]), "'won' has an invalid value"),
        (lambda text: _with(text, "won", [1.0, True]), "'won' has an invalid value"),
        (lambda text: _with(text, "won", [1.0]), "its columns differ in length"),
        (lambda text: _with(text, "count", [1.0]), "its columns differ in length"),
        (
            lambda text: _with(text, "second", [1, 9]),
            "'second' refers to items that the file does not contain",
        ),
        (lambda text: _with(text, "first", [0, 0.5]), "'first' has an invalid value"),
    ],
)
def test_a_damaged_or_unknown_file_is_refused_with_its_name(tmp_path, change, message):
    path = tmp_path / "belief.json"
    save_belief(tally(), path)
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(UnreadableFile, match=rf"belief\.json: .*{message}.*save_belief"):
        load_belief(path)


def _with(text, name, values):
    return json.dumps({**json.loads(text), name: values})


def test_a_tally_counts_pairs_from_either_side():
    belief = tally()
    assert list(zip(belief.first.tolist(), belief.second.tolist(), strict=True)) == [(0, 1), (1, 2)]
    assert belief.won.tolist() == [1.0, 0.0]
    assert belief.tied.tolist() == [0.0, 1 / 3]
    assert belief.lost.tolist() == [0.0, 2.0]
    assert belief.count.tolist() == [1.0, 1.0 + 1 / 3 + 2.0, 1 / 3 + 2.0]
