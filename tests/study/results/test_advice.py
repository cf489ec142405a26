from dataclasses import replace

import pytest

from steelyard.quality.calibration import Calibration, Share
from steelyard.quality.raters import RaterHabits
from steelyard.study.results.advice import MOST, advice_of
from steelyard.study.results.audit import Audit
from steelyard.study.results.overview import Overview
from steelyard.study.results.watch import Watch
from tests.study.making import Clock, make_session, work

DAY = 86_400.0


@pytest.fixture
def overview(tmp_path):
    """A study that collects, and of which nothing is to be said but that answers are missing."""
    session = make_session(tmp_path / "study", Clock(), 10, True, protocol="list", redundancy=3)
    for name, tasks in (("Ann", 2), ("Bob", 1)):
        work(session, session.join(name, "link").id, tasks)
    return with_flags(overview_of(session), [])


def overview_of(session):
    return Watch(session.study, session.log, session.roster).overview()


def advice(overview, after=60.0):
    return advice_of(overview, (overview.newest_at or 0.0) + after)


def titles(overview, after=60.0):
    return [each.title for each in advice(overview, after)]


def with_definition(overview, **choosing):
    definition = overview.definition
    return replace(
        overview, definition=replace(definition, choosing=replace(definition.choosing, **choosing))
    )


def with_flags(overview, flags, spam=None):
    """The overview with these flags of its raters, in order."""

    def flagged(at, line):
        raised = flags[at] if at < len(flags) else ()
        return replace(line, habits=RaterHabits(line.rater.id, 5, None, None, None, None, raised, spam))

    view = overview.views[0]
    lines = tuple(flagged(at, line) for at, line in enumerate(view.raters))
    return replace(overview, views=(replace(view, raters=lines),))


def with_reliability(monkeypatch, reliability):
    monkeypatch.setattr(Overview, "reliability", reliability)


def test_a_collecting_study_names_the_missing_answers_and_items(overview):
    (only,) = advice(overview)
    assert only.title == "Collect 15 more judgments"
    assert only.act == "items_short"
    assert only.reason.startswith("10 of 10 items have fewer than 3 answers: ")
    assert only.reason.endswith(" and 7 more.")


def test_items_that_the_model_chooses_are_not_named(overview):
    (only, *_) = advice(with_definition(overview, selection="information"))
    assert only.title == "Collect 15 more judgments"
    assert "The model chooses the items" in only.reason


def test_a_paused_study_is_resumed_first(overview):
    first = advice(replace(overview, status="paused"))[0]
    assert (first.title, first.act) == ("Resume the study", "resume")


def test_a_round_with_all_its_answers_is_closed(overview):
    first = advice(replace(overview, status="waiting_for_round", round=2))[0]
    assert (first.title, first.act) == ("Close round 2", "close_round")


@pytest.mark.parametrize(("by", "act"), [("owner", "place_examples"), ("raters", "use_examples")])
def test_first_examples_come_before_tasks(tmp_path, by, act):
    session = make_session(tmp_path / by, Clock(), 20, True, protocol="range", cold_start={"by": by})
    assert [each.act for each in advice(overview_of(session))] == [act]


def test_a_study_without_raters_asks_for_them(tmp_path):
    (only,) = advice(overview_of(make_session(tmp_path / "new", Clock(), 10, True)))
    assert (only.title, only.act) == ("Invite raters", "invite")


def test_a_study_without_answers_for_days_asks_for_more_raters(overview):
    assert titles(overview, after=0.9 * DAY) == ["Collect 15 more judgments"]
    first = advice(overview, after=2.5 * DAY)[0]
    assert (first.title, first.act) == ("Invite more raters", "invite")
    assert "2 days ago, and 15 judgments are missing" in first.reason


def test_a_study_whose_raters_were_all_stopped_early_asks_for_others(overview):
    view = overview.views[0]
    lines = tuple(replace(line, stopped_early=True) for line in view.raters)
    first = advice(replace(overview, views=(replace(view, raters=lines),)))[0]
    assert first.act == "invite"
    assert "2 raters stopped early" in first.reason


