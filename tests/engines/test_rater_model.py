"""The rater model fitted in blocks from files equals the model fitted in memory."""

import numpy as np
import pytest

from steelyard import Judgments, Steelyard, connect
from steelyard.errors import BadSetting
from steelyard.models.steelyard import averaging
from steelyard.models.steelyard.large import filling, store
from tests.engines.logs import columns_of, write_csv

pytest.importorskip("ibis")


def ratings(raters=24, items=60, per_rater=30, tasks=False):
    """Ratings with biases, slopes, different noise, a spammer and answers at the ends of the scale."""
    rng = np.random.default_rng(3)
    truth = rng.normal(50, 30, items)
    made = []
    for a in range(raters):
        bias, slope, noise = rng.normal(0, 10), rng.normal(1, 0.2), rng.uniform(5, 20)
        for at, i in enumerate(rng.choice(items, per_rater, replace=False)):
            score = (
                rng.uniform(0, 100) if a == 0 else 50 + slope * (truth[i] - 50) + bias + rng.normal(0, noise)
            )
            row = {"rater": f"r{a:02}", "item": f"i{i:02}", "score": int(np.clip(round(score), 0, 100))}
            made.append({**row, "task": f"t{at // 5}"} if tasks else row)
    return made


@pytest.fixture
def exact(monkeypatch):
    """Several blocks, double precision in files, and the weights of large data also in memory."""
    monkeypatch.setattr(filling, "BLOCK_RATINGS", 100)
    monkeypatch.setattr(store, "MESSAGE", np.dtype(np.float64))
    monkeypatch.setattr(averaging, "MOST_STACKED", 0)


def both(rows, tmp_path):
    file = write_csv(rows, tmp_path / "ratings.csv")
    with connect(file, range=(0, 100), most_cells=10) as log:
        fit = Steelyard().fit(log)
    memory = Judgments.from_columns("rating", columns_of(rows), (0, 100))
    return fit, Steelyard().fit(memory)


# Lists of one rater are visited in another order than in memory, so results agree up to the criterion of convergence.
@pytest.mark.parametrize(("tasks", "tolerance"), [(False, 1e-8), (True, 3e-3)])
def test_blocks_give_the_fit_of_memory(tasks, tolerance, exact, tmp_path):
    fit, memory = both(ratings(tasks=tasks), tmp_path)
    weights = [each.posterior.average.weights for each in (fit, memory)]
    assert weights[0] == pytest.approx(weights[1], abs=tolerance)
    for column in ("position", "count"):
        np.testing.assert_allclose(by_item(fit, column), by_item(memory, column), rtol=tolerance)
    for column in ("spread", "low", "high"):
        assert np.max(np.abs(by_item(fit, column) - by_item(memory, column))) < 1.0
    raters = [numbers(each.raters, "rater") for each in (fit, memory)]
    np.testing.assert_allclose(*raters, rtol=10 * tolerance, atol=10 * tolerance)
    disagreement = [numbers(each.items, "item", ("disagreement",)) for each in (fit, memory)]
    np.testing.assert_allclose(*disagreement, rtol=tolerance)


def by_item(fit, column):
    return getattr(fit.scale, column)[np.argsort(fit.scale.item.astype(str))]


def numbers(rows, name, columns=None):
    """The values of rows without their label, sorted by it."""
    return [
        [value for column, value in row.items() if column != name and (columns is None or column in columns)]
        for row in sorted(rows, key=lambda row: row[name])
    ]


def test_messages_in_single_precision_change_positions_by_less_than_a_thousandth_of_their_error(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(averaging, "MOST_STACKED", 0)
    fit, memory = both(ratings(), tmp_path)
    moved = np.abs(by_item(fit, "position") - by_item(memory, "position"))
    assert np.all(moved < 1e-3 * by_item(memory, "spread"))
    assert "in files" in fit.signature


def test_raters_without_a_common_item_are_reported(exact, tmp_path):
    rows = [
        {"rater": f"{half}{a}", "item": f"{half}{i}", "score": 10 * i + a}
        for half in "xy"
        for a in range(4)
        for i in range(8)
    ]
    fit, _ = both(rows, tmp_path)
    assert "2 parts without a common rater" in " ".join(fit.remarks)


def test_ratings_without_a_rater_have_one_rater_together(exact, tmp_path):
    rows = [{**row, "rater": "" if row["rater"] == "r01" else row["rater"]} for row in ratings()]
    fit, memory = both(rows, tmp_path)
    np.testing.assert_allclose(by_item(fit, "position"), by_item(memory, "position"), rtol=5e-3)
    assert len(fit.raters) == 23


@pytest.mark.parametrize("settings", [{"levels": 5}, {"features": {"length": {"i01": 1.0}}}])
def test_settings_that_need_the_ratings_in_memory_are_refused(settings, tmp_path):
    file = write_csv(ratings(), tmp_path / "ratings.csv")
    with connect(file, most_cells=10) as log, pytest.raises(BadSetting, match=next(iter(settings))):
        Steelyard(**settings).fit(log)
