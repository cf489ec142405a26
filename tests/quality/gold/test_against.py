import numpy as np
import pytest

from steelyard import DirectAssessment, Judgments, Rating
from steelyard.errors import BadRows, BadSetting, MissingColumn, NothingToTest, UnknownName
from steelyard.quality.gold.against import against_gold
from steelyard.quality.gold.item_values import ItemValues
from steelyard.quality.gold.matching import match_items, rounded
from steelyard.quality.gold.reading import is_scale, read_values


def values(name, numbers, ids=None, **columns):
    items = [f"i{at:03}" for at in range(len(numbers))] if ids is None else list(ids)
    labels = {key: np.array(each, dtype=object) for key, each in columns.items()}
    return ItemValues(name, np.array(items, dtype=object), np.array(numbers, dtype=float), **labels)


def noisy(count, sd, seed, **columns):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=count)
    scales = [
        values(name, truth + rng.normal(0, each, count), **columns)
        for name, each in zip("abc", sd, strict=False)
    ]
    return scales, values("gold", truth, **columns)


def outputs(segments, systems):
    """System and segment of each item, segment by segment."""
    return {
        "system": [f"s{at % systems}" for at in range(segments * systems)],
        "segment": [f"g{at // systems}" for at in range(segments * systems)],
    }


def rows_of(result, **wanted):
    return [row for row in result.statistics if all(row[name] == value for name, value in wanted.items())]


def test_the_table_has_one_row_per_statistic_with_its_interval_and_meaning():
    scales, gold = noisy(60, [0.5], 1)
    result = against_gold(scales, gold)
    assert list(result.columns()) == [
        "scale", "against", "level", "statistic", "value", "low", "high", "of", "meaning",
    ]  # fmt: skip
    for row in result.statistics:
        assert row["low"] < row["value"] < row["high"], row["statistic"]
        assert row["meaning"].endswith(".")
    assert "60 items" in rows_of(result, statistic="pearson")[0]["of"]
    assert len(result.differences) == 0


def test_the_same_seed_gives_the_same_table_in_any_order_of_the_files():
    scales, gold = noisy(30, [0.5, 1.0], 2)
    backwards = ItemValues("gold", gold.item[::-1], gold.value[::-1])
    here, there = (against_gold(scales, each, resamples=50) for each in (gold, backwards))
    assert here.statistics == there.statistics
    assert here.differences == there.differences


def test_the_better_scale_is_significantly_better():
    scales, gold = noisy(80, [0.3, 2.0], 3)
    result = against_gold(scales, gold, resamples=300)
    for row in result.differences:
        assert row["difference"] > 0
        assert row["low"] > 0
        assert row["p"] < 0.05
        assert row["test"] == "random swaps of 80 items"


def test_a_scale_does_not_differ_from_itself():
    scales, gold = noisy(20, [0.5], 4)
    twin = ItemValues("twin", scales[0].item, scales[0].value * 10 + 3)
    result = against_gold([scales[0], twin], gold, resamples=100)
    assert all(row["p"] == 1.0 and row["difference"] == pytest.approx(0) for row in result.differences)
    assert np.isnan(result.differences[1]["low"])  # all resamples agree


def test_equal_scales_have_equal_p_values_against_a_third():
    (one, other), gold = noisy(24, (0.3, 0.6), 8)
    twin = ItemValues("twin", one.item, one.value)
    found = {
        (row["first"], row["second"], row["statistic"]): row["p"]
        for row in against_gold([one, other, twin], gold, same_scale=True).differences
    }
    names = {statistic for _, _, statistic in found}
    assert "rmse" in names
    for name in names:
        assert found["a", "b", name] == found["b", "twin", name]
        assert found["a", "twin", name] == 1.0


@pytest.mark.parametrize("seed", range(3))
def test_two_equally_good_scales_are_rarely_significantly_different(seed):
    p = []
    for at in range(40):
        scales, gold = noisy(12, [1.0, 1.0], 1000 * seed + at)
        result = against_gold(scales, gold, resamples=99, rng=np.random.default_rng(at))
        p.append(result.differences[0]["p"])
    assert np.mean(np.array(p) <= 0.05) <= 0.15  # 2 of 40 expected


