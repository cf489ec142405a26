"""Time of reading, checking and counting comparisons with string ids, relative to pandas.factorize.

    python benchmarks/reading.py --rows 10000000 > reading.md

The same rows are given as arrays, as frames of every kind, as an Arrow table and as a Parquet file. A run is
`steelyard.read`, with all of its checks, and `PairCounts`. The table has the smallest CPU time of several runs.
The unit is the time of pandas.factorize for both id columns as object arrays, in the same process. There are 100
items. Without --raters there are no raters; with raters, every answer is also compared with all others of that
rater.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from steelyard import read
from steelyard.judgments.counts import PairCounts

WORDS = np.array(["left", "tie", "right"], dtype=object)
TARGET = 4.0  # multiple of the time of pandas.factorize


def draw(rows, items, raters, rng):
    """Columns of comparisons, equal texts as one object; with raters, each row is a task of its own."""
    names = np.array([f"model-{at:06d}" for at in range(items)], dtype=object)
    left = rng.integers(0, items, rows)
    right = (left + rng.integers(1, items, rows)) % items
    columns = {"left": names[left], "right": names[right], "outcome": WORDS[rng.integers(0, 3, rows)]}
    if raters:
        people = np.array([f"rater-{at}" for at in range(raters)], dtype=object)
        columns |= {"rater": people[rng.integers(0, raters, rows)], "turn": np.arange(rows)}
    return columns


def sources(columns, folder):
    """Name and maker of each source; made one at a time to save memory at 10 million rows."""
    path = Path(folder) / "comparisons.parquet"

    def parquet():
        pq.write_table(pa.table(columns), path)
        return path

    yield "dict of arrays", lambda: columns
    text = [name for name, cells in columns.items() if cells.dtype == object]
    yield (
        "pandas, objects",
        lambda: pd.DataFrame({n: pd.Series(c, dtype=c.dtype) for n, c in columns.items()}),
    )
    yield "pandas, an object per cell", lambda: pd.DataFrame({n: _unshared(c) for n, c in columns.items()})
    yield "pandas, text", lambda: pd.DataFrame(columns)
    yield "pandas, categories", lambda: pd.DataFrame(columns).astype(dict.fromkeys(text, "category"))
    yield "Polars", lambda: pl.from_arrow(pa.table(columns))
    yield "Arrow table", lambda: pa.table(columns)
    yield "Arrow dictionaries", lambda: _dictionaries(pa.table(columns))
    yield "Parquet file", parquet


def _unshared(cells):
    """The same column with a separate object in every cell, as in a file read by Python."""
    if cells.dtype != object:
        return cells
    return pd.Series([cell[:1] + cell[1:] for cell in cells.tolist()], dtype=object)


def _dictionaries(table):
    for at, name in enumerate(table.column_names):
        if pa.types.is_string(table[name].type) or pa.types.is_large_string(table[name].type):
            table = table.set_column(at, name, table[name].dictionary_encode())
    return table


def least_seconds(call, runs):
    """The smallest CPU time of several calls."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def load(source):
    return PairCounts.of(read(source), ordered=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--raters", type=int, default=0)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    columns = draw(options.rows, options.items, options.raters, np.random.default_rng(0))
    sides = columns["left"], columns["right"]
    measure = least_seconds(lambda: [pd.factorize(side) for side in sides], options.runs)
    print(f"{options.rows:,} comparisons of {options.items:,} items, {options.raters:,} raters\n")
    print("| source | CPU s | million rows/s | x pandas.factorize | within 4x |\n|---|---|---|---|---|")
    print(f"| pandas.factorize of both id columns | {measure:.3f} | | 1.00 | |")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in sources(columns, folder):
            source = make()
            seconds = least_seconds(lambda source=source: load(source), options.runs)
            within = "yes" if seconds <= TARGET * measure else "no"
            speed = options.rows / seconds / 1e6
            print(
                f"| {name} | {seconds:.3f} | {speed:.1f} | {seconds / measure:.2f} | {within} |", flush=True
            )


if __name__ == "__main__":
    main()
