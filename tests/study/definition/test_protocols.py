"""Comparisons, rankings and best-worst through the session, from the task to the scale."""

import itertools

import numpy as np
import pytest

from steelyard.errors import BadAnswer, BadSetting
from steelyard.judgments.counting import count_judgments
from steelyard.kinds.best_worst import Pick
from steelyard.kinds.comparison import Verdict
from steelyard.kinds.ranking import Rank
from steelyard.kinds.rating import Score
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.collecting.files.import_results import import_results
from steelyard.study.collecting.fitting import fit_question
from steelyard.study.definition.items import Item
from steelyard.study.log.entries import Answer
from steelyard.study.results.exports import export_columns
from steelyard.study.results.watch import Watch
from tests.study.making import answer_with, make_study

ASKED = ("comparison", "comparison_list", "ranking", "best_worst")


def join(session, name="Ann"):
    return session.join(name, "link").id


def say(session, rater, assignment, *cells):
    return session.accept(rater, Answer("", "", assignment.id, cells))


def crowd_works(session, raters=12, seed=5, tasks=None):
    rng = np.random.default_rng(seed)
    crowd = Crowd.draw(session, SCENARIOS["bias"], raters, "uniform", rng)
    return crowd, simulate(session, crowd, rng, tasks)


def pairs_shown(session):
    """The pairs that each rater was asked about, in order."""
    shown = {}
    for answer in session.ledger.answers.values():
        items = session.ledger.tasks[answer.task].items
        first = session.study.definition.asking.way.first
        firsts = items[:first] if first else items
        pairs = {frozenset(pair) for pair in itertools.product(firsts, items) if pair[0] != pair[1]}
        shown.setdefault(answer.rater, []).append(pairs)
    return shown


@pytest.mark.parametrize("protocol", ASKED)
def test_a_crowd_finishes_and_its_scale_follows_the_truth(make, protocol):
    session = make(12, protocol=protocol, redundancy=8 if protocol != "comparison_list" else 1, group_size=12)
    crowd, done = crowd_works(session)
    assert done > 0
    assert (
        session.ledger.answered >= session.ledger.wanted - session.study.definition.asking.task_size
    ).all()
    scale = fit_question(session.ledger, 0).scale
    order = [session.study.items.index[str(item)] for item in scale.item]
    assert np.corrcoef(scale.position, crowd.truth[0][order])[0, 1] > 0.8


@pytest.mark.parametrize("protocol", ASKED)
def test_no_rater_meets_a_pair_twice(make, protocol):
    session = make(8, protocol=protocol, redundancy=6)
    crowd_works(session, raters=3)
    for tasks in pairs_shown(session).values():
        every = [pair for pairs in tasks for pair in pairs]
        assert len(every) == len(set(every))


def test_every_pair_of_a_group_is_judged_by_comparison_lists(make):
    session = make(9, protocol="comparison_list", redundancy=2, group_size=9)
    crowd_works(session, raters=5)
    assert set(session.ledger.paired.values()) == {2}
    assert len(session.ledger.paired) == 9 * 8 // 2


def test_groups_are_as_even_as_they_can_be(make):
    session = make(21, protocol="comparison_list", group_size=10)
    assert [len(group) for group in session.ledger.groups] == [8, 8, 7]


@pytest.mark.parametrize("protocol", ASKED)
def test_tasks_stay_within_a_segment(make, protocol):
    items = [Item(f"i{at}", "text", f"Item {at}", segment=f"s{at % 3}") for at in range(12)]
    session = make(items, protocol=protocol, redundancy=2)
    crowd_works(session, raters=4)
    for task in session.ledger.tasks.values():
        assert len({session.study.items[at].segment for at in session.ledger.indices(task)}) == 1


def test_a_study_does_not_wait_for_an_item_without_others_in_its_segment(make):
    items = [
        Item("a", "text", "A", segment="s"),
        Item("b", "text", "B", segment="s"),
        Item("c", "text", "C", segment="t"),
    ]
    session = make(items, protocol="comparison", redundancy=1)
    rater = join(session)
    say(session, rater, session.next_task(rater).assignment, Verdict(1, 0, "left"))
    assert session.next_task(rater).finished


