from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from steelyard import BestWorst as Choice
from steelyard import Judgments, PlackettLuce, Ranking, Rating
from steelyard.errors import BadSetting, NothingToFit, Separated, Unconnected
from steelyard.models import worths
from steelyard.models.best_worst import BestWorstScaling

METHODS = ("counting", "model")


def judge(choices):
    """Judgments of (items, best, worst) each, by a rater each."""
    return Judgments.of(
        [Choice(f"r{at}", f"t{at}", tuple(items), b, w) for at, (items, b, w) in enumerate(choices)]
    )


def by_item(fit, values):
    return dict(zip(fit.item.tolist(), np.asarray(values).tolist(), strict=True))


def simulate(worth, tasks, answers, rng):
    """Maxdiff choices of four random items; tasks with several answers have no raters."""
    rows = []
    for task in range(tasks):
        shown = rng.choice(len(worth), 4, replace=False)
        pairs = list(permutations(range(4), 2))
        chance = np.array([np.exp(worth[shown[b]] - worth[shown[w]]) for b, w in pairs])
        for _ in range(answers):
            b, w = pairs[rng.choice(len(pairs), p=chance / chance.sum())]
            words = ["best" if at == b else "worst" if at == w else "none" for at in range(4)]
            rater = f"r{task}" if answers == 1 else "unknown"
            rows += [(rater, f"t{task}", f"i{i:02}", word) for i, word in zip(shown, words, strict=True)]
    rater, task, item, choice = zip(*rows, strict=True)
    columns = {"rater": rater, "task": task, "item": item, "choice": choice}
    return Judgments.from_columns("best_worst", columns)


some = st.lists(
    st.permutations("abcde").flatmap(
        lambda order: st.integers(2, 5).map(lambda n: (sorted(order[:n]), order[0], order[1]))
    ),
    min_size=1,
    max_size=12,
)


def test_a_score_is_best_less_worst_over_times_shown():
    fit = BestWorstScaling().fit(judge([("abcd", "a", "d"), ("abce", "a", "b"), ("bcde", "c", "b")]))
    assert by_item(fit, fit.posterior.position) == pytest.approx(
        {"a": 1.0, "b": -2 / 3, "c": 1 / 3, "d": -1 / 2, "e": 0.0}
    )
    assert by_item(fit, fit.count) == {"a": 2, "b": 3, "c": 3, "d": 2, "e": 2}


def test_the_model_is_the_maximum_of_its_likelihood_as_defined():
    tasks = [("abcd", "a", "d"), ("abc", "b", "c"), ("abcd", "d", "b"), ("bcd", "c", "b"), ("abd", "d", "a")]

    def loss(u):
        worth, total = dict(zip("abcd", u, strict=True)), 0.0
        for items, best, worst in tasks:
            sums = [worth[i] - worth[j] for i, j in permutations(items, 2)]
            total += worth[best] - worth[worst] - np.logaddexp.reduce(sums)
        return -total

    best = minimize(loss, np.zeros(4), method="BFGS", tol=1e-10)
    fit = BestWorstScaling("model", pseudo=0.0).fit(judge(tasks))
    assert fit.posterior.position == pytest.approx(best.x - best.x.mean(), abs=1e-5)
    assert loss(fit.posterior.position) == pytest.approx(best.fun, abs=1e-9)
    # The inverse of the second derivatives, by finite differences.
    step, eye = 1e-4, np.eye(4) * 1e-4
    at = fit.posterior.position
    second = [
        [
            (loss(at + a + b) - loss(at + a - b) - loss(at - a + b) + loss(at - a - b)) / (4 * step**2)
            for b in eye
        ]
        for a in eye
    ]
    assert fit.posterior.covariance == pytest.approx(np.linalg.pinv(np.array(second), rcond=1e-5), abs=1e-4)


def test_of_two_items_the_model_is_half_of_bradley_terry():
    choices = [
        ("ab", "a", "b"),
        ("ab", "a", "b"),
        ("ab", "b", "a"),
        ("bc", "b", "c"),
        ("bc", "c", "b"),
        ("ac", "c", "a"),
    ]
    ranked = [Ranking(f"r{at}", "t", {b: 1, w: 2}) for at, (_, b, w) in enumerate(choices)]
    model = BestWorstScaling("model", pseudo=0.0).fit(judge(choices))
    pairs = PlackettLuce(pseudo=0.0).fit(Judgments.of(ranked))
    assert 2 * model.posterior.position == pytest.approx(pairs.posterior.position, abs=1e-9)
    assert 2 * model.posterior.spread == pytest.approx(pairs.posterior.spread, abs=1e-9)


