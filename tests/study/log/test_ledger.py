from dataclasses import replace
from typing import get_args

import pytest

from steelyard.errors import UnknownEvent
from steelyard.study.log.entries import Event, EventKind
from steelyard.study.log.event_folds import FOLDS
from steelyard.study.log.ledger import Ledger
from tests.study.making import answer_with


def test_interactions_and_screen_of_an_answer_are_in_the_log_but_not_in_the_ledger(make):
    session = make(items=10, protocol="list")
    rater = session.join("Ann", "link").id
    assignment = session.next_task(rater).assignment
    moves = [[at, 0, 0, "step", at] for at in range(200)]
    session.accept(rater, replace(answer_with(assignment), interactions=moves, shown={"width": 1280}))
    kept = next(iter(session.ledger.answers.values()))
    assert kept is next(iter(session.ledger.rater(rater).answers.values()))
    assert (list(kept.interactions), dict(kept.shown)) == ([], {})
    if hasattr(session.log, "interactions"):
        assert session.log.interactions(assignment.id) == {"interactions": moves, "shown": {"width": 1280}}


def test_an_answer_folded_as_it_was_given_equals_one_folded_from_the_log(make):
    session = make(items=10, protocol="list")
    rater = session.join("Ann", "link").id
    given = replace(answer_with(session.next_task(rater).assignment), interactions=[[1, 0, 0, "step", 1]])
    session.accept(rater, given)
    again = Ledger(session.study.definition, session.study.items)
    again.fold(session.log.since(0))
    assert again.answers == session.ledger.answers


def test_every_kind_of_event_has_a_function_that_folds_it():
    assert set(FOLDS) == set(get_args(EventKind))


def test_an_event_of_an_unknown_kind_is_refused_by_name(make):
    session = make(items=3)
    with session.log.writing() as writer:
        writer.append(Event("merged", "r-01", {"with": "r-02"}))
    with pytest.raises(UnknownEvent, match=r"Entry 1 .* unknown kind 'merged'"):
        session.fresh_ledger()