def test_sides_are_shown_both_ways(make):
    session = make(20, protocol="comparison", redundancy=6)
    crowd_works(session)
    first = [session.ledger.indices(task) for task in session.ledger.tasks.values()]
    turned = np.mean([left > right for left, right in first])
    assert 0.25 < turned < 0.75


@pytest.mark.parametrize(
    ("settings", "cells", "message"),
    [
        ({"protocol": "comparison"}, [Verdict(1, 0, "middle")], "not one of left, right, tie"),
        ({"protocol": "comparison", "ties": False}, [Verdict(1, 0, "tie")], "does not allow ties"),
        ({"protocol": "comparison"}, [Verdict(1, 0, "tie", None, True)], "both bad"),
        ({"protocol": "comparison"}, [Verdict(1, 0, "left", 2)], "cannot have a strength"),
        ({"protocol": "comparison", "strength": True}, [Verdict(1, 0, "left")], "how much more"),
        ({"protocol": "comparison"}, [Verdict(0, 0, "left")], "every item"),
        ({"protocol": "comparison"}, [Score(1, 0, 50.0)], "comparison answers"),
        (
            {"protocol": "ranking", "list_size": 3},
            [Rank(0, 0, 1), Rank(1, 0, 3), Rank(2, 0, 3)],
            "without gaps",
        ),
        (
            {"protocol": "ranking", "list_size": 3},
            [Rank(0, 0, 1), Rank(1, 0, None), Rank(2, 0, 2)],
            "or no item",
        ),
        (
            {"protocol": "ranking", "list_size": 3, "ties": False},
            [Rank(0, 0, 1), Rank(1, 0, 2), Rank(2, 0, 2)],
            "does not allow ties",
        ),
        (
            {"protocol": "best_worst", "list_size": 3},
            [Pick(0, 0, "best"), Pick(1, 0, "best"), Pick(2, 0, "worst")],
            "one best",
        ),
        (
            {"protocol": "best_worst", "list_size": 3},
            [Pick(0, 0, "best"), Pick(1, 0, None), Pick(2, 0, "worst")],
            "one best",
        ),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(make, settings, cells, message):
    session = make(6, **settings)
    rater = join(session)
    assignment = session.next_task(rater).assignment
    with pytest.raises(BadAnswer, match=message):
        say(session, rater, assignment, *cells)
    assert session.ledger.answers == {}


def test_cannot_judge_is_an_answer_but_not_a_judgment(make):
    session = make(2, protocol="comparison", redundancy=1)
    rater = join(session)
    assert say(session, rater, session.next_task(rater).assignment, Verdict(1, 0, None))
    assert not len(session.ledger.judgments())
    assert session.next_task(rater).finished


def test_an_undone_comparison_is_asked_again_and_counts_once(make):
    session = make(2, protocol="comparison", redundancy=1)
    rater = join(session)
    first = session.next_task(rater).assignment
    say(session, rater, first, Verdict(1, 0, "left"))
    again = session.undo(rater, first.id).assignment
    assert again.task.items == first.task.items
    say(session, rater, again, Verdict(1, 0, "right"))
    judgments = session.ledger.judgments()
    assert judgments.cells("comparison", "outcome").tolist() == ["right"]
    assert set(session.ledger.paired.values()) == {1}


def test_strength_and_both_bad_have_separate_columns(make):
    session = make(4, protocol="comparison", redundancy=1, strength=True, both_bad=True)
    rater = join(session)
    say(session, rater, session.next_task(rater).assignment, Verdict(1, 0, "left", 3))
    say(session, rater, session.next_task(rater).assignment, Verdict(1, 0, "tie", None, True))
    table = session.ledger.judgments()
    assert table.cells("comparison", "both_bad").tolist() == ["no", "yes"]
    assert table.cells("comparison", "strength").tolist()[0] == 3.0


def test_systems_of_both_sides_are_scaled(make):
    items = [
        Item(f"{who}{at}", "text", f"{who} {at}", system=who, segment=str(at))
        for at in range(6)
        for who in "xyz"
    ]
    session = make(items, protocol="comparison", redundancy=4, unit="system")
    crowd_works(session)
    scale = fit_question(session.ledger, 0).scale
    assert sorted(scale.item) == ["x", "y", "z"]


def test_a_page_of_sliders_can_be_scaled_by_comparisons(make):
    session = make(10, protocol="list", model="trueskill", redundancy=6)
    crowd, _ = crowd_works(session)
    scale = fit_question(session.ledger, 0).scale
    order = [session.study.items.index[str(item)] for item in scale.item]
    assert np.corrcoef(scale.position, crowd.truth[0][order])[0, 1] > 0.7


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"protocol": "comparison", "model": "easl"}, "cannot be fitted to comparison judgments"),
        ({"protocol": "rating", "model": "trueskill"}, "cannot be fitted to rating judgments"),
        (
            {"protocol": "comparison", "model": "steelyard"},
            "only in studies with several protocols.*thurstone",
        ),
        ({"protocol": "best_worst", "list_size": 2}, "at least 3 items"),
        ({"protocol": "comparison_list", "selection": "balanced"}, "asks every pair"),
        ({"protocol": "comparison", "selection": "all_pairs"}, "comparison_list"),
        (
            {"protocol": "comparison", "model": "elo", "selection": "match_quality"},
            "needs estimates that 'elo' does not provide",
        ),
    ],
)
def test_inconsistent_settings_are_refused(tmp_path, settings, message):
    with pytest.raises(BadSetting, match=message):
        make_study(tmp_path, **settings)


