"""The same counts and fits on DuckDB, PostgreSQL and Spark, from one Parquet file of simulated votes.

    python benchmarks/engines_same.py --folder FOLDER [--rows 10000000] [--postgres URL] [--spark PYTHON]

URL is a database of a PostgreSQL server, and PYTHON an interpreter with the extra `spark`. Each engine runs in a
process of its own, which writes the hash of its counts and its fit. The last lines compare them.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from steelyard import BradleyTerry, connect

TABLE = "votes"


def make(path: Path, rows: int) -> None:
    import duckdb

    from engines import log_sql

    votes = log_sql("few", rows).replace("SELECT 'r'", "SELECT ['de', 'en'][1 + r % 2] AS language, 'r'", 1)
    duckdb.execute("SET memory_limit = '2GB'")
    duckdb.execute(f"COPY ({votes}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")


def load(path: str, url: str) -> None:
    """Copy the file into a table of PostgreSQL."""
    import duckdb
    import psycopg

    with psycopg.connect(url, autocommit=True) as database:
        database.execute(f"DROP TABLE IF EXISTS {TABLE}")
        database.execute(
            f'CREATE UNLOGGED TABLE {TABLE} (language text, rater text, "left" text, "right" text, outcome text)'
        )
        names = 'language, rater, "left", "right", outcome'
        with database.cursor().copy(f"COPY {TABLE} ({names}) FROM STDIN") as copy:
            reader = duckdb.execute(f"SELECT {names} FROM '{path}'").to_arrow_reader(100_000)
            for batch in reader:
                rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
                copy.write("".join("\t".join(row) + "\n" for row in rows))


def run(engine: str, path: str, url: str, made: str) -> None:
    """Count and fit on one engine, and write the results to a file."""
    start = time.process_time()
    source = {"duckdb": path, "postgres": url, "spark": f"spark://local#{path}"}[engine]
    with connect(source, table=TABLE if engine == "postgres" else None) as log:
        counts = log.pooled(["language"], ordered=True)
        codes = counts.cells["language"]
        rows = [counts.left, counts.right, codes.values, *counts.counts.astype(np.int64)]
        text = repr((counts.items.tolist(), list(codes.labels), [row.tolist() for row in rows]))
        scale = BradleyTerry(order=True).fit(log).scale
    order = np.argsort(scale.item.astype(str))
    columns = np.stack([scale.position, scale.spread, scale.low, scale.high, scale.count])[:, order]
    np.savez(made, digest=hashlib.sha256(text.encode()).hexdigest(), columns=columns)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"| {engine} | {time.process_time() - start:.1f} | {memory:.2f} | {counts.judgments:,.0f} |",
        flush=True,
    )


def compare(folder: Path, engines: list[str]) -> None:
    first, *others = (np.load(folder / f"{engine}.npz") for engine in engines)
    for engine, other in zip(engines[1:], others, strict=True):
        same = str(first["digest"]) == str(other["digest"])
        apart = np.max(
            np.abs(first["columns"] - other["columns"]) / np.maximum(np.abs(first["columns"]), 1.0)
        )
        print(f"{engine}: counts {'equal' if same else 'DIFFER'}, largest difference of the fit {apart:.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--postgres", default="")
    parser.add_argument("--spark", default="")
    parser.add_argument("--one", nargs=4, metavar=("ENGINE", "FILE", "URL", "RESULT"))
    asked = parser.parse_args()
    if asked.one is not None:
        run(*asked.one)
        return
    path = asked.folder / "same.parquet"
    make(path, asked.rows)
    pythons = {"duckdb": sys.executable}
    if asked.postgres:
        load(str(path), asked.postgres)
        pythons["postgres"] = sys.executable
    if asked.spark:
        pythons["spark"] = asked.spark
    print(
        "| engine | CPU s of this process | GiB of this process | comparisons |\n|---|---|---|---|",
        flush=True,
    )
    for engine, python in pythons.items():
        made = str(asked.folder / f"{engine}.npz")
        arguments = ["--folder", str(asked.folder), "--one", engine, str(path), asked.postgres, made]
        subprocess.run([python, __file__, *arguments], check=True)
    compare(asked.folder, list(pythons))
    path.unlink()


if __name__ == "__main__":
    main()
