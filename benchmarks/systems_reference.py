"""Systems and clustered errors against reference numbers: R (sandwich, lme4) and own NumPy.

Reads the cases of FOLDER/reference.json and the judgments that they name, runs each family of cases that this script
knows and prints the largest difference of each number beside its tolerance.

    python benchmarks/systems_reference.py --reference FOLDER --data FOLDER
"""

import argparse
import json
from pathlib import Path

import numpy as np
import pandas

from steelyard import BradleyTerry, Judgments

WAYS = {"naive": "none", "rater": "rater", "segment": "segment", "two_way": "both"}


def comparisons(case, folder):
    """The comparisons of a case; a system may be the part of an item's name after the colon."""
    frame = pandas.read_parquet(folder / case["input"]["file"])
    if "colon" in str(case["input"].get("system")):
        for side in ("left", "right"):
            frame[side] = frame[side].str.split(":").str[1]
        frame = frame[frame["left"] != frame["right"]]
    names = ("rater", "left", "right", "outcome", "segment")
    return Judgments.from_columns(
        "comparison", {name: frame[name].astype(str).to_numpy(object) for name in names}
    )


def bradley_terry(case, folder):
    """Positions, and errors clustered each way without any guard: (number, largest difference, tolerance)."""
    wanted, judgments = case["expected"], comparisons(case, folder)
    for way, cluster in WAYS.items():
        fit = BradleyTerry(ties="half", cluster=cluster, few_clusters="plain").fit(judgments)
        gap = np.abs(fit.posterior.position - np.array(wanted["position_sum_to_zero"])).max()
        yield f"positions ({way})", gap, case["tolerance"]["positions"]
        error = np.abs(fit.posterior.spread - np.array(wanted["se_sum_to_zero"][way])).max()
        yield f"errors ({way})", error, case["tolerance"]["se"]
        if "pairs" in wanted:
            found = {(row["left"], row["right"]): row["error"] for row in fit.differences().rows()}
            gaps = [abs(found[pair["a"], pair["b"]] - pair[f"se_{way}"]) for pair in wanted["pairs"]]
            yield f"errors of differences ({way})", max(gaps), case["tolerance"]["se"]


FAMILIES = {"bradley_terry_clustered_": bradley_terry}  # how the names of a family's cases begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    told = parser.parse_args()
    cases, missed, numbers = json.loads((told.reference / "reference.json").read_text()), 0, 0
    for case in cases:
        for begin, run in FAMILIES.items():
            if case["name"].startswith(begin):
                for name, gap, tolerance in run(case, told.data):
                    numbers, missed = numbers + 1, missed + (not gap <= tolerance)
                    print(f"{case['name']}: {name}: {gap:.1e} (tolerance {tolerance:g})")
    print(f"{numbers - missed} of {numbers} numbers within tolerance")
    raise SystemExit(missed > 0)


if __name__ == "__main__":
    main()