def test_answers_that_cannot_be_told_apart_give_the_same_model():
    named = [Choice(f"r{at}", "t", tuple("abcd"), b, w) for at, (b, w) in enumerate(["ad", "bd", "ac", "da"])]
    rows = [row for record in named for row in record.rows()]
    columns = {name: [row[name] for row in rows] for name in ("task", "item", "choice")}
    nameless = Judgments.from_columns("best_worst", {"rater": ["unknown"] * len(rows), **columns})
    one, other = (BestWorstScaling("model").fit(judgments) for judgments in (Judgments.of(named), nameless))
    assert one.posterior.position == pytest.approx(other.posterior.position, abs=1e-10)
    assert one.posterior.spread == pytest.approx(other.posterior.spread, abs=1e-10)


def test_tasks_that_do_not_add_up_are_left_out_of_the_model_and_counted():
    sound = judge([("abcd", "a", "d"), ("abcd", "d", "b")])
    twice = {
        "rater": ["unknown"] * 3,
        "task": ["x"] * 3,
        "item": ["a", "a", "b"],
        "choice": ["best", "best", "worst"],
    }
    both = sound + Judgments.from_columns("best_worst", twice)
    fit = BestWorstScaling("model").fit(both)
    assert "tasks_left_out=1" in fit.signature
    alone = BestWorstScaling("model").fit(sound)
    assert fit.posterior.position.tolist() == alone.posterior.position.tolist()
    with pytest.raises(NothingToFit, match="one best and one other worst"):
        BestWorstScaling("model").fit(Judgments.from_columns("best_worst", twice))


@pytest.mark.parametrize("answers", [1, 4])
def test_intervals_hold_what_they_promise(answers):
    rng = np.random.default_rng(4)
    worth = rng.normal(size=10)
    worth -= worth.mean()
    scores = BestWorstScaling().fit(simulate(worth, 8000, 1, rng)).posterior.position
    inside = {"counting": [], "model": []}
    for _ in range(40):
        judgments = simulate(worth, 40 if answers == 1 else 25, answers, rng)
        for method, truth in (("counting", scores), ("model", worth)):
            low, high = BestWorstScaling(method).fit(judgments).posterior.interval(0.95)
            inside[method].append(np.mean((low <= truth) & (truth <= high)))
    assert 0.92 < np.mean(inside["counting"]) < 0.99
    assert 0.93 < np.mean(inside["model"]) < 0.985


def test_an_item_that_was_best_twice_of_twice_has_an_interval():
    fit = BestWorstScaling().fit(judge([("abcd", "a", "d"), ("abce", "a", "b"), ("bcde", "c", "b")]))
    low = by_item(fit, fit.posterior.interval(0.95)[0])
    assert low["a"] < 0.8


def test_answers_of_one_rater_are_one_cluster():
    one = [Choice("ann", f"t{at}", tuple("abcd"), "a", "d") for at in range(6)]
    other = [Choice("bob", f"t{at}", tuple("abcd"), "b", "a") for at in range(6)]
    many = [Choice(f"{c.rater}{c.task}", c.task, c.items, c.best, c.worst) for c in one + other]
    few = BestWorstScaling().fit(Judgments.of(one + other))
    spread = BestWorstScaling().fit(Judgments.of(many))
    assert "errors=clustered by rater (2)" in few.signature
    assert "errors=independent judgments" in spread.signature
    assert by_item(few, few.posterior.spread)["a"] > 1.5 * by_item(spread, spread.posterior.spread)["a"]


@pytest.mark.parametrize("method", METHODS)
@given(some, st.permutations("abcde"))
@settings(max_examples=20, deadline=None)
def test_relabelling_items_relabels_the_scale(method, choices, names):
    new = dict(zip("abcde", names, strict=True))
    renamed = [([new[i] for i in items], new[b], new[w]) for items, b, w in choices]
    first, other = (BestWorstScaling(method).fit(judge(c)) for c in (choices, renamed))
    expected = {new[item]: value for item, value in by_item(first, first.posterior.position).items()}
    assert by_item(other, other.posterior.position) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("method", METHODS)
