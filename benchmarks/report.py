"""Time and size of a report relative to the fit, for many items and judgments.

    python benchmarks/report.py --items 100000 --judgments 1000000 --kind rating

Prints the CPU time of reading a file (CSV or Parquet), of the fit with its scale, and of everything else in the report
(parts and page), the ratio of the whole to the fit, with and without reading, and the size of the page. The data are
simulated: each rater answers about 500 tasks.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from steelyard import read
from steelyard.judgments.table import Judgments
from steelyard.judgments.writing import write_columns
from steelyard.models.known import default_model, model_named
from steelyard.models.units import fit_unit
from steelyard.report.contents import PARTS, Cover, FittedGroup, report_of_fits
from steelyard.report.page import render_report

PER_RATER = 500


TASK = 5  # items of a ranking


def simulated_columns(kind: str, items: int, judgments: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return the columns of judgments; `judgments` is the number of rows."""
    position = rng.normal(50.0, 15.0, items)
    rater = rng.integers(0, max(judgments // PER_RATER, 2), judgments)
    bias = rng.normal(0.0, 5.0, int(rater.max()) + 1)
    if kind == "comparison":
        left = rng.integers(0, items, judgments)
        right = (left + rng.integers(1, items, judgments)) % items
        gap = position[left] - position[right] + rng.normal(0.0, 10.0, judgments)
        outcome = np.where(np.abs(gap) < 2.0, "tie", np.where(gap > 0, "left", "right"))
        return {
            "rater": _named("r", rater),
            "left": _named("i", left),
            "right": _named("i", right),
            "outcome": outcome.tolist(),
        }
    if kind == "ranking":
        tasks = judgments // TASK
        first = rng.integers(0, items, tasks)
        item = (first[:, None] + np.arange(TASK) * rng.integers(1, items // TASK, tasks)[:, None]) % items
        worth = position[item] + rng.normal(0.0, 10.0, item.shape)
        rank = np.argsort(np.argsort(-worth, axis=1), axis=1) + 1
        return {
            "rater": _named("r", np.repeat(rater[:tasks], TASK)),
            "task": _named("t", np.repeat(np.arange(tasks), TASK)),
            "item": _named("i", item.ravel()),
            "rank": rank.ravel().tolist(),
        }
    item = np.arange(judgments) % items
    rng.shuffle(item)
    score = np.clip(position[item] + bias[rater] + rng.normal(0.0, 10.0, judgments), 0.0, 100.0)
    names = {"rater": _named("r", rater), "item": _named("i", item)}
    if kind == "rating":
        return {**names, "score": score.round().tolist()}
    width = rng.gamma(4.0, 3.0, judgments)
    ends = {"low": np.clip(score - width, 0, 100), "high": np.clip(score + width, 0, 100)}
    return {**names, **{name: each.tolist() for name, each in ends.items()}}


def _named(letter: str, codes: np.ndarray) -> list[str]:
    return [f"{letter}{at}" for at in codes.tolist()]


def simulated(kind: str, items: int, judgments: int, rng: np.random.Generator) -> Judgments:
    return read_as(kind, simulated_columns(kind, items, judgments, rng))


def read_as(kind: str, source: Any) -> Judgments:
    asked = (0.0, 100.0) if kind in ("rating", "range") else None
    return read(source, kind=kind, range=asked, repeats="keep")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--kind", default="rating")
    parser.add_argument("--model")
    parser.add_argument("--format", choices=("csv", "parquet"), default="csv")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--penalty", default="pseudo", help="of BradleyTerry: with 20 comparisons each, some items win all"
    )
    asked = parser.parse_args()
    name = asked.model or default_model((asked.kind,))
    model = model_named(name, **({"penalty": asked.penalty} if name == "bradley_terry" else {}))
    small = simulated(asked.kind, 50, 1_000, np.random.default_rng(0))  # compiles kernels and imports charts
    render_report(
        report_of_fits([FittedGroup("", small, fit_unit(model, small, "item"))], model, Cover("", 0.0))
    )
    columns = simulated_columns(asked.kind, asked.items, asked.judgments, np.random.default_rng(asked.seed))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"judgments.{asked.format}"
        write_columns(columns, path, asked.format)
        start = time.process_time()
        judgments = read_as(asked.kind, path)
        reading = time.process_time() - start
    start = time.process_time()
    fit = fit_unit(model, judgments, "item")
    len(fit.scale)
    fitted = time.process_time() - start
    marks = [time.process_time()]
    made = report_of_fits(
        [FittedGroup("", judgments, fit)],
        model,
        Cover("Benchmark", 0.0),
        progressed=lambda: marks.append(time.process_time()),
    )
    page = render_report(made)
    rest = time.process_time() - marks[0]
    print(f"{asked.kind}, {model.name}: {asked.items:,} items, {asked.judgments:,} judgments")
    own = reading + fitted
    print(f"reading {reading:.1f} s, fit {fitted:.1f} s, rest of the report {rest:.1f} s (CPU time)")
    print(f"whole / fit: {(own + rest) / own:.2f} with reading, {(fitted + rest) / fitted:.2f} without")
    parts = zip(PARTS, np.diff(marks), strict=True)
    print(", ".join(f"{name} {seconds:.1f} s" for name, seconds in parts))
    print(f"page {len(page.encode()) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
