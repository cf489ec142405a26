"""Compare scales of systems with lme4, sandwich, Wilcoxon's test and closed forms on published ratings.

    python benchmarks/systems_reference.py --reference reference.json --data FOLDER

The reference file is a list of cases (name, input, expected, tolerance). FOLDER contains the ratings that `input`
names. The script prints one row for each case: the check that is closest to its tolerance, or fails it, and the
time taken. `--only lme4_mqm` runs the cases whose names contain that text. The exit code is 1 if a case fails.
"""

import argparse
import json
import sys
import time
from functools import cache
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pandas

from steelyard import BradleyTerry, Judgments
from steelyard.maths.sandwich import clustered
from steelyard.models.crossed import Crossed
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.quality.paired_segments import compare_on_segments

PLAIN = DirectAssessment(few_clusters="plain")
NEAR_ZERO = 1e-4  # a reference variance below this counts as zero


def ratings_of(case, folder):
    source = case["input"]
    return ratings_in(folder, source["file"], tuple(source["filter"].items()), source["score"])


@cache
def ratings_in(folder, file, kept, score):
    """Ratings with an item for each system and segment."""
    rows = " and ".join(f"{column} = '{value}'" for column, value in kept) or "true"
    table = duckdb.sql(
        f"select rater, system || '|' || segment as item, system, segment, {score}::double as score "
        f"from '{folder / file}' where {rows}"
    ).fetchnumpy()
    return Judgments.from_columns("rating", {name: values.tolist() for name, values in table.items()})


def gap(name, ours, wanted, tolerance, relative=False):
    """A check: its name, the largest deviation, and what is allowed."""
    ours, wanted = np.asarray(ours, float), np.asarray(wanted, float)
    off = np.abs(ours / wanted - 1.0) if relative else np.abs(ours - wanted)
    return name, float(off.max(initial=0.0)), tolerance


def positions(fit, systems):
    place = dict(zip(map(str, fit.item), fit.posterior.position, strict=True))
    return [place[system] for system in systems]


def column(differences, name, pairs):
    """A column of differences, in the order of the reference's pairs."""
    values = zip(differences.left, differences.right, getattr(differences, name), strict=True)
    by_pair = {(str(left), str(right)): value for left, right, value in values}
    return [by_pair[pair["a"], pair["b"]] for pair in pairs]


def symmetric(lower_triangle):
    size = len(lower_triangle)
    matrix = np.zeros((size, size))
    for at, row in enumerate(lower_triangle):
        matrix[at, : at + 1] = matrix[: at + 1, at] = row
    return matrix


def errors_of(covariance):
    """Standard errors of all differences; a negative variance counts as 0."""
    pairs = combinations(range(len(covariance)), 2)
    squares = [covariance[a, a] + covariance[b, b] - 2 * covariance[a, b] for a, b in pairs]
    return np.sqrt(np.maximum(squares, 0.0))


def lme4(case, folder):
    expected, allowed = case["expected"], case["tolerance"]
    extended = case["name"].startswith("lme4_rater_system")
    fit = fitted_crossed(case["input"]["file"], str(case["input"]["filter"]), extended, "new", case, folder)
    error = allowed["se, relative"]
    yield gap(
        "means", positions(fit, expected["systems"]), expected["means"], allowed["means and differences"]
    )
    differences = fit.differences()
    if "pairs" in expected:
        wanted = [pair["se"] for pair in expected["pairs"]]
        yield gap("errors", column(differences, "error", expected["pairs"]), wanted, error, True)
    else:
        yield gap(
            "errors", differences.error, errors_of(symmetric(expected["vcov_lower_triangle"])), error, True
        )
    yield from variances(fit, expected["variances"], allowed)
    yield gap("REML criterion", fit.reml_criterion, expected["reml_criterion"], 1e-3)


_FITS = {}


def fitted_crossed(file, kept, extended, target, case, folder):
    """The crossed model with normal quantiles, fitted once per data set."""
    key = (file, kept, extended, target)
    if key not in _FITS:
        model = Crossed(rater_system=extended, target=target, quantile="normal")
        _FITS[key] = model.fit(ratings_of(case, folder))
    return _FITS[key]


def variances(fit, wanted, allowed):
    for name, value in wanted.items():
        variance = fit.variances[name.replace("Residual", "residual")]
        if value < NEAR_ZERO:
            yield gap(f"variance {name} (zero)", variance, 0.0, NEAR_ZERO)
        else:
            tolerance = allowed["variances, relative (absolute 1e-4 near zero)"]
            yield gap(f"variance {name}", variance, value, tolerance, True)


