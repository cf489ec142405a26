"""Rounds: closing, the next anchors, asking again, moving the scale."""

import numpy as np
import pytest

from steelyard.errors import NothingToClose, UnknownItem
from steelyard.kinds.range import Bounds
from steelyard.study.grounding.rounds import drift_of
from steelyard.study.log.entries import Answer, Event
from steelyard.study.log.ground import Rescaling
from steelyard.study.log.ledger import Ledger
from tests.study.collecting.test_ranges import crowd_works, join, place
from tests.study.making import answer_with, work


def closings(session):
    return [e for e in session.log.since(0) if isinstance(e, Event) and e.kind == "round_closed"]


def place_all(session, rater, where):
    """Answer all tasks of this rater; `where` returns the bounds of an item."""
    while (assignment := session.next_task(rater).assignment) is not None:
        low, high = where(assignment.task.items[0])
        outside = low < 0 or high > 100
        session.accept(rater, Answer("", "", assignment.id, (Bounds(0, 0, low, high, outside=outside),)))


def test_closing_a_round_makes_anchors_from_its_answers(make):
    session = make(4, protocol="range", redundancy=2)
    place_all(session, join(session, "Ann"), lambda item: (20.0 * int(item[1:]), 20.0 * int(item[1:]) + 10))
    place_all(session, join(session, "Bob"), lambda item: (20.0 * int(item[1:]), 20.0 * int(item[1:]) + 20))
    session.close_round()
    (event,) = closings(session)
    assert event.facts["anchors"] == [
        {"item": f"i{at}", "low": 20.0 * at, "high": 20.0 * at + 15.0} for at in range(4)
    ]
    assert event.facts["mapping"] is None
    assert event.facts["round"] == 1
    assert session.ledger.round == 2


def test_a_round_without_answers_cannot_be_closed_so_a_second_click_does_nothing(make):
    session = make(4, protocol="range", redundancy=2)
    with pytest.raises(NothingToClose):
        session.close_round()
    place(session, join(session), 10.0, 20.0)
    session.close_round()
    with pytest.raises(NothingToClose):
        session.close_round()
    assert session.ledger.round == 2


def test_an_excluded_raters_answers_make_no_anchors(make):
    session = make(1, protocol="range", redundancy=2)
    ann, bob = join(session, "Ann"), join(session, "Bob")
    place(session, ann, 10.0, 20.0)
    place(session, bob, 90.0, 95.0)
    session.note("excluded", bob)
    session.close_round()
    assert closings(session)[0].facts["anchors"] == [{"item": "i0", "low": 10.0, "high": 20.0}]


def test_tasks_left_over_are_asked_in_the_next_round_with_the_next_anchors(make):
    session = make(6, protocol="range", redundancy=1)
    ann, bob = join(session, "Ann"), join(session, "Bob")
    first = place(session, ann, 10.0, 20.0)
    session.close_round()
    assignment = session.next_task(bob).assignment
    assert assignment.task.round == 2
    assert [each.anchor.item for each in assignment.anchors] == [first]
    place_all(session, bob, lambda item: (40.0, 50.0))
    assert session.ledger.answered.tolist() == [1] * 6


def test_a_task_held_when_the_round_closes_keeps_its_anchors_and_its_scale(make):
    session = make(6, protocol="range", redundancy=1, scale={"beyond": True})
    ann, bob = join(session, "Ann"), join(session, "Bob")
    held = session.next_task(bob).assignment
    place(session, ann, 150.0, 200.0, outside=True)
    session.close_round()
    assert session.next_task(bob).assignment.anchors == held.anchors
    place(session, bob, 100.0, 150.0, outside=True)
    table = session.ledger.judgments().table("range")
    assert table.numbers["high"].tolist() == [100.0, 75.0]
    assert session.next_task(bob).assignment.task.round == 2


def test_a_task_abandoned_in_an_earlier_round_is_planned_again(make, clock):
    session = make(2, protocol="range", redundancy=1)
    ann, bob = join(session, "Ann"), join(session, "Bob")
    session.next_task(bob)
    place(session, ann, 10.0, 20.0)
    session.close_round()
    clock.pass_minutes(60)
    assert session.next_task(ann).assignment.task.round == 2


