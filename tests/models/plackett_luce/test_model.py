from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from steelyard import Comparison, Judgments, PlackettLuce, Ranking, Rating
from steelyard.errors import (
    BadSetting,
    NothingCounted,
    NothingToFit,
    OnlyTies,
    Separated,
    Unconnected,
    UnknownItem,
)
from steelyard.models import worths
from tests.models.plackett_luce.making import ALWAYS_WINS, PUDDING, pairs, ranked, salad, simulate

FRUIT = [  # sixteen baskets, some of three, with ties of two and three
    {"apple": 1, "banana": 2},
    {"apple": 4, "banana": 1, "orange": 2, "pear": 3},
    {"apple": 2, "banana": 1, "orange": 1, "pear": 1},
    {"apple": 1, "banana": 2, "orange": 3},
    {"apple": 2, "banana": 1, "orange": 1},
    {"apple": 1, "orange": 3, "pear": 2},
    {"apple": 1, "banana": 2, "orange": 3, "pear": 3},
    {"banana": 2, "orange": 2, "pear": 1},
    {"apple": 1, "banana": 1, "orange": 1, "pear": 2},
]


def by_item(fit, values):
    return dict(zip(fit.item.tolist(), np.asarray(values).tolist(), strict=True))


def test_salad_dressings_equal_r():
    # R 4.2.2, PlackettLuce 0.4.3, npseudo = 0.
    fit = PlackettLuce(pseudo=0.0, reference="A").fit(salad())
    worth = {"A": 0.0, "B": 2.72991397950355, "C": 1.56153851121912, "D": 1.02683590304023}
    error = {"A": 0.0, "B": 0.44807256590436, "C": 0.396473955089145, "D": 0.377062018080268}
    assert by_item(fit, fit.posterior.position) == pytest.approx(worth, abs=1e-9)
    assert by_item(fit, fit.posterior.spread) == pytest.approx(error, abs=1e-9)
    assert fit.log_likelihood == pytest.approx(-76.415289203664, abs=1e-9)
    assert fit.freedom == 189
    assert fit.worth == pytest.approx(
        [0.0418586347055264, 0.64175850998735, 0.199504463991073, 0.116878391316051]
    )
    assert fit.aic == pytest.approx(2 * 76.415289203664 + 6)
    assert fit.ties == ()


def test_puddings_with_ties_equal_r_from_comparisons():
    # R 4.2.2, PlackettLuce 0.4.3, npseudo = 0.
    fit = PlackettLuce(pseudo=0.0, reference="1").fit(pairs(PUDDING))
    estimate = [
        0,
        0.220241900241326,
        0.152977704854175,
        0.175144908589809,
        0.133865226991098,
        0.377134895801594,
    ]
    error = [0, 0.187216981621782, 0.193518358124898, 0.1882110872345, 0.192704560790367, 0.192406233635861]
    assert fit.posterior.position == pytest.approx(estimate, abs=1e-9)
    assert fit.posterior.spread == pytest.approx(error, abs=1e-9)
    (tie,) = fit.ties
    assert (tie.size, tie.log_delta) == (2, pytest.approx(-0.291927086248017, abs=1e-9))
    assert tie.standard_error == pytest.approx(0.0824986917209838, abs=1e-9)
    assert fit.log_likelihood == pytest.approx(-809.709510090287, abs=1e-8)


def test_an_item_that_always_wins_stays_finite_as_in_r():
    # R 4.2.2, PlackettLuce 0.4.3, npseudo = 0.5; likelihood and errors are those of the judgments alone.
    fit = PlackettLuce(reference="W").fit(pairs(ALWAYS_WINS, ("left", "right")))
    estimate = [0, -3.5455950671226, -4.437623844689, -4.87434789161005]
    error = [0, 1.48658719028304, 1.52296712377223, 1.54343640956774]
    assert fit.posterior.position == pytest.approx(estimate, abs=1e-7)
    assert fit.posterior.spread == pytest.approx(error, abs=1e-7)
    assert fit.log_likelihood == pytest.approx(-15.6863132622643, abs=1e-7)


