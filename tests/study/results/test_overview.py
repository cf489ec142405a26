import itertools
from dataclasses import replace

import pytest

from steelyard.errors import UnknownName
from steelyard.kinds.comparison import Verdict
from steelyard.study.collecting.fitting import fit_question
from steelyard.study.definition.items import Item
from steelyard.study.results import question_view
from steelyard.study.results.headline import notices_of
from steelyard.study.results.overview import make_overview
from steelyard.study.results.watch import Watch
from tests.study.making import Clock, answer_with, work


def watch(session):
    return Watch(session.study, session.log, session.roster, spent=lambda: 0.0)


def test_an_overview_before_the_first_task_counts_nothing_and_has_no_scale(make):
    overview = watch(make(items=10, redundancy=3)).overview()
    assert (overview.judgments, overview.wanted, overview.items_short) == (0, 30, 10)
    assert overview.views[0].fit is None
    assert overview.views[0].newest == ()
    assert (overview.since, overview.newest_at, overview.milliseconds) == (None, None, None)


def test_a_budget_limits_the_planned_and_the_missing_judgments(make):
    session = make(items=10, protocol="list", list_size=5, redundancy=3, stop={"budget": 12})
    work(session, session.join("Ann", "link").id, tasks=1)
    overview = watch(session).overview()
    assert (overview.judgments, overview.wanted, overview.missing) == (5, 12, 7)


def test_missing_comparisons_are_counted_as_comparisons(make):
    session = make(items=10, protocol="comparison", redundancy=4)
    overview = watch(session).overview()
    assert (overview.wanted, overview.missing) == (20, 20)


def test_models_that_predict_the_reliability_of_a_study_are_named(make):
    assert watch(make(protocol="comparison")).overview().models_with_reliability == ("thurstone",)
    assert watch(make()).overview().models_with_reliability == ("steelyard",)


def test_a_finished_study_and_its_last_round_cannot_be_closed(make):
    overview = watch(make(items=10, redundancy=1)).overview()
    begun = replace(overview, round_begun=True, status="collecting")
    assert begun.can_close
    assert not replace(begun, status="complete").can_close
    grounding = replace(
        begun.definition.grounding, rounds=replace(begun.definition.grounding.rounds, number=3)
    )
    in_rounds = replace(begun, definition=replace(begun.definition, grounding=grounding))
    assert replace(in_rounds, round=2).can_close
    assert not replace(in_rounds, round=3).can_close


def test_a_task_that_several_raters_are_to_answer_is_one_open_task(make):
    session = make(items=10, protocol="list", list_size=5, redundancy=3)
    session.batch(tasks=1, assignments=3)
    assert watch(session).overview().tasks_open == 1


def test_judgments_cannot_judge_and_open_tasks_are_counted(make):
    session = make(items=10, protocol="list", list_size=5, redundancy=1)
    rater = session.join("Ann", "link").id
    session.accept(rater, answer_with(session.next_task(rater).assignment, [10.0, 20.0, 30.0, 40.0, None]))
    overview = watch(session).overview()
    assert (overview.judgments, overview.cannot_judge, overview.items_short) == (4, 1, 5)
    assert overview.tasks_open == sum(places > 0 for places in session.ledger.open_places.values())
    assert overview.milliseconds == 4000
    assert [line.answers for line in overview.raters] == [4]
    assert len(overview.views[0].fit.scale) == 4


def test_the_newest_judgments_come_first_and_name_their_items(make, clock):
    session = make(items=40, protocol="list", redundancy=1)
    rater = session.join("Ann", "link").id
    work(session, rater, tasks=5)
    clock.pass_minutes(1)
    assignment = session.next_task(rater).assignment
    session.accept(rater, answer_with(assignment, [1.0, None, 3.0, 4.0, 5.0]))
    newest = watch(session).overview().views[0].newest
    assert len(newest) == 12
    assert [each.answer for each in newest[:5]] == [1.0, None, 3.0, 4.0, 5.0]
    assert newest[0].item == f"Item number {assignment.task.items[0].removeprefix('i')}"


