"""Systems from comparisons and rankings of their outputs."""

import numpy as np
import pytest

from steelyard import Judgments, Ranking
from steelyard.errors import BadSetting
from steelyard.models.known import model_named
from steelyard.models.units import fit_unit

COMPARING = ("bradley_terry", "plackett_luce", "win_rate", "trueskill", "elo", "beta_ranking")
CLUSTERED = ("bradley_terry", "plackett_luce", "win_rate")


def outputs(segments=True, raters=12, rows=900, seed=0, same=False):
    """Comparisons of outputs of systems a, b and c, best first."""
    rng = np.random.default_rng(seed)
    worth = np.array([0.8, 0.3, 0.0])
    left = rng.integers(0, 3, rows)
    right = (left + rng.integers(0 if same else 1, 3, rows)) % 3
    segment = rng.integers(0, 15, rows)
    wins = rng.random(rows) < 1 / (1 + np.exp(worth[right] - worth[left]))
    columns = {
        "rater": [f"r{at}" for at in rng.integers(0, raters, rows)],
        "left": [f"{'abc'[s]}-{j}-l" for s, j in zip(left, segment, strict=True)],
        "right": [f"{'abc'[s]}-{j}" for s, j in zip(right, segment, strict=True)],
        "left_system": ["abc"[s] for s in left],
        "right_system": ["abc"[s] for s in right],
        "outcome": ["left" if won else "right" for won in wins],
    }
    columns |= {"segment": [f"s{j}" for j in segment]} if segments else {}
    return Judgments.from_columns("comparison", columns)


def fitted(name, judgments):
    return model_named(name, **({"penalty": "auto"} if name == "bradley_terry" else {})).fit(judgments)


@pytest.mark.parametrize("name", COMPARING)
def test_comparisons_of_outputs_give_a_scale_of_systems(name):
    systems = fitted(name, outputs()).systems()
    assert systems.scale.ordered().item.tolist() == ["a", "b", "c"]
    assert "unit=system target=new segments, new raters" in systems.signature
    independent = any("assume independent judgments" in note for note in systems.notes)
    assert independent == (name not in CLUSTERED)


@pytest.mark.parametrize("name", CLUSTERED)
@pytest.mark.parametrize(
    ("target", "raters", "errors"),
    [
        ("new", "new", "clustered by rater (12) and segment (15)"),
        ("these", "new", "clustered by rater (12)"),
        ("new", "these", "clustered by segment (15)"),
        ("these", "these", "independent judgments"),
    ],
)
def test_errors_of_systems_are_clustered_for_their_target(name, target, raters, errors):
    systems = fitted(name, outputs()).systems(target, raters)
    assert f"errors={errors}" in systems.signature
    assert f"target={target} segments, {raters} raters" in systems.signature
    assert len(fitted(name, outputs()).differences(unit="system", target=target, raters=raters)) == 3


def test_segments_that_nobody_names_are_reported():
    systems = fitted("bradley_terry", outputs(segments=False)).systems()
    assert "errors=clustered by rater (12)" in systems.signature
    assert any("do not include the variation between segments" in remark for remark in systems.remarks)


def test_a_clustering_that_leaves_out_a_sample_of_the_target_is_reported():
    systems = fit_unit(model_named("bradley_terry", cluster="none"), outputs(), "system")
    assert sum("With cluster=none" in remark for remark in systems.remarks) == 2


def test_comparisons_of_a_system_with_itself_are_counted():
    systems = fitted("bradley_terry", outputs(same=True)).systems()
    assert any("compare a system with itself" in remark for remark in systems.remarks)


def test_comparisons_that_name_no_systems_have_none():
    plain = outputs()
    names = ("rater", "left", "right", "outcome")
    bare = Judgments.from_columns("comparison", {name: plain.cells("comparison", name) for name in names})
    with pytest.raises(BadSetting, match="left_system"):
        fitted("elo", bare).systems()


def test_rankings_of_outputs_give_a_scale_of_systems():
    rng = np.random.default_rng(1)
    rows = []
    for r in range(10):
        for j in range(6):
            order = rng.permutation(3) if rng.random() < 0.4 else np.arange(3)
            ranks = {f"{'abc'[s]}-{j}": place + 1 for place, s in enumerate(order)}
            rows.append(Ranking(f"r{r}", f"t{j}", ranks, {"segment": f"s{j}"}))
    judgments = Judgments.of(rows)
    items = judgments.cells("ranking", "item")
    columns = {
        name: judgments.cells("ranking", name) for name in ("rater", "task", "item", "rank", "segment")
    }
    named = Judgments.from_columns("ranking", {**columns, "system": [item[0] for item in items]})
    systems = model_named("plackett_luce").fit(named).systems()
    assert systems.scale.ordered().item.tolist() == ["a", "b", "c"]
    assert "errors=clustered by rater (10) and segment (6)" in systems.signature