def clustered_ols(case, folder):
    expected, allowed = case["expected"], case["tolerance"]["default"]
    judgments = ratings_of(case, folder)
    fit = PLAIN.fit(judgments)
    both, segment = fit.systems(), fit.systems(raters="these")
    yield gap("means", positions(both, expected["systems"]), expected["means"], allowed)
    rater, unadjusted = by_hand(judgments)
    ways = {"two_way": both.joint.covariance, "segment": segment.joint.covariance}
    for name, covariance in {**ways, "rater": rater, "two_way_hc0_noadj": unadjusted}.items():
        if "pairs" in expected:
            wanted = [pair[f"se_{name}"] for pair in expected["pairs"]]
            yield gap(f"errors {name}", errors_of(covariance), wanted, allowed)
        else:
            own = np.sqrt(np.maximum(np.diag(covariance), 0.0))
            yield gap(f"errors of means {name}", own, expected["se_means"][name], allowed)
    if "vcov_two_way_lower_triangle" in expected:
        wanted = symmetric(expected["vcov_two_way_lower_triangle"])
        yield gap("covariance two_way", both.joint.covariance, wanted, allowed)


def by_hand(judgments):
    """Covariances that no target has: clustered by rater alone, and two ways without any factor."""
    codes, score = judgments.table("rating").codes, judgments.table("rating").numbers["score"]
    order = np.argsort(np.argsort(judgments.labels("system").astype(str)))  # systems in byte order
    system, rater, segment = order[codes["system"]], codes["rater"], codes["segment"]
    count = np.bincount(system)
    mean = np.bincount(system, score) / count
    influence = np.zeros((len(score), len(count)))
    influence[np.arange(len(score)), system] = (score - mean[system]) / count[system]
    factor = (len(score) - 1.0) / (len(score) - len(count))
    return factor * clustered(influence, [rater]), clustered(influence, [rater, segment], adjust=False)


def these_segments(case, folder):
    expected, allowed = case["expected"], case["tolerance"]
    plain = PLAIN.fit(ratings_of(case, folder)).systems("these")
    reml = fitted_crossed(case["input"]["file"], str(case["input"]["filter"]), False, "these", case, folder)
    yield gap("plain means", positions(plain, expected["systems"]), expected["plain_means"], allowed["plain"])
    yield gap(
        "REML means", positions(reml, expected["systems"]), expected["reml_means"], allowed["reml means"]
    )
    yield gap("rater variance", reml.variances["rater"], expected["var_rater"], 0.005, True)
    yield gap("residual variance", reml.variances["residual"], expected["var_residual"], 0.005, True)
    error = allowed["reml se, relative"]
    if "pairs" in expected:
        pairs = expected["pairs"]
        wanted = [pair["rater_cluster_se"] for pair in pairs]
        yield gap("clustered errors", column(plain.differences(), "error", pairs), wanted, allowed["plain"])
        wanted = [pair["reml_se"] for pair in pairs]
        yield gap("REML errors", column(reml.differences(), "error", pairs), wanted, error, True)
    else:
        own = np.diag(plain.joint.covariance)
        yield gap("clustered variances", own, expected["cluster_vcov_diagonal"], allowed["plain"])
        wanted = errors_of(symmetric(expected["reml_vcov_lower_triangle"]))
        yield gap("REML errors", reml.differences().error, wanted, error, True)


def wmt_z(case, folder):
    expected, allowed = case["expected"], case["tolerance"]
    judgments, systems = ratings_of(case, folder), expected["systems"]
    for divisor, name in (("n-1", "z_means_sample_sd"), ("n", "z_means_population_sd")):
        fit = DirectAssessment(standardise="rater", divisor=divisor).fit(judgments).systems()
        yield gap(name, positions(fit, systems), expected[name], allowed["means"])
        if divisor == "n-1":
            groups = [list(group) for group in fit.clusters(adjust="none", one_sided=True)]
            yield gap("clusters", float(groups != expected["clusters_best_first"]), 0.0, 0.5)
            yield from rank_sum(fit, expected.get("pairs", ()), allowed["p, relative"])
    raw = DirectAssessment().fit(judgments).systems("these")
    yield gap("raw means", positions(raw, systems), expected["raw_means_of_item_means"], allowed["means"])


def rank_sum(fit, pairs, tolerance):
    for adjust, name in (("none", "p_two_sided"), ("holm", "p_holm"), ("bh", "p_bh")) if pairs else ():
        wanted = [pair[name] for pair in pairs]
        yield gap(name, column(fit.differences(adjust=adjust), "p", pairs), wanted, tolerance, True)


