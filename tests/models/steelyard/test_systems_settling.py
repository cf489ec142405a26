"""Systems whose raters' slopes are hard to estimate."""

from pathlib import Path

import numpy as np

from steelyard import read
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.models.steelyard import inference, systems
from steelyard.models.steelyard.model import Steelyard

MQM = Path(__file__).parents[2] / "data" / "mqm_ende.rating.parquet"


def test_systems_of_a_translation_campaign_converge():
    fit = Steelyard().fit(read(MQM)).systems()
    assert fit.converged
    assert fit.remarks == ()


def test_without_convergence_the_slopes_of_the_rater_model_are_used_with_a_remark(monkeypatch):
    monkeypatch.setattr(systems, "MOST_ROUNDS", 1)
    ratings = read(MQM)
    fit = Steelyard().fit(ratings).systems()
    assert fit.converged
    assert any("did not converge" in remark and "clustered" in remark for remark in fit.remarks)
    plain = DirectAssessment().fit(ratings).differences("system")
    found = fit.differences()
    assert np.corrcoef(found.estimate, plain.estimate)[0, 1] > 0.98
    assert np.all(found.error < 3.0 * plain.error.mean())


def test_half_steps_of_slopes_lead_to_nearly_the_same_positions(monkeypatch):
    ratings = read(MQM)
    whole = Steelyard().fit(ratings)
    monkeypatch.setattr(inference, "DAMPED_AFTER", 0)
    half = Steelyard().fit(ratings)
    assert half.converged
    assert half.provenance.iterations != whole.provenance.iterations
    positions = half.posterior.position, whole.posterior.position
    assert np.corrcoef(*positions)[0, 1] > 0.999
    assert np.median(np.abs(positions[0] - positions[1]) / whole.posterior.spread) < 0.1
