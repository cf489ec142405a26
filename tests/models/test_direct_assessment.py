import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_ind

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


def test_the_position_is_the_mean_score():
    expected = {"0": 0.35, "1": 0.7, "2": 0.8}  # 80-digit arithmetic
    assert positions(DirectAssessment().fit(judge(GOLDEN))) == pytest.approx(expected, rel=1e-15)


def test_standardising_uses_the_population_deviation_and_constant_raters_get_zero():
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


def test_coverage_of_the_mean_is_close_to_nominal():
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


def test_the_error_of_a_trimmed_mean_is_yuens():
    # scipy.stats.ttest_ind(a, b, trim=0.2) is Yuen's test; b has no variance, so its t is mean / error of a.
    scores = [3.0, 18.0, 22.0, 25.0, 31.0, 40.0, 42.0, 47.0, 58.0, 96.0]
    fit = DirectAssessment(trim=0.2).fit(judge([(str(r), "tea", s) for r, s in enumerate(scores)], (0, 100)))
    flat = ttest_ind(scores, np.zeros(10), trim=0.2, equal_var=False)
    assert fit.scale.position[0] / fit.posterior.means.error[0] == pytest.approx(flat.statistic)
    # By hand: kept 22, 25, 31, 40, 42, 47; winsorised, the squares about 34.5 sum to 1126.5.
    assert fit.posterior.means.error[0] == pytest.approx(np.sqrt(1126.5 / (6 * 5)))


def test_coverage_of_trimmed_means_is_close_to_nominal():
    rng = np.random.default_rng(7)
    truth = rng.uniform(30, 70, 600)
    rows = [(str(r), str(i), float(truth[i] + 10 * rng.normal())) for i in range(600) for r in range(10)]
    scale = DirectAssessment(trim=0.2).fit(judge(rows, (-100, 200))).scale
    assert 0.92 < np.mean((scale.low <= truth) & (truth <= scale.high)) < 0.98
    error = np.sqrt(np.mean((scale.position - truth) ** 2))
    assert np.sqrt(np.mean(scale.spread**2)) == pytest.approx(error, rel=0.15)


def test_items_with_different_numbers_of_scores_do_not_bias_the_trimmed_error():
    rng = np.random.default_rng(8)
    rows = [
        (str(r), f"{n}-{i}", float(50 + 10 * rng.normal()))
        for n in (4, 10)
        for i in range(1500)
        for r in range(n)
    ]
    fit = DirectAssessment(trim=0.2).fit(judge(rows, (-100, 200)))
    for n in (4, 10):
        those = [item.startswith(f"{n}-") for item in fit.item]
        estimated_error = np.sqrt(np.mean(fit.posterior.means.error[those] ** 2))
        assert estimated_error == pytest.approx(np.std(fit.posterior.position[those]), rel=0.05)


def test_spread_is_the_standard_deviation_of_the_draws():
    rows = [
        (str(r), item, 40.0 + 7 * r + shift) for r in range(9) for item, shift in (("tea", 0), ("egg", 3))
    ]
    fit = DirectAssessment().fit(judge(rows, (0, 200)))
    drawn = fit.draws(200_000, np.random.default_rng(1)).std(axis=0)
    assert drawn == pytest.approx(fit.scale.spread, rel=0.02)


def test_the_spread_is_finite_without_repeated_scores():
    scale = DirectAssessment().fit(judge([("ann", "tea", 20), ("ann", "egg", 30)], (0, 100))).scale
    assert np.isfinite(scale.spread).all()
    assert (scale.spread > 0).all()


def with_unseen(rows, standardise="none", scale=(0, 100)):
    """A fit of these rows, an item with a count of 0, and an item without a row."""
    records = [Rating(rater, item, score) for rater, item, score in rows]
    judgments = Judgments.of(
        [*records, Rating("ann", "none", 50, {"count": 0}), Rating("ann", "gone", 50)], scale
    )
    kept = judgments.where(lambda table: np.arange(len(table)) < len(table) - 1)
    return DirectAssessment(standardise=standardise).fit(kept)


@pytest.mark.parametrize("standardise", ["none", "rater"])
def test_an_item_without_scores_has_the_whole_range_as_its_interval(standardise):
    scores = {"tea": 90, "egg": 94, "rye": 98, "jam": 100}
    rows = [(rater, item, score) for rater in "abcd" for item, score in scores.items()]  # everyone agrees
    fit = with_unseen(rows, standardise)
    scale = fit.scale
    assert scale.item.tolist()[-2:] == ["none", "gone"]
    assert scale.count.tolist()[-2:] == [0, 0]
    middle, ends = (95.5, (0, 100)) if standardise == "none" else (0, (-3, 3))
    assert scale.position[-2:] == pytest.approx([middle, middle])
    assert scale.low[-2:].tolist() == [ends[0]] * 2
    assert scale.high[-2:].tolist() == [ends[1]] * 2
    assert scale.rank_low[-2:].tolist() == [1, 1]
    assert scale.rank_high[-2:].tolist() == [6, 6]
    assert scale.spread[-1] == pytest.approx((ends[1] - ends[0]) / np.sqrt(12))
    assert 0.2 < fit.predict("none", "tea") < 0.8


def test_the_spread_of_a_single_z_score_is_in_z_scores_not_in_points():
    scale = DirectAssessment(standardise="rater").fit(judge([("ann", "tea", 90)], (0, 1000))).scale
    assert scale.spread[0] < 6
