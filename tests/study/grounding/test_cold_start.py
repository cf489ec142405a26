"""The cold start: drawing, dropping, agreeing, placing, and the first anchors."""

import pytest

from steelyard.errors import BadAnswer, NoColdStart
from steelyard.study.definition.anchors_file import Anchor
from steelyard.study.grounding import cold_start
from steelyard.study.grounding.cold_start import OWNER
from steelyard.study.log.entries import Event
from steelyard.study.log.ledger import Ledger
from tests.study.collecting.test_ranges import crowd_works, join


def acting(act):
    """A step of the cold start, in a separate transaction each time."""

    def run(session, *facts):
        with session.transaction() as transaction:
            act(transaction, *facts)

    return run


draw, agree, reopen, place, close_seeds = map(
    acting, (cold_start.draw, cold_start.agree, cold_start.reopen, cold_start.place, cold_start.close_seeds)
)


def cold_start_of(session, rater):
    return cold_start.cold_start_of(session.fresh_ledger(), rater)


def place_evenly(session, rater, shift=0.0):
    items = cold_start_of(session, rater).items
    place(session, rater, {at: 10.0 * order + shift for order, at in enumerate(sorted(items))})


@pytest.fixture
def started(make):
    def build(items=30, **settings):
        return make(items, protocol="range", redundancy=1, cold_start={"size": 5, **settings})

    return build


def test_the_owner_draws_drops_agrees_and_places_and_raters_see_the_anchors(started):
    session = started()
    assert cold_start_of(session, OWNER).state == "draw"
    draw(session, OWNER, [])
    first = cold_start_of(session, OWNER).items
    assert len(set(first)) == 5
    draw(session, OWNER, first[:2])
    second = cold_start_of(session, OWNER).items
    assert second[:2] == first[:2]
    assert not set(second[2:]) & set(first)
    agree(session, OWNER)
    assert cold_start_of(session, OWNER).state == "place"
    place_evenly(session, OWNER)
    assert cold_start_of(session, OWNER).state == "done"
    assignment = session.next_task(join(session)).assignment
    middles = [each.anchor.middle for each in assignment.anchors]
    assert set(middles) <= {0.0, 10.0, 20.0, 30.0, 40.0}
    assert len(middles) >= 4


def test_raters_wait_until_the_owner_is_done(started):
    session = started()
    rater = join(session)
    rater_state = session.next_task(rater)
    assert rater_state.waiting
    assert not rater_state.finished
    with pytest.raises(NoColdStart):
        draw(session, rater, [])


def test_a_dropped_example_can_be_taken_back(started):
    session = started()
    draw(session, OWNER, [])
    first = cold_start_of(session, OWNER).items
    draw(session, OWNER, first[1:])
    draw(session, OWNER, first)
    assert cold_start_of(session, OWNER).items == first


def test_a_set_may_be_larger_than_one_draw(started):
    session = started()
    draw(session, OWNER, [])
    first = cold_start_of(session, OWNER).items
    draw(session, OWNER, first[:1])
    both = (*first, *cold_start_of(session, OWNER).items[1:])
    agree(session, OWNER, both)
    assert cold_start_of(session, OWNER).items == both


def test_only_drawn_examples_are_kept(started):
    session = started()
    draw(session, OWNER, [])
    missing = next(at for at in range(30) if at not in cold_start_of(session, OWNER).items)
    for keep in ([missing], [99], [-1]):
        with pytest.raises(BadAnswer):
            draw(session, OWNER, keep)


def test_dropped_examples_can_still_be_chosen(started):
    session = started()
    assert cold_start_of(session, OWNER).dropped == ()
    draw(session, OWNER, [])
    first = cold_start_of(session, OWNER).items
    draw(session, OWNER, first[2:])
    assert cold_start_of(session, OWNER).dropped == tuple(sorted(first[:2]))
    draw(session, OWNER, first)
    assert not set(cold_start_of(session, OWNER).dropped) & set(first)


def test_a_set_that_is_too_small_is_refused_and_an_accepted_set_is_fixed(started):
    session = started()
    with pytest.raises(BadAnswer, match="5 examples"):
        agree(session, OWNER)
    draw(session, OWNER, [])
    agree(session, OWNER)
    with pytest.raises(NoColdStart):
        draw(session, OWNER, [])


def test_going_back_to_drawing_is_possible_and_logged(started):
    session = started()
    draw(session, OWNER, [])
    agree(session, OWNER)
    agreed = cold_start_of(session, OWNER)
    assert agreed.reopens
    reopen(session, OWNER)
    assert cold_start_of(session, OWNER).state == "draw"
    assert cold_start_of(session, OWNER).items == agreed.items
    draw(session, OWNER, agreed.items[1:])
    agree(session, OWNER)
    place_evenly(session, OWNER)
    assert cold_start_of(session, OWNER).state == "done"
    events = [entry for entry in session.log.since(0) if isinstance(entry, Event)]
    was_agreed = [event.facts["agreed"] for event in events if event.kind == "seeds_drawn"]
    assert was_agreed == [False, True, False, False, True]