@pytest.mark.parametrize("protocol", ASKED)
def test_what_a_study_exports_can_be_imported_into_another(make, protocol):
    session = make(7, protocol=protocol, redundancy=3, list_size=4)
    crowd_works(session, raters=4, tasks=6)
    judgments = session.ledger.judgments()
    other = make(7, protocol=protocol, redundancy=3, list_size=4)
    assert import_results(other, judgments).answers == 6
    assert import_results(other, judgments).repeated == 6
    kind = session.study.definition.asking.way.kind
    own = sorted(
        map(
            str,
            zip(
                *[judgments.cells(kind, name) for name in judgments.table(kind).kind.required[1:]],
                strict=True,
            ),
        )
    )
    again = other.ledger.judgments()
    theirs = sorted(
        map(str, zip(*[again.cells(kind, name) for name in again.table(kind).kind.required[1:]], strict=True))
    )
    assert own == theirs


@pytest.mark.parametrize("protocol", ASKED)
def test_answers_are_shown_to_the_owner_and_written_to_files(make, clock, protocol):
    session = make(6, protocol=protocol, redundancy=2, list_size=3)
    crowd_works(session, raters=3)
    watch = Watch(session.study, session.log, session.roster)
    overview = watch.overview()
    assert overview.judgments == count_judgments(session.ledger.judgments()) > 0
    assert overview.views[0].newest[0].answer is not None
    assert overview.views[0].width > 0
    for what in ("judgments", "answers", "scale", "raters"):
        columns = export_columns(watch, what)
        assert len({len(values) for values in columns.values()}) == 1


def test_a_score_is_not_an_answer_to_a_comparison(make):
    session = make(4, protocol="comparison")
    rater = join(session)
    with pytest.raises(BadAnswer):
        session.accept(rater, answer_with(session.next_task(rater).assignment))


def test_items_of_a_planned_comparison_are_linked(make):
    session = make(6, protocol="comparison", redundancy=3)
    session.next_task(join(session))
    planned = [session.ledger.indices(task) for task in session.ledger.tasks.values()]
    linked = session.ledger.linked()
    assert planned
    assert all(linked[left] == linked[right] for left, right in planned)


@pytest.mark.parametrize("answers", [1, 3])
def test_a_study_with_few_comparisons_has_a_scale_or_none_and_never_an_error(make, clock, answers):
    session = make(6, protocol="comparison", model="bradley_terry", redundancy=5)
    crowd_works(session, raters=2, tasks=answers)
    overview = Watch(session.study, session.log, session.roster).overview()
    fit = overview.views[0].fit
    assert fit is None or np.isfinite(fit.scale.position).all()
