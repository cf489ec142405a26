"""Systems from ratings of their outputs, under the default settings."""

import numpy as np
import pytest

from steelyard import Judgments
from steelyard.errors import BadSetting
from steelyard.models.steelyard.model import Steelyard

SYSTEMS, SEGMENTS, RATERS = 5, 16, 8


def simulated(seed, per_output=3, slope_sd=0.25, drop=0.0, spammer=False):
    """Ratings of outputs by raters with biases and slopes; the true systems, for new segments and for these."""
    rng = np.random.default_rng(seed)
    truth = 45.0 + 3.0 * np.arange(SYSTEMS)
    outputs = truth[:, None] + rng.normal(0, 8, SEGMENTS) + rng.normal(0, 5, (SYSTEMS, SEGMENTS))
    bias, slope = rng.normal(0, 6, RATERS), 1.0 + slope_sd * rng.normal(size=RATERS)
    rows = []
    for system in range(SYSTEMS):
        for segment in range(SEGMENTS):
            if rng.random() < drop:
                continue
            for rater in rng.choice(RATERS, per_output, replace=False):
                answer = 50 + bias[rater] + slope[rater] * (outputs[system, segment] - 50) + rng.normal(0, 8)
                if spammer and rater == 0:
                    answer = rng.uniform(0, 100)
                rows.append((f"r{rater}", f"s{system}-{segment}", f"s{system}", f"g{segment}", answer))
    names = ("rater", "item", "system", "segment", "score")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return Judgments.from_columns("rating", columns, range=(-40, 140)), truth, outputs.mean(axis=1)


def coverage(target, seeds):
    held = []
    for seed in seeds:
        judgments, new, these = simulated(seed)
        truth = new if target == "new" else these
        found = Steelyard().fit(judgments).differences("system", target=target)
        first, second = np.triu_indices(SYSTEMS, 1)
        gap = truth[first] - truth[second]
        held.append(np.mean((found.low <= gap) & (gap <= found.high)))
    return float(np.mean(held))


@pytest.mark.parametrize("target", ["new", "these"])
def test_intervals_of_differences_cover_the_truth(target):
    assert coverage(target, range(100, 116)) >= 0.88  # 160 dependent intervals: about three errors under 0.95


def test_new_segments_are_less_certain_than_these():
    fit = Steelyard().fit(simulated(1)[0])
    new, these = (fit.differences("system", target=target) for target in ("new", "these"))
    assert (new.error > these.error).all()


def test_these_raters_are_more_certain_than_new_ones():
    fit = Steelyard().fit(simulated(2)[0])
    new, these = (fit.differences("system", raters=raters) for raters in ("new", "these"))
    assert (new.error > these.error).all()
    assert (fit.systems(raters="new").scale.spread > fit.systems(raters="these").scale.spread).all()


def test_every_scale_of_systems_names_its_target():
    fit = Steelyard().fit(simulated(3)[0])
    assert "target=new segments, new raters" in fit.systems().signature
    assert "target=these segments, these raters" in fit.systems("these", "these").signature


def test_missing_outputs_are_allowed():
    judgments, truth, _ = simulated(4, drop=0.3)
    fit = Steelyard().fit(judgments).systems()
    assert np.corrcoef(fit.posterior.position, truth)[0, 1] > 0.8
    assert np.isfinite(fit.scale.spread).all()


def test_a_spammer_keeps_their_item_level_spam_probability():
    judgments, *_ = simulated(5, per_output=4, spammer=True)
    fit = Steelyard().fit(judgments)
    items = {row["rater"]: row["spam"] for row in fit.raters}
    systems = {row["rater"]: row["spam"] for row in fit.systems().raters}
    assert items["r0"] > 0.9
    assert systems == items


def test_without_a_system_column_systems_are_refused():
    ratings = {"rater": ["a", "b"], "item": ["x", "x"], "score": [1.0, 2.0]}
    with pytest.raises(BadSetting, match=r"have no column system. Add the column"):
        Steelyard().fit(Judgments.from_columns("rating", ratings)).systems()


def test_items_under_several_systems_are_left_out_and_counted():
    judgments, *_ = simulated(6)
    more = {"rater": ["r1", "r2"], "item": ["both"] * 2, "system": ["s0", "s1"], "score": [40.0, 60.0]}
    joined = Judgments.concat([judgments, Judgments.from_columns("rating", more, range=(-40, 140))])
    assert "1 item" in " ".join(Steelyard().fit(joined).systems().remarks)


def test_one_segment_per_output_is_enough():
    judgments, *_ = simulated(7)
    table = judgments.table("rating")
    alone = {name: judgments.cells("rating", name) for name in ("rater", "item", "system")} | {
        "score": table.numbers["score"].tolist()
    }
    fit = Steelyard().fit(Judgments.from_columns("rating", alone, range=(-40, 140)))
    assert np.isfinite(fit.differences("system").error).all()


def test_a_rater_with_a_small_slope_counts_and_a_spammer_does_not():
    rng = np.random.default_rng(8)
    truth = np.linspace(20, 80, 40)
    rows = []
    for rater in range(9):
        slope = 0.35 if rater == 0 else 1.0
        noise = rng.normal(0, 6, 40)
        scores = rng.uniform(0, 100, 40) if rater == 1 else 50 + slope * (truth - 50) + noise
        rows += [(f"r{rater}", f"i{at}", f"s{at % 4}", score) for at, score in enumerate(scores)]
    names = ("rater", "item", "system", "score")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    fit = Steelyard().fit(Judgments.from_columns("rating", columns, range=(-20, 120)))
    share = fit._systems.answers.share
    assert share[0] > 0.08
    assert share[1] < 0.01
