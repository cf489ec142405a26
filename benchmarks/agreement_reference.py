"""Compare statistics of agreement with published values, R and other programs.

    python benchmarks/agreement_reference.py --reference FOLDER --data FOLDER

The reference is a file, or a folder with `reference.json`: a list of cases (name, statistic, input, expected,
tolerance). The data folder contains the judgments that `input` names. The script prints one row for each case: the
number that is closest to its tolerance or beyond it, the difference, and the time. `--only icc` runs the cases whose
names contain that text. The exit code is 1 if a case fails. Cases of other statistics, such as comparisons with a gold
standard, are left out and counted.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import duckdb
import numpy as np

from steelyard.quality.agreement.best_worst import Choices, best_worst_scores, best_worst_split_half
from steelyard.quality.agreement.between_raters import leave_one_out, mean_pairwise_spearman
from steelyard.quality.agreement.concordance import kendall_w
from steelyard.quality.agreement.intraclass import FORMS, intraclass
from steelyard.quality.agreement.kappas import (
    cohen_kappa,
    cohen_kappa_of_counts,
    fleiss_kappa,
    fleiss_kappa_of_counts,
    light_kappa,
)
from steelyard.quality.agreement.krippendorff import alpha_over_items, krippendorff_alpha
from steelyard.quality.agreement.paired_values import alpha_over_pairs
from steelyard.quality.agreement.self_consistency import (
    only_repeated,
    repeated_choices,
    repeats_of_table,
    self_consistency,
)
from steelyard.quality.agreement.split_halves import NAMES, split_half
from steelyard.quality.agreement.variance_components import one_way_anova, variance_components

ITEM_DRAWS, VALUE_DRAWS, SPLITS = 20_000, 20_000, 1_000
SEED = 20


def cases_in(reference):
    """The cases of a file, or of `reference.json` in a folder."""
    return json.loads((reference / "reference.json" if reference.is_dir() else reference).read_text())


def rows_of(source, folder, columns):
    kept = [f"{column} = '{value}'" for column, value in source.get("filter", {}).items()]
    where = " and ".join(kept) or "true"
    query = f"select {', '.join(columns)} from '{folder / source['file']}' where {where}"
    return duckdb.sql(query).fetchnumpy()


def codes(values):
    return np.unique(np.asarray(values, dtype=str), return_inverse=True)


def table_of(source, folder):
    """A matrix of items and raters."""
    if "table" in source:
        return np.array(
            [[np.nan if cell is None else cell for cell in row] for row in source["table"]], float
        )
    named = [source["rows"], source["columns"], source["value"]]
    found = rows_of(source, folder, named)
    (items, item), (raters, rater) = codes(found[named[0]]), codes(found[named[1]])
    value = found[named[2]]
    if "coding" in source:
        value = [source["coding"][each] for each in value]
    table = np.full((len(items), len(raters)), np.nan)
    table[item, rater] = np.asarray(value, float)
    return table


def check(name, ours, expected, tolerance, relative=False):
    """A check: its name, the difference, and what is allowed."""
    ours, expected = np.asarray(ours, float), np.asarray(expected, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        off = np.abs(ours / expected - 1.0) if relative else np.abs(ours - expected)
    off = np.where(ours == expected, 0.0, np.where(np.isnan(off), np.inf, off))
    return name, float(np.max(off)), tolerance


def alpha_checks(case, folder):
    table = table_of(case["input"], folder)
    for level, value in case["expected"].items():
        yield check(level, krippendorff_alpha(table, level), value, case["tolerance"])


def bootstrap_checks(case, folder):
    table, level, wanted = table_of(case["input"], folder), case["input"]["level"], case["expected"]
    allowed = {name.split(" (")[0]: value for name, value in case["tolerance"].items()}
    found = alpha_over_pairs(table, level, np.random.default_rng(SEED), VALUE_DRAWS)
    yield check("alpha", found.alpha, wanted["alpha"], allowed["alpha"])
    yield check("sd_exact", found.sd, wanted["sd_exact"], allowed["sd_exact"])
    yield check("M", found.pairs, wanted["M"], 0.0)
    yield check("nonzero_cells", found.cells, wanted["nonzero_cells"], 0.0)
    limits = [found.interval.low, found.interval.high]
    yield check("pairs", limits, [wanted["lower"], wanted["upper"]], allowed["lower, upper"])
    if "items_lower" in wanted:
        over = alpha_over_items(table, level, np.random.default_rng(SEED), ITEM_DRAWS)
        expected = [wanted["items_lower"], wanted["items_upper"]]
        yield check("items", [over.low, over.high], expected, allowed["items_lower, items_upper"])


def fleiss_checks(case, folder):
    source, wanted = case["input"], case["expected"]
    counted = "counts" in source
    found = fleiss_kappa_of_counts(source["counts"]) if counted else fleiss_kappa(table_of(source, folder))
    named = {
        "kappa": found.kappa,
        "se_null": found.error_null,
        "observed": found.observed,
        "expected": found.expected,
        "category_proportions": found.proportions,
        "category_kappas": found.category_kappas,
    }
    for name, value in named.items():
        yield check(name, value, wanted[name], case["tolerance"])


def cohen_checks(case, folder):
    source, wanted, allowed = case["input"], case["expected"], case["tolerance"]
    table = table_of(source, folder)
    first, second = table[:, 0].tolist(), table[:, 1].tolist()
    for weights in ("unweighted", "linear", "quadratic"):
        if weights in wanted:
            found = cohen_kappa(first, second, "none" if weights == "unweighted" else weights)
            ours = [found.kappa, found.error, found.error_null, found.observed, found.expected]
            names = ("kappa", "se", "se_null", "observed", "expected")
            yield check(weights, ours, [wanted[weights][name] for name in names], allowed)
    if "light_all_raters" in wanted:
        whole = source.get("all_raters_table")
        everyone = table if whole is None else table_of({"table": whole}, folder)
        yield check("light", light_kappa(everyone), wanted["light_all_raters"], allowed)


def given_weights_checks(case, folder):
    source, wanted = case["input"], case["expected"]
    counts = np.array(source["proportions"]) * source["n"]
    plain = cohen_kappa_of_counts(counts)
    weighted = cohen_kappa_of_counts(counts, np.array(source["disagreement_weights"]))
    ours = [plain.kappa, weighted.kappa, plain.error, weighted.error]
    names = ("kappa", "weighted_kappa", "se", "weighted_se")
    yield check("kappas", ours, [wanted[name] for name in names], case["tolerance"])


def icc_checks(case, folder):
    found = intraclass(table_of(case["input"], folder))
    for form in FORMS:
        icc, wanted = found.forms[form], case["expected"][form]
        ours = [icc.value, icc.interval.low, icc.interval.high]
        yield check(form, ours, [wanted[name] for name in ("value", "lower", "upper")], case["tolerance"])


def mixed_checks(case, folder):
    wanted, allowed = case["expected"], case["tolerance"]
    table = table_of(case["input"], folder)
    found, anova = variance_components(table), one_way_anova(table)
    yield check(
        "ICC", [found.forms[form].value for form in FORMS], [wanted[f] for f in FORMS], allowed["ICC"]
    )
    ours = [found.items, found.raters, found.residual, found.one_way_items, found.one_way_residual]
    names = ("var_item", "var_rater", "var_residual", "oneway_var_item", "oneway_var_residual")
    yield check("variances", ours, [wanted[n] for n in names], allowed["variances, relative"], relative=True)
    yield check("k", [found.per_item, found.mean_per_item], [wanted["k_harmonic"], wanted["k_mean"]], 1e-9)
    ours = [anova.per_item, anova.icc.value, anova.icc.interval.low, anova.icc.interval.high]
    one_way = [wanted["anova_oneway"][name] for name in ("n0", "ICC1", "lower", "upper")]
    yield check("anova_oneway", ours, one_way, allowed["anova_oneway"])
    squares = [wanted["anova_oneway"][name] for name in ("MS_between", "MS_within")]
    yield check("mean squares", [anova.between, anova.within], squares, 1e-8)


def concordance_checks(case, folder):
    found, wanted, allowed = kendall_w(table_of(case["input"], folder)), case["expected"], case["tolerance"]
    both = [wanted["W_tie_corrected"], wanted["W_uncorrected"]]
    yield check("W", [found.w, found.w_uncorrected], both, allowed["W"])
    yield check("chisq", found.statistic, wanted["chisq"], allowed["chisq, relative"], relative=True)
    if wanted["p"] > 0.0:
        yield check("p", found.p, wanted["p"], allowed["p, relative"], relative=True)


def pairwise_checks(case, folder):
    found = mean_pairwise_spearman(table_of(case["input"], folder))
    yield check("mean", found.mean, case["expected"]["mean"], case["tolerance"])
    yield check("pairs", found.pairs, case["expected"]["pairs"], 0.0)


def leave_one_out_checks(case, folder):
    # The reference ranks means with their rounding errors. Rounded means, the default, differ by up to 1e-4.
    found = leave_one_out(table_of(case["input"], folder), round_means=False)
    for name in ("pearson", "spearman"):
        values = getattr(found, name)
        values = values[np.isfinite(values)]
        ours = [values.mean(), np.median(values), values.min(), values.max(), len(values)]
        wanted = [case["expected"][name][each] for each in ("mean", "median", "minimum", "maximum", "raters")]
        yield check(name, ours, wanted, case["tolerance"])


def split_half_checks(case, folder):
    table, wanted = table_of(case["input"], folder), case["expected"]
    exact = "pearson" in wanted
    for halves in ("raters",) if exact else ("raters", "ratings"):
        part = wanted if exact else wanted[halves]
        found = split_half(table, np.random.default_rng(SEED), halves, SPLITS)
        allowed = case["tolerance"] if exact else next(iter(case["tolerance"].values()))
        yield check(halves, [getattr(found, name) for name in NAMES], [part[n] for n in NAMES], allowed)


def best_worst_checks(case, folder):
    source, wanted, allowed = case["input"], case["expected"], case["tolerance"]
    found = rows_of(source, folder, ["item", "choice"])
    items, item = codes(found["item"])
    sign = np.array([{"best": 1.0, "worst": -1.0}.get(word, 0.0) for word in found["choice"]])
    tuples = np.unique(np.sort(item.reshape(-1, 4), axis=1), axis=0, return_inverse=True)[1].ravel()
    choices = Choices(item, sign, np.arange(len(item)) // 4, tuples)
    left_out = np.flatnonzero(np.isin(items, source["left_out"] or []))
    half = best_worst_split_half(choices, np.random.default_rng(SEED), 200, left_out)
    means = next(value for name, value in allowed.items() if name.startswith("means"))
    yield check("halves", [getattr(half, name) for name in NAMES], [wanted[name] for name in NAMES], means)
    if "scores" in wanted:
        scores = dict(zip(items.tolist(), best_worst_scores(choices).tolist(), strict=True))
        ours = [scores[name] for name in wanted["scores"]]
        yield check("scores", ours, list(wanted["scores"].values()), allowed["scores"])


def repeats_checks(case, folder):
    source, wanted = case["input"], case["expected"]
    if "table" in source:
        yield from _repeats_of_table(case)
    elif "item" in source:
        yield from _repeats_of_items(case, folder)
    else:
        yield from _repeated_pairs(source, wanted, case["tolerance"], folder)


def _repeats_of_table(case):
    wanted, table = case["expected"], np.array(case["input"]["table"], float)
    found = self_consistency(repeats_of_table(table))
    ours = [found.items, found.raters, found.items_by_raters, found.error]
    ours += [found.within_rater, found.between_raters, found.sd, *found.by_rater]
    names = ("var_item", "var_rater", "var_item_rater", "var_error")
    expected = [wanted[name] for name in (*names, "intra_rater_icc", "inter_rater_icc", "within_rater_sd")]
    yield check("model", ours, [*expected, *wanted["per_rater_icc11"]], case["tolerance"]["default"])
    cut = np.digitize(table, wanted["kappa_cuts"])
    for name, weights in (("per_rater_kappa", "none"), ("per_rater_kappa_quadratic", "quadratic")):
        ours = [
            cohen_kappa(cut[:, rater, 0].tolist(), cut[:, rater, 1].tolist(), weights).kappa
            for rater in range(table.shape[1])
        ]
        yield check(name, ours, wanted[name], case["tolerance"]["default"])


def _repeats_of_items(case, folder):
    source, wanted = case["input"], case["expected"]
    found = rows_of(source, folder, ["item", "rater", source["value"]])
    kept = np.isin(np.asarray(found["item"], str), source["item"])
    item, rater = (codes(np.asarray(found[name])[kept])[1] for name in ("item", "rater"))
    repeats = only_repeated(item, rater, np.asarray(found[source["value"]], float)[kept])
    first, second, _ = repeats.first_and_second()
    result, anova = self_consistency(repeats), one_way_anova(np.column_stack([first, second]))
    ours = [anova.icc.value, result.absolute_change, result.sd, result.change]
    names = ("ICC11_over_raters", "mean_absolute_difference", "within_rater_sd", "mean_difference")
    yield check("repeats", ours, [wanted[name] for name in names], case["tolerance"])


def _repeated_pairs(source, wanted, tolerance, folder):
    """Agreement of a rater's answers to one pair; every expected number with this name is compared."""
    found = rows_of(source, folder, ["rater", '"left"', '"right"', "outcome"])
    items, both = codes(np.concatenate([found["left"], found["right"]]))
    left, right = both[: len(found["left"])], both[len(found["left"]) :]
    first = np.where(left < right, left, right)
    chosen = np.where(np.asarray(found["outcome"], str) == "left", left, right) == first
    rater = codes(found["rater"])[1]
    cell = np.unique(
        (rater * len(items) + first) * len(items) + np.maximum(left, right), return_inverse=True
    )[1]
    agreement, answers = repeated_choices(cell, chosen.astype(np.int64))
    repeated = np.isfinite(agreement)
    ours = {
        "mean_agreement": agreement[repeated].mean(),
        "mean": agreement[repeated].mean(),
        "cells": repeated.sum(),
        "repeated_cells": repeated.sum(),
        "answers": answers[repeated].sum(),
    }
    allowed = tolerance if isinstance(tolerance, float) else tolerance["default"]
    for name, value in wanted.items():
        if name in ours:
            yield check(name, ours[name], value, allowed)
        else:
            print(f"  not compared: {name} = {value}; ours: {ours}", file=sys.stderr)


