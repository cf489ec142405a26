"""Compare Plackett-Luce with R: the largest deviation from each case of a reference folder.

    python benchmarks/r_plackett_luce.py --reference FOLDER

FOLDER contains reference.json (cases made with R 4.2.2, PlackettLuce 0.4.3) and the tables that it names.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.judgments.table import Judgments
from steelyard.models.plackett_luce.model import PlackettLuce, PlackettLuceFit

LOST = 84  # drivers from this index on only lose, and are left out of the case


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def ranked(rankings: list[dict[str, float]]) -> Judgments:
    rows = [(str(at), item, rank) for at, ranking in enumerate(rankings) for item, rank in ranking.items()]
    task, item, rank = zip(*rows, strict=True)
    return Judgments.from_columns("ranking", {"rater": task, "task": task, "item": item, "rank": rank})


def compared(pairs: list[tuple[str, str, str, float]]) -> Judgments:
    left, right, outcome, count = zip(*pairs, strict=True)
    columns = {"rater": ["r"] * len(pairs), "left": left, "right": right, "outcome": outcome, "count": count}
    return Judgments.from_columns("comparison", columns)


def salad(folder: Path) -> Judgments:
    return ranked([{item: float(rank) for item, rank in row.items()} for row in rows_of(folder)])


def nascar(folder: Path) -> Judgments:
    names = {int(row["index"]): row["driver"] for row in rows_of(folder.parent / "pl_nascar_drivers.csv")}
    races = []
    for row in rows_of(folder):
        drivers = [int(cell) for cell in row.values()]
        races.append({names[d]: float(at) for at, d in enumerate(drivers) if 0 < d < LOST})
    return ranked(races)


def pudding(folder: Path) -> Judgments:
    pairs = []
    for row in rows_of(folder):
        for outcome, column in (("left", "w_ij"), ("right", "w_ji"), ("tie", "t_ij")):
            pairs.append((row["i"], row["j"], outcome, float(row[column])))
    return compared(pairs)


def separation(folder: Path) -> Judgments:
    pairs = []
    for row in rows_of(folder):
        for outcome, column in (("left", "win1"), ("right", "win2")):
            pairs.append((row["obj1"], row["obj2"], outcome, float(row[column])))
    return compared(pairs)


CASES: dict[str, tuple[Any, PlackettLuce]] = {
    "salad_plackett_luce": (salad, PlackettLuce(pseudo=0.0, cluster="none", reference="A")),
    "nascar_pl_hunter": (nascar, PlackettLuce(pseudo=0.0, cluster="none", reference="Austin Cameron")),
    "pudding_plackett_luce_ties": (pudding, PlackettLuce(pseudo=0.0, cluster="none", reference="1")),
    "separation_pl_pseudo": (separation, PlackettLuce(pseudo=0.5, cluster="none", reference="W")),
}


def wanted(expected: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Estimates and standard errors by name, in whichever way the case writes them."""
    coefficients = expected.get("coefficients", {})
    expected_numbers = {
        "estimate": {name: each["estimate"] for name, each in coefficients.items()},
        "se": {name: each["se"] for name, each in coefficients.items()},
        "worth": expected.get("worth", {}),
    }
    expected_numbers["estimate"].update(expected.get("log_worth", {}))
    expected_numbers["se"].update(
        {name: each for name, each in expected.get("se", {}).items() if each is not None}
    )
    for name in ("loglik", "df_residual"):
        expected_numbers[name] = {} if expected.get(name) is None else {name: expected[name]}
    return expected_numbers


def fitted_numbers(fit: PlackettLuceFit) -> dict[str, dict[str, float]]:
    names = fit.item.tolist()
    numbers = {
        "estimate": dict(zip(names, fit.posterior.position.tolist(), strict=True)),
        "se": dict(zip(names, fit.posterior.spread.tolist(), strict=True)),
        "worth": dict(zip(names, fit.worth.tolist(), strict=True)),
        "loglik": {"loglik": fit.log_likelihood},
        "df_residual": {"df_residual": fit.freedom},
    }
    for tie in fit.ties:
        numbers["estimate"][f"tie{tie.size}"] = tie.log_delta
        numbers["se"][f"tie{tie.size}"] = tie.standard_error
    return numbers


def deviations(case: dict[str, Any], folder: Path) -> dict[str, float]:
    read, model = CASES[case["name"]]
    ours = fitted_numbers(model.fit(read(folder / case["data"])))
    return {
        kind: float(max(abs(ours[kind][name] - value) for name, value in values.items()))
        for kind, values in wanted(case["expected"]).items()
        if values
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", type=Path, required=True, help="folder with reference.json and data/")
    folder = parser.parse_args().reference
    np.seterr(all="raise", under="ignore")
    print("| case | largest deviation | tolerance |\n|---|---|---|")
    for case in json.loads((folder / "reference.json").read_text(encoding="utf-8")):
        if case["name"] in CASES:
            listing = ", ".join(f"{kind} {value:.1e}" for kind, value in deviations(case, folder).items())
            print(f"| {case['name']} | {listing} | {case['tolerance']} |")


if __name__ == "__main__":
    main()
