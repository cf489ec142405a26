from dataclasses import replace

import numpy as np
import pytest

from steelyard import BestWorst, Comparison, Judgments, Range, Ranking, Rating, read
from steelyard.errors import BadSetting, NothingToTest, UnknownName
from steelyard.kinds.known import KINDS
from steelyard.quality.agreement import (
    STATISTICS,
    Agreement,
    AgreementSettings,
    agreement_of,
    kendall_w,
    mean_pairwise_spearman,
)
from steelyard.quality.agreement.preferences import PairOutcomes, pair_agreement, pair_outcomes
from tests.quality.agreement.tables import KRIPPENDORFF_2011, SHROUT_FLEISS_1979


def ratings(table, **more):
    return Judgments.of(
        Rating(f"r{rater}", f"i{item}", score, more)
        for item, row in enumerate(table)
        for rater, score in enumerate(row)
        if score is not None
    )


def by_name(agreement):
    return {row.statistic: row for row in agreement.statistics}


def test_complete_ratings_have_the_statistics_of_their_kind():
    found = by_name(agreement_of(ratings(SHROUT_FLEISS_1979)))
    assert found["ICC(2,1)"].value == pytest.approx(0.289763779527559)
    assert found["ICC(2,1)"].interval == "F limits"
    assert found["Krippendorff's alpha (interval)"].value == pytest.approx(0.147307850390464)
    assert found["Krippendorff's alpha (ordinal)"].value == pytest.approx(0.10905941323898)
    assert found["Split-half reliability (Pearson, Spearman-Brown corrected)"].value == pytest.approx(
        0.921639637173835
    )
    assert found["Split-half reliability (Pearson, Spearman-Brown corrected)"].of.endswith("all 3 splits")
    assert found["Mean pairwise Spearman"].value == pytest.approx(0.84958756525219)
    assert found["Each rater against the rest (Spearman)"].value == pytest.approx(0.919823288156469)
    assert "Self-consistency (ICC)" not in found
    for row in found.values():
        assert row.low <= row.value <= row.high
        assert row.meaning.endswith(".")


def test_missing_ratings_lead_to_the_mixed_model_and_nominal_alpha():
    agreement = agreement_of(ratings(KRIPPENDORFF_2011))
    found = by_name(agreement)
    assert "REML" in found["ICC(2,1)"].interval
    assert found["Krippendorff's alpha (nominal)"].value == pytest.approx(0.743421052631579)
    assert "Fleiss' kappa" not in found
    assert "1 item with only one rating does not count for alpha and kappa." in agreement.remarks


def test_two_raters_of_points_have_weighted_kappas():
    found = by_name(agreement_of(ratings([[1, 2], [2, 2], [3, 3], [5, 4], [4, 4]])))
    assert found["Cohen's kappa (quadratic weights)"].of == "5 items, 2 raters, 5 points used"
    declared = AgreementSettings(statistics=("kappa",), points=(1, 2, 3, 4, 5, 6, 7))
    found = by_name(agreement_of(ratings([[1, 2], [2, 2], [3, 3], [5, 4], [4, 4]]), declared))
    assert found["Cohen's kappa (quadratic weights)"].of == "5 items, 2 raters, 7 points declared"
    assert found["Fleiss' kappa"].value is not None


def test_probes_count_only_for_self_consistency():
    table = [[20, 40], [60, 70], [35, 30], [80, 95]]
    plain = ratings(table, probe="no")
    probes = Judgments.of(
        Rating(f"r{rater}", f"i{item}", score + 3, {"probe": "yes"})
        for item, row in enumerate(table)
        for rater, score in enumerate(row)
    )
    alone, both = by_name(agreement_of(plain)), agreement_of(plain + probes)
    found = by_name(both)
    assert found["ICC(2,1)"].value == alone["ICC(2,1)"].value
    assert found["Self-consistency (standard deviation)"].value == pytest.approx(3 / np.sqrt(2))
    assert found["Self-consistency (standard deviation)"].of == "8 repeated items, 2 raters, 16 answers"
    assert both.remarks[0] == "8 rows of probes or repeats are used only for self-consistency."


def test_repeated_ratings_are_averaged_once_and_used_for_self_consistency():
    rows = ratings([[10, 20], [50, 40], [90, 80]]) + Judgments.of([Rating("r0", "i0", 30)])
    agreement = agreement_of(rows)
    assert "1 repeated rating of the same rater and item is averaged with the first." in agreement.remarks
    averaged = agreement_of(ratings([[20, 20], [50, 40], [90, 80]]))
    assert by_name(agreement)["ICC(3,1)"].value == by_name(averaged)["ICC(3,1)"].value
    assert "Self-consistency (standard deviation)" in by_name(agreement)


