import numpy as np
import pytest

from steelyard.models.steelyard.model import Steelyard
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.collecting.learning import Learner
from steelyard.study.definition.items import Item
from steelyard.study.results.audit import Auditor
from tests.study.making import make_session, work


@pytest.fixture(scope="module")
def worked(tmp_path_factory):
    """A study with the selection `information`, answered by a simulated crowd."""
    folder = tmp_path_factory.mktemp("audit")
    settings = {"protocol": "list", "redundancy": 6, "selection": "information", "explore": 0.3, "seed": 5}
    session = make_session(folder / "s", lambda: 0.0, 60, True, **settings)
    rng = np.random.default_rng(7)
    crowd = Crowd.draw(session, SCENARIOS["full"], 20, "uniform", rng)
    simulate(session, crowd, rng)
    return session, crowd


def test_a_share_of_tasks_is_chosen_at_random_with_its_probability_logged(worked):
    tasks = list(worked[0].ledger.tasks.values())
    audited = [task for task in tasks if task.chosen.selection == "audit"]
    assert 0.1 < len(audited) / len(tasks) < 0.45
    assert all(0 < task.chosen.probability <= 1 for task in audited)
    assert all(task.chosen.probability is None for task in tasks if task not in audited)


def test_every_item_is_covered_and_all_items_are_linked(worked):
    session, _ = worked
    assert session.ledger.answered.min() >= 1
    assert len(set(session.ledger.linked().tolist())) == 1


def test_only_fair_answers_are_predicted_and_intervals_have_their_coverage(worked):
    session, _ = worked
    audit = Auditor(session.ledger).audit()
    fair = sum(len(task.items) for task in session.ledger.tasks.values() if task.chosen.selection == "audit")
    assert 0 < audit.calibration.answers <= fair
    level, share = audit.calibration.by_level[-1]
    assert level == 0.95
    assert share.interval()[1] > 0.9


def test_reliability_grows_and_is_near_the_truth(worked):
    session, crowd = worked
    audit = Auditor(session.ledger).audit()
    assert audit.growth[-1].reliability > audit.growth[0].reliability
    belief = Learner(session.ledger).belief()
    actual = np.corrcoef(belief.position, crowd.truth[0])[0, 1]
    assert audit.growth[-1].reliability == pytest.approx(actual, abs=0.04)


def test_the_audit_is_reproducible(worked):
    session, _ = worked
    auditor = Auditor(session.ledger)
    before = auditor.audit()
    assert auditor.audit() == before


def test_a_study_stops_when_its_scale_is_reliable_enough(tmp_path):
    settings = {"protocol": "list", "redundancy": 20, "selection": "information"}
    asked = {}
    for name, stop in (
        ("early", {"reliability": 0.9}),
        ("late", {"reliability": 0.96}),
        ("budget", {"budget": 90}),
    ):
        rng = np.random.default_rng(3)
        session = make_session(tmp_path / name, lambda: 0.0, 30, True, **settings, stop=stop)
        crowd = Crowd.draw(session, SCENARIOS["full"], 25, "uniform", rng)
        simulate(session, crowd, rng)
        asked[name] = int(session.ledger.answered.sum())
    assert 60 <= asked["early"] < asked["late"] < 600
    assert asked["budget"] == 90


def test_systems_have_plain_means_on_fair_tasks(tmp_path):
    items = [Item(f"{s}{m}", "text", "x", system=s, segment=str(m)) for m in range(10) for s in "AB"]
    session = make_session(tmp_path / "systems", lambda: 0.0, items, True, redundancy=3)
    rng = np.random.default_rng(0)
    simulate(session, Crowd.draw(session, SCENARIOS["iid"], 6, "uniform", rng), rng)
    systems = Auditor(session.ledger).audit().systems
    table = session.ledger.judgments().table("rating")
    mean = table.numbers["score"][table.codes["system"] == 0].mean()
    assert systems[0].mean == pytest.approx(mean)
    assert systems[0].error > 0


def test_models_without_forecasts_have_no_audit(tmp_path):
    session = make_session(tmp_path / "plain", lambda: 0.0, 5, True, model="direct_assessment")
    assert Auditor(session.ledger).audit() is None


class Counted:
    """A function that counts how often it is called."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *arguments):
        self.calls += 1
        return self.function(*arguments)


@pytest.fixture
def refits(monkeypatch):
    counted = Counted(Steelyard.believe)

    def believe(*arguments):  # a method of the class, which a callable object would not be
        return counted(*arguments)

    monkeypatch.setattr(Steelyard, "believe", believe)
    return counted


@pytest.fixture
def growing(tmp_path):
    """A study that a simulated crowd has answered and can continue."""
    settings = {"protocol": "rating", "redundancy": 6, "selection": "balanced", "seed": 5}
    session = make_session(tmp_path / "growing", lambda: 0.0, 20, True, **settings)
    rng = np.random.default_rng(7)
    simulate(session, Crowd.draw(session, SCENARIOS["full"], 6, "uniform", rng), rng, most_tasks=110)
    return session


def test_an_answer_taken_back_leaves_finished_blocks_as_they_are(growing, refits):
    auditor = Auditor(growing.ledger)
    auditor.audit()
    at_first = refits.calls
    newest = growing.ledger.answers[max(growing.ledger.answers)]
    growing.undo(newest.rater, newest.assignment)
    again = auditor.audit()
    assert at_first > 5
    assert refits.calls - at_first <= 1
    assert again == Auditor(growing.ledger).audit()


def test_an_audit_that_follows_the_log_equals_one_from_scratch(growing):
    auditor = Auditor(growing.ledger)
    rater = next(iter(growing.ledger.raters))
    for act in (
        lambda: work(growing, rater, tasks=2),
        lambda: growing.note("excluded", rater),
        lambda: growing.note("included", rater),
    ):
        act()
        assert auditor.audit() == Auditor(growing.ledger).audit()


def test_the_answers_of_a_rater_in_a_block_are_predicted_together(growing, monkeypatch):
    counted = Counted(Steelyard.forecast)

    def forecast(*arguments):  # a method of the class, which a callable object would not be
        return counted(*arguments)

    monkeypatch.setattr(Steelyard, "forecast", forecast)
    audit = Auditor(growing.ledger).audit()
    assert audit.calibration.answers == 90
    assert 0 < counted.calls <= len(growing.ledger.raters) * len(audit.growth)