def brute_force(rankings, items, parameters, largest):
    """The log-likelihood, subset by subset, as its definition reads."""
    worth = dict(zip(items, parameters, strict=False))
    log_delta = [0.0, *parameters[len(items) :]]
    total = 0.0
    for ranks in rankings:
        left = dict(ranks)
        while len(left) > 1:
            top = [item for item in left if left[item] == min(left.values())]
            subsets = [s for d in range(1, min(largest, len(left)) + 1) for s in combinations(left, d)]
            strength = [log_delta[len(s) - 1] + sum(worth[i] for i in s) / len(s) for s in subsets]
            total += log_delta[len(top) - 1] + sum(worth[i] for i in top) / len(top)
            total -= np.logaddexp.reduce(strength)
            left = {item: rank for item, rank in left.items() if item not in top}
    return total


def test_ties_of_three_and_partial_rankings_are_the_maximum_of_the_likelihood_as_defined():
    items = ["apple", "banana", "orange", "pear"]
    fit = PlackettLuce(pseudo=0.0).fit(ranked(FRUIT))
    ours = np.r_[fit.posterior.position, [tie.log_delta for tie in fit.ties]]
    assert [tie.size for tie in fit.ties] == [2, 3]
    assert brute_force(FRUIT, items, ours, 3) == pytest.approx(fit.log_likelihood, abs=1e-10)
    best = minimize(lambda p: -brute_force(FRUIT, items, p, 3), np.zeros(6), method="BFGS", tol=1e-10)
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-8)
    assert ours[:4] == pytest.approx(best.x[:4] - best.x[:4].mean(), abs=1e-4)
    assert ours[4:] == pytest.approx(best.x[4:], abs=1e-4)


def test_pseudo_rankings_are_half_a_win_and_half_a_loss_against_a_ghost():
    # With ties, the ghost's comparisons could have been ties, too: as if it were one more item.
    ghostly = [
        *FRUIT,
        *({item: a, "ghost": 3 - a} for item in ("apple", "banana", "orange", "pear") for a in (1, 2)),
    ]
    counts = [1.0] * len(FRUIT) + [0.5] * 8
    fitted = PlackettLuce(pseudo=0.0, reference="apple").fit(ranked(ghostly, counts))
    fit = PlackettLuce(pseudo=0.5, reference="apple").fit(ranked(FRUIT))
    expected = by_item(fitted, fitted.posterior.position)
    del expected["ghost"]
    assert by_item(fit, fit.posterior.position) == pytest.approx(expected, abs=1e-8)


def test_a_size_of_tie_that_nobody_made_has_no_parameter():
    fit = PlackettLuce().fit(ranked([{"a": 1, "b": 1, "c": 1, "d": 2}, {"a": 2, "b": 1}, {"c": 1, "d": 2}]))
    assert [tie.size for tie in fit.ties] == [3]


def test_the_covariance_gives_the_spreads_and_draws_have_it():
    fit = PlackettLuce().fit(simulate(np.linspace(-1, 1, 5), [-1.0], 60, 4, np.random.default_rng(5)))
    assert np.sqrt(np.diag(fit.covariance)) == pytest.approx(fit.posterior.spread)
    assert fit.covariance.sum(axis=1) == pytest.approx(np.zeros(5), abs=1e-10)
    drawn = fit.draws(20_000, np.random.default_rng(1))
    assert np.cov(drawn.T) == pytest.approx(fit.covariance, abs=0.01)
    assert drawn.mean(axis=0) == pytest.approx(fit.posterior.position, abs=0.02)