@given(some)
@settings(max_examples=20, deadline=None)
def test_exchanging_best_and_worst_mirrors_the_scale(method, choices):
    first = BestWorstScaling(method).fit(judge(choices))
    other = BestWorstScaling(method).fit(judge([(items, w, b) for items, b, w in choices]))
    assert other.posterior.position == pytest.approx(-first.posterior.position, abs=1e-7)


@pytest.mark.parametrize("method", METHODS)
@given(some, st.randoms())
@settings(max_examples=20, deadline=None)
def test_the_order_of_rows_changes_no_digit(method, choices, random):
    records = [Choice(f"r{at}", "t", tuple(i), b, w) for at, (i, b, w) in enumerate(choices)]
    shuffled = random.sample(records, len(records))
    first, second = (BestWorstScaling(method).fit(Judgments.of(r)) for r in (records, shuffled))
    assert by_item(first, first.posterior.position) == by_item(second, second.posterior.position)
    assert by_item(first, first.posterior.spread) == by_item(second, second.posterior.spread)


@pytest.mark.parametrize("method", METHODS)
def test_merging_files_is_fitting_all_rows(method):
    first = [Choice("r1", "t", tuple("abc"), "a", "c"), Choice("r2", "t", tuple("abc"), "b", "c")]
    second = [Choice("r3", "t", tuple("bcd"), "d", "b")]
    joined = BestWorstScaling(method).fit(Judgments.of(first) + Judgments.of(second))
    whole = BestWorstScaling(method).fit(Judgments.of(first + second))
    assert joined.posterior.position.tolist() == whole.posterior.position.tolist()


@pytest.mark.parametrize("method", METHODS)
def test_a_choice_that_happened_twice_counts_twice(method):
    counted = [
        Choice("r", "t", tuple("abc"), "a", "c", {"count": 2}),
        Choice("s", "t", tuple("abc"), "b", "a"),
    ]
    repeated = [Choice(f"r{at}", "t", tuple("abc"), "a", "c") for at in range(2)] + counted[1:]
    one, other = (BestWorstScaling(method).fit(Judgments.of(records)) for records in (counted, repeated))
    assert one.posterior.position == pytest.approx(other.posterior.position, abs=1e-9)
    assert one.count.tolist() == other.count.tolist()


@pytest.mark.parametrize("method", METHODS)
def test_an_item_nobody_judged_may_stand_anywhere(method):
    records = [Choice("r", "t", tuple("abc"), "a", "c"), Choice("r", "u", ("x", "y"), "x", "y", {"count": 0})]
    fit = BestWorstScaling(method).fit(Judgments.of(records))
    rows = {row["item"]: row for row in fit.scale.rows()}
    assert rows["x"]["count"] == 0
    assert rows["x"]["position"] == pytest.approx(0.0, abs=1e-9)
    assert rows["x"]["low"] <= -1.0
    assert rows["x"]["high"] >= 1.0


def test_many_items_are_fitted_alike_by_conjugate_gradients(monkeypatch):
    rng = np.random.default_rng(8)
    judgments = simulate(rng.normal(size=25), 200, 1, rng)
    exact = BestWorstScaling("model").fit(judgments)
    monkeypatch.setattr(worths, "FULL_ITEMS", 3)
    monkeypatch.setattr(worths, "DENSE_ITEMS", 3)
    rough = BestWorstScaling("model").fit(judgments)
    assert rough.posterior.position == pytest.approx(exact.posterior.position, abs=1e-8)
    assert rough.posterior.spread == pytest.approx(exact.posterior.spread, rel=0.05)


def test_without_pseudo_tasks_separated_and_unlinked_items_are_named():
    with pytest.raises(
        Separated,
        match=r"of a would be infinite, .* never lost .* of c .* never won",
    ):
        BestWorstScaling("model", pseudo=0.0).fit(judge([("abc", "a", "c")]))
    with pytest.raises(Unconnected, match="a, b; c, d"):
        BestWorstScaling("model", pseudo=0.0).fit(judge([("ab", "a", "b"), ("cd", "c", "d")]))


def test_wrong_settings_and_kinds_are_refused():
    with pytest.raises(BadSetting, match="method"):
        BestWorstScaling("count")
    with pytest.raises(BadSetting, match="pseudo"):
        BestWorstScaling(pseudo=-1)
    with pytest.raises(NothingToFit, match="best_worst"):
        BestWorstScaling().fit(Judgments.of([Rating("a", "x", 1)]))
