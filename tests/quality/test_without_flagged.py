"""Differences with all raters beside those without flagged raters."""

import numpy as np
import pytest

from steelyard import Judgments
from steelyard.errors import NothingToTest
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.models.known import model_named
from steelyard.quality.rater_flags import REVERSED
from steelyard.quality.without_flagged import beside, flagged_raters, with_and_without

RATERS = ("ann", "bob", "cat", "dan", "odd")


def ratings(opposed="odd", gap=6.0, strength=1.5):
    """Two systems on 12 segments; the opposed rater turns the scale round."""
    rng = np.random.default_rng(3)
    rows = {name: [] for name in ("rater", "item", "system", "segment", "score")}
    quality = rng.normal(0.0, 15.0, 12)
    for rater in RATERS:
        for at, system in enumerate(("s0", "s1")):
            for segment in range(12):
                score = quality[segment] + at * gap + rng.normal(0.0, 1.0)
                rows["rater"].append(rater)
                rows["item"].append(f"{system}-{segment}")
                rows["system"].append(system)
                rows["segment"].append(f"g{segment}")
                rows["score"].append(50.0 + (-strength * score if rater == opposed else score))
    return Judgments.from_columns("rating", rows, range=(-200.0, 300.0))


def scale(judgments):
    return DirectAssessment().fit(judgments).systems()


def test_a_rater_who_turns_the_scale_round_is_flagged_with_the_reason():
    assert flagged_raters(ratings()) == {"odd": (REVERSED,)}
    assert flagged_raters(ratings(opposed=None)) == {}


def test_a_rater_whom_the_fit_takes_for_a_spammer_is_flagged():
    rows = [{"rater": "ann", "spam": 0.93}, {"rater": "bob", "spam": 0.89}]
    assert flagged_raters(ratings(opposed=None), rows) == {
        "ann": ("Looks like random answers (spam probability 0.93)",)
    }


def test_differences_stand_beside_those_without_the_flagged_raters():
    judgments = ratings()
    (row,) = with_and_without(scale, judgments, ["odd"])
    everyone = scale(judgments).differences()
    names = judgments.raters.astype(str)
    kept = judgments.where(lambda table: names[table.codes["rater"]] != "odd")
    honest = scale(kept.compact()).differences()
    for name in ("estimate", "error", "p"):
        assert row[name] == getattr(everyone, name)[0]
        assert row[f"{name}_without"] == getattr(honest, name)[0]
    assert (row["left"], row["right"]) == ("s0", "s1")


def test_a_difference_that_changes_sides_is_named():
    (row,) = with_and_without(scale, ratings(gap=30.0, strength=5.0), ["odd"])
    assert row["estimate"] > 0.0 > row["estimate_without"]
    assert row["changed"] == "sign and significance"
    (row,) = with_and_without(scale, ratings(opposed=None, gap=30.0), ["odd"])
    assert row["changed"] == ""


def test_a_system_that_only_flagged_raters_judged_has_no_numbers_without_them():
    extra = Judgments.from_columns(
        "rating",
        {
            "rater": ["odd"] * 3,
            "item": ["x0", "x1", "x2"],
            "system": ["s2"] * 3,
            "segment": ["g0", "g1", "g2"],
            "score": [50.0, 55.0, 60.0],
        },
    )
    rows = with_and_without(scale, ratings() + extra, ["odd"])
    gone = [row for row in rows if row["right"] == "s2"]
    assert len(rows) == 3
    assert [row["estimate_without"] for row in gone] == [None, None]
    assert {row["changed"] for row in gone} == {"not judged by the others"}


def test_without_flagged_raters_nothing_is_fitted_twice():
    fitted = []

    def counted(judgments):
        fitted.append(len(judgments))
        return scale(judgments)

    (row,) = with_and_without(counted, ratings(), [])
    assert len(fitted) == 1
    assert row["estimate_without"] == row["estimate"]


def test_comparisons_are_compared_without_flagged_raters_too():
    rows = [(f"r{at}", "a", "b", "left" if at < 6 else "right") for at in range(10)]
    table = dict(zip(("rater", "left", "right", "outcome"), map(list, zip(*rows, strict=True)), strict=True))
    judgments = Judgments.from_columns("comparison", table)
    (row,) = with_and_without(model_named("bradley_terry").fit, judgments, ["r8", "r9"])
    assert row["estimate"] == pytest.approx(np.log(6 / 4), abs=1e-4)
    assert row["estimate_without"] == pytest.approx(np.log(6 / 2), abs=1e-4)


def test_where_nobody_else_can_be_fitted_rows_say_so():
    rows = beside(scale(ratings()).differences(), None)
    assert [row["changed"] for row in rows] == ["no fit without them"]
    assert rows[0]["p_without"] is None


def test_judgments_that_are_all_by_flagged_raters_are_refused():
    with pytest.raises(NothingToTest, match="flagged"):
        with_and_without(scale, ratings(), RATERS)