def multiplicity(case, folder):
    pairs, allowed = case["expected"]["pairs"], case["tolerance"]
    fit = fitted_crossed(case["input"]["file"], str(case["input"]["filter"]), False, "new", case, folder)
    differences = fit.differences()
    z = np.array(column(differences, "estimate", pairs)) / column(differences, "error", pairs)
    yield gap("z", z, [pair["z"] for pair in pairs], allowed["z, relative"], True)
    for adjust, name in (("none", "p"), ("holm", "p_holm"), ("bh", "p_bh")):
        p, wanted = (
            np.array(column(fit.differences(adjust=adjust), "p", pairs)),
            np.array([pair[name] for pair in pairs]),
        )
        yield gap(name, p, wanted, allowed["p, p_holm, p_bh, absolute"])
        small = (wanted < 1e-3) & (wanted > 0.0)
        log = np.log10(np.maximum(p[small], 1e-300)), np.log10(wanted[small])
        yield gap(f"log10 {name}", *log, allowed["p below 1e-3: log10, relative"], True)


def paired_segments(case, folder):
    pairs, allowed = case["expected"]["pairs"], case["tolerance"]
    rng = np.random.default_rng(0)
    judgments = ratings_of(case, folder)
    tests = [compare_on_segments(judgments, pair["a"], pair["b"], rng) for pair in pairs]
    limits = next(value for name, value in allowed.items() if name.startswith("bootstrap limits"))
    flips = next(value for name, value in allowed.items() if name.startswith("p_sign_flip"))
    exact = allowed["difference, se, p_t"]
    for name, ours, tolerance in (
        ("segments", "segments", 0.5),
        ("difference", "difference", exact),
        ("se_t", "se_t", exact),
        ("p_t", "p_t", exact),
        ("se_bootstrap_exact", "se_bootstrap_exact", exact),
        ("bootstrap_lower", "low", limits),
        ("bootstrap_upper", "high", limits),
        ("p_sign_flip", "p_sign_flip", flips),
    ):
        yield gap(name, [getattr(each, ours) for each in tests], [pair[name] for pair in pairs], tolerance)


def item_means(case, folder):
    expected, file = case["expected"], folder / case["input"]["file"]
    for score, name in (("raw", "raw"), ("z", "z")):
        means, errors = [], []
        for group in expected["groups"]:
            columns = duckdb.execute(
                f"select item, question as system, {score}::double as score from read_parquet(?) where question = ?",
                [str(file), group],
            ).fetchnumpy()
            table = {column: values.tolist() for column, values in columns.items()}
            fit = DirectAssessment().fit(Judgments.from_columns("rating", table)).systems()
            means.append(fit.posterior.position[0])
            errors.append(fit.posterior.spread[0])
        yield gap(f"{name} means", means, expected[f"{name}_mean"], case["tolerance"])
        yield gap(f"{name} errors", errors, expected[f"{name}_se"], case["tolerance"])


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
            errors = {(row["left"], row["right"]): row["error"] for row in fit.differences().rows()}
            gaps = [abs(errors[pair["a"], pair["b"]] - pair[f"se_{way}"]) for pair in wanted["pairs"]]
            yield f"errors of differences ({way})", max(gaps), case["tolerance"]["se"]


FAMILIES = {
    "bradley_terry_clustered": bradley_terry,
    "lme4_": lme4,
    "clustered_ols_": clustered_ols,
    "these_segments_": these_segments,
    "wmt_z_": wmt_z,
    "multiplicity_": multiplicity,
    "paired_segments_": paired_segments,
    "mlqe_item_means": item_means,
}


def family_of(name):
    return next((family for prefix, family in FAMILIES.items() if name.startswith(prefix)), None)


def run(case, folder):
    """Print a row for the case; whether every check passed."""
    start = time.perf_counter()
    checks = list(family_of(case["name"])(case, folder))
    worst = max(checks, key=lambda check: check[1] / check[2] if np.isfinite(check[1]) else np.inf)
    failed = [check for check in checks if not check[1] <= check[2]]
    taken = time.perf_counter() - start
    for name, off, allowed in failed if failed else [worst]:
        verdict = "FAIL" if failed else "pass"
        print(
            f"| {case['name']} | {verdict} | {len(checks)} | {name}: {off:.1e} of {allowed:g} | {taken:.1f} |",
            flush=True,
        )
    return not failed


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    cases = [case for case in json.loads(asked.reference.read_text()) if asked.only in case["name"]]
    chosen = [case for case in cases if family_of(case["name"]) is not None]
    print(
        "| case | result | checks | nearest to its tolerance | seconds |\n|---|---|---|---|---|", flush=True
    )
    passed = [run(case, asked.data) for case in chosen]
    print(
        f"\n{sum(passed)} of {len(chosen)} cases pass; {len(cases) - len(chosen)} belong to other programs."
    )
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
