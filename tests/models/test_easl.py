import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard import DirectAssessment, Easl, Judgments, Rating
from steelyard.errors import BadSetting, NothingToFit, UnknownItem
from steelyard.judgments.table import Judgments as Table
from steelyard.scales.belief import BetaBelief

ratings = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from(["tea", "soup", "egg"]), st.integers(0, 100)),
    min_size=1,
    max_size=40,
)


def judge(rows):
    return Judgments.of([Rating(rater, item, score) for rater, item, score in rows], range=(0, 100))


def labels(*names):
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array


@pytest.mark.parametrize(
    ("alpha", "beta", "score", "expected"),
    [(1.0, 1.0, 0.73, (1.73, 1.27)), (1.0, 1.0, 1.0, (2.0, 1.0)), (2.73, 1.27, 0.41, (3.14, 1.86))],
)
def test_a_score_s_adds_s_to_alpha_and_one_minus_s_to_beta(alpha, beta, score, expected):
    # Eqns 24-25 of Sakaguchi & Van Durme (2018), in 80-digit arithmetic.
    before = BetaBelief(labels("tea"), np.array([alpha]), np.array([beta]), np.zeros(1))
    after = Easl().update(before, Judgments.of([Rating("ann", "tea", score)], range=(0, 1)))
    assert (after.alpha[0], after.beta[0]) == pytest.approx(expected, rel=1e-15)


def test_a_prior_belief_is_at_one_half_with_variance_one_twelfth():
    belief = Easl().start(labels("tea"))
    assert belief.position[0] == 0.5
    assert belief.variance[0] == pytest.approx(1 / 12)


@given(ratings)
def test_the_position_is_the_mean_score(rows):
    judgments = judge(rows)
    easl = Easl().fit(judgments).scale.position
    assert easl == pytest.approx(DirectAssessment().fit(judgments).scale.position, abs=1e-10)


@given(ratings, st.integers(0, 40))
def test_folding_equals_fitting(rows, cut):
    judgments, model = judge(rows), Easl()
    belief = model.start(judgments.items)
    for part in (rows[:cut], rows[cut:]):
        if part:
            belief = model.update(belief, judge(part))
    whole = model.update(model.start(judgments.items), judgments)
    assert belief.alpha == pytest.approx(whole.alpha)
    assert belief.beta == pytest.approx(whole.beta)


@given(ratings)
def test_relabelling_items_relabels_the_scale(rows):
    scale = Easl().fit(judge(rows)).scale
    other = Easl().fit(judge([(rater, item.upper(), score) for rater, item, score in rows])).scale
    assert other.item.tolist() == [item.upper() for item in scale.item]
    assert other.position.tolist() == scale.position.tolist()


def test_merging_files_is_fitting_all_rows():
    first, second = [("a", "tea", 20), ("b", "soup", 60)], [("c", "tea", 50)]
    joined = Easl().fit(judge(first) + judge(second)).scale
    assert joined.position.tolist() == Easl().fit(judge(first + second)).scale.position.tolist()


def test_a_row_that_happened_twice_counts_twice():
    counted = Table.of([Rating("a", "tea", 1.0, {"count": 2}), Rating("b", "tea", 0.4)], range=(0, 1))
    assert Easl().fit(counted).scale.position[0] == pytest.approx(0.8)


def test_an_item_nobody_judged_keeps_its_prior_spread():
    model = Easl()
    belief = model.update(model.start(labels("tea", "soup")), judge([("a", "tea", 20)]))
    assert belief.variance[1] == pytest.approx(1 / 12)


def test_a_score_of_an_unknown_item_is_refused_by_name():
    with pytest.raises(UnknownItem, match="'soup'"):
        Easl().update(Easl().start(labels("tea")), judge([("a", "soup", 20)]))


def test_systems_take_the_scores_of_their_outputs():
    rows = [
        Rating("a", "out1", 0.2, {"system": "one"}),
        Rating("a", "out2", 0.6, {"system": "one"}),
        Rating("a", "out3", 0.9, {"system": "two"}),
    ]
    scale = Easl().fit(Judgments.of(rows, range=(0, 1)).at_unit("system")).scale
    assert dict(zip(scale.item, scale.position.round(12), strict=True)) == {"one": 0.4, "two": 0.9}


def test_comparisons_are_not_ratings():
    from steelyard import Comparison

    with pytest.raises(NothingToFit, match="comparison"):
        Easl().fit(Judgments.of([Comparison("a", "x", "y", "left")]))


def test_the_same_seed_gives_the_same_ranks_and_the_signature_names_it():
    judgments = judge([("a", "tea", 20), ("b", "soup", 30), ("c", "egg", 35)])
    first, second = Easl(seed=7).fit(judgments), Easl(seed=7).fit(judgments)
    assert first.scale.rank_low.tolist() == second.scale.rank_low.tolist()
    assert "easl | steelyard" in first.signature
    assert "items 3 | judgments 3 | raters 3 | range 0 to 100 | seed 7 | converged" in first.signature


def test_a_part_that_does_not_state_its_range_is_refused():
    # The ranges inferred from each part would be 0 to 1 and 0 to 100, so updating would not equal fitting.
    parts = [Judgments.of([Rating("a", "tea", 1)]), Judgments.of([Rating("b", "tea", 60)])]
    belief = Easl().start(labels("tea"))
    with pytest.raises(BadSetting, match=r"range: .* range=\(0, 100\)"):
        Easl().update(belief, parts[0])
    assert Easl().fit(parts[0] + parts[1]).scale.position[0] == pytest.approx(30.5)


def test_no_ratings_leave_the_belief_unchanged():
    belief = Easl().start(labels("tea"))
    assert Easl().update(belief, Judgments.of([])) is belief