def test_many_items_are_fitted_alike_by_conjugate_gradients_and_draws(monkeypatch):
    judgments = simulate(np.linspace(-1, 1, 30), [-1.0, -2.0], 200, 5, np.random.default_rng(2))
    exact = PlackettLuce().fit(judgments)
    monkeypatch.setattr(worths, "FULL_ITEMS", 5)
    monkeypatch.setattr(worths, "DENSE_ITEMS", 5)
    rough = PlackettLuce().fit(judgments)
    assert rough.posterior.position == pytest.approx(exact.posterior.position, abs=1e-8)
    assert rough.posterior.spread == pytest.approx(exact.posterior.spread, rel=0.05)
    assert [t.standard_error for t in rough.ties] == pytest.approx(
        [t.standard_error for t in exact.ties], rel=1e-6
    )
    spread = rough.draws(4000, np.random.default_rng(3)).std(axis=0)
    assert spread == pytest.approx(exact.posterior.spread, rel=0.1)
    with pytest.raises(BadSetting, match="draws"):
        _ = rough.covariance


def test_simulated_worths_and_ties_are_recovered_with_honest_intervals():
    rng = np.random.default_rng(11)
    theta = rng.normal(size=12)
    theta, log_deltas, inside, ties = theta - theta.mean(), [-0.7, -1.5], [], []
    for _ in range(40):
        fit = PlackettLuce().fit(simulate(theta, log_deltas, 60, 4, rng))
        low, high = fit.posterior.interval(0.95)
        inside.append(np.mean((low < theta) & (theta < high)))
        ties.append([tie.log_delta for tie in fit.ties])
    assert 0.93 < np.mean(inside) < 0.975
    assert np.mean(ties, axis=0) == pytest.approx(log_deltas, abs=0.15)


some = st.lists(
    st.dictionaries(st.sampled_from("abcde"), st.integers(1, 3), min_size=2, max_size=5),
    min_size=1,
    max_size=12,
)


@given(some, st.permutations("abcde"))
@settings(max_examples=30, deadline=None)
def test_relabelling_items_relabels_the_scale(rankings, names):
    new = dict(zip("abcde", names, strict=True))
    first = PlackettLuce().fit(ranked(rankings))
    other = PlackettLuce().fit(ranked([{new[item]: rank for item, rank in r.items()} for r in rankings]))
    renamed = {new[item]: value for item, value in by_item(first, first.posterior.position).items()}
    assert by_item(other, other.posterior.position) == pytest.approx(renamed, abs=1e-7)


@given(some, st.randoms())
@settings(max_examples=30, deadline=None)
def test_the_order_of_rows_changes_no_digit(rankings, random):
    shuffled = [dict(random.sample(list(r.items()), len(r))) for r in random.sample(rankings, len(rankings))]
    first, second = (PlackettLuce().fit(ranked(r)) for r in (rankings, shuffled))
    assert by_item(first, first.posterior.position) == by_item(second, second.posterior.position)
    assert first.log_likelihood == second.log_likelihood


@given(some, some)
@settings(max_examples=30, deadline=None)
def test_merging_files_is_fitting_all_rows(one, other):
    parts = ranked(one) + Judgments.of([Ranking("x", f"x{at}", ranks) for at, ranks in enumerate(other)])
    whole = PlackettLuce().fit(ranked([*one, *other]))
    merged = PlackettLuce().fit(parts)
    assert by_item(merged, merged.posterior.position) == by_item(whole, whole.posterior.position)


def test_a_ranking_that_happened_twice_counts_twice():
    counted = PlackettLuce().fit(ranked(FRUIT, [2.0] * len(FRUIT)))
    twice = PlackettLuce().fit(ranked([*FRUIT, *FRUIT]))
    assert counted.posterior.position == pytest.approx(twice.posterior.position, abs=1e-10)
    assert counted.scale.count.tolist() == twice.scale.count.tolist()


def test_reversed_ranks_mirror_the_scale_where_nothing_is_tied_and_two_are_ranked():
    up = [
        Comparison("r", "a", "b", "left"),
        Comparison("r", "b", "c", "left"),
        Comparison("s", "a", "b", "right"),
    ]
    down = [Comparison(c.rater, c.right, c.left, c.outcome) for c in up]
    one, other = (PlackettLuce().fit(Judgments.of(rows)) for rows in (up, down))
    assert by_item(other, -other.posterior.position) == pytest.approx(by_item(one, one.posterior.position))