CHECKS = {
    "Krippendorff alpha": alpha_checks,
    "Krippendorff alpha, bootstrap interval": bootstrap_checks,
    "Fleiss kappa": fleiss_checks,
    "Cohen's kappa, weighted": cohen_checks,
    "Cohen weighted kappa, given weights": given_weights_checks,
    "ICC, six forms with F intervals": icc_checks,
    "ICC from variance components (REML)": mixed_checks,
    "Kendall's W with ties": concordance_checks,
    "mean pairwise Spearman": pairwise_checks,
    "leave-one-out rater correlation": leave_one_out_checks,
    "split-half reliability over raters": split_half_checks,
    "split-half reliability, mean of random halves": split_half_checks,
    "best-worst split-half reliability": best_worst_checks,
    "self-consistency on repeats": repeats_checks,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    cases = [case for case in cases_in(asked.reference) if asked.only in case["name"]]
    failed = left_out = 0
    print(f"{'case':45} {'check':26} {'difference':>10} {'allowed':>9} {'seconds':>8}")
    for case in cases:
        if case["statistic"] not in CHECKS:
            left_out += 1
            continue
        start = time.perf_counter()
        checks = list(CHECKS[case["statistic"]](case, asked.data))
        name, off, allowed = max(checks, key=lambda each: each[1] / max(each[2], 1e-15))
        ok = all(each[1] <= max(each[2], 1e-15) for each in checks)
        failed += not ok
        took = time.perf_counter() - start
        print(f"{case['name']:45} {name:26} {off:10.1e} {allowed:9.1e} {took:8.2f} {'ok' if ok else 'FAILS'}")
    print(
        f"{len(cases) - left_out - failed} of {len(cases) - left_out} cases agree; {left_out} cases left out"
    )
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