def test_ratings_without_raters_have_one_way_statistics_only():
    rows = read({"item": ["a", "a", "b", "b", "c", "c"], "score": [1.5, 2, 5, 4, 9, 8]})
    agreement = agreement_of(rows)
    found = by_name(agreement)
    assert {"ICC(1,1)", "ICC(1,k)"} == {name for name in found if name.startswith("ICC")}
    assert "Mean pairwise Spearman" not in found
    assert found["ICC(1,1)"].of == "3 items, 6 ratings"
    assert any(text.startswith("Some or all rows name no rater") for text in agreement.remarks)


def test_counts_repeat_ratings_without_raters():
    rows = read({"item": ["a", "a", "b", "c"], "score": [1, 2, 5, 9], "count": [2, 1, 3, 3]})
    assert by_name(agreement_of(rows))["ICC(1,1)"].of == "3 items, 9 ratings"


def test_items_of_different_questions_are_different_items():
    rows = ratings([[1, 2], [5, 4]], question="one") + ratings([[7, 7], [3, 2]], question="two")
    assert by_name(agreement_of(rows))["Krippendorff's alpha (interval)"].of.startswith("4 items")


def test_ranges_have_midpoints_and_widths():
    ranges = [Range(f"r{r}", f"i{i}", 10 * i + r, 10 * i + 4 + 2 * r) for i in range(5) for r in range(3)]
    found = by_name(agreement_of(Judgments.of(ranges)))
    assert found["ICC(3,1), midpoints"].value == pytest.approx(1.0)
    assert found["Krippendorff's alpha (interval), widths"].value < 0
    assert "ICC(1,1), widths" not in found
    assert found["ICC(2,1), widths"].value == pytest.approx(0.0, abs=1e-6)


def compared(*answers):
    return Judgments.of(Comparison(*each) for each in answers)


def test_agreement_by_pair_does_not_depend_on_sides_or_names():
    rows = [("ann", "a", "b", "left"), ("bob", "a", "b", "left"), ("cem", "a", "b", "right")]
    rows += [("ann", "c", "d", "tie"), ("bob", "c", "d", "tie")]
    turned = [
        (who, right, left, {"left": "right", "right": "left"}.get(won, won)) for who, left, right, won in rows
    ]
    renamed = [(who, {"a": "z"}.get(left, left), right, won) for who, left, right, won in rows]
    values = {
        round(by_name(agreement_of(compared(*each)))["Agreement by pair (alpha, nominal)"].value, 12)
        for each in (rows, turned, renamed)
    }
    assert len(values) == 1
    found = by_name(agreement_of(compared(*rows)))
    # Of the pair a-b, 2 of 6 ordered pairs of answers agree; it has 3 of the 5 answers.
    assert found["Agreement by pair (share)"].value == pytest.approx((3 * (2 / 6) + 2 * 1) / 5)


def test_chance_agreement_gives_an_alpha_near_zero():
    rng = np.random.default_rng(1)
    pair, rater = np.repeat(np.arange(2000), 3), np.tile(np.arange(3), 2000)
    items = np.column_stack([2 * pair, 2 * pair + 1])
    outcomes = PairOutcomes(pair, rater, rng.integers(0, 3, 6000), items, np.full(6000, -1), np.ones(6000))
    assert pair_agreement(outcomes).alpha == pytest.approx(0.0, abs=0.03)


def test_segments_separate_pairs_and_repeats_count_once_between_raters():
    rows = Judgments.of(
        [
            Comparison("ann", "a", "b", "left", {"segment": "1"}),
            Comparison("ann", "b", "a", "left", {"segment": "1"}),
            Comparison("bob", "a", "b", "left", {"segment": "1"}),
            Comparison("bob", "a", "b", "right", {"segment": "2"}),
        ]
    )
    assert len(np.unique(pair_outcomes(rows).pair)) == 2
    found = by_name(agreement_of(rows))
    # Ann prefers a to b in one of two answers, which counts half.
    assert found["Agreement by pair (share)"].value == 0.5
    assert found["Self-consistency (share)"].value == 0.0


def test_counts_equal_the_answers_that_they_stand_for():
    counted = {"left": 3, "tie": 1, "right": 6}
    counts = [Comparison("ann", "a", "b", each, {"count": times}) for each, times in counted.items()]
    answers = [Comparison("ann", "a", "b", each) for each, times in counted.items() for _ in range(times)]
    other = [Comparison("bob", "a", "b", "left")]
    found = by_name(agreement_of(Judgments.of([*counts, *other])))
    assert found["Agreement by pair (share)"].value == pytest.approx(0.3)
    assert found["Agreement by pair (share)"].of == "1 pair with 2 answers or more, 2 raters, 11 answers"
    assert by_name(agreement_of(Judgments.of([*answers, *other])))[
        "Agreement by pair (share)"
    ].value == pytest.approx(0.3)
    assert "table of counts" in found["Self-consistency (share)"].meaning