def test_comparisons_are_rankings_of_two():
    rows = [
        Comparison("r", "a", "b", "left"),
        Comparison("r", "b", "c", "tie"),
        Comparison("r", "c", "a", "right"),
    ]
    same = [{"a": 1, "b": 2}, {"b": 1, "c": 1}, {"a": 1, "c": 2}]
    one, other = PlackettLuce().fit(Judgments.of(rows)), PlackettLuce().fit(ranked(same))
    assert one.posterior.position.tolist() == other.posterior.position.tolist()
    both = PlackettLuce().fit(Judgments.of(rows) + ranked(FRUIT))
    assert {"a", "apple"} <= set(both.item.tolist())


def test_an_item_nobody_judged_keeps_its_prior_and_is_reported():
    judgments = ranked([{"a": 1, "b": 2}, {"a": 2, "b": 1}, {"c": 1}])
    fit = PlackettLuce().fit(judgments)
    assert fit.parts == (("a", "b"), ("c",))
    assert "1 of the rankings contain one item and are not used." in fit.summary()
    scale = {row["item"]: row for row in fit.scale.rows()}
    assert scale["c"]["count"] == 0
    assert scale["c"]["position"] == pytest.approx(0.0, abs=1e-9)
    assert scale["c"]["spread"] > scale["a"]["spread"]
    # Half a win and half a loss against the ghost: information 1/4, variance 4, for the item and for the group.
    gap = fit.draws(20_000, np.random.default_rng(0)) @ [-0.5, -0.5, 1.0]
    assert gap.var() == pytest.approx(4.0 + 2.0, rel=0.05)


def test_an_item_nobody_judged_leaves_the_others_as_they_are():
    plain = PlackettLuce(reference="W").fit(pairs(ALWAYS_WINS, ("left", "right")))
    more = pairs(ALWAYS_WINS, ("left", "right")) + ranked([{"alone": 1}])
    fit = PlackettLuce(reference="W").fit(more)
    # The ghost moves a little, since it meets one more item: the others' estimates are not quite the same.
    assert fit.posterior.position[:4] == pytest.approx(plain.posterior.position, abs=0.02)
    assert fit.posterior.spread[:4] == pytest.approx(plain.posterior.spread, rel=0.01)


def test_without_pseudo_rankings_groups_that_nothing_links_are_named():
    judgments = ranked([{"a": 1, "b": 2}, {"b": 1, "a": 2}, {"c": 1, "d": 2}, {"d": 1, "c": 2}])
    with pytest.raises(Unconnected, match=r"2 groups of items: a, b; c, d\. .*pseudo above 0"):
        PlackettLuce(pseudo=0.0).fit(judgments)
    assert PlackettLuce().fit(judgments).parts == (("a", "b"), ("c", "d"))


def test_without_pseudo_rankings_items_that_always_win_or_lose_are_named():
    with pytest.raises(
        Separated, match=r"W would be infinite, because it never lost a comparison\. Set pseudo"
    ):
        PlackettLuce(pseudo=0.0).fit(pairs(ALWAYS_WINS, ("left", "right")))


def test_a_tie_links_both_ways():
    fit = PlackettLuce(pseudo=0.0).fit(ranked([{"a": 1, "b": 2}, {"b": 1, "c": 1}, {"c": 1, "a": 2}]))
    assert fit.converged
    assert np.all(np.isfinite(fit.posterior.position))


# One pair with wins on one side only and a tie: the closed form of its log-odds is half of log(1 / 0).
def test_items_that_run_away_behind_a_tie_are_refused_without_pseudo_rankings():
    with pytest.raises(Separated, match=r"of a, b, .* would be infinite.*pseudo above 0"):
        PlackettLuce(pseudo=0.0).fit(ranked([{"a": 1, "b": 1}, {"a": 1, "b": 2}]))


@pytest.mark.parametrize("tied", ["ab", "abc", "abcd"])
def test_nothing_but_ties_is_refused_without_pseudo_rankings(tied):
    with pytest.raises(OnlyTies, match=r"Every ranking or comparison is a tie.*pseudo above 0"):
        PlackettLuce(pseudo=0.0).fit(ranked([dict.fromkeys(tied, 1)]))


