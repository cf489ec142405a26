import numpy as np
import pytest

from steelyard.study.results import kept_agreement
from steelyard.study.results.agreement import agreement_basis, agreement_of_study
from steelyard.study.results.kept_agreement import KeptAgreement
from tests.study.making import Clock, answer_with, make_session


def rate(session, rater, tasks=None):
    """Let a rater answer with scores that follow the items, and some noise."""
    rng = np.random.default_rng(len(rater))
    done = 0
    while (tasks is None or done < tasks) and (assignment := session.next_task(rater).assignment) is not None:
        truth = [2.0 * int(item.removeprefix("i")) for item in assignment.task.items]
        session.accept(rater, answer_with(assignment, [each + rng.uniform(0, 4) for each in truth]))
        done += 1


@pytest.fixture
def session(tmp_path):
    made = make_session(tmp_path / "study", Clock(), 9, True, protocol="list", list_size=3, redundancy=4)
    for name in ("Ann", "Bob"):
        rate(made, made.join(name, "link").id)
    return made


def test_agreement_is_kept_until_the_study_has_grown_by_a_fifth(session):
    kept = KeptAgreement(session.fresh_ledger())
    first = kept.by_question()
    assert kept.by_question() is first
    rate(session, session.join("Cem", "link").id, tasks=1)
    session.fresh_ledger()
    assert kept.by_question() is first
    rate(session, "r-03")
    session.fresh_ledger()
    again = kept.by_question()
    assert again is not first
    assert "27 ratings" in next(iter(again.values())).statistics[0].of


def test_agreement_is_computed_again_when_a_rater_is_excluded(session):
    kept = KeptAgreement(session.fresh_ledger())
    first = kept.by_question()
    session.note("excluded", "r-02", {"reason": "test"})
    session.fresh_ledger()
    assert kept.by_question() is not first


def test_agreement_of_a_small_study_is_that_of_the_command(session):
    ledger = session.fresh_ledger()
    (found,) = KeptAgreement(ledger).by_question().values()
    whole = agreement_of_study(ledger, 0)
    assert list(map(repr, found.statistics)) == list(map(repr, whole.statistics))  # intervals, too


def test_a_large_study_uses_a_sample_of_its_items_and_says_so(tmp_path, monkeypatch):
    made = make_session(tmp_path / "large", Clock(), 40, True, protocol="list", list_size=5, redundancy=3)
    for name in ("Ann", "Bob", "Cem"):
        rate(made, made.join(name, "link").id)
    monkeypatch.setattr(kept_agreement, "MOST_JUDGMENTS", 60)
    (found,) = KeptAgreement(made.fresh_ledger()).by_question().values()
    assert "Computed on a random sample of 20 of 40 items, with all their judgments." in found.remarks
    assert found.statistics[0].of == "20 items, 3 raters, 60 ratings"


def test_judgments_that_are_few_enough_are_not_sampled(session):
    basis = agreement_basis(session.fresh_ledger(), 0)
    assert basis.sampled(18, np.random.default_rng(0)) is basis


def test_a_study_without_answers_has_no_agreement(tmp_path):
    made = make_session(tmp_path / "empty", Clock(), 5, True)
    assert KeptAgreement(made.fresh_ledger()).by_question() == {}
