"""Sums of ratings in place give the same means as the ratings in memory."""

import numpy as np
import pytest

from steelyard import DirectAssessment, Judgments, connect
from steelyard.errors import BadSetting
from tests.engines.logs import columns_of, ratings, write_csv

pytest.importorskip("ibis")
RATINGS = ratings()


def in_memory(rows=RATINGS):
    return Judgments.from_columns("rating", columns_of(rows))


@pytest.mark.parametrize(
    "model",
    [
        DirectAssessment(),
        DirectAssessment(standardise="rater"),
        DirectAssessment(standardise="rater", divisor="n-1"),
    ],
)
def test_a_log_of_ratings_gives_the_means_of_its_ratings(model, tmp_path):
    fit, exact = model.fit(connect(write_csv(RATINGS, tmp_path / "a.csv"))), model.fit(in_memory())
    one, other = fit.scale.ordered(), exact.scale.ordered()
    assert one.item.tolist() == other.item.tolist()
    for name in ("position", "spread", "low", "high", "count"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-11, atol=1e-12)
    assert fit.signature == exact.signature


def test_items_rated_once_get_the_variance_of_all_scores(tmp_path):
    rows = [{"rater": "ann", "item": f"i{at}", "score": at} for at in range(5)]
    fit, exact = (
        DirectAssessment().fit(each)
        for each in (connect(write_csv(rows, tmp_path / "a.csv")), in_memory(rows))
    )
    np.testing.assert_allclose(fit.scale.spread, exact.scale.spread, rtol=1e-12)


def test_ratings_that_cannot_be_used_are_counted_by_class(tmp_path):
    bad = [{**RATINGS[0], "score": "many"}, {**RATINGS[0], "item": ""}, {**RATINGS[0], "score": ""}]
    log = connect(write_csv([*RATINGS, *bad], tmp_path / "a.csv"))
    assert log.rejected.counts == {"without an item": 1, "with a score that is not a number": 2}
    assert "score='many'" in " ".join(log.rejected.sentences())
    np.testing.assert_allclose(
        DirectAssessment().fit(log).scale.ordered().position,
        DirectAssessment().fit(in_memory()).scale.ordered().position,
    )


def test_trimmed_means_of_a_log_are_refused(tmp_path):
    with pytest.raises(BadSetting, match="trim"):
        DirectAssessment(trim=0.1).fit(connect(write_csv(RATINGS, tmp_path / "a.csv")))


def test_distinct_ratings_have_their_counts(tmp_path):
    log = connect(write_csv([*RATINGS, *RATINGS], tmp_path / "a.csv"))
    assert log.judgments().table("rating").weights.sum() == 2 * len(RATINGS)


def test_rows_of_machine_judges_are_left_out_and_counted(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(
        "rater,item,score,source\nann,tea,2,human\nbob,tea,4,\nm,tea,900,Machine\nm,milk,7,machine\n"
    )
    with connect(str(path), range=(0, 10)) as log:
        fit = DirectAssessment().fit(log)
        assert log.machine == 2
    assert dict(zip(fit.scale.item.tolist(), fit.scale.position.tolist(), strict=True)) == {"tea": 3.0}