def test_of_a_pair_among_the_newest_judgments_each_label_is_shortened(make, monkeypatch):
    monkeypatch.setattr(question_view, "LETTERS", 8)
    session = make(items=10, protocol="comparison")
    rater = session.join("Ann", "link").id
    assignment = session.next_task(rater).assignment
    session.accept(rater, replace(answer_with(assignment), cells=(Verdict(1, 0, "left"),)))
    assert watch(session).overview().views[0].newest[0].item == "Item nu… | Item nu…"


def test_a_rater_is_active_for_ten_minutes_after_an_answer(make, clock):
    session = make()
    work(session, session.join("Ann", "link").id, tasks=1)
    session.join("Bob", "link")
    overview = watch(session).overview()
    assert overview.active(clock.now + 599) == 1
    assert overview.active(clock.now + 601) == 0
    assert len(overview.raters) == 2


def test_an_excluded_rater_is_left_out_with_the_reason_and_keeps_their_habits(make):
    session = make(items=10, redundancy=3)
    ann, bob = (session.join(name, "link").id for name in ("Ann", "Bob"))
    work(session, ann)
    work(session, bob)
    watching = watch(session)
    before = watching.overview()
    session.note("excluded", bob, {"reason": "Same answer always"})
    after = watching.overview()
    line = after.raters[1]
    assert (line.excluded, line.reason) == (True, "Same answer always")
    assert line.habits is not None
    assert line.habits.bias == 0.0
    assert after.judgments == before.judgments - len(session.ledger.rater(bob).answers)
    session.note("included", bob)
    again = watching.overview()
    assert again.judgments == before.judgments
    assert (again.raters[1].excluded, again.raters[1].reason) == (False, "")


def test_a_watch_agrees_with_an_overview_made_from_scratch(make):
    session = make(items=12, protocol="list", redundancy=2)
    rater = session.join("Ann", "link").id
    watching = watch(session)
    for _ in range(2):
        work(session, rater, tasks=1)
        seen = watching.overview()
        session.record(rater)
        fresh = make_overview(session.ledger, session.roster.all(), "collecting")
        assert (seen.judgments, seen.log_position) == (fresh.judgments, fresh.log_position)
        assert seen.views[0].fit.scale.position.tolist() == fresh.views[0].fit.scale.position.tolist()


def test_an_overview_is_kept_until_the_log_or_the_roster_grows(make):
    session = make()
    watching = watch(session)
    first = watching.overview()
    assert watching.overview() is first
    session.join("Ann", "link")
    second = watching.overview()
    assert second is not first
    session.note("paused")
    assert watching.overview().paused


def test_overviews_that_take_long_twice_in_a_row_are_kept_for_a_while_unless_woken(make):
    session = make()
    passed, spent = Clock(), itertools.count(step=2.0)  # seconds of the processor, two for each overview
    watching = Watch(session.study, session.log, session.roster, passed, lambda: next(spent))
    watching.overview()
    session.note("paused")
    assert watching.overview().paused
    session.note("resumed")
    assert not watching.overview().paused  # one long overview may have loaded the model
    session.note("paused")
    passed.now += 9.0
    assert not watching.overview().paused
    watching.wake()
    assert watching.overview().paused
    session.note("resumed")
    passed.now += 11.0
    assert not watching.overview().paused


def test_each_question_has_its_own_scale_and_an_unknown_question_is_an_error(make):
    questions = [
        {"text": "How filling?", "id": "filling"},
        {"text": "How tasty?", "id": "tasty", "scale": {"low": 1, "high": 7}},
    ]
    session = make(items=5, protocol="list", questions=questions)
    rater = session.join("Ann", "link").id
    assignment = session.next_task(rater).assignment
    session.accept(rater, answer_with(assignment, [1.0, 2.0, 3.0, 4.0, 5.0], questions=2))
    overview = watch(session).overview()
    assert overview.judgments == 10
    assert overview.view("tasty").settings.high == 7
    assert len(overview.view("tasty").newest) == 5
    with pytest.raises(UnknownName, match="Did you mean 'tasty'"):
        overview.view("tasti")


