"""Systems as means of their outputs' ratings: few clusters, and ratings without raters."""

import numpy as np
import pytest

from steelyard import Judgments
from steelyard.errors import BadSetting
from steelyard.models.direct_assessment import DirectAssessment

# Four raters of three systems on five segments; every rater has a bias, so residuals share it.
SCORES = (
    np.random.default_rng(4).normal(50.0, 6.0, (4, 3, 5)) + np.array([-9.0, -3.0, 3.0, 9.0])[:, None, None]
)


def few_raters():
    rater, system, segment = (codes.ravel() for codes in np.indices(SCORES.shape))
    columns = {
        "rater": [f"r{each}" for each in rater],
        "item": [f"{one}-{other}" for one, other in zip(system, segment, strict=True)],
        "system": [f"s{each}" for each in system],
        "segment": [f"g{each}" for each in segment],
        "score": SCORES.ravel().tolist(),
    }
    return Judgments.from_columns("rating", columns, range=(0.0, 100.0))


def rater_sums():
    """The covariance of these_segments by its formula: M'M x R/(R-1) x (n-1)/(n-items)."""
    scores = SCORES - SCORES.mean(axis=0)
    sums = scores.sum(axis=2) / (SCORES.shape[0] * SCORES.shape[2])
    return sums.T @ sums * (4 / 3) * (60 - 1) / (60 - 15)


def test_plain_few_clusters_leave_the_clustered_covariance_unchanged():
    plain = DirectAssessment(few_clusters="plain").fit(few_raters()).systems("these")
    assert plain.joint.covariance == pytest.approx(rater_sums(), abs=1e-10)


def test_guarded_few_clusters_have_differences_at_least_as_wide_as_plain_ones():
    plain = DirectAssessment(few_clusters="plain").fit(few_raters()).differences("system", target="these")
    guarded = DirectAssessment().fit(few_raters()).differences("system", target="these")
    assert np.all(guarded.error >= plain.error - 1e-12)
    assert np.any(guarded.error > 1.01 * plain.error)


def test_plain_few_clusters_appear_in_signature_and_remarks():
    fit = DirectAssessment(few_clusters="plain").fit(few_raters()).systems()
    assert "few_clusters=plain" in fit.signature
    assert any("Only 4 raters" in text and "so they are unreliable" in text for text in fit.remarks)
    assert "few_clusters" not in DirectAssessment().fit(few_raters()).systems().signature


def test_the_divisor_of_z_scores_is_in_the_signature():
    fit = DirectAssessment(standardise="rater", divisor="n-1").fit(few_raters())
    assert "divisor=n-1" in fit.signature


def test_an_unknown_way_with_few_clusters_is_refused():
    with pytest.raises(BadSetting, match="few_clusters"):
        DirectAssessment(few_clusters="bold")


def test_without_raters_a_system_is_the_mean_of_its_item_means():
    columns = {
        "item": ["a", "a", "a", "b", "c", "c"],
        "system": ["only"] * 6,
        "score": [10.0, 20.0, 30.0, 50.0, 60.0, 80.0],
    }
    fit = DirectAssessment().fit(Judgments.from_columns("rating", columns, range=(0.0, 100.0))).systems()
    means = np.array([20.0, 50.0, 70.0])
    assert fit.posterior.position.tolist() == pytest.approx([means.mean()])
    assert fit.posterior.spread.tolist() == pytest.approx([means.std(ddof=1) / np.sqrt(3)])
