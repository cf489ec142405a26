"""Differences between systems on published judgments: Steelyard, lme4, clustered OLS and official results.

    python benchmarks/systems_real.py --data FOLDER --reference reference.json

FOLDER contains vcc2018_mos, mqm_sxs23 and rankme (ratings), pandalm and wmt16_rank (comparisons, and official scores).
The reference file contains the crossed model of lme4, two-way clustered errors of sandwich, and Bradley-Terry with
clustered errors. If it has no case for a data set, the table states that the numbers are Steelyard's own.
`--only mqm` runs the data sets whose names contain that text. Tables are Markdown.
"""

import argparse
import json
import time
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
from scipy.stats import spearmanr

from steelyard import BradleyTerry, Judgments
from steelyard.models.crossed import Crossed
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.models.steelyard.model import Steelyard

RATED = {
    "mqm_ende": ("mqm_sxs23", {"question": "ende"}),
    "mqm_zhen": ("mqm_sxs23", {"question": "zhen"}),
    "rankme_likert_stp1_quality": (
        "rankme",
        {"protocol": "likert", "setup": "stp1", "question": "quality"},
    ),
    "rankme_likert_stp2_informativeness": (
        "rankme",
        {"protocol": "likert", "setup": "stp2", "question": "informativeness"},
    ),
    "rankme_rankME_stp2_quality": (
        "rankme",
        {"protocol": "rankME", "setup": "stp2", "question": "quality"},
    ),
    "vcc2018": ("vcc2018_mos", {}),
}
NORMAL = 1.959964  # quantile for reference programs, which give no degrees of freedom


def ratings(folder, file, kept):
    rows = " and ".join(f"{column} = '{value}'" for column, value in kept.items()) or "true"
    table = duckdb.sql(
        "select rater, system || '|' || segment as item, system, segment, raw::double as score "
        f"from '{folder / file}.rating.parquet' where {rows}"
    ).fetchnumpy()
    return Judgments.from_columns("rating", {name: values.tolist() for name, values in table.items()})


class Compared:
    """Differences of all pairs by one method: estimates, errors, and which are significant at 5%."""

    def __init__(self, estimate, error, significant=None):
        self.estimate, self.error = np.asarray(estimate), np.asarray(error)
        far = np.abs(self.estimate) > NORMAL * self.error
        self.significant = far if significant is None else np.asarray(significant)

    def __str__(self):
        return f"{self.error.mean():.3g} / {int(self.significant.sum())}"


def ours(differences):
    return Compared(differences.estimate, differences.error, differences.p < 0.05)


def reference(cases, family, name):
    """The reference's differences in byte order of systems; None where it has no such case."""
    case = cases.get(f"{family}_{name}")
    if case is None:
        return None
    expected = case["expected"]
    if "pairs" in expected:
        column = "se" if family == "lme4" else "se_two_way"
        return Compared(
            [pair["difference"] for pair in expected["pairs"]], [pair[column] for pair in expected["pairs"]]
        )
    triangle = expected["vcov_lower_triangle" if family == "lme4" else "vcov_two_way_lower_triangle"]
    pairs = list(combinations(range(len(triangle)), 2))
    variance = [triangle[a][a] + triangle[b][b] - 2 * triangle[b][a] for a, b in pairs]
    return Compared(
        [expected["means"][a] - expected["means"][b] for a, b in pairs], np.sqrt(np.maximum(variance, 0))
    )


def rated_row(name, judgments, cases):
    start = time.perf_counter()
    fit = Steelyard().fit(judgments)
    systems = fit.systems()
    new, these = systems.differences(), fit.differences("system", target="these")
    taken = time.perf_counter() - start
    crossed, clustered = reference(cases, "lme4", name), reference(cases, "clustered_ols", name)
    own = "" if crossed is not None else " (*)"
    if crossed is None:
        crossed = ours(Crossed(quantile="normal").fit(judgments).differences())
        clustered = ours(DirectAssessment(few_clusters="plain").fit(judgments).differences("system"))
    apart = np.abs(new.estimate - crossed.estimate) / new.error
    at = int(np.argmax(apart))
    changed = ours(new).significant != crossed.significant
    cells = [
        name,
        f"{len(systems.item)} / {len(new)}",
        f"{len(judgments.raters)} / {len(judgments.labels('segment'))}",
        str(ours(new)),
        str(ours(these)),
        f"{crossed}{own}",
        f"{clustered}{own}",
        f"{new.left[at]} - {new.right[at]}: {new.estimate[at]:.3g} and {crossed.estimate[at]:.3g} ({apart[at]:.2f} se)",
        str(int(changed.sum())),
        f"{taken:.0f}",
    ]
    for remark in systems.remarks:
        print(f"<!-- {name}: {remark} -->", flush=True)
    print(f"| {' | '.join(cells)} |", flush=True)