def test_rounds_follow_each_other_until_the_last(make):
    session = make(9, protocol="range", redundancy=2, rounds={"number": 3})
    crowd_works(session, raters=6)
    assert [event.facts["round"] for event in closings(session)] == [1, 2]
    by_round = {}
    for task in session.ledger.tasks.values():
        by_round.setdefault(task.round, set()).update(task.items)
    assert [len(by_round[number]) for number in (1, 2, 3)] == [3, 3, 3]
    assert session.ledger.answered.tolist() == [2] * 9


def test_a_rater_waits_while_others_finish_the_round(make):
    session = make(4, protocol="range", redundancy=2, rounds={"number": 2})
    ann, bob = join(session, "Ann"), join(session, "Bob")
    place_all(session, ann, lambda item: (10.0, 20.0))
    assert session.next_task(ann).waiting
    place_all(session, bob, lambda item: (10.0, 20.0))
    assert session.ledger.round == 2
    assert session.next_task(ann).assignment is not None


def test_seeds_are_asked_again_first_and_are_not_shown_as_their_own_anchors(make):
    session = make(8, protocol="range", redundancy=1, rounds={"number": 2, "reannotate": 2})
    asked_first = [f"i{at}" for at in np.flatnonzero(session.ledger.wanted)][1:]
    seeds = [{"item": item, "low": at, "high": at} for item, at in zip(asked_first, (5, 50, 95), strict=True)]
    session.note("seeds_closed", facts={"anchors": seeds})
    ann = join(session, "Ann")
    place_all(session, ann, lambda item: (40.0, 60.0))
    (event,) = closings(session)
    again = event.facts["reannotate"]
    assert set(again) < set(asked_first)
    assert not set(again) & {anchor["item"] for anchor in event.facts["anchors"]}
    second = [task for task in session.ledger.tasks.values() if task.round == 2]
    assert set(again) <= {task.items[0] for task in second}


def test_an_item_asked_again_needs_the_full_redundancy_also_from_raters_who_saw_it(make):
    session = make(3, protocol="range", redundancy=2)
    ann, bob = join(session, "Ann"), join(session, "Bob")
    for rater in (ann, bob):
        place_all(session, rater, lambda item: (40.0, 60.0))
    assert session.next_task(ann).finished
    session.close_round(["i1"])
    for rater in (ann, bob):
        assignment = session.next_task(rater).assignment
        assert assignment.task.items == ("i1",)
        assert "i1" not in {each.anchor.item for each in assignment.anchors}
        place(session, rater, 10.0, 12.0)
        assert session.next_task(rater).finished
    assert session.ledger.answered.tolist() == [2, 4, 2]
    session.close_round()
    newest = {anchor["item"]: anchor for anchor in closings(session)[-1].facts["anchors"]}
    assert newest["i1"] == {"item": "i1", "low": 10.0, "high": 12.0}


def test_an_answer_before_the_close_can_still_be_undone(make):
    session = make(3, protocol="range", redundancy=1)
    ann = join(session, "Ann")
    first = place(session, ann, 40.0, 60.0)
    session.close_round([first])
    session.undo(ann, session.rater_state(ann).last)
    place_all(session, ann, lambda item: (10.0, 20.0))
    assert session.next_task(ann).finished
    assert not [n for n in session.ledger.rater(ann).seen.values() if n < 1]


def test_only_known_items_can_be_asked_again(make):
    session = make(3, protocol="range")
    place(session, join(session), 10.0, 20.0)
    with pytest.raises(UnknownItem):
        session.close_round(["nobody"])
    assert session.ledger.round == 1


