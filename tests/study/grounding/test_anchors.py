"""Anchors along the scale: from a file, from own answers, within a segment, and never the judged item."""

import itertools

import pytest

from steelyard.errors import BadInput, BadSetting, StudyChanged
from steelyard.storage.memory import Memory
from steelyard.study.collecting.session import Session
from steelyard.study.definition.anchors_file import Anchor
from steelyard.study.definition.items import Item
from steelyard.study.definition.study import open_study
from steelyard.study.grounding.anchors import ShownAnchor, anchors_of, spread
from steelyard.study.log.changes import reconcile
from steelyard.study.log.entries import Answer
from steelyard.study.log.ledger import Ledger
from tests.study.collecting.test_ranges import join, place

FIVE = "".join(f"i{at},{20 * at}\n" for at in range(5))


@pytest.fixture
def open_with(tmp_path, clock):
    """A session on a study folder whose anchors file has this content."""

    def build(anchors, protocol="range", settings="", items=8, segments=False, store=None):
        rows = [f"i{at},Item {at},{'ab'[at % 2] if segments else ''}" for at in range(items)]
        (tmp_path / "items.csv").write_text("id,text,segment\n" + "\n".join(rows) + "\n")
        (tmp_path / "anchors.csv").write_text(anchors)
        (tmp_path / "study.toml").write_text(
            f'title = "T"\nprotocol = "{protocol}"\nredundancy = 1\n{settings}\n[items]\nfile = "items.csv"\n'
            '[anchors]\nfile = "anchors.csv"\n[[questions]]\ntext = "How much?"\n'
        )
        store = Memory() if store is None else store
        return Session(open_study(tmp_path), store, store, clock)

    return build


def shown(session, rater):
    return [
        (each.anchor.item, each.anchor.low, each.anchor.high, each.own)
        for each in session.next_task(rater).assignment.anchors
    ]


def test_anchors_of_a_file_are_shown_except_for_the_judged_item(open_with):
    session = open_with("item,position\n" + FIVE)
    rater = join(session)
    asked = session.next_task(rater).assignment.task.items[0]
    assert shown(session, rater) == [
        (f"i{at}", 20.0 * at, 20.0 * at, False) for at in range(5) if f"i{at}" != asked
    ]


def test_ranges_of_a_file_are_shown_at_their_midpoint_on_a_scale_of_single_values(open_with):
    table = "item,low,high\ni0,10,30\ni1,60,100\n"
    ranged = open_with(table, items=3)
    assert {each[:3] for each in shown(ranged, join(ranged))} <= {("i0", 10.0, 30.0), ("i1", 60.0, 100.0)}
    rated = open_with(table, "rating", items=3)
    assert {each[:3] for each in shown(rated, join(rated))} <= {("i0", 20.0, 20.0), ("i1", 80.0, 80.0)}


def test_a_rater_sees_their_own_answers_as_anchors_and_nobody_elses(open_with):
    session = open_with("item,position\ni0,50\n", items=6)
    ann, bob = join(session, "Ann"), join(session, "Bob")
    first = place(session, ann, 30.0, 45.0)
    own = [each for each in shown(session, ann) if each[3]]
    assert own == ([] if first == "i0" else [(first, 30.0, 45.0, True)])
    assert not any(own for *_, own in shown(session, bob))


def test_an_anchor_keeps_its_position_after_a_rater_has_judged_it(make):
    session = make(3, protocol="range", redundancy=1)
    session.note(
        "seeds_closed", facts={"anchors": [{"item": f"i{at}", "low": 5, "high": 9} for at in range(3)]}
    )
    rater = join(session)
    first = place(session, rater, 80.0, 90.0)
    assert (first, 5.0, 9.0, False) in shown(session, rater)
    assert not any(own for *_, own in shown(session, rater))


def test_an_undone_answer_is_no_anchor(make):
    session = make(4, protocol="range", redundancy=1)
    rater = join(session)
    place(session, rater, 10.0, 20.0)
    assert len(shown(session, rater)) == 1
    assert session.undo(rater, session.rater_state(rater).last).assignment.anchors == ()


@pytest.mark.parametrize(
    ("show", "expected"),
    [(["labels"], set()), (["examples"], {False}), (["own"], {True}), (["examples", "own"], {False, True})],
)
def test_the_conditions_of_the_paper_are_settings(make, show, expected):
    settings = {"cold_start": {}} if show == ["examples"] else {}
    session = make(5, protocol="range", redundancy=1, anchors={"show": show}, **settings)
    session.note("seeds_closed", facts={"anchors": [{"item": "i0", "low": 5, "high": 9}]})
    rater = join(session)
    kinds = set()
    for _ in range(4):
        place(session, rater, 40.0, 60.0)
        kinds |= {own for *_, own in shown(session, rater)}
    assert kinds == expected


