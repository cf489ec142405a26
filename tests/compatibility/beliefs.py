"""Beliefs of every online model, saved after the first half of a study's judgments and after all of them."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import numpy as np

import steelyard
from steelyard.models import best_worst

# The case whose judgments each model takes, and the range of its scale.
LEARNT_FROM = {
    "easl": ("list", (0.0, 100.0)),
    "trueskill": ("comparison", None),
    "beta_ranking": ("comparison", None),
    "elo": ("comparison", None),
    "win_rate": ("comparison", None),
    "plackett_luce": ("ranking", None),
    "best_worst": ("best_worst", None),
}
MODELS = {
    "easl": steelyard.Easl,
    "trueskill": steelyard.TrueSkill,
    "beta_ranking": steelyard.BetaRanking,
    "elo": steelyard.Elo,
    "win_rate": steelyard.WinRate,
    "plackett_luce": steelyard.PlackettLuce,
    "best_worst": best_worst.BestWorst,
}
SETTINGS = {"plackett_luce": {"pseudo": 0.5}, "best_worst": {"pseudo": 0.5}}


def make_model(name):
    """The model whose belief is kept."""
    return MODELS[name](**SETTINGS.get(name, {}))


def halves(cases, name):
    """The judgments that a model learns from, in two parts: those of the earlier and of the later tasks."""
    case, range_ = LEARNT_FROM[name]
    rows = list(csv.DictReader(io.StringIO((cases / case / "golden" / "judgments.csv").read_text("utf-8"))))
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    early = set(tasks[: len(tasks) // 2])
    parts = ([row for row in rows if (row["task"] in early) == wanted] for wanted in (True, False))
    return [_read(part, range_) for part in parts]


def items_of(parts):
    """Every item of these judgments."""
    return np.array(sorted({item for part in parts for item in part.items}), dtype=object)


def save_beliefs(cases):
    """Write the beliefs of all models beside the cases."""
    folder = cases / "beliefs"
    folder.mkdir(exist_ok=True)
    for name in LEARNT_FROM:
        model, (first, second) = make_model(name), halves(cases, name)
        belief = model.update(model.start(items_of((first, second))), first)
        steelyard.save_belief(belief, folder / f"{name}.json")
        steelyard.save_belief(model.update(belief, second), folder / f"{name}_later.json")


def _read(rows, range_):
    """Judgments of these rows of an export."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judgments.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return steelyard.read(path) if range_ is None else steelyard.read(path, range=range_)