def test_the_interval_of_a_share_stays_between_0_and_1():
    rows = [
        (who, *pair, "left")
        for who in ("ann", "bob", "cem", "dan")
        for pair in (("a", "b"), ("c", "d"), ("e", "f"))
    ]
    rows[0] = ("ann", "a", "b", "right")
    row = by_name(agreement_of(compared(*rows)))["Agreement by pair (share)"]
    assert 0.0 <= row.low <= row.value <= row.high <= 1.0


def test_circular_triads_are_a_share_of_all():
    circle = [("ann", "a", "b", "left"), ("ann", "b", "c", "left"), ("ann", "c", "a", "left")]
    line = [
        (who, *pair, "left") for who in ("bob", "cem", "dan") for pair in (("a", "b"), ("b", "c"), ("a", "c"))
    ]
    row = by_name(agreement_of(compared(*circle, *line)))["Circular triads (share)"]
    assert row.value == 0.25
    assert row.of == "4 triads without a tie, 4 raters"


def test_rankings_of_the_same_items_have_w():
    rows = [Ranking(who, "t", dict(zip("abcd", ranks, strict=True))) for who, ranks in ORDERS.items()]
    found = by_name(agreement_of(Judgments.of(rows)))
    table = np.array(list(ORDERS.values())).T
    assert found["Kendall's W"].value == pytest.approx(kendall_w(table).w)
    assert found["Mean Spearman of two rankings"].value == pytest.approx(mean_pairwise_spearman(table).mean)
    assert found["Kendall's W"].interval == "jackknife over raters"


ORDERS = {"ann": (1, 2, 3, 4), "bob": (2, 1, 3, 4), "cem": (1, 3, 2, 4), "dan": (1, 2, 4, 3)}


def test_rankings_of_several_sets_have_no_w_and_say_so():
    rows = [Ranking(who, task, {f"{task}-{at}": at for at in (1, 2, 3)}) for who in "ab" for task in "st"]
    found = by_name(agreement_of(Judgments.of(rows)))
    assert found["Kendall's W"].value is None
    assert "2 sets of items" in found["Kendall's W"].meaning
    assert found["Mean Spearman of two rankings"].value == pytest.approx(1.0)


def test_best_worst_choices_have_split_halves_and_choices():
    rows = []
    for task in range(12):
        shown = [task % 5, task % 5 + 1, task % 5 + 2, 8 + task]
        rows += [BestWorst(f"r{r}", f"t{task}", shown, shown[0], shown[-1]) for r in range(4)]
    named = [
        BestWorst(each.rater, each.task, [str(item) for item in each.items], str(each.best), str(each.worst))
        for each in rows
    ]
    found = by_name(agreement_of(Judgments.of(named)))
    assert found["Split-half reliability (Spearman)"].value == pytest.approx(1.0)
    assert found["Agreement on the best item (beyond chance)"].value == 1.0
    assert found["Split-half reliability (Spearman)"].of == "19 items, 12 tuples, 48 annotations"


def test_undefined_statistics_are_rows_that_say_why():
    found = agreement_of(ratings([[3, 3], [3, 3], [3, 3]]))
    assert all(row.value is None for row in found.statistics if not row.statistic.startswith("ICC"))
    assert by_name(found)["Krippendorff's alpha (interval)"].meaning.startswith("Undefined")
    alone = by_name(agreement_of(compared(("ann", "a", "b", "left"))))
    assert (
        "no pair of items was compared by two raters" in alone["Agreement by pair (alpha, nominal)"].meaning
    )


def test_the_interval_of_alpha_can_be_chosen():
    table = ratings(KRIPPENDORFF_2011)
    methods = {
        each: agreement_of(
            table, AgreementSettings(statistics=("alpha",), levels=("nominal",), alpha_interval=each)
        )
        .statistics[0]
        .interval
        for each in ("items", "raters", "pairs")
    }
    assert methods == {
        "items": "jackknife over items",
        "raters": "jackknife over raters and items",
        "pairs": "Hayes-Krippendorff bootstrap over pairs of values, exact",
    }


def test_a_seed_gives_the_same_table_again():
    table = ratings(np.random.default_rng(0).integers(1, 100, (40, 12)).tolist())
    tables = [agreement_of(table, rng=np.random.default_rng(seed)).columns() for seed in (3, 3, 4)]
    assert tables[0] == tables[1] != tables[2]


def test_it_is_a_table():
    found = agreement_of(ratings(SHROUT_FLEISS_1979), AgreementSettings(statistics=("icc",)))
    assert isinstance(found, Agreement)
    assert list(found.columns()) == ["statistic", "value", "low", "high", "of", "interval", "meaning"]
    assert "ICC(2,1)" in found.to_latex()
    assert repr(found).startswith("Agreement: 6 rows")


