"""Remarks on raters and segments that are few, absent or not included in standard errors of systems."""

import numpy as np
import pytest

from steelyard import Crossed, DirectAssessment, Judgments, Steelyard


def ratings(raters, segments=12, named=True):
    """Three systems whose outputs are rated by every rater."""
    rng = np.random.default_rng(raters)
    system, segment, rater = (
        codes.ravel()
        for codes in np.meshgrid(np.arange(3), np.arange(segments), np.arange(raters), indexing="ij")
    )
    columns = {
        "item": [f"{one}-{other}" for one, other in zip(system, segment, strict=True)],
        "system": [f"s{each}" for each in system],
        "segment": [f"g{each}" for each in segment],
        "score": (50.0 + 5.0 * system + rng.normal(0.0, 8.0, len(system))).tolist(),
    }
    who = {"rater": [f"r{each}" for each in rater]} if named else {}
    return Judgments.from_columns("rating", {**columns, **who}, range=(0, 100))


def remarks(model, judgments, **target):
    return " ".join(model.fit(judgments).systems(**target).remarks)


@pytest.mark.parametrize("model", [Steelyard(), DirectAssessment(), Crossed()])
def test_few_raters_and_segments_are_reported(model):
    assert "only 3 raters and 4 segments" in remarks(model, ratings(3, segments=4)).lower()
    assert "Only" not in remarks(model, ratings(10))


@pytest.mark.parametrize("model", [Steelyard(), DirectAssessment()])
def test_few_raters_need_no_remark_if_the_scale_is_about_these_raters(model):
    assert "Only" not in remarks(model, ratings(3), raters="these")


@pytest.mark.parametrize("model", [Steelyard(), DirectAssessment(), Crossed()])
def test_one_rater_says_nothing_about_new_raters(model):
    assert "name 1 rater, so standard errors do not include the variation between raters" in remarks(
        model, ratings(1)
    )


@pytest.mark.parametrize("model", [Steelyard(), DirectAssessment()])
def test_ratings_without_raters_say_nothing_about_new_raters(model):
    assert "The judgments name no raters" in remarks(model, ratings(2, named=False))


def test_a_chosen_clustering_reports_the_variation_that_it_leaves_out():
    by_segment = remarks(DirectAssessment(cluster="segment"), ratings(12))
    assert "With cluster=segment" in by_segment
    assert "intervals do not apply to new raters" in by_segment
    assert "With cluster" not in remarks(DirectAssessment(cluster="both"), ratings(12))
    assert "With cluster" not in remarks(DirectAssessment(cluster="segment"), ratings(12), raters="these")
