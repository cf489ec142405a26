"""Agreement of models of comparisons with the official system scores of the ranking task of WMT 2016.

    python benchmarks/wmt16.py --data FOLDER > wmt16.md

FOLDER contains wmt16_rank.comparison.parquet (rater, left, right, outcome, question, count; one question per language
pair, rankings of five as pairs) and wmt16_rank.gold.parquet (item = question/system, value = official score). The
official scores were computed by TrueSkill from the same judgments. Agreement shows that the models reproduce them, not
that they are true.
"""

import argparse
from pathlib import Path

import duckdb
import numpy as np
from scipy.stats import spearmanr

from steelyard import BetaRanking, Elo, TrueSkill, WinRate, read

MODELS = {
    "trueskill": TrueSkill(),
    "beta_ranking": BetaRanking(),
    "elo": Elo(),
    "elo, 10 passes": Elo(passes=10),
    "win_rate": WinRate(),
    "win_rate, ties half": WinRate(ties="half"),
    "win_rate, opponents": WinRate(average="opponents"),
}


def official_scores(folder):
    rows = duckdb.execute(
        "select item, value from read_parquet(?)", [str(folder / "wmt16_rank.gold.parquet")]
    )
    return dict(rows.fetchall())


def agreement(scale, official, question):
    """Spearman over the systems that have an official score, and their number."""
    known = [f"{question}/{item}" in official for item in scale.item]
    gold = [official[f"{question}/{item}"] for item in scale.item[known]]
    return spearmanr(scale.position[known], gold).statistic, len(gold)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    folder = parser.parse_args().data
    official = official_scores(folder)
    judgments = read(folder / "wmt16_rank.comparison.parquet")
    print(f"| language pair | systems | comparisons | {' | '.join(MODELS)} |")
    print("|---" * (3 + len(MODELS)) + "|")
    found = []
    for question, part in sorted(judgments.by("question")):
        rows = [agreement(model.fit(part).scale, official, question) for model in MODELS.values()]
        found.append([rho for rho, _ in rows])
        cells = " | ".join(f"{rho:.3f}" for rho in found[-1])
        print(f"| {question} | {rows[0][1]} | {part.table('comparison').weights.sum():,.0f} | {cells} |")
    for name, row in (("mean", np.mean(found, axis=0)), ("lowest", np.min(found, axis=0))):
        print(f"| {name} | | | {' | '.join(f'{rho:.3f}' for rho in row)} |")


if __name__ == "__main__":
    main()
