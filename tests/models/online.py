"""Comparisons to try models on, and properties that every model of comparisons has."""

import numpy as np
from hypothesis import strategies as st

from steelyard import Comparison, Judgments
from steelyard.maths.arrays import object_cells
from steelyard.models.online.steps import Steps

ITEMS = ["egg", "milk", "soup", "tea"]
MIRRORED = {"left": "right", "right": "left", "tie": "tie"}
RELABELLED = dict(zip(ITEMS, ["y", "b", "k", "a"], strict=True))  # another order when sorted

pairs = st.permutations(ITEMS).map(lambda items: tuple(items[:2]))
rows = st.lists(
    st.tuples(pairs, st.sampled_from(["left", "right", "tie"]), st.sampled_from([1.0, 1.0, 2.0, 1 / 3, 0.5])),
    min_size=1,
    max_size=25,
)


def judge(rows):
    records = [
        Comparison(f"r{at}", left, right, outcome, {"count": count})
        for at, ((left, right), outcome, count) in enumerate(rows)
    ]
    return Judgments.of(records)


def positions(model, rows):
    """Position, spread and count of each item."""
    fit = model.fit(judge(rows))
    values = zip(fit.posterior.position, fit.posterior.spread, fit.count, strict=True)
    return dict(zip(fit.item, values, strict=True))


def check_relabelling(model, rows):
    """New names for the items change only the names."""
    other = [((RELABELLED[i], RELABELLED[j]), outcome, count) for (i, j), outcome, count in rows]
    renamed = {RELABELLED[item]: values for item, values in positions(model, rows).items()}
    assert positions(model, other) == renamed


def check_swapping(model, rows, exactly=True):
    """Exchanging left and right, with mirrored outcomes, changes nothing."""
    other = [((j, i), MIRRORED[outcome], count) for (i, j), outcome, count in rows]
    one, two = positions(model, rows), positions(model, other)
    for item, values in one.items():
        np.testing.assert_allclose(two[item], values, rtol=0 if exactly else 1e-12)


def check_merging(model, rows, cut):
    """Merging two files equals fitting all of their rows."""
    if 0 < cut < len(rows):
        joined, whole = model.fit(judge(rows[:cut]) + judge(rows[cut:])), model.fit(judge(rows))
        assert joined.item.tolist() == whole.item.tolist()
        assert joined.posterior.position.tolist() == whole.posterior.position.tolist()
        assert joined.posterior.spread.tolist() == whole.posterior.spread.tolist()


def check_folding(model, rows, cut):
    """Updating in parts equals fitting all, to the last bit."""
    judgments = judge(rows)
    belief = model.start(object_cells(sorted(judgments.items)))
    for part in (rows[:cut], rows[cut:]):
        belief = model.update(belief, judge(part)) if part else belief
    fit = model.fit(judgments)
    assert belief.position.tolist() == fit.posterior.position.tolist()
    assert np.sqrt(belief.variance).tolist() == fit.posterior.spread.tolist()
    assert belief.count.tolist() == fit.count.tolist()


def check_prior_kept(model, rows):
    """An item nobody judged keeps its prior."""
    belief = model.start(object_cells([*ITEMS, "zest"]))
    after = model.update(belief, judge(rows))
    assert after.position[-1] == belief.position[-1]
    assert after.variance[-1] == belief.variance[-1]
    assert after.count[-1] == 0.0
    assert model.update(after, Judgments.of([])) is after


def random_steps(rng, size=400, items=12):
    """Steps with whole and fractional counts, wins and ties."""
    left = rng.integers(items, size=size)
    right = (left + 1 + rng.integers(items - 1, size=size)) % items
    weight = rng.choice([1.0, 1 / 3, 2.5, 0.0, 3.0], size=size)
    return Steps(left, right, rng.choice([-1, 0, 1], size=size), weight)


def simulated(rng, truth, per_item, tie_width=0.1, noise=0.14):
    """Comparisons of noisy positions, with ties within a width."""
    items = len(truth)
    names = object_cells([f"i{at:03d}" for at in range(items)])
    left = rng.integers(items, size=items * per_item // 2)
    right = (left + 1 + rng.integers(items - 1, size=len(left))) % items
    gap = truth[left] - truth[right] + noise * rng.standard_normal(len(left))
    outcome = np.where(np.abs(gap) < tie_width, "tie", np.where(gap > 0, "left", "right")).astype(object)
    columns = {"left": names[left], "right": names[right], "outcome": outcome}
    return Judgments.from_columns("comparison", columns)


def reordered(judgments, rng, times):
    """The same comparisons in several random orders."""
    orders = [rng.permutation(len(judgments)) for _ in range(times)]
    return [judgments.where(lambda _, order=order: order) for order in orders]


def against_truth(fit, truth):
    """The truth in the order of the fit's items."""
    return np.array([truth[int(item[1:])] for item in fit.item])