def test_items_that_share_segments_are_resampled_by_segment():
    scales, gold = noisy(120, [0.5], 5, **outputs(40, 3))
    result = against_gold(scales, gold)
    assert any("bootstrap over 40 segments" in note for note in result.notes)
    assert {row["level"] for row in result.statistics} == {"item", "segment", "system"}
    within = rows_of(result, level="segment", statistic="kendall_tau_b")[0]
    assert within["of"] == "40 segments, 120 pairs"
    assert within["low"] < within["value"] < within["high"]


def test_effects_of_segments_widen_the_interval():
    rng = np.random.default_rng(6)
    labels = outputs(30, 10)
    score, gold = (np.repeat(rng.normal(size=30), 10) + rng.normal(0, 0.1, 300) for _ in range(2))
    known = against_gold([values("a", score, **labels)], values("gold", gold, **labels))
    unknown = against_gold([values("a", score)], values("gold", gold))
    widths = [
        row["high"] - row["low"] for each in (known, unknown) for row in rows_of(each, statistic="slope")[:1]
    ]
    assert widths[0] > 1.5 * widths[1]


def test_segments_without_a_tau_are_counted():
    labels = outputs(4, 2)
    score = values("a", [1, 2, 1, 2, 2, 1, 5, 5], **labels)
    gold = values("gold", [1, 2, 1, 2, 1, 2, 1, 2], **labels)
    result = against_gold([score], gold)
    assert result.value("kendall_tau_b", level="segment") == pytest.approx((1 + 1 - 1) / 3)
    assert result.value("acc_eq", level="segment") == pytest.approx(2 / 4)
    assert any("1 of 4 segments have no tau-b" in note for note in result.notes)
    assert any("only 2 systems" in note for note in result.notes)


def test_systems_are_compared_by_the_means_of_their_items():
    scales, gold = noisy(60, [0.5, 0.6], 7, **outputs(12, 5))
    result = against_gold(scales, gold, resamples=100)
    means = [np.array([each.value[at::5].mean() for at in range(5)]) for each in (scales[0], gold)]
    assert result.value("pearson", level="system") == pytest.approx(np.corrcoef(*means)[0, 1])
    tests = {row["test"] for row in result.differences if row["level"] == "system"}
    assert tests == {"random swaps of 60 items"}
    alone = against_gold(scales, gold, unit="system", resamples=100)
    assert {row["level"] for row in alone.statistics} == {"system"}
    assert alone.value("pearson", level="system") == pytest.approx(result.value("pearson", level="system"))


def test_many_items_are_sampled_for_the_standard_error_and_this_is_said():
    scales, gold = noisy(4000, [1.0, 1.1], 8)
    result = against_gold(scales, gold, resamples=200)
    pearson = rows_of(result, statistic="pearson", scale="a")[0]
    error = 0.5 / np.sqrt(4000)  # (1 - r^2) / sqrt(n)
    assert pearson["high"] - pearson["low"] == pytest.approx(3.92 * error, rel=0.25)
    assert any("random sample of 1,500 items" in note for note in result.notes)
    assert result.differences[0]["test"] == "t test with bootstrap standard error"


def test_rmse_and_coverage_need_the_same_scale():
    scales, gold = noisy(40, [0.5], 9)
    bounded = ItemValues(
        "a", scales[0].item, scales[0].value, scales[0].value - 1, scales[0].value + 1, ends=(-5, 5)
    )
    for scale, asked, shown in ((scales[0], None, False), (bounded, None, True), (bounded, False, False)):
        result = against_gold([scale], gold, same_scale=asked)
        assert bool(rows_of(result, statistic="rmse")) == shown
        assert any("RMSE and coverage are left out" in note for note in result.notes) == (
            asked is None and not shown
        )
        assert any("taken to be on the same scale" in note for note in result.notes) == (
            asked is None and shown
        )
    covered = rows_of(against_gold([bounded], gold), statistic="coverage")[0]
    inside = np.mean(np.abs(bounded.value - gold.value) <= 1)
    assert covered["value"] == pytest.approx(inside)
    assert covered["low"] < inside < covered["high"]
    assert not rows_of(against_gold(scales, gold, same_scale=True), statistic="coverage")