def test_a_rater_with_one_flag_is_to_be_reviewed(overview):
    first = advice(with_flags(overview, [("Fast",)]))[0]
    assert (first.title, first.act, first.rater) == ("Review r-01", "review", "r-01")
    assert first.reason == "Fast."


def test_a_rater_with_several_flags_is_to_be_excluded_and_the_reason_is_given(overview):
    first = advice(with_flags(overview, [(), ("Fast", "Hardly varies")]))[0]
    assert (first.title, first.act, first.rater) == ("Exclude r-02", "exclude", "r-02")
    assert first.reason == "Fast, hardly varies."
    assert first.effect == "5 answers would no longer count."


def test_a_rater_who_looks_random_is_to_be_excluded_for_one_flag(overview):
    assert titles(with_flags(overview, [("Looks like random answers",)], spam=0.97))[0] == "Exclude r-01"


def test_an_excluded_rater_is_not_mentioned(overview):
    flagged = with_flags(overview, [("Fast",)])
    lines = tuple(replace(line, excluded=True) for line in flagged.raters)
    out = replace(flagged, views=(replace(flagged.views[0], raters=lines),))
    assert not any("r-01" in title for title in titles(out))


def test_many_flagged_raters_are_summed_up(tmp_path):
    session = make_session(tmp_path / "many", Clock(), 10, True, protocol="list", redundancy=9)
    for at in range(5):
        work(session, session.join(f"Rater {at}", "link").id, tasks=1)
    given = advice(with_flags(overview_of(session), [("Fast",)] * 5))
    assert [each.act for each in given[:3]] == ["review", "review", "review_flagged"]
    assert given[2].title == "Review 3 more flagged raters"


def test_parts_that_nothing_links_are_named(overview):
    apart = replace(overview, views=(replace(overview.views[0], unlinked=2),))
    first = advice(apart)[0]
    assert first.title == "Collect answers that link the parts"
    assert "The items form 2 parts" in first.reason
    assert "link" not in titles(replace(apart, judgments=14))[0]
    assert "Increase redundancy" in advice(replace(apart, status="complete"))[0].reason


def audited(held, of):
    share = Share(held, of)
    return Audit(Calibration(of, ((0.5, share), (0.95, share)), ()), (), ())


def test_intervals_that_are_too_narrow_are_named(overview):
    given = advice(replace(overview, audit=audited(80, 100)))
    assert (given[0].title, given[0].act) == ("Do not rely on the intervals", "calibration")
    assert "contain only 80% of 100 new answers" in given[0].reason


@pytest.mark.parametrize(("held", "of"), [(30, 40), (94, 100), (91, 100)])
def test_coverage_that_may_be_right_is_not_mentioned(overview, held, of):
    assert titles(replace(overview, audit=audited(held, of))) == ["Collect 15 more judgments"]


def test_a_study_that_gains_little_from_more_answers_may_stop(overview, monkeypatch):
    with_reliability(monkeypatch, 0.985)
    nearly = replace(overview, judgments=80, wanted=100, missing=20)
    given = advice(nearly)
    assert (given[0].title, given[0].act) == ("Consider stopping", "pause")
    assert (
        "20 planned judgments would raise the predicted reliability from 0.985 to 0.988 only"
        in given[0].reason
    )
    with_reliability(monkeypatch, 0.91)
    assert "Consider stopping" not in titles(nearly)


def test_coverage_that_is_too_low_is_no_moment_to_stop(overview, monkeypatch):
    with_reliability(monkeypatch, 0.985)
    nearly = replace(overview, judgments=80, wanted=100, missing=20, audit=audited(80, 100))
    given = advice(nearly)
    assert [each.title for each in given] == ["Do not rely on the intervals", "Collect 20 more judgments"]
    assert "(95% interval of this share: 71% to 87%)" in given[0].reason
    assert "it is no reason to stop yet" in given[0].reason
    assert "flagged" not in given[0].reason
    *_, last, _ = advice(with_flags(nearly, [("Fast",)]))
    assert last.reason.endswith(
        "First decide about the flagged raters, because their answers may lower the coverage."
    )


