"""Steelyard beside evalica and arena-rank on one Parquet file of simulated votes: CPU seconds, memory, positions.

    python benchmarks/engines_peers.py --folder FOLDER --peers PYTHON [--rows 10000000]

PYTHON is an interpreter of an environment with evalica, arena-rank and pyarrow. Every job is a process of its own that
reads the file. `davidson` and `newman` fit the same model, with estimated ties; `half` and `arena` count ties as half a
win, and report intervals from a sandwich covariance. Positions are compared between the two of each pair.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

JOBS = {
    "davidson": "Steelyard, ties estimated, standard errors",
    "newman": "evalica newman, ties estimated, no standard errors",
    "half": "Steelyard, ties as half wins, sandwich errors of independent votes",
    "arena": "arena-rank, ties as half wins, sandwich errors",
    "clustered": "Steelyard, ties estimated, errors clustered by rater",
}
PAIRS = (("davidson", "newman"), ("half", "arena"))


def make(path: Path, rows: int) -> None:
    import duckdb

    from engines import log_sql

    connection = duckdb.connect()
    connection.execute("SET memory_limit = '3GB'; SET preserve_insertion_order = false")
    connection.execute(f"COPY ({log_sql('few', rows)}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")


def with_steelyard(path: str, **settings) -> dict[str, float]:
    from steelyard import BradleyTerry, connect

    with connect(path, memory="1GB") as log:
        scale = BradleyTerry(**settings).fit(log).scale
        return dict(zip(scale.item.tolist(), scale.position.tolist(), strict=True))


def with_evalica(path: str) -> dict[str, float]:
    import evalica
    import pandas as pd

    votes = pd.read_parquet(path, columns=["left", "right", "outcome"])
    words = {"left": evalica.Winner.X, "right": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    winners = votes["outcome"].map(words).tolist()
    scores = evalica.newman(votes["left"], votes["right"], winners, limit=10_000).scores
    return dict(zip(scores.index, np.log(scores.to_numpy()), strict=True))


def with_arena(path: str) -> dict[str, float]:
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    votes = pd.read_parquet(path, columns=["left", "right", "outcome"])
    votes = votes.rename(columns={"left": "model_a", "right": "model_b", "outcome": "winner"})
    votes["winner"] = votes["winner"].map({"left": "model_a", "right": "model_b", "tie": "tie"})
    dataset = PairDataset.from_pandas(votes)
    model = BradleyTerry(n_competitors=dataset.n_competitors)
    ratings = model.compute_ratings_and_cis(dataset)
    unit = np.log(10.0) / 400.0
    return dict(zip(ratings["competitors"], unit * np.asarray(ratings["ratings"]), strict=True))


RUN = {
    "davidson": lambda path: with_steelyard(path, cluster="none"),
    "newman": with_evalica,
    "half": lambda path: with_steelyard(path, ties="half", standard_errors="judgment"),
    "arena": with_arena,
    "clustered": lambda path: with_steelyard(path, cluster="rater"),
}


def one(job: str, path: str, made: str) -> None:
    start = time.process_time()
    positions = RUN[job](path)
    names = sorted(positions)
    np.savez(made, names=np.array(names), positions=np.array([positions[name] for name in names]))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"| {JOBS[job]} | {time.process_time() - start:.1f} | {memory:.2f} |", flush=True)


def compare(folder: Path) -> None:
    for ours, theirs in PAIRS:
        mine, other = (np.load(folder / f"{job}.npz") for job in (ours, theirs))
        assert mine["names"].tolist() == other["names"].tolist()
        first, second = (each["positions"] - each["positions"].mean() for each in (mine, other))
        print(f"largest difference of positions, {ours} and {theirs}: {np.max(np.abs(first - second)):.2e}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--peers")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--one", nargs=3, metavar=("JOB", "FILE", "RESULT"))
    asked = parser.parse_args()
    if asked.one is not None:
        one(*asked.one)
        return
    path = asked.folder / "votes.parquet"
    make(path, asked.rows)
    print("| fit | CPU s | GiB |\n|---|---|---|", flush=True)
    for job in JOBS:
        interpreter = asked.peers if job in ("newman", "arena") else sys.executable
        made = str(asked.folder / f"{job}.npz")
        subprocess.run(
            [interpreter, __file__, "--folder", str(asked.folder), "--one", job, str(path), made], check=True
        )
    compare(asked.folder)
    path.unlink()


if __name__ == "__main__":
    main()
