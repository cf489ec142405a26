import numpy as np
import pytest

from steelyard.quality.agreement import AgreementSettings
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.results.agreement import agreement_of_study
from steelyard.study.results.audit import is_fair
from tests.study.making import make_session

ALPHA = AgreementSettings(statistics=("alpha",), levels=("interval",))


def worked(folder, **settings):
    """A study of 60 items, answered by a simulated crowd."""
    session = make_session(folder / "s", lambda: 0.0, 60, True, **settings)
    rng = np.random.default_rng(7)
    simulate(session, Crowd.draw(session, SCENARIOS["full"], 20, "uniform", rng), rng)
    return session.ledger


@pytest.fixture(scope="module")
def adaptive(tmp_path_factory):
    settings = {"protocol": "list", "redundancy": 6, "selection": "information", "explore": 0.3, "seed": 5}
    return worked(tmp_path_factory.mktemp("agreement"), **settings)


def test_adaptive_studies_are_measured_on_random_tasks(adaptive):
    found = agreement_of_study(adaptive, 0, ALPHA)
    fair = [answer for answer in adaptive.counted_answers() if is_fair(adaptive.tasks[answer.task])]
    assert found.statistics[0].of.startswith("audit slice: ")
    assert f"the {len(fair):,} of {len(adaptive.counted_answers()):,} answers" in found.remarks[0]


def test_a_slice_that_is_too_small_is_replaced_by_all_answers_and_labelled(adaptive, monkeypatch):
    monkeypatch.setattr("steelyard.study.results.agreement.FEWEST_SHARED", 1000)
    found = agreement_of_study(adaptive, 0, ALPHA)
    assert found.statistics[0].of.startswith("adaptively chosen tasks: 60 items")
    assert "may differ from that of random items" in found.remarks[0]


def test_studies_with_random_tasks_have_no_label_and_levels_are_points(tmp_path):
    settings = {"protocol": "rating", "redundancy": 4, "selection": "balanced", "seed": 5}
    ledger = worked(tmp_path, **settings, scale={"low": 1, "high": 5, "levels": 5})
    found = agreement_of_study(ledger, 0)
    assert found.statistics[0].of.startswith("60 items")
    assert any(row.statistic == "Krippendorff's alpha (ordinal)" for row in found.statistics)
    assert not any("different whole numbers" in text for text in found.remarks)


@pytest.mark.parametrize(("protocol", "redundancy"), [("rating", 4), ("best_worst", 12)])
def test_repeats_count_for_self_consistency_only_and_do_not_make_a_study_adaptive(
    tmp_path, protocol, redundancy
):
    settings = {"protocol": protocol, "redundancy": redundancy, "selection": "balanced", "seed": 5}
    repeating = worked(tmp_path, **settings, checks={"repeats": {"rate": 0.15, "apart": 3}})
    repeats = len(repeating.counted_answers(probes=True)) - len(repeating.counted_answers())
    found = agreement_of_study(repeating, 0)
    assert repeats > 5
    assert not any("adaptively" in text for text in found.remarks)
    assert not any(row.of.startswith("audit slice") for row in found.statistics)
    own = [row for row in found.statistics if row.statistic.startswith("Self-consistency")]
    assert own
    assert all(np.isfinite(row.value) for row in own)
    if protocol == "rating":
        assert own[0].of.startswith(f"{repeats} repeated items")
        assert f"{repeats} rows of probes or repeats are used only for self-consistency." in found.remarks
        assert f"60 items, 20 raters, {len(repeating.counted_answers())} ratings" in found.statistics[0].of


def test_self_consistency_of_an_adaptive_study_uses_all_repeated_answers(tmp_path):
    settings = {"protocol": "rating", "redundancy": 6, "selection": "information", "explore": 0.3, "seed": 5}
    ledger = worked(tmp_path, **settings, checks={"repeats": {"rate": 0.1, "apart": 3}})
    repeats = len(ledger.counted_answers(probes=True)) - len(ledger.counted_answers())
    chosen = AgreementSettings(statistics=("alpha", "self_consistency"), levels=("interval",))
    found = agreement_of_study(ledger, 0, chosen)
    assert found.statistics[0].of.startswith("audit slice: ")
    assert found.statistics[1].of.startswith(f"{repeats} repeated items")