def test_mistakes_are_named():
    table = ratings(SHROUT_FLEISS_1979)
    with pytest.raises(UnknownName, match="Did you mean 'alpha'"):
        agreement_of(table, AgreementSettings(statistics=("alfa",)))
    with pytest.raises(NothingToTest, match="does not suit rating judgments"):
        agreement_of(table, AgreementSettings(statistics=("triads",)))
    with pytest.raises(NothingToTest, match="of one kind"):
        agreement_of(table + compared(("ann", "a", "b", "left")))
    with pytest.raises(NothingToTest, match="there are no judgments"):
        agreement_of(Judgments.of([]))
    with pytest.raises(UnknownName, match="level"):
        AgreementSettings(levels=("metric",))
    with pytest.raises(UnknownName, match="interval of alpha"):
        AgreementSettings(alpha_interval="item")
    with pytest.raises(BadSetting, match="at least 100"):
        AgreementSettings(draws=5)


@pytest.mark.parametrize("kind", KINDS.built_in)
def test_every_kind_names_statistics_that_exist(kind):
    assert KINDS[kind].agreement
    assert set(KINDS[kind].agreement) <= set(STATISTICS)


def noisy_choices(annotations):
    """Best-worst choices among twelve items with true positions, each tuple annotated this often."""
    rng = np.random.default_rng(3)
    rows = []
    for task in range(60):
        shown = sorted(rng.choice(12, 4, replace=False).tolist())
        for rater in range(annotations):
            seen = np.array(shown) + rng.normal(0, 2, 4)
            best, worst = (f"i{shown[int(at)]}" for at in (seen.argmax(), seen.argmin()))
            rows.append(BestWorst(f"r{rater}", f"t{task}", [f"i{item}" for item in shown], best, worst))
    return rows


def test_both_correlations_of_best_worst_scores_are_stepped_up():
    found = by_name(agreement_of(Judgments.of(noisy_choices(annotations=4))))
    for name in ("Pearson", "Spearman"):
        plain, stepped = (
            found[f"Split-half reliability ({name}{end}"] for end in (")", ", Spearman-Brown corrected)")
        )
        assert 0.0 < plain.value < stepped.value < 1.0
        assert stepped.high == pytest.approx(2 * plain.high / (1 + plain.high))
    assert "as in published norms" in found["Split-half reliability (Pearson)"].meaning


def test_best_worst_tuples_with_one_annotation_are_not_called_comparable_with_publications():
    single = {tuple(sorted(each.items)): each for each in noisy_choices(annotations=1)}
    found = by_name(agreement_of(Judgments.of(list(single.values()))))
    meaning = found["Split-half reliability (Spearman)"].meaning
    assert f"All {len(single)} tuples were annotated only once" in meaning
    assert "Published values, whose halves have the same tuples, are not comparable" in meaning


def test_a_few_repeated_best_worst_tuples_are_not_called_comparable_with_publications():
    single = list({tuple(sorted(each.items)): each for each in noisy_choices(annotations=1)}.values())
    again = [replace(each, rater="other", task=f"{each.task}-2") for each in single[:3]]
    found = by_name(agreement_of(Judgments.of([*single, *again])))
    meaning = found["Split-half reliability (Pearson)"].meaning
    assert f"{len(single) - 3} of {len(single)} tuples were annotated only once" in meaning


def test_statistics_of_ranges_name_what_they_are_about():
    ranges = [Range(f"r{r}", f"i{i}", 10.0 * i + r, 10.0 * i + r + 8) for r in range(3) for i in range(6)]
    found = by_name(agreement_of(Judgments.of(ranges, range=(0, 100))))
    assert "Mean pairwise Spearman, midpoints" in found
    assert "Split-half reliability (Pearson, Spearman-Brown corrected), midpoints" in found


def test_a_statistic_does_not_depend_on_which_others_are_computed():
    rng = np.random.default_rng(5)
    scores = rng.normal(50, 10, (40, 1)) + rng.normal(0, 8, (40, 14))
    item, rater = (each.ravel() for each in np.indices(scores.shape))
    columns = {
        "rater": [f"r{at}" for at in rater],
        "item": [f"i{at}" for at in item],
        "score": scores.ravel(),
    }
    ratings = Judgments.from_columns("rating", columns, range=(0, 100))
    alone = agreement_of(ratings, AgreementSettings(statistics=("split_half",))).statistics
    together = agreement_of(ratings, AgreementSettings(statistics=("alpha", "split_half"))).statistics
    assert [(row.value, row.low) for row in alone] == [(row.value, row.low) for row in together[1:]]