def test_going_back_while_drawing_changes_nothing(started):
    session = started()
    reopen(session, OWNER)
    draw(session, OWNER, [])
    before = session.fresh_ledger().log_position
    reopen(session, OWNER)
    assert session.fresh_ledger().log_position == before
    assert not cold_start_of(session, OWNER).reopens


def test_a_shared_set_cannot_be_changed_after_someone_has_placed_it(started):
    session = started(by="raters", least=2)
    ann, bob = join(session, "Ann"), join(session, "Bob")
    draw(session, ann, [])
    agree(session, ann)
    assert cold_start_of(session, bob).reopens
    place_evenly(session, ann)
    assert not cold_start_of(session, bob).reopens
    with pytest.raises(BadAnswer, match="already been placed"):
        reopen(session, bob)
    place_evenly(session, bob)
    with pytest.raises(NoColdStart):
        reopen(session, bob)


def test_a_separate_set_can_be_changed_after_others_have_placed_theirs(started):
    session = started(by="raters", shared=False, least=2)
    ann, bob = join(session, "Ann"), join(session, "Bob")
    for rater in (ann, bob):
        draw(session, rater, [])
        agree(session, rater)
    place_evenly(session, ann)
    reopen(session, bob)
    assert cold_start_of(session, bob).state == "draw"
    with pytest.raises(BadAnswer, match="already been placed"):
        reopen(session, ann)


def test_placing_a_set_that_was_reopened_is_refused(started):
    session = started(by="raters", least=2)
    ann, bob = join(session, "Ann"), join(session, "Bob")
    draw(session, ann, [])
    agree(session, ann)
    positions = dict.fromkeys(cold_start_of(session, bob).items, 50.0)
    reopen(session, ann)
    with pytest.raises(NoColdStart):
        place(session, bob, positions)


@pytest.mark.parametrize("change", [lambda p: p.popitem(), lambda p: p.update({99: 5.0})])
def test_exactly_the_examples_of_the_set_are_placed(started, change):
    session = started()
    draw(session, OWNER, [])
    agree(session, OWNER)
    positions = dict.fromkeys(cold_start_of(session, OWNER).items, 50.0)
    change(positions)
    with pytest.raises(BadAnswer, match="every example"):
        place(session, OWNER, positions)


def test_a_place_outside_the_scale_is_refused(started):
    session = started()
    draw(session, OWNER, [])
    agree(session, OWNER)
    with pytest.raises(BadAnswer, match="outside"):
        place(session, OWNER, dict.fromkeys(cold_start_of(session, OWNER).items, 101.0))


def test_several_raters_place_one_shared_set_and_positions_are_averaged(started):
    session = started(by="raters", least=2)
    ann, bob = join(session, "Ann"), join(session, "Bob")
    draw(session, ann, [])
    agree(session, ann)
    assert cold_start_of(session, bob).state == "place"
    place_evenly(session, ann)
    assert cold_start_of(session, ann).state == "done"
    assert session.next_task(ann).waiting
    with pytest.raises(NoColdStart):
        place_evenly(session, ann)
    place_evenly(session, bob, shift=20.0)
    assert [anchor.middle for anchor in session.ledger.ground.seeds] == [10.0, 20.0, 30.0, 40.0, 50.0]
    assert session.next_task(ann).assignment is not None


def test_with_separate_sets_items_placed_by_too_few_raters_are_left_out(started):
    session = started(items=7, by="raters", shared=False, least=2)
    ann, bob = join(session, "Ann"), join(session, "Bob")
    for rater in (ann, bob):
        draw(session, rater, [])
        agree(session, rater)
        place_evenly(session, rater)
    both = set(cold_start_of(session, ann).items) & set(cold_start_of(session, bob).items)
    assert 0 < len(both) < 5
    close_seeds(session)
    assert {anchor.item for anchor in session.ledger.ground.seeds} == {f"i{at}" for at in both}


def test_seeds_without_any_placement_cannot_be_closed(started):
    session = started(by="raters")
    with pytest.raises(NoColdStart):
        close_seeds(session)


def test_a_small_study_draws_all_items(started):
    session = started(items=3)
    draw(session, OWNER, [])
    agree(session, OWNER)
    place_evenly(session, OWNER)
    assert session.ledger.ground.seeds == tuple(Anchor(f"i{at}", 10.0 * at, 10.0 * at) for at in range(3))


def test_the_log_contains_the_whole_cold_start(started):
    session = started(by="raters", least=2)
    for rater in (join(session, "Ann"), join(session, "Bob")):
        if cold_start_of(session, rater).state == "draw":
            draw(session, rater, [])
            agree(session, rater)
        place_evenly(session, rater)
    fresh = Ledger(session.study.definition, session.study.items)
    for entry in session.log.since(0):
        fresh.fold([entry])
    assert fresh.ground == session.ledger.ground


@pytest.mark.parametrize("settings", [{}, {"by": "raters", "least": 3}, {"by": "raters", "shared": False}])
def test_simulated_people_do_the_cold_start_too(started, settings):
    session = started(items=8, **settings)
    _, done = crowd_works(session, raters=4)
    assert done == 8
    assert len(session.ledger.ground.seeds) >= 5