def comparisons(folder, file, kept="true"):
    table = duckdb.sql(f"select * from '{folder / file}.comparison.parquet' where {kept}").fetchnumpy()
    columns = {name: values.tolist() for name, values in table.items()}
    return Judgments.from_columns("comparison", columns)


def pandalm_row(folder, cases):
    """Largest deviation from the reference, for the ways of clustering that a fit offers."""
    expected = cases["bradley_terry_clustered_pandalm"]["expected"]
    judgments = comparisons(folder, "pandalm")
    for cluster, name in (("none", "naive"), ("rater", "rater"), ("segment", "segment"), ("both", "two_way")):
        fit = BradleyTerry(ties="half", cluster=cluster, few_clusters="plain").fit(judgments)
        differences = fit.differences()
        wanted = [pair[f"se_{name}"] for pair in expected["pairs"]]
        position = np.array(expected["position_sum_to_zero"])
        moved = np.abs((fit.posterior.position - fit.posterior.position.mean()) - position).max()
        cells = [
            cluster,
            f"{differences.error.mean():.4f}",
            f"{np.mean(wanted):.4f}",
            f"{np.abs(differences.error - wanted).max():.1e}",
            f"{moved:.1e}",
            f"{int((differences.p < 0.05).sum())} of {len(differences)}",
        ]
        print(f"| {' | '.join(cells)} |", flush=True)
        for remark in fit.remarks:
            print(f"<!-- {cluster}: {remark} -->", flush=True)


def official(folder, question):
    """Score and cluster of each system by the campaign."""
    rows = duckdb.execute(
        "select item, value, cluster from read_parquet(?) where question = ?",
        [str(folder / "wmt16_rank.gold.parquet"), question],
    ).fetchall()
    return {item.removeprefix(f"{question}/"): (value, cluster) for item, value, cluster in rows}


def wmt16_row(folder, question):
    gold = official(folder, question)
    everything = comparisons(folder, "wmt16_rank", f"question = '{question}'")
    has_gold = np.isin(everything.items.astype(str), list(gold))
    judgments = everything.where(
        lambda table: has_gold[table.codes["left"]] & has_gold[table.codes["right"]]
    ).compact()
    fit = BradleyTerry(ties="half", cluster="both").fit(judgments)
    scores = [gold[str(item)][0] for item in fit.item]
    groups = fit.clusters(adjust="none", one_sided=True)
    holm = fit.clusters(adjust="holm")
    cells = [
        question,
        str(len(fit.item)),
        f"{len(judgments.raters)} / {len(judgments.labels('segment'))}",
        f"{spearmanr(fit.posterior.position, scores).statistic:.3f}",
        str(len({cluster for _, cluster in gold.values()})),
        str(len(groups)),
        str(len(holm)),
    ]
    print(f"| {' | '.join(cells)} |", flush=True)


def heading(*names):
    print(f"\n| {' | '.join(names)} |\n|{'---|' * len(names)}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    cases = {case["name"]: case for case in json.loads(asked.reference.read_text())}
    chosen = {name: each for name, each in RATED.items() if asked.only in name}
    if chosen:
        print(
            "Mean standard error of a difference / pairs significant at 5%; (*) no reference case: Steelyard's own."
        )
        heading(
            "data",
            "systems / pairs",
            "raters / segments",
            "steelyard, new segments",
            "steelyard, these segments",
            "crossed (lme4)",
            "two-way clustered OLS",
            "largest disagreement: steelyard and crossed",
            "verdicts that differ",
            "seconds",
        )
    for name, (file, kept) in chosen.items():
        rated_row(name, ratings(asked.data, file, kept), cases)
    if asked.only in "pandalm":
        heading("clusters", "mean error", "reference", "largest gap of errors", "of positions", "significant")
        pandalm_row(asked.data, cases)
    if asked.only in "wmt16_rank":
        heading(
            "language pair",
            "systems",
            "raters / segments",
            "Spearman",
            "official clusters",
            "ours, one-sided",
            "ours, Holm",
        )
        gold = str(asked.data / "wmt16_rank.gold.parquet")
        for (question,) in duckdb.execute(
            "select distinct question from read_parquet(?) order by 1", [gold]
        ).fetchall():
            wmt16_row(asked.data, question)


if __name__ == "__main__":
    main()
