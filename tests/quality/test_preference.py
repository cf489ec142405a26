from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import steelyard
from steelyard import Comparison, Judgments, Rating
from steelyard.errors import NothingToTest, UnknownName
from steelyard.quality.preference import (
    Tally,
    even_split_exact_test,
    even_split_test,
    putter_test,
    sign_test,
    tally,
    trinomial_test,
    win_share,
)

TESTS = (sign_test, putter_test, even_split_test, even_split_exact_test, trinomial_test)
counts = st.integers(0, 60)
tallies = st.builds(lambda *n: Tally("new", "old", *n), counts, counts, counts).filter(lambda t: t.decided)


def pair(wins, ties, losses):
    return Tally("new", "old", wins, ties, losses)


# R 4.2.2: binom.test, and direct enumeration of the trinomial. ModPref of Dras (2015); Collins et al. (2005) as
# fitted by Dras and as printed; a made-up case of many ties; equal and mostly tied counts.
# counts, sign (two-sided, greater), Putter z and p, even split z and p, exact, trinomial (two-sided, greater)
GOLDEN = [
    (
        (61, 24, 35),
        (0.0103459130827288, 0.00517295654136439),
        (2.65361388801511, 0.00796348920654999),
        (2.37346441585572, 0.0176220909623244),
        0.0220827158097043,
        (0.00905963444409032, 0.00452981722204516),
    ),
    (
        (83, 77, 39),
        (8.40739184077561e-05, 4.2036959203878e-05),
        (3.98357282587082, 6.78868549073324e-05),
        (3.11907730203668, 0.0018141835819122),
        0.0028148647348418,
        (7.68361105655202e-05, 3.84180552827601e-05),
    ),
    (
        (84, 77, 39),
        (6.09963623684447e-05, 3.04981811842223e-05),
        (4.05751335600345, 4.95979816776531e-05),
        (3.18198051533946, 0.00146271658668115),
        0.00227943850180573,
        (5.59783071958397e-05, 2.79891535979199e-05),
    ),
    (
        (34, 49, 4),
        (6.03853550273927e-07, 3.01926775136964e-07),
        (4.86664263392288, 1.13510010608232e-06),
        (3.21633760451338, 0.00129837993425665),
        0.00247941979381607,
        (1.40080600680537e-06, 7.00403003402683e-07),
    ),
    ((40, 40, 40), (1, 0.544463939386954), (0, 1), (0, 1), 1, (1, 0.522266708516714)),
    ((10, 100, 10), (1, 0.588098526000976), (0, 1), (0, 1), 1, (1, 0.5447467676612)),
]


@pytest.mark.parametrize(("numbers", "sign", "putter", "even", "exact", "trinomial"), GOLDEN)
def test_the_sign_type_tests_agree_with_r(numbers, sign, putter, even, exact, trinomial):
    counts = pair(*numbers)
    assert (sign_test(counts).p, sign_test(counts, "greater").p) == pytest.approx(sign, rel=1e-12)
    assert (putter_test(counts).statistic, putter_test(counts).p) == pytest.approx(putter, rel=1e-12)
    assert (even_split_test(counts).statistic, even_split_test(counts).p) == pytest.approx(even, rel=1e-12)
    assert even_split_exact_test(counts).p == pytest.approx(exact, rel=1e-12)
    assert (trinomial_test(counts).p, trinomial_test(counts, "greater").p) == pytest.approx(
        trinomial, rel=1e-12
    )


@pytest.mark.parametrize(
    ("numbers", "share", "low", "high"),  # R 4.2.2, binom.test
    [
        ((61, 24, 35), 0.635416666666667, 0.530936203292886, 0.731298205888562),
        ((34, 49, 4), 0.894736842105263, 0.751950620782978, 0.970565482554212),
    ],
)
def test_the_share_of_wins_has_the_interval_of_clopper_and_pearson(numbers, share, low, high):
    assert win_share(pair(*numbers)) == pytest.approx((share, low, high), rel=1e-12)


def test_a_share_of_all_or_nothing_reaches_the_end():
    assert win_share(pair(5, 0, 0))[2] == 1.0
    assert win_share(pair(0, 0, 5))[1] == 0.0
    assert win_share(pair(5, 0, 0))[1] == pytest.approx(0.025 ** (1 / 5))  # closed form


def exact_trinomial(wins, ties, losses):
    """2 P(D >= |d|) by enumeration in rational numbers."""
    total = wins + ties + losses
    tied = Fraction(ties, total)
    side, gap, tail = (1 - tied) / 2, abs(wins - losses), Fraction(0)
    for more in range(total + 1):
        for less in range(min(more - gap, total - more) + 1):
            ways = factorial(total) // (factorial(more) * factorial(less) * factorial(total - more - less))
            tail += ways * side ** (more + less) * tied ** (total - more - less)
    return float(min(2 * tail, 1))


@pytest.mark.parametrize("numbers", [(9, 3, 1), (20, 10, 0), (1, 30, 0), (5, 50, 1), (12, 0, 3), (30, 1, 29)])
def test_the_trinomial_test_agrees_with_exact_arithmetic(numbers):
    assert trinomial_test(pair(*numbers)).p == pytest.approx(exact_trinomial(*numbers), rel=1e-12)


