"""Large logs in place: CPU seconds and memory of fits beside hand-written SQL on the same files.

    python benchmarks/engines.py --folder FOLDER [--rows 100000000] [--jobs few,hand,pairs,...]

Writes Parquet files with simulated judgments to FOLDER (about 2.5 GB for 100 million rows) and removes them at the end.
Each job runs in a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

import duckdb

from steelyard import BradleyTerry, DirectAssessment, Steelyard, connect

MEMORY = "1GB"
JOBS = ("hand", "few", "pairs_sql", "pairs", "many", "ratings", "raters")
FILES = {
    "hand": "few",
    "few": "few",
    "pairs_sql": "few",
    "pairs": "few",
    "many": "many",
    "ratings": "ratings",
    "raters": "ratings",
}


def uniform(salt: int) -> str:
    return f"((hash(i * 8 + {salt}) >> 11)::DOUBLE / 9007199254740992.0)"


def below(bound: int, salt: int) -> str:
    return f"(floor({bound} * {uniform(salt)})::BIGINT % {bound})"


def worth(code: str) -> str:
    return f"((((hash({code}) >> 11)::DOUBLE / 9007199254740992.0) - 0.5) * 3)"


def pairs_sql(kind: str, rows: int) -> str:
    """Pairs of 300 items at random, or of 100,000 items with 25 partners each."""
    drawn = f"SELECT i, {below(100_000, 3)} AS r, {uniform(4)} AS u, {uniform(5)} AS side"
    if kind == "few":
        inside = f"{drawn}, {below(300, 1)} AS l, {below(299, 2)} AS k FROM range({rows}) t(i)"
        return f"SELECT i, r, u, l, (l + 1 + k) % 300 AS m FROM ({inside})"
    inside = f"{drawn}, {below(100_000, 1)} AS a, {below(25, 2)} AS k FROM range({rows}) t(i)"
    other = f"SELECT *, (a + 1 + (k * k * k * 2654435761 + k * 97) % 50000) % 100000 AS b FROM ({inside})"
    return f"SELECT i, r, u, if(side < 0.5, a, b) AS l, if(side < 0.5, b, a) AS m FROM ({other})"


def log_sql(kind: str, rows: int) -> str:
    if kind == "ratings":
        score = f"100 * ({worth('item_code')} / 3 + 0.5) + 40 * ({uniform(2)} - 0.5)"
        inside = (
            f"SELECT i, {below(1_000_000, 1)} AS item_code, {below(100_000, 3)} AS r FROM range({rows}) t(i)"
        )
        return (
            f"SELECT 'r' || r AS rater, 'i' || item_code AS item, "
            f"round(least(100, greatest(0, {score}))) AS score FROM ({inside})"
        )
    left, right = worth("l"), worth("m")
    shares = (
        f"SELECT *, exp({left} + 0.1) AS pl, exp({right}) AS pr, 0.6 * exp(({left} + {right} + 0.1) / 2) AS pt "
        f"FROM ({pairs_sql(kind, rows)})"
    )
    return (
        "SELECT 'r' || r AS rater, 'model-' || l AS \"left\", 'model-' || m AS \"right\", "
        "CASE WHEN u < pl / (pl + pr + pt) THEN 'left' WHEN u < (pl + pt) / (pl + pr + pt) THEN 'tie' "
        f"ELSE 'right' END AS outcome FROM ({shares})"
    )


def make(path: Path, kind: str, rows: int) -> None:
    connection = duckdb.connect()
    connection.execute("SET memory_limit = '3GB'; SET preserve_insertion_order = false")
    connection.execute(f"COPY ({log_sql(kind, rows)}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")


def counted_by_hand(path: str, by: str) -> str:
    connection = duckdb.connect()
    connection.execute(f"SET memory_limit = '{MEMORY}'; SET preserve_insertion_order = false")
    sums = ", ".join(f"sum((outcome = '{word}')::INT) AS {word}s" for word in ("left", "tie", "right"))
    connection.execute(
        f'CREATE TABLE cells AS SELECT {by}"left", "right", {sums} FROM read_parquet(\'{path}\') GROUP BY ALL'
    )
    return f"{connection.execute('SELECT count(*) FROM cells').fetchone()[0]:,} cells"


def run(job: str, path: str) -> str:
    if job in ("hand", "pairs_sql"):
        return counted_by_hand(path, "rater, " if job == "hand" else "")
    with connect(path, memory=MEMORY) as log:
        if job == "pairs":
            return f"{len(log.pooled(ordered=True)):,} ordered pairs"
        model = {"ratings": DirectAssessment(), "raters": Steelyard()}.get(job, BradleyTerry())
        fit = model.fit(log)
        return f"{fit.signature}; converged: {fit.converged}, scale of {len(fit.scale)} items"


def one(job: str, path: str) -> None:
    start = time.process_time()
    outcome = run(job, path)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"| {job} | {time.process_time() - start:.1f} | {memory:.2f} | {outcome} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--jobs", default=",".join(JOBS))
    parser.add_argument("--one", nargs=2, metavar=("JOB", "FILE"))
    asked = parser.parse_args()
    if asked.one is not None:
        one(*asked.one)
        return
    jobs = asked.jobs.split(",")
    files = {kind: asked.folder / f"{kind}.parquet" for kind in dict.fromkeys(FILES[job] for job in jobs)}
    print("| job | CPU s | GiB | result |\n|---|---|---|---|", flush=True)
    for kind, path in files.items():
        make(path, kind, asked.rows)
        for job in jobs:
            if FILES[job] == kind:
                again = [sys.executable, __file__, "--folder", str(asked.folder), "--one", job, str(path)]
                subprocess.run(again, check=True)
        path.unlink()


if __name__ == "__main__":
    main()
