import numpy as np
import pytest

import steelyard
from steelyard import Comparison, Judgments
from steelyard.quality.repeats import RaterRepeats, SideCounts, count_repeats, position_bias


def asked(*answers, rater="ann"):
    """Answers to tea against milk: the side chosen, upper case where the sides were swapped."""
    sides = [("milk", "tea") if word.isupper() else ("tea", "milk") for word in answers]
    return [
        Comparison(rater, *pair, word.lower(), {"round": at})
        for at, (pair, word) in enumerate(zip(sides, answers, strict=True))
    ]


def test_each_answer_is_held_against_the_one_before():
    repeats = count_repeats(Judgments.of(asked("left", "left", "right", "tie", "left")))
    assert repeats == (RaterRepeats("ann", 4, changed=3, reversed=1, swapped=0, swapped_changed=0),)


def test_the_same_item_on_the_other_side_is_the_same_answer():
    repeats = count_repeats(Judgments.of(asked("left", "RIGHT", "RIGHT", "right")))
    assert repeats == (RaterRepeats("ann", 3, changed=1, reversed=1, swapped=2, swapped_changed=1),)


def test_always_left_changes_with_every_swap():
    repeats = count_repeats(Judgments.of(asked("left", "LEFT", "left", "left")))
    assert repeats[0].swapped == repeats[0].swapped_changed == repeats[0].changed == 2


@pytest.mark.parametrize("column", ["question", "segment", "condition"])
def test_another_question_segment_or_condition_is_no_repeat(column):
    rows = [Comparison("ann", "tea", "milk", side, {column: side}) for side in ("left", "right")]
    assert count_repeats(Judgments.of(rows)) == ()


def test_a_table_of_counts_does_not_say_what_was_repeated():
    rows = [Comparison("ann", "tea", "milk", side, {"count": 5}) for side in ("left", "right")]
    assert count_repeats(Judgments.of(rows)) == ()


def test_raters_are_kept_apart_and_the_nameless_left_out():
    rows = (
        asked("left", "left") + asked("left", "right", rater="bob") + asked("left", "left", rater="unknown")
    )
    assert [(each.rater, each.changed) for each in count_repeats(Judgments.of(rows))] == [
        ("ann", 0),
        ("bob", 1),
    ]
    assert count_repeats(Judgments({}, {})) == ()


def test_the_share_of_left_is_tested_against_one_half():
    sides = position_bias(Judgments.of(asked(*["left", "LEFT"] * 4, "right", "tie")))
    assert sides == (SideCounts("ann", 8, 1, pytest.approx(20 / 512)),)  # 2 (1 + 9) / 2^9
    assert sides[0].share == pytest.approx(8 / 9)


def test_a_pair_in_one_order_only_tells_nothing_about_sides():
    rows = [Comparison("ann", "beer", "wine", "left") for _ in range(9)]
    assert position_bias(Judgments.of(rows)) == ()
    sides = position_bias(Judgments.of(rows + asked("left", "LEFT")))
    assert (sides[0].left, sides[0].right) == (2, 0)


def test_what_one_rater_saw_only_one_way_counts_where_another_saw_it_the_other_way():
    rows = asked("left") + asked("RIGHT", rater="bob")
    assert [(each.rater, each.left, each.right) for each in position_bias(Judgments.of(rows))] == [
        ("ann", 1, 0),
        ("bob", 0, 1),
    ]


def test_swapping_every_side_swaps_left_and_right():
    rows = asked("left", "LEFT", "right", "left", "tie")
    other = {"left": "right", "right": "left", "tie": "tie"}
    swapped = [Comparison(row.rater, row.right, row.left, other[row.outcome]) for row in rows]
    here, there = position_bias(Judgments.of(rows))[0], position_bias(Judgments.of(swapped))[0]
    assert (here.left, here.right, here.p) == (there.right, there.left, there.p)


def test_a_preferred_item_on_random_sides_is_no_preference_for_a_side():
    rng = np.random.default_rng(8)
    words = ["left" if straight else "RIGHT" for straight in rng.random(400) < 0.5]  # tea, on either side
    sides = position_bias(Judgments.of(asked(*words)))[0]
    assert sides.p > 0.05


def test_a_file_without_raters_has_nobody_to_describe():
    table = {"left": ["a", "b"], "right": ["b", "a"], "outcome": ["left", "left"]}
    assert position_bias(steelyard.read(table)) == ()
    assert position_bias(Judgments({}, {})) == ()


def test_weights_up_to_one_belong_to_single_answers_and_can_be_repeats():
    rows = [Comparison("ann", "tea", "milk", side, {"count": 0.25}) for side in ("left", "right")]
    (repeats,) = count_repeats(Judgments.of(rows))
    assert (repeats.repeats, repeats.changed) == (1, 1)
