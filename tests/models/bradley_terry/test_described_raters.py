"""What a fit with rater covariates says about the raters that its numbers describe."""

import numpy as np
import pytest

from steelyard import BradleyTerry, read
from steelyard.errors import DifferentTables

TASTES = {"expert": {"a": 1.5, "b": 0.0, "c": -1.0}, "lay": {"a": -1.0, "b": 0.0, "c": 0.5}}
PAIRS = (("a", "b"), ("b", "c"), ("a", "c"), ("c", "a"))


@pytest.fixture(scope="module")
def judgments():
    rng = np.random.default_rng(3)
    rows = []
    for rater in range(40):
        group = "expert" if rater < 10 else "lay"
        for left, right in PAIRS:
            gap = TASTES[group][left] - TASTES[group][right]
            outcome = "left" if rng.random() < 1 / (1 + np.exp(-gap)) else "right"
            rows.append((f"r{rater}", left, right, outcome, group, 20 + rater))
    names = ("rater", "left", "right", "outcome", "group", "age")
    return read(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def test_worths_are_those_of_the_reference_level_and_a_remark_says_so(judgments):
    fit = BradleyTerry(rater_covariates=["group"]).fit(judgments)
    assert fit.worths() == fit.worths(group="expert") != fit.worths(group="lay")
    remark = "Coefficients of items, worths() and probabilities() are those of group=expert"
    assert any(remark in each for each in fit.remarks)
    assert remark in fit.summary()
    other = BradleyTerry(rater_covariates=["group"], reference_levels={"group": "lay"}).fit(judgments)
    assert any("those of group=lay" in each for each in other.remarks)
    assert BradleyTerry().fit(judgments).remarks == ()


def test_a_numeric_covariate_is_described_at_zero_and_makes_a_sparse_table(judgments):
    fit = BradleyTerry(rater_covariates=["age"]).fit(judgments)
    assert any("those of age=0" in each for each in fit.remarks)
    assert "a row for each value of age, with 1.3 judgments per row" in fit.summary()
    assert "judgments per row" not in BradleyTerry(rater_covariates=["group"]).fit(judgments).summary()


def test_profile_limits_beside_clustered_errors_are_labelled(judgments):
    fit = BradleyTerry().fit(judgments)
    (note,) = fit.coefficients(interval="profile").notes
    assert note == (
        "se, z and p: standard errors clustered by rater (40). low and high: profile likelihood of independent answers."
    )
    assert fit.coefficients().notes == ()
    assert BradleyTerry(cluster="none").fit(judgments).coefficients(interval="profile").notes == ()


def test_fits_on_different_tables_or_judgments_are_distinguished(judgments):
    plain = BradleyTerry().fit(judgments)
    with pytest.raises(DifferentTables, match=r"tables differ .* Use anova\(one, other\).*table='judgments'"):
        BradleyTerry(rater_covariates=["group"]).fit(judgments).compare(plain)
    with pytest.raises(DifferentTables, match="different judgments"):
        BradleyTerry(order=True).fit(judgments.where(lambda table: table.codes["rater"] > 3)).compare(plain)
