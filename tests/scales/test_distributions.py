import numpy as np
import pytest

from steelyard import BestWorst, Comparison, Judgments, Range, Ranking, Rating
from steelyard.errors import BadSetting
from steelyard.models.known import item_models, model_named
from steelyard.scales.distributions import draws_of, quantiles_of

ITEMS = ("tea", "milk", "soup", "pasta")
PROBABILITIES = (0.025, 0.1, 0.4, 0.5, 0.6, 0.9, 0.975)


def judgments_for(model):
    """A few noisy judgments of a kind that the model accepts."""
    rng = np.random.default_rng(3)
    records = []
    for number in range(14):
        rater = f"r{number}"
        seen = np.arange(4) * 20.0 + 15.0 + 12.0 * rng.standard_normal(4)
        order = np.argsort(-seen)
        match model.kinds[0]:
            case "rating":
                records += [
                    Rating(rater, each, float(np.clip(s, 0, 100)))
                    for each, s in zip(ITEMS, seen, strict=True)
                ]
            case "range":
                records += [
                    Range(rater, each, float(s - 5), float(s + 5))
                    for each, s in zip(ITEMS, seen, strict=True)
                ]
            case "comparison":
                for left, right in ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2)):
                    won = "left" if seen[left] > seen[right] else "right"
                    records.append(Comparison(rater, ITEMS[left], ITEMS[right], won))
            case "ranking":
                ranks = {ITEMS[at]: rank + 1 for rank, at in enumerate(order)}
                records.append(Ranking(rater, f"t{number}", ranks))
            case "best_worst":
                records.append(BestWorst(rater, f"t{number}", ITEMS, ITEMS[order[0]], ITEMS[order[-1]]))
    placed = model.kinds[0] in ("rating", "range")
    return Judgments.of(records, range=(-40, 140) if placed else None)


@pytest.mark.parametrize("name", item_models())
def test_quantiles_of_every_model_rise_and_agree_with_the_scale(name):
    model = model_named(name)
    fit = model.fit(judgments_for(model))
    columns = quantiles_of(fit, PROBABILITIES).columns()
    scale = fit.scale.ordered()
    assert list(columns["item"]) == list(scale.item)
    assert columns["model"] == [fit.provenance.model] * 4
    assert columns["q0.025"] == pytest.approx(scale.low)
    assert columns["q0.975"] == pytest.approx(scale.high)
    rising = np.diff([columns[f"q{each:g}"] for each in PROBABILITIES], axis=0)
    assert (rising >= -1e-9).all()


@pytest.mark.parametrize("name", item_models())
def test_draws_of_every_model_are_the_draws_of_its_fit(name):
    model = model_named(name)
    fit = model.fit(judgments_for(model))
    columns = draws_of(fit, 50, np.random.default_rng(1)).columns()
    assert list(columns["draw"][:50]) == list(range(1, 51))
    drawn = fit.draws(50, np.random.default_rng(1))
    for at, item in enumerate(fit.item):
        mine = np.asarray(columns["item"]) == item
        assert columns["position"][mine] == pytest.approx(drawn[:, at])


def test_draws_outside_the_scale_are_reported():
    ratings = [Rating(f"r{at}", item, 60 + 5 * at) for at in range(8) for item in ("tea", "soup")]
    fit = model_named("direct_assessment").fit(Judgments.of(ratings[6:], range=(0, 95)))
    notes = draws_of(fit, 2_000, np.random.default_rng(0)).notes
    assert len(notes) == 1
    assert "of the draws are outside the scale from 0 to 95" in notes[0]


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.1, float("nan")])
def test_a_quantile_outside_0_to_1_is_refused(probability):
    fit = model_named("goldilocks").fit(judgments_for(model_named("goldilocks")))
    with pytest.raises(BadSetting, match="not between 0 and 1"):
        quantiles_of(fit, (probability,))


def test_no_draws_are_refused():
    fit = model_named("goldilocks").fit(judgments_for(model_named("goldilocks")))
    with pytest.raises(BadSetting, match="at least 1"):
        draws_of(fit, 0, np.random.default_rng(0))


def test_ambiguity_and_disagreement_are_beside_the_quantiles_of_ranges():
    ranges = [Range("ann", "tea", 10, 30), Range("bob", "tea", 30, 70), Range("ann", "soup", 60, 80)]
    fit = model_named("goldilocks").fit(Judgments.of(ranges, range=(0, 100)))
    columns = quantiles_of(fit).columns()
    assert list(columns["item"]) == ["soup", "tea"]
    assert columns["ambiguity"] == [20.0, 30.0]
    assert columns["disagreement"] == [None, pytest.approx(np.sqrt(450))]
