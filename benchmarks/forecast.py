"""Accuracy of the forecast of judgments to a wanted reliability, in simulated studies.

Each study is simulated to its end. The model is fitted to the first answers, in steps of 25%. From each step with at
least two judgments per item, the number of judgments that reach a target is forecast and compared with the number at
which the predicted reliability first reached it. The constants of `selection/forecast.py` were chosen with seeds 0 to
3; the default seeds are others.

    python benchmarks/forecast.py --seeds 100 104
"""

import argparse
import itertools
import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.study.making import Clock, make_session

from steelyard.judgments.counting import count_judgments
from steelyard.models.model import learn_all
from steelyard.selection.forecast import forecast_judgments
from steelyard.selection.stopping import predicted_reliability
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.collecting.fitting import LEADING, judgments_to_learn, make_model

TARGETS = (0.85, 0.9, 0.95, 0.97)
STEP = 1.25
LEAST_PER_ITEM = 2.0
LIST = {"protocol": "list", "list_size": 5, "model": "steelyard"}
PAIRS = {"protocol": "comparison", "model": "thurstone"}
SETTINGS = {
    "ratings, balanced": {**LIST, "selection": "balanced"},
    "ratings, information": {**LIST, "selection": "information"},
    "comparisons, balanced": {**PAIRS, "selection": "balanced"},
    "comparisons, information": {**PAIRS, "selection": "information"},
}
SIZES = {"list": ((30, 16), (60, 14), (150, 10)), "comparison": ((20, 40), (40, 30))}
CROWDS = ("full", "hard full", "iid")


@dataclass(frozen=True)
class Point:
    """Number of judgments, predicted reliability, and judgments per item."""

    judgments: int
    reliability: float
    per_item: float


def curve(seed, items, redundancy, scenario, settings):
    """Predicted reliability of a simulated study by number of judgments."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as place:
        session = make_session(
            Path(place) / "study",
            Clock(),
            items=items,
            store="memory",
            redundancy=redundancy,
            seed=seed,
            **settings,
        )
        simulate(session, Crowd.draw(session, SCENARIOS[scenario], 30, "uniform", rng), rng)
        ledger = session.fresh_ledger()
    answers, model, points = ledger.counted_answers(), make_model(ledger), []
    size = max(items // ledger.definition.asking.task_size, 2)
    while size <= len(answers):
        judged = ledger.judgments_in(answers[: round(size)], LEADING)
        belief = learn_all(model, ledger.items.ids, judgments_to_learn(ledger, judged))
        reliability = predicted_reliability(belief.position, belief.variance)
        count = count_judgments(judged)
        points.append(Point(count, reliability, belief.count.sum() / items))
        size *= STEP
    return points


def reached(points, target):
    """Number of judgments at which the target was first reached, interpolated between steps, or None."""
    for before, after in itertools.pairwise(points):
        if before.reliability < target <= after.reliability:
            odds = [math.log(r**2 / (1 - r**2)) for r in (before.reliability, target, after.reliability)]
            share = (odds[1] - odds[0]) / (odds[2] - odds[0])
            return before.judgments * (after.judgments / before.judgments) ** share
    return None


def cases(points):
    """Forecast, its interval and the true number of further judgments, for all steps and targets."""
    for target in TARGETS:
        end = reached(points, target)
        if end is None:
            continue
        for point in points:
            if point.reliability >= target or point.judgments >= end:
                break
            if point.per_item < LEAST_PER_ITEM:
                continue
            made = forecast_judgments(point.judgments, point.reliability, target)
            if made is not None:
                true = end - point.judgments
                yield made.more / true, made.low <= true <= made.high, end / point.judgments


def row(name, found):
    ratio, held, factor = (np.array(each) for each in zip(*found, strict=True))
    low, median, high = np.quantile(ratio, [0.1, 0.5, 0.9])
    near = factor < 1.5
    return (
        f"| {name} | {len(found)} | {median:.2f} | {low:.2f} to {high:.2f} | {100 * held.mean():.0f}% | "
        f"{100 * held[near].mean():.0f}% | {100 * held[~near].mean():.0f}% |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seeds", type=int, nargs=2, default=(100, 104), help="first seed, and the one after the last"
    )
    arguments = parser.parse_args()
    print(
        "| study | forecasts | forecast / true further judgments, median | 10% to 90% | in the 80% interval | "
        "of those up to 1.5 times as many | of those further away |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, settings in SETTINGS.items():
        found = [
            case
            for seed in range(*arguments.seeds)
            for items, redundancy in SIZES[settings["protocol"]]
            for scenario in CROWDS
            for case in cases(curve(seed, items, redundancy, scenario, settings))
        ]
        print(row(name, found), flush=True)


if __name__ == "__main__":
    main()