def test_gold_outside_the_ends_is_on_another_scale():
    scales, gold = noisy(40, [0.5], 9)
    narrow = ItemValues("a", scales[0].item, scales[0].value, ends=(-0.1, 0.1))
    assert not rows_of(against_gold([narrow], gold), statistic="rmse")


def test_gold_from_0_to_1_is_not_taken_for_a_scale_from_0_to_100():
    rng = np.random.default_rng(11)
    truth = rng.uniform(size=30)
    scale = ItemValues("a", values("a", truth).item, 100 * truth, ends=(0, 100))
    assert not rows_of(against_gold([scale], values("gold", truth)), statistic="rmse")


def test_regression_and_errors_are_those_of_the_formulas():
    scale = values("a", [0, 1, 2, 3])
    gold = values("gold", [1, 3, 5, 7.4])
    result = against_gold([scale], gold, same_scale=True)
    slope, intercept = np.polyfit(scale.value, gold.value, 1)
    left = gold.value - intercept - slope * scale.value
    assert result.value("slope") == pytest.approx(slope)
    assert result.value("intercept") == pytest.approx(intercept)
    assert result.value("residual_sd") == pytest.approx(np.sqrt(np.sum(left**2) / 2))
    assert result.value("rmse") == pytest.approx(np.sqrt(np.mean((scale.value - gold.value) ** 2)))
    with pytest.raises(KeyError, match="no statistic"):
        result.value("alpha")


def test_a_perfect_order_has_no_interval_and_this_is_said():
    scale, gold = values("a", np.arange(8) ** 2), values("gold", np.arange(8))
    result = against_gold([scale], gold)
    assert result.value("spearman") == 1.0
    assert np.isnan(rows_of(result, statistic="spearman")[0]["low"])
    assert any(
        "no bootstrap interval for spearman, kendall_tau_b, pairwise_accuracy" in note
        for note in result.notes
    )
    assert any("only 8 items" in note for note in result.notes)


def test_intervals_from_few_items_are_called_rough_in_the_table_and_never_absurdly_wide():
    scale, gold = values("a", np.array([1.0, 2.0, 3.0, 3.5])), values("gold", np.array([2.0, 1.0, 3.0, 4.0]))
    result = against_gold([scale], gold)
    assert rows_of(result, statistic="spearman")[0]["of"] == "4 items; few, so the interval is rough"
    residual = rows_of(result, statistic="residual_sd")[0]
    assert np.isnan(residual["low"])
    assert np.isnan(residual["high"])
    assert any(
        "no bootstrap interval for residual_sd" in note and "same value or none" in note
        for note in result.notes
    )


def test_a_constant_scale_is_undefined_and_this_is_said():
    result = against_gold([values("a", [2, 2, 2, 2])], values("gold", [1, 2, 3, 4]), resamples=20)
    assert np.isnan(result.value("pearson"))
    assert any("pearson, spearman, kendall_tau_b" in note and "undefined" in note for note in result.notes)


def test_ties_in_gold_bring_the_statistics_with_ties():
    scales, _ = noisy(30, [0.2], 10)
    gold = values("gold", np.round(scales[0].value))
    result = against_gold(scales, gold)
    assert result.value("acc_eq") < result.value("acc_eq_calibrated")
    assert result.value("tie_threshold") > 0
    assert result.value("acc_eq_held_out") <= result.value("acc_eq_calibrated") + 0.05
    untied = against_gold(scales, values("gold", np.arange(30)))
    assert not rows_of(untied, statistic="acc_eq")
    assert any("acc_eq would equal pairwise_accuracy" in note for note in untied.notes)