def test_the_smallest_number_of_judgments_that_ends_the_study_is_recommended(overview, monkeypatch):
    with_reliability(monkeypatch, 0.9712)
    stop = replace(overview.definition.choosing.stop, reliability=0.985)
    planned = with_definition(replace(overview, judgments=120, wanted=700, missing=580), stop=stop)
    (only,) = advice(planned)
    assert only.title == f"Collect about {planned.forecast.more} more judgments"
    assert "from 0.971 to the target of 0.985, which ends the study" in only.reason
    short = replace(planned, wanted=150, missing=30)
    assert "Collect 30 more judgments" in titles(short)


def test_a_reliability_just_below_its_target_is_not_shown_as_equal(overview, monkeypatch):
    with_reliability(monkeypatch, 0.9497)
    stop = replace(overview.definition.choosing.stop, reliability=0.95)
    (first, _) = advice(
        with_definition(replace(overview, status="complete", judgments=30, wanted=30), stop=stop)
    )
    assert "Predicted reliability is 0.9497, below the target of 0.95." in first.reason


def test_a_finished_study_below_its_target_says_how_many_more_are_needed(overview, monkeypatch):
    with_reliability(monkeypatch, 0.9)
    stop = replace(overview.definition.choosing.stop, reliability=0.95)
    short = with_definition(replace(overview, status="complete", judgments=30, wanted=30), stop=stop)
    first, second = advice(short)
    assert first.title == f"Ask for about {short.forecast.more} more judgments"
    assert "Predicted reliability is 0.90, below the target of 0.95." in first.reason
    assert "Increase redundancy to 6 in study.toml" in first.reason
    assert second.act == "report"


def test_a_plan_that_is_too_small_for_the_target_is_named(overview, monkeypatch):
    with_reliability(monkeypatch, 0.9)
    stop = replace(overview.definition.choosing.stop, reliability=0.98)
    given = advice(with_definition(replace(overview, judgments=28, wanted=30, missing=2), stop=stop))
    assert [each.title for each in given] == ["Plan more judgments", "Collect 2 more judgments"]
    assert "predicted reliability is about 0.91, below the target of 0.98" in given[0].reason
    near = replace(stop, reliability=0.905)
    enough = with_definition(replace(overview, judgments=25, wanted=60), stop=near)
    assert "Plan more judgments" not in titles(enough)


def test_a_spent_budget_below_the_target_names_a_larger_budget(overview, monkeypatch):
    with_reliability(monkeypatch, 0.9)
    stop = replace(overview.definition.choosing.stop, reliability=0.95, budget=30)
    spent = with_definition(replace(overview, status="budget_spent", judgments=30, wanted=60), stop=stop)
    reason = advice(spent)[0].reason
    assert "Increase budget to about 59 in study.toml" in reason
    assert "Increase redundancy to 6 in study.toml" in reason


@pytest.mark.parametrize("status", ["complete", "stopped", "budget_spent"])
def test_a_finished_study_ends_with_the_report(overview, status):
    (only,) = advice(replace(overview, status=status))
    assert (only.title, only.act) == ("Read the report", "report")


def test_many_answers_of_cannot_judge_are_a_reason_to_look_at_the_question(overview):
    assert "Check the question and the items" in titles(replace(overview, cannot_judge=10))
    assert "Check the question and the items" not in titles(replace(overview, judgments=100, cannot_judge=10))


def test_a_study_that_measures_no_coverage_is_told_how(overview):
    given = advice(with_definition(overview, selection="information", explore=0.0))
    assert given[-1].title == "Choose some tasks at random"
    assert "explore = 0.1" in given[-1].reason


def test_the_list_is_short(overview):
    flags = with_flags(overview, [("Fast",), ("Fast",)])
    much = replace(flags, status="paused", cannot_judge=50, audit=audited(50, 100))
    much = replace(much, views=(replace(much.views[0], unlinked=2),))
    assert len(advice(much)) == MOST