def test_a_tie_that_nobody_avoided_is_refused_without_pseudo_rankings():
    crossed = [{"a": 1, "b": 2}, {"b": 1, "c": 2}, {"c": 1, "a": 2}]
    with pytest.raises(Separated, match="ties of 3 items"):
        PlackettLuce(pseudo=0.0).fit(ranked([*crossed, {"a": 1, "b": 1, "c": 1}]))


def test_rankings_with_a_count_of_zero_are_refused_for_their_counts():
    with pytest.raises(NothingCounted, match="plackett_luce: every row has a count of 0"):
        PlackettLuce().fit(ranked(FRUIT, [0.0] * len(FRUIT)))


def test_rankings_that_all_have_ties_are_refused_for_them_where_ties_are_dropped():
    with pytest.raises(NothingToFit, match="ties='drop'"):
        PlackettLuce(ties="drop").fit(ranked([{"a": 1, "b": 1}]))


@pytest.mark.parametrize(
    "rankings", [[{"a": 1, "b": 1}], [{"a": 1, "b": 1, "c": 1}], [dict.fromkeys("abcd", 1)]]
)
def test_nothing_but_ties_is_finite_with_pseudo_rankings(rankings):
    fit = PlackettLuce().fit(ranked(rankings))
    assert fit.converged
    assert np.all(np.isfinite(fit.posterior.spread))
    assert -1e-9 < fit.ties[-1].log_delta < 10.0  # of two items delta is 1: as many ties as the ghost has


def test_ties_may_be_dropped_or_refused():
    assert PlackettLuce(ties="drop").fit(ranked(FRUIT)).ties == ()
    without = [r for r in FRUIT if len(set(r.values())) == len(r)]
    dropped, fitted = PlackettLuce(ties="drop").fit(ranked(FRUIT)), PlackettLuce().fit(ranked(without))
    assert dropped.log_likelihood == pytest.approx(fitted.log_likelihood)
    with pytest.raises(BadSetting, match="ties of 3 items"):
        PlackettLuce(largest_tie=2).fit(ranked(FRUIT))


def test_two_outputs_of_one_system_may_stand_in_one_ranking():
    rows = {"rater": ["a"] * 3, "task": ["t"] * 3, "item": ["o1", "o2", "o3"], "system": ["x", "x", "y"]}
    judgments = Judgments.from_columns("ranking", {**rows, "rank": [1, 3, 2]}).at_unit("system")
    fit = PlackettLuce().fit(judgments)
    assert fit.converged
    assert sorted(fit.item) == ["x", "y"]


def test_answers_without_a_rater_are_distinguished_by_the_order_of_the_file():
    rows = {"rater": ["unknown"] * 4, "task": ["t"] * 4, "item": ["a", "b", "a", "b"], "rank": [1, 2, 2, 1]}
    fit = PlackettLuce(pseudo=0.0).fit(Judgments.from_columns("ranking", rows))
    assert fit.posterior.position == pytest.approx([0.0, 0.0], abs=1e-9)
    assert "judgments 2 " in fit.signature


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"pseudo": -1}, "pseudo"), ({"ties": "half"}, "ties"), ({"largest_tie": 0}, "largest_tie")],
)
def test_settings_that_cannot_be_used_are_refused(settings, message):
    with pytest.raises(BadSetting, match=message):
        PlackettLuce(**settings)


def test_an_unknown_reference_is_refused_by_name():
    with pytest.raises(UnknownItem, match="'kiwi'"):
        PlackettLuce(reference="kiwi").fit(ranked(FRUIT))


@pytest.mark.parametrize(
    "judgments", [Judgments.of([Rating("a", "x", 1)]), ranked([{"a": 1}]), Judgments.of([])]
)
def test_nothing_to_rank_is_an_error_that_says_so(judgments):
    with pytest.raises(NothingToFit, match="ranking or comparison"):
        PlackettLuce().fit(judgments)