def test_a_study_of_systems_is_labelled_by_system(make):
    items = [Item(f"i{at}", "text", f"Text {at}", system=f"s{at % 2}") for at in range(4)]
    session = make(items=items, unit="system")
    work(session, session.join("Ann", "link").id)
    overview = watch(session).overview()
    assert overview.labels == {"s0": "s0", "s1": "s1"}
    assert sorted(overview.views[0].fit.scale.item) == ["s0", "s1"]


def status(session):
    return watch(session).overview().status


def test_the_status_follows_the_state_of_the_study(make, clock):
    session = make(items=10, protocol="list", redundancy=1)
    assert status(session) == "not_started"
    rater = session.join("Ann", "link").id
    work(session, rater, tasks=1)
    assert status(session) == "collecting"
    session.note("paused")
    assert status(session) == "paused"
    session.note("resumed")
    work(session, rater)
    assert status(session) == "complete"


def test_a_study_is_not_complete_while_an_item_is_short_of_answers(make):
    session = make(items=4, protocol="rating", redundancy=2)
    for name in ("Ann", "Bob"):
        work(session, session.join(name, "link").id)
    assert status(session) == "complete"
    session.note("excluded", "r-02")
    assert status(session) == "collecting"


def test_the_status_distinguishes_the_stopping_rules(make):
    spent = make(items=10, redundancy=5, stop={"budget": 4})
    work(spent, spent.join("Ann", "link").id)
    assert status(spent) == "budget_spent"
    wide = {"interval_width": 0.99}
    stopped = make(items=4, protocol="rating", redundancy=9, selection="information", stop=wide)
    for name in ("Ann", "Bob", "Cem"):
        work(stopped, stopped.join(name, "link").id)
    assert status(stopped) == "stopped"


def test_a_study_whose_first_examples_are_not_placed_waits_for_them(make):
    session = make(items=20, protocol="range", cold_start={"by": "owner"})
    assert status(session) == "waiting_for_seeds"


def test_a_round_with_all_its_answers_waits_for_the_next_one(make):
    session = make(items=4, protocol="rating", redundancy=1, rounds={"number": 2})
    rater = session.join("Ann", "link").id
    work(session, rater, tasks=2)
    assert status(session) == "waiting_for_round"
    session.next_task(rater)
    assert status(session) == "collecting"


def test_missing_answers_are_counted_and_their_items_named(make):
    session = make(items=8, protocol="list", list_size=4, redundancy=2)
    work(session, session.join("Ann", "link").id, tasks=1)
    overview = watch(session).overview()
    assert overview.missing == 12
    assert len(overview.shortest) == 5
    (answer,) = session.ledger.answers.values()
    seen = set(session.ledger.tasks[answer.task].items)
    assert set(overview.shortest[:4]).isdisjoint(seen)


def test_an_overview_for_pages_has_everything_except_the_judgments(make):
    session = make(items=6)
    work(session, session.join("Ann", "link").id)
    whole = watch(session).overview()
    light = whole.without_judgments()
    assert len(whole.views[0].judgments) == light.judgments == 6
    assert not len(light.views[0].judgments)
    assert light.views[0].fit is whole.views[0].fit


def test_a_fit_that_did_not_converge_is_a_notice(make, monkeypatch):
    session = make(items=5)
    work(session, session.join("Ann", "link").id)
    assert notices_of(watch(session).overview()) == ()

    def stopped_early(*arguments):
        fit = fit_question(*arguments)
        return replace(fit, provenance=replace(fit.provenance, converged=False))

    monkeypatch.setattr(question_view, "fit_question", stopped_early)
    (notice,) = notices_of(watch(session).overview())
    assert notice.startswith("The model for “How much?” did not converge.")