def test_plain_ratings_show_no_anchors(make):
    session = make(4, redundancy=1)
    rater = join(session)
    place(session, rater, 40.0)
    assert shown(session, rater) == []


def test_anchors_stay_inside_a_segment(make):
    items = [Item(f"i{at}", "text", f"Item {at}", segment="ab"[at % 2]) for at in range(8)]
    session = make(items, protocol="range", redundancy=1)
    session.note(
        "seeds_closed", facts={"anchors": [{"item": f"i{at}", "low": at, "high": at} for at in range(4)]}
    )
    rater = join(session)
    for _ in range(7):
        place(session, rater, 40.0, 60.0)
        assignment = session.next_task(rater).assignment
        segment = int(assignment.task.items[0][1:]) % 2
        assert assignment.anchors
        assert {int(each.anchor.item[1:]) % 2 for each in assignment.anchors} == {segment}


def test_the_log_before_an_answer_determines_what_its_task_showed(make):
    session = make(6, protocol="range", redundancy=2, rounds={"number": 2}, scale={"beyond": True})
    showed = {}
    for rater in (join(session, "Ann"), join(session, "Bob")) * 6:
        assignment = session.next_task(rater).assignment
        if assignment is None:
            continue
        showed[assignment.id] = assignment.anchors
        place(session, rater, 20.0 + 5 * len(showed), 90.0 + 5 * len(showed), outside=True)
    assert session.ledger.round == 2
    assert session.ledger.ground.rescalings
    entries = list(session.log.since(0))
    for answer in [each for each in entries if isinstance(each, Answer)]:
        before = Ledger(session.study.definition, session.study.items)
        before.fold(each for each in entries if each.log_position < answer.log_position)
        assert anchors_of(before, answer.rater, before.tasks[answer.task]) == showed[answer.assignment]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("item,position\nnobody,4\n", "line 2: item 'nobody' is not in the items file"),
        ("item,position\ni0,\n", "line 2: position is empty"),
        ("item,position\ni0,much\n", "is not a number"),
        ("item,position\ni0,140\n", "140 is outside 0 to 100"),
        ("item,low,high\ni0,60,40\n", "low 60 is above high 40"),
        ("item,low,high\ni0,20,140\n", "140 is outside"),
        ("item,position\ni0,4\ni0,5\n", "is already used in line 2"),
        ("item,score\ni0,4\n", "needs the column 'position'"),
        ("position\n4\n", "needs the column 'item'"),
        ("item,position\n", "anchors.csv"),
    ],
)
def test_mistakes_in_an_anchors_file_are_named_with_their_lines(open_with, table, message):
    with pytest.raises(BadInput, match=message):
        open_with(table)


def test_a_study_that_shows_only_examples_needs_some(make):
    with pytest.raises(BadSetting, match="no examples"):
        make(3, protocol="range", anchors={"show": ["examples"]})


def test_the_anchors_of_a_running_study_may_not_change(open_with):
    store = Memory()
    session = open_with("item,position\n" + FIVE, store=store)
    reconcile(session.study, store, 0.0)
    session.next_task(join(session))
    with pytest.raises(StudyChanged, match="anchors"):
        reconcile(open_with("item,position\ni0,3\n", store=store).study, store, 0.0)


def points(*middles, width=0.0):
    return [Anchor(f"i{at}", middle - width / 2, middle + width / 2) for at, middle in enumerate(middles)]


def test_spread_anchors_keep_their_distance_and_reach_both_ends():
    chosen = spread(points(*range(0, 101)), 7, 8.0)
    middles = [anchor.middle for anchor in chosen]
    assert len(chosen) == 7
    assert (middles[0], middles[-1]) == (0, 100)
    assert min(b - a for a, b in itertools.pairwise(middles)) >= 8.0


def test_close_neighbours_are_not_both_chosen():
    assert [anchor.middle for anchor in spread(points(10, 12, 50, 52, 54, 90), 7, 8.0)] == [10, 50, 90]


def test_the_narrower_of_two_neighbours_is_chosen():
    wide, narrow = Anchor("wide", 30.0, 70.0), Anchor("narrow", 51.0, 53.0)
    chosen = spread([Anchor("low", 0.0, 0.0), wide, narrow, Anchor("high", 100.0, 100.0)], 3, 8.0)
    assert [anchor.item for anchor in chosen] == ["low", "narrow", "high"]


def test_anchors_are_sorted_for_the_page(make):
    session = make(4, protocol="range")
    session.note(
        "seeds_closed", facts={"anchors": [{"item": f"i{at}", "low": 90 - at, "high": 90} for at in range(4)]}
    )
    anchors = session.next_task(join(session)).assignment.anchors
    assert [each.anchor.middle for each in anchors] == sorted(each.anchor.middle for each in anchors)
    assert all(isinstance(each, ShownAnchor) for each in anchors)
