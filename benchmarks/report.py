"""Time and size of a report relative to the fit, for many items and judgments.

    python benchmarks/report.py --items 100000 --judgments 1000000 --kind rating

Prints the time of the fit with its scale, the time of everything else in the report (parts and page), their ratio and
the size of the page. The data are simulated: each rater answers about 500 tasks. Reading a file is not included.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.models.known import default_model, model_named
from steelyard.models.units import fit_unit
from steelyard.report.contents import PARTS, Cover, FittedGroup, report_of_fits
from steelyard.report.page import render_report

PER_RATER = 500


def simulated(kind: str, items: int, judgments: int, rng: np.random.Generator) -> Judgments:
    position = rng.normal(50.0, 15.0, items)
    rater = rng.integers(0, max(judgments // PER_RATER, 2), judgments)
    bias = rng.normal(0.0, 5.0, int(rater.max()) + 1)
    names = {"rater": [f"r{at}" for at in rater]}
    if kind == "comparison":
        left = rng.integers(0, items, judgments)
        right = (left + rng.integers(1, items, judgments)) % items
        gap = position[left] - position[right] + rng.normal(0.0, 10.0, judgments)
        outcome = np.where(np.abs(gap) < 2.0, "tie", np.where(gap > 0, "left", "right"))
        columns = {"left": left.astype(str), "right": right.astype(str), "outcome": outcome}
        return Judgments.from_columns(
            kind, {**names, **{key: each.tolist() for key, each in columns.items()}}
        )
    item = np.arange(judgments) % items
    rng.shuffle(item)
    score = np.clip(position[item] + bias[rater] + rng.normal(0.0, 10.0, judgments), 0.0, 100.0)
    names["item"] = [f"i{at}" for at in item]
    if kind == "rating":
        return Judgments.from_columns(kind, {**names, "score": score.round()}, range=(0, 100))
    width = rng.gamma(4.0, 3.0, judgments)
    ends = {"low": np.clip(score - width, 0, 100), "high": np.clip(score + width, 0, 100)}
    return Judgments.from_columns(kind, {**names, **ends}, range=(0, 100))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--kind", default="rating")
    parser.add_argument("--model")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    model = model_named(asked.model or default_model((asked.kind,)))
    small = simulated(asked.kind, 50, 1_000, np.random.default_rng(0))  # compiles kernels and imports charts
    render_report(
        report_of_fits([FittedGroup("", small, fit_unit(model, small, "item"))], model, Cover("", 0.0))
    )
    judgments = simulated(asked.kind, asked.items, asked.judgments, np.random.default_rng(asked.seed))
    start = time.perf_counter()
    fit = fit_unit(model, judgments, "item")
    len(fit.scale)
    fitted = time.perf_counter() - start
    marks = [time.perf_counter()]
    made = report_of_fits(
        [FittedGroup("", judgments, fit)],
        model,
        Cover("Benchmark", 0.0),
        progressed=lambda: marks.append(time.perf_counter()),
    )
    page = render_report(made)
    rest = time.perf_counter() - marks[0]
    print(f"{asked.kind}, {model.name}: {asked.items:,} items, {asked.judgments:,} judgments")
    print(f"fit {fitted:.1f} s, report {rest:.1f} s, whole / fit {(fitted + rest) / fitted:.2f}")
    parts = zip(PARTS, np.diff(marks), strict=True)
    print(", ".join(f"{name} {seconds:.1f} s" for name, seconds in parts))
    print(f"page {len(page.encode()) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