def test_placements_past_the_scale_move_all_answers_and_anchors(make):
    session = make(3, protocol="range", redundancy=1, scale={"beyond": True})
    bounds = {"i0": (-50.0, 0.0), "i1": (50.0, 50.0), "i2": (100.0, 150.0)}
    place_all(session, join(session), bounds.get)
    session.close_round()
    (event,) = closings(session)
    assert event.facts["mapping"] == {"from": [-50.0, 150.0], "to": [0.0, 100.0]}
    assert [(a["low"], a["high"]) for a in event.facts["anchors"]] == [(0, 25), (50, 50), (75, 100)]
    judgments = session.ledger.judgments()
    lows = dict(zip(judgments.cells("range", "item"), judgments.table("range").numbers["low"], strict=True))
    assert lows == {"i0": 0.0, "i1": 50.0, "i2": 75.0}
    assert judgments.range == (0.0, 100.0)
    (first, *_) = [entry for entry in session.log.since(0) if isinstance(entry, Answer)]
    assert (first.cells[0].low, first.cells[0].high) in bounds.values()


def test_answers_go_through_every_rescaling_since_their_round(make):
    session = make(3, protocol="range", redundancy=1, scale={"beyond": True})
    ann = join(session)
    place(session, ann, 0.0, 200.0, outside=True)
    session.close_round()
    place(session, ann, 0.0, 400.0, outside=True)
    session.close_round()
    high = session.ledger.judgments().table("range").numbers["high"]
    assert high.tolist() == [25.0, 100.0]


def test_a_rescaling_puts_ends_on_ends_and_keeps_order():
    rescaling = Rescaling((-20.0, 130.0), (0.0, 100.0))
    moved = [rescaling.moved(value) for value in (-20.0, 0.0, 55.0, 130.0)]
    assert moved[0] == 0.0
    assert moved[-1] == 100.0
    assert moved[2] == pytest.approx(50.0)
    assert moved == sorted(moved)


def test_folding_entry_by_entry_equals_folding_at_once(make):
    session = make(
        9, protocol="range", redundancy=2, rounds={"number": 3, "reannotate": 1}, scale={"beyond": True}
    )
    session.note("seeds_closed", facts={"anchors": [{"item": "i0", "low": 5, "high": 9}]})
    ann, bob = join(session, "Ann"), join(session, "Bob")
    rng = np.random.default_rng(3)
    for rater in (ann, bob) * 12:
        if session.next_task(rater).assignment is not None:
            low, high = np.sort(rng.uniform(-10, 110, 2)).tolist()
            place(session, rater, low, high, outside=True)
    session.undo(ann, session.rater_state(ann).last)
    session.note("excluded", bob)
    entries = list(session.log.since(0))
    one, whole = (Ledger(session.study.definition, session.study.items) for _ in range(2))
    for entry in entries:
        one.fold([entry])
    whole.fold(entries)
    for ledger in (one, whole):
        assert ledger.ground == session.ledger.ground
        assert ledger.reopened == session.ledger.reopened
        assert ledger.raters == whole.raters
        for rater, record in ledger.raters.items():
            assert record.seen == session.ledger.raters[rater].seen
            assert list(record.answers) == list(session.ledger.raters[rater].answers)
        assert ledger.wanted.tolist() == session.ledger.wanted.tolist()
        assert ledger.answered.tolist() == session.ledger.answered.tolist()
        assert ledger.judgments().table("range").numbers["low"].tolist() == (
            session.ledger.judgments().table("range").numbers["low"].tolist()
        )


def test_drift_shows_positions_of_anchors_on_the_current_scale(make):
    session = make(2, protocol="range", redundancy=1, scale={"beyond": True})
    session.note("seeds_closed", facts={"anchors": [{"item": "i0", "low": 40, "high": 40}]})
    place_all(session, join(session), {"i0": (60.0, 80.0), "i1": (0.0, 200.0)}.get)
    session.close_round()
    drift = {each.item: each.places for each in drift_of(session.ledger)}
    assert drift["i0"] == ((1, 20.0), (2, 35.0))
    assert drift["i1"] == ((2, 50.0),)


def test_single_values_have_rounds_too(make):
    session = make(6, redundancy=2, rounds={"number": 2})
    for rater in [join(session, name) for name in ("Ann", "Bob")] * 2:
        work(session, rater)
    assert session.ledger.answered.tolist() == [2] * 6
    assert {a["low"] - a["high"] for a in closings(session)[0].facts["anchors"]} == {0.0}


