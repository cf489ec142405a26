import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import DirectAssessment, Judgments, Rating
from steelyard.errors import BadSetting

GOLDEN = [
    ("a", "0", 0.2),
    ("a", "1", 0.8),
    ("b", "0", 0.5),
    ("b", "1", 0.6),
    ("b", "2", 0.7),
    ("c", "2", 0.9),
]


def judge(rows, range=(0, 1)):
    return Judgments.of([Rating(rater, item, score) for rater, item, score in rows], range=range)


def positions(fit):
    return dict(zip(fit.scale.item, fit.scale.position, strict=True))


def test_an_item_stands_at_its_mean_score():
    expected = {"0": 0.35, "1": 0.7, "2": 0.8}  # 80-digit arithmetic
    assert positions(DirectAssessment().fit(judge(GOLDEN))) == pytest.approx(expected, rel=1e-15)


def test_standardising_uses_the_population_deviation_and_gives_steady_raters_zero():
    expected = {"0": -1.1123724356957945, "1": 0.5, "2": 0.6123724356957945}  # 80-digit arithmetic
    fit = DirectAssessment(standardise="rater").fit(judge(GOLDEN))
    assert positions(fit) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(("trim", "expected"), [(0.0, 29.0), (0.1, 29.0), (0.2, 28.0 + 1 / 3), (0.4, 25.0)])
def test_trimming_cuts_whole_scores_as_r_does(trim, expected):
    # R 4.2: mean(c(5, 20, 25, 40, 55), trim = trim)
    rows = [(str(at), "tea", score) for at, score in enumerate((40, 5, 25, 55, 20))]
    fit = DirectAssessment(trim=trim).fit(judge(rows, (0, 100)))
    assert fit.scale.position[0] == pytest.approx(expected)


scores = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), st.integers(0, 100)), min_size=1, max_size=30
)


@given(scores, st.sampled_from(["none", "rater"]), st.sampled_from([0.0, 0.2]))
def test_no_number_is_missing_and_no_interval_has_no_width(rows, standardise, trim):
    scale = DirectAssessment(standardise=standardise, trim=trim).fit(judge(rows, (0, 100))).scale
    for values in (scale.position, scale.spread, scale.low, scale.high):
        assert np.isfinite(values).all()
    assert (scale.high > scale.low).all()
    assert ((scale.low <= scale.position + 1e-9) & (scale.position <= scale.high + 1e-9)).all()


@given(scores)
def test_intervals_stay_inside_the_scale(rows):
    scale = DirectAssessment().fit(judge(rows, (0, 100))).scale
    assert scale.low.min() >= 0
    assert scale.high.max() <= 100


def test_intervals_of_the_mean_cover_it_nearly_as_often_as_they_say():
    rng = np.random.default_rng(5)
    truth = rng.uniform(30, 70, 400)
    rows = [(str(r), str(i), float(truth[i] + 10 * rng.normal())) for i in range(400) for r in range(4)]
    scale = DirectAssessment().fit(judge(rows, (-100, 200))).scale
    held = np.mean((scale.low <= truth) & (truth <= scale.high))
    assert 0.92 < held < 0.98


def test_more_scores_make_a_narrower_interval():
    rng = np.random.default_rng(6)
    few = [(str(r), "tea", float(50 + 10 * rng.normal())) for r in range(4)]
    many = [(str(r), "tea", float(50 + 10 * rng.normal())) for r in range(64)]
    spread = [DirectAssessment().fit(judge(rows, (0, 100))).scale.spread[0] for rows in (few, many)]
    assert spread[1] < spread[0]


def test_half_of_everything_cannot_be_trimmed():
    with pytest.raises(BadSetting, match="trim"):
        DirectAssessment(trim=0.5)


def test_an_unknown_way_to_standardise_is_refused():
    with pytest.raises(BadSetting, match="'item'"):
        DirectAssessment(standardise="item")