def test_items_missing_on_either_side_are_counted_and_named():
    scale, gold = values("a", [1, 2, 3, 4], "pqrs"), values("gold", [1, 2, 3, 4, 5], "qrstu")
    matched = match_items([scale], gold)
    assert matched.item.tolist() == ["q", "r", "s"]
    assert matched.notes == (
        "1 of 4 items of the scale 'a' is left out, because not all other files have it: p.",
        "2 of 5 items of the scale 'gold' are left out, because not all other files have them: t, u.",
    )
    with pytest.raises(NothingToTest, match=r"1 id with a value in all files.*same ids"):
        match_items([scale], values("gold", [1, 2], "sx"))


def test_items_are_matched_by_system_and_segment_without_ids():
    labels = outputs(3, 2)
    scale = values("a", range(6), **labels)
    gold = ItemValues("gold", None, np.arange(6.0), system=scale.system, segment=scale.segment)
    assert match_items([scale], gold).item.tolist()[0] == "s0/g0"
    plain = values("b", [*range(6), 7])  # has the ids of `scale` and one more, but no systems
    matched = match_items([scale, plain], gold)
    assert len(matched) == 6
    note = "1 of 7 items of the scale 'b' is left out, because not all other files have it: i006."
    assert matched.notes == (note,)
    with pytest.raises(BadSetting, match="cannot be matched"):
        match_items([plain], gold)


def test_equal_means_are_ties_after_rounding():
    assert rounded(np.array([0.1 + 0.2, 0.3, 1e6])).tolist()[:2] == [0.3, 0.3]
    assert rounded(np.zeros(2)).tolist() == [0.0, 0.0]


def test_a_file_has_its_values_in_a_column_of_a_known_or_given_name(tmp_path):
    path = tmp_path / "truth.csv"
    path.write_text("Item,human,n\ntea,1,5\nmilk,,5\nsoup,3,5\n")
    with pytest.raises(
        MissingColumn, match="Rename the column with the values to value, position, gold or score"
    ):
        read_values(path)
    with pytest.raises(UnknownName, match="Did you mean 'human'"):
        read_values(path, "humn")
    read = read_values(path, "human")
    assert (read.name, read.item.tolist(), read.value.tolist()) == ("truth", ["tea", "soup"], [1.0, 3.0])
    assert "1 row without a value in human is left out" in read.notes[0]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"item": ["a", "a"], "gold": [1, 2]}, "'a' is already used"),
        ({"item": ["a", None], "gold": [1, 2]}, "item is empty"),
        ({"item": ["a", "b"], "gold": [1, "x"]}, "gold 'x' is not a number"),
    ],
)
def test_mistakes_in_rows_are_named(columns, words):
    with pytest.raises(BadRows, match=words):
        read_values(columns)


def test_two_columns_of_values_are_ambiguous_and_no_item_is_an_error():
    with pytest.raises(BadSetting, match=r"gold, score\. Use --gold-column"):
        read_values({"item": ["a"], "gold": [1], "score": [2]})
    with pytest.raises(MissingColumn, match="needs the column 'item'"):
        read_values({"gold": [1]})


def test_values_of_systems_need_no_items():
    gold = read_values({"system": ["x", "y", "z"], "score": [1, 2, 3]})
    assert gold.item.tolist() == ["x", "y", "z"]


def test_a_scale_is_read_back_with_its_intervals(tmp_path):
    ratings = [Rating(rater, item, score) for rater in "pq" for item, score in (("a", 1), ("b", 5), ("c", 9))]
    scale = DirectAssessment().fit(Judgments.of(ratings, range=(0, 10))).scale
    read = read_values(scale.columns(), name="scale")
    assert read.value.tolist() == scale.position.tolist()
    assert read.low.tolist() == scale.low.tolist()
    made = ItemValues.of_scale("a", scale, (0, 10), systems={"a": "s", "b": "s"})
    assert made.system.tolist() == ["s", "s", None]
    assert made.by_system().item.tolist() == ["s"]
    assert "1 items have no system" in made.by_system().notes[0]


def test_a_scale_is_not_mistaken_for_judgments():
    from steelyard.judgments.frames import read_frame

    assert is_scale(read_frame({"item": ["a"], "position": [1], "low": [0]}))
    assert not is_scale(read_frame({"item": ["a"], "rater": ["x"], "score": [1], "position": [1]}))