def test_every_round_has_new_sequences(make):
    session = make(
        8, protocol="range", redundancy=2, selection="sequences", sequence_length=2, rounds={"number": 2}
    )
    crowd_works(session, raters=8)
    assert session.ledger.answered.tolist() == [2] * 8
    rounds = {at: session.ledger.tasks[tasks[0]].round for at, tasks in session.ledger.sequences.items()}
    assert sorted(rounds.values()) == [1, 1, 2, 2]


def test_probes_repeat_the_first_item_and_its_answer_is_withheld(make):
    session = make(
        12, protocol="range", redundancy=1, selection="sequences", sequence_length=12, probes={"every": 5}
    )
    rater = join(session)
    items, own = [], []
    while (assignment := session.next_task(rater).assignment) is not None:
        items.append(assignment.task.items[0])
        own.append({each.anchor.item for each in assignment.anchors})
        place(session, rater, 40.0, 60.0)
    assert len(items) == 15
    assert [at for at, item in enumerate(items, 1) if item == items[0]] == [1, 5, 10, 15]
    assert all(item not in seen for item, seen in zip(items, own, strict=True))
    assert items[0] in own[5]
    assert session.ledger.answered.tolist() == [1] * 12
    assert len(session.ledger.judgments()) == 12
    assert len(session.ledger.judgments(probes=True)) == 15
    assert session.next_task(rater).finished


def test_each_rater_of_a_sequence_gets_its_probes_once(make):
    session = make(
        6, protocol="range", redundancy=3, selection="sequences", sequence_length=3, probes={"every": 4}
    )
    crowd_works(session, raters=6)
    for record in session.ledger.raters.values():
        probes = [a for a in record.answers.values() if session.ledger.tasks[a.task].probe]
        assert len(record.answers) == 4
        assert len(probes) == 1


@pytest.mark.parametrize("settings", [{"selection": "information"}, {"selection": "easl", "model": "easl"}])
def test_a_round_of_a_selection_that_learns_asks_for_its_own_items_and_ends(make, settings):
    """Items of the next round are not asked; a selection that learns may ask items of this round again."""
    session = make(20, protocol="rating", redundancy=2, rounds={"number": 2}, seed=4, **settings)
    people = [session.join(f"rater {at}", "link").id for at in range(8)]
    rng = np.random.default_rng(1)
    for _ in range(8):
        for rater in people:
            assignment = session.next_task(rater).assignment
            if assignment is not None:
                session.accept(rater, answer_with(assignment, float(rng.integers(0, 100))))
    first = {item for task in session.ledger.tasks.values() if task.round == 1 for item in task.items}
    assert session.ledger.round == 2
    assert len(first) == 10
    assert session.ledger.answered.sum() == 2 * 20
    assert session.ledger.answered.min() >= 1


def test_the_set_number_of_items_is_asked_again_even_if_seeds_were_never_asked(make):
    session = make(20, protocol="range", redundancy=1, rounds={"number": 2, "reannotate": 8})
    seeds = [{"item": f"i{at}", "low": at, "high": at} for at in range(20)]
    session.note("seeds_closed", facts={"anchors": seeds})
    place_all(session, join(session, "Ann"), lambda item: (40.0, 60.0))
    again = closings(session)[0].facts["reannotate"]
    first = {task.items[0] for task in session.ledger.tasks.values() if task.round == 1}
    second = [task.items[0] for task in session.ledger.tasks.values() if task.round == 2]
    assert len(again) == 8
    assert set(again) <= first
    assert len(second) == 10 + 8


def test_seeds_that_nobody_was_asked_about_do_not_count_as_asked_again(make):
    session = make(8, protocol="range", redundancy=1, rounds={"number": 2, "reannotate": 3})
    never_asked = [f"i{at}" for at in np.flatnonzero(session.ledger.wanted)][:4]
    session.note(
        "seeds_closed", facts={"anchors": [{"item": item, "low": 9, "high": 9} for item in never_asked]}
    )
    place_all(session, join(session, "Ann"), lambda item: (40.0, 60.0))
    assert len(set(closings(session)[0].facts["reannotate"])) == 3