def test_far_tails_keep_their_digits():
    assert sign_test(pair(300, 50, 0)).p == pytest.approx(2.0**-299, rel=1e-12)
    beyond = sum(comb(1000, wins) for wins in range(800, 1001))
    assert sign_test(pair(800, 0, 200)).p == pytest.approx(float(Fraction(beyond, 2**999)), rel=1e-12)


@pytest.mark.parametrize("size", [10_000, 1_000_000, 100_000_000])
def test_the_trinomial_test_of_very_many_answers_nears_the_normal_one(size):
    gap = int(2 * (0.8 * size) ** 0.5)
    wins = (int(0.8 * size) + gap) // 2
    counts = pair(wins, size - 2 * wins + gap, wins - gap)
    # half a step of D: its values are one apart
    corrected = putter_test(pair(counts.wins - 0.25, counts.ties + 0.5, counts.losses + 0.25)).p
    assert trinomial_test(counts).p == pytest.approx(corrected, rel=2 / size**0.5)


@given(tallies)
def test_telling_the_answers_from_the_other_side_changes_no_two_sided_p(counts):
    for test in TESTS:
        assert test(counts.swapped).p == pytest.approx(test(counts).p, rel=1e-12)
    assert sign_test(counts.swapped, "less").p == pytest.approx(sign_test(counts, "greater").p, rel=1e-12)
    assert putter_test(counts.swapped).statistic == -putter_test(counts).statistic


@given(tallies)
def test_every_p_is_a_probability_and_names_what_it_assumes(counts):
    for test in TESTS:
        result = test(counts)
        assert 0.0 <= result.p <= 1.0
        assert result.tally == counts
        assert "independent" in result.assumes


@given(tallies.filter(lambda t: t.wins != t.losses), st.integers(1, 200))
def test_more_ties_speak_against_a_preference_where_they_are_split(counts, more):
    tied = pair(counts.wins, counts.ties + more, counts.losses)
    assert even_split_test(tied).p > even_split_test(counts).p
    assert sign_test(tied).p == sign_test(counts).p


@given(st.integers(1, 60), st.integers(0, 60))
def test_without_ties_trinomial_sign_and_exact_split_are_one_test(wins, losses):
    counts = pair(wins, 0, losses)
    assert trinomial_test(counts).p == sign_test(counts).p == even_split_exact_test(counts).p


@pytest.mark.parametrize("test", [sign_test, trinomial_test])
def test_the_p_of_a_true_null_is_rarely_small(test):
    rng = np.random.default_rng(4)
    drawn = rng.multinomial(60, [0.35, 0.3, 0.35], size=2000)
    small = np.mean([test(pair(*map(int, each))).p <= 0.05 for each in drawn])
    assert small <= 0.05 + 3 * (0.05 * 0.95 / 2000) ** 0.5


def test_answers_are_counted_from_both_sides_and_as_often_as_they_happened():
    rows = [
        Comparison("ann", "new", "old", "left", {"count": 3}),
        Comparison("ann", "old", "new", "right", {"count": 2}),
        Comparison("bob", "old", "new", "left"),
        Comparison("bob", "old", "new", "tie", {"count": 4}),
        Comparison("bob", "old", "third", "left", {"count": 9}),
    ]
    counts = tally(Judgments.of(rows), "new", "old")
    assert (counts.wins, counts.ties, counts.losses) == (5, 4, 1)


def test_a_published_table_of_counts_needs_no_raters():
    table = {
        "left": ["R"] * 3,
        "right": ["B"] * 3,
        "outcome": ["left", "tie", "right"],
        "count": [84, 77, 39],
    }
    assert sign_test(tally(steelyard.read(table))).p == pytest.approx(6.09963623684447e-05, rel=1e-12)


def test_only_ties_are_refused_in_words():
    for test in (*TESTS, win_share):
        with pytest.raises(NothingToTest, match="all 12 answers about new and old are ties"):
            test(pair(0, 12, 0))


def test_counts_that_are_not_whole_have_no_exact_test():
    counts = pair(10.5, 2, 3)
    for test in (sign_test, trinomial_test, even_split_exact_test):
        with pytest.raises(NothingToTest, match=r"not integers.*putter_test"):
            test(counts)
    assert putter_test(counts).p < 0.05


def test_items_must_be_known_compared_and_two():
    judgments = Judgments.of([Comparison("ann", "a", "b", "left"), Comparison("ann", "b", "c", "left")])
    with pytest.raises(NothingToTest, match="the judgments have 3 items, not 2"):
        tally(judgments)
    with pytest.raises(NothingToTest, match="a and c: there is no comparison of these items"):
        tally(judgments, "a", "c")
    with pytest.raises(UnknownName, match="Unknown item 'd'"):
        tally(judgments, "a", "d")
    with pytest.raises(NothingToTest, match="the judgments have 1 items, not 2"):
        tally(Judgments.of([Rating("ann", "tea", 3)]))


def test_an_unknown_alternative_is_answered_with_the_known():
    with pytest.raises(UnknownName, match="Known: two_sided, greater, less"):
        sign_test(pair(3, 0, 1), "two-tailed")
