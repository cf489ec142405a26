"""Dras (2015), Evaluating Human Pairwise Preference Judgments: every number of the text, computed from its counts."""

from __future__ import annotations

import numpy as np

from steelyard.maths.gaussian import NORMAL_95
from steelyard.models.bradley_terry.model import BradleyTerry
from steelyard.models.bradley_terry.results import BradleyTerryFit
from steelyard.simulation.reproduction.claims import Check, Claim, near, printed_claim, rounded
from steelyard.simulation.reproduction.dras_data import (
    BASELINE,
    FIGURE_1,
    NEW,
    SinglePair,
    pair_judgments,
    table_1,
)
from steelyard.simulation.reproduction.dras_judges import judges_section
from steelyard.simulation.reproduction.dras_tests import tests_section
from steelyard.simulation.reproduction.figures import Grid, Intervals
from steelyard.simulation.reproduction.reproduction import Reproduction, Request, Section

CITATION = (
    "Dras, M. (2015). Evaluating human pairwise preference judgments. Computational Linguistics, 41(2), "
)
"309-317."
STEPS = 4
SIGNIFICANT = 0.05
EXCHANGED = (
    "The published value belongs to the table with the columns AD and BC exchanged. The likely cause is the order of "
    "pairs that the software of the paper expects (AB, AC, BC, AD, BD, CD)."
)
LEAD = (
    "The paper fits log-linear Bradley-Terry models with ties to published and artificial counts. Everything here is "
    "computed from counts, without simulated answers.",
    "Estimates are lambda, half a log-worth, as in the paper. The tie parameter is called g1.",
)


def reproduce_dras(request: Request) -> Reproduction:
    """Return the reproduction of Dras (2015)."""
    sections = []
    for make in (single_pairs, several_systems, judges_section, tests_section):
        sections.append(make())
        request.step()
    return Reproduction("dras", CITATION, LEAD, tuple(sections), "No random numbers are used.")


def fit_pair(pair: SinglePair) -> BradleyTerryFit:
    """Return Davidson's model of one pair, with the baseline as reference."""
    return BradleyTerry(ties="davidson", reference=BASELINE, cluster="none").fit(pair_judgments(pair))


def single_pairs() -> Section:
    """Return Figure 1 and the fits of one pair."""
    fits = {name: fit_pair(pair) for name, pair in FIGURE_1.items()}
    claims = (*_moderate(fits["ModPref"]), *_artificial(fits), *_collins(fits), _lewis_and_steedman(fits))
    head = ("data set", "n+", "n0", "n-", "lambda (SE)", "g1 (SE)", "status of the counts")
    rows = tuple(
        (
            name,
            *map(str, pair.counts),
            _with_error(fits[name], NEW),
            _with_error(fits[name], "tie"),
            pair.status,
        )
        for name, pair in FIGURE_1.items()
    )
    figures = (
        Grid(
            "Figure 1: the nine data sets",
            "n+ prefer the new system, n- the baseline, n0 neither.",
            head,
            rows,
        ),
        _intervals(
            "Estimates of the nine data sets", {f"{name}": (fits[name], NEW) for name in fits}, "lambda"
        ),
        _intervals(
            "Tie parameters of the nine data sets", {name: (fits[name], "tie") for name in fits}, "g1"
        ),
    )
    text = ("The model of one pair has as many parameters as counts, so its deviance is 0.",)
    return Section("Figure 1 and Eq. 1: one pair of systems", text, claims, figures)


def _with_error(fit: BradleyTerryFit, name: str) -> str:
    row = fit.coefficients("lambda")[name]
    return f"{row['estimate']:.4f} ({row['se']:.4f})"


def _intervals(title: str, named: dict[str, tuple[BradleyTerryFit, str]], x: str) -> Intervals:
    rows = []
    for label, (fit, name) in named.items():
        row = fit.coefficients("lambda")[name]
        reach = NORMAL_95 * row["se"]
        rows.append((label, row["estimate"], row["estimate"] - reach, row["estimate"] + reach))
    return Intervals(title, "Estimates with 95% Wald intervals.", tuple(rows), x)


def _moderate(fit: BradleyTerryFit) -> tuple[Claim, ...]:
    """Return the printed output for ModPref."""
    where, coefficients = "Section 5, R output", fit.coefficients("lambda")
    lines = []
    printed_rows = {
        NEW: ("o1", ("0.2778", "0.1060", "2.620", "0.0088")),
        "tie": ("g1", ("-0.6551", "0.2300", "-2.848", "0.0044")),
    }
    for name, (label, printed) in printed_rows.items():
        row = coefficients[name]
        values = (row["estimate"], row["se"], row["z"], row["p"])
        ours = " ".join(_as_printed(value, text) for value, text in zip(values, printed, strict=True))
        checks = tuple(rounded(value, text) for value, text in zip(values, printed, strict=True))
        statement = f"ModPref, {label}: estimate, standard error, z and p."
        lines.append(Claim(where, statement, " ".join(printed), ours, checks))
    odds = float(np.exp(2.0 * coefficients[NEW]["estimate"]))
    deviance = (near(fit.deviance, 0.0, 1e-9), near(fit.df_residual, 0.0, 0.0))
    return (
        *lines,
        Claim(
            where, "ModPref, residual deviance on 0 df.", "-6.7e-15, 0", f"{fit.deviance:.1e}, 0", deviance
        ),
        printed_claim("Section 5", "ModPref: odds in favour of the new system.", "1.74", odds),
    )


def _as_printed(value: float, printed: str) -> str:
    return f"{value:.{len(printed.partition('.')[2])}f}"


def _artificial(fits: dict[str, BradleyTerryFit]) -> tuple[Claim, ...]:
    """Return the sentences about the data sets whose counts are known only by their pattern."""
    equal, no, strong = (fits[name].coefficients("lambda") for name in ("EqualPref", "NoPref", "StrongPref"))
    planted = "counts with the pattern that the paper describes, because its text does not print them."
    zero = tuple(near(equal[name]["estimate"], 0.0, 1e-9) for name in (NEW, "tie"))
    return (
        Claim(
            "Section 5",
            "EqualPref: all estimates are 0.",
            "0, 0",
            f"{abs(equal[NEW]['estimate']):.3f}, {abs(equal['tie']['estimate']):.3f}",
            zero,
            planted,
        ),
        Claim(
            "Section 5",
            "NoPref: positive g1, a strong tendency towards no preference.",
            "g1 > 0",
            f"g1 = {no['tie']['estimate']:.3f}, p {_p(no['tie']['p'])}",
            (Check(no["tie"]["estimate"], low=0.0), Check(no["tie"]["p"], high=SIGNIFICANT)),
            planted,
        ),
        Claim(
            "Section 5",
            "StrongPref: negative g1, a strong tendency to prefer, and both systems equally likely.",
            "g1 < 0, o1 about 0",
            f"g1 = {strong['tie']['estimate']:.3f}, p {_p(strong['tie']['p'])}; "
            f"o1 = {abs(strong[NEW]['estimate']):.3f}",
            (
                Check(strong["tie"]["estimate"], high=0.0),
                Check(strong["tie"]["p"], high=SIGNIFICANT),
                Check(strong[NEW]["p"], low=SIGNIFICANT),
            ),
            planted,
        ),
    )


def _p(value: float | None) -> str:
    if value is None:
        return "not defined"
    return "< 0.0001" if value < 0.0001 else f"= {value:.4f}"


def _collins(fits: dict[str, BradleyTerryFit]) -> tuple[Claim, ...]:
    """Return the printed results for Collins et al., from the counts as fitted and as published."""
    lines = []
    reasons = {
        "Collins, as fitted": "",
        "Collins, source": "The published values belong to 199 judgments; the source has 200. One preference for the "
        "new system was lost between the two papers (inferred from the printed digits).",
    }
    for name, because in reasons.items():
        row = fits[name].coefficients("lambda")
        tie, new = row["tie"], row[NEW]
        lines.append(
            Claim(
                "Section 5",
                f"{name}: g1 and its p value, and the p value of the preference.",
                "0.303, p = 0.0432; p = 0.0001",
                f"{tie['estimate']:.3f}, p = {tie['p']:.4f}; p = {new['p']:.4f}",
                (rounded(tie["estimate"], "0.303"), rounded(tie["p"], "0.0432"), rounded(new["p"], "0.0001")),
                because=because,
            )
        )
    judges = [FIGURE_1[f"Collins, annotator {number}"].counts for number in (1, 2)]
    total = tuple(int(sum(counts)) for counts in zip(*judges, strict=True))
    published = FIGURE_1["Collins, as fitted"].counts
    apart = sum(abs(ours - theirs) for ours, theirs in zip(total, published, strict=True))
    text = (
        "Counts of the two annotators, which Figure 1(a) takes from Collins et al. and Figure 1(c) adds up "
        "(the counts of Figure 1(c) are inferred)."
    )
    lines.append(
        Claim(
            "Figure 1(a), (c)",
            text,
            "/".join(map(str, published)),
            "/".join(map(str, total)),
            (near(apart, 0.0, 0.0),),
            because="The fit of the paper has one preference for the new system less than the source.",
        )
    )
    return tuple(lines)


def _lewis_and_steedman(fits: dict[str, BradleyTerryFit]) -> Claim:
    pair, row = FIGURE_1["Lewis and Steedman"], fits["Lewis and Steedman"].coefficients("lambda")
    collins = fits["Collins, as fitted"].coefficients("lambda")["tie"]["estimate"]
    return Claim(
        "Section 5",
        "Lewis and Steedman, 87 judgments: preference for the new system, and a much stronger disposition to ties "
        "than in Collins et al.",
        f"o1 > 0, g1 above {collins:.3f}",
        f"o1 = {row[NEW]['estimate']:.3f}, p {_p(row[NEW]['p'])}; g1 = {row['tie']['estimate']:.3f}",
        (
            near(sum(pair.counts), 87.0, 0.0),
            Check(row[NEW]["estimate"], low=0.0),
            Check(row[NEW]["p"], high=SIGNIFICANT),
            Check(row["tie"]["estimate"], low=collins),
        ),
        "87 counts with the pattern that the paper describes. The counts of Lewis and Steedman are not recovered.",
    )


def several_systems() -> Section:
    """Return Table 1 with the model of Eq. 1, as printed and with two columns exchanged."""
    ties, kept = (_fit_table(which, exchanged=False) for which in ("davidson", "kept"))
    ties_exchanged, kept_exchanged = (_fit_table(which, exchanged=True) for which in ("davidson", "kept"))
    coefficients = ties.coefficients("lambda")
    order = [name for name in sorted("ABCD", key=lambda name: -ties.worths()[name])]
    claims = (
        Claim(
            "Section 5",
            "Table 1: order of the systems.",
            "A D B C",
            " ".join(order),
            tuple(near(order.index(name), at, 0.0) for at, name in enumerate("ADBC")),
        ),
        Claim(
            "Section 5",
            "Table 1: large negative g1, there is little undecidedness.",
            "g1 < 0",
            f"g1 = {coefficients['tie']['estimate']:.3f}, p {_p(coefficients['tie']['p'])}",
            (
                Check(coefficients["tie"]["estimate"], high=0.0),
                Check(coefficients["tie"]["p"], high=SIGNIFICANT),
            ),
        ),
        _deviance("Table 1 as printed: deviance with ties", "30.646", 8, ties),
        _deviance("Table 1 as printed: deviance without g1", "221.22", 9, kept),
        _deviance("Table 1 with AD and BC exchanged: deviance with ties", "30.646", 8, ties_exchanged),
        _deviance("Table 1 with AD and BC exchanged: deviance without g1", "221.22", 9, kept_exchanged),
        Claim(
            "Section 5",
            "Leaving out g1 increases the deviance seven-fold, so ties improve the model.",
            "7",
            f"{kept.deviance / ties.deviance:.2f}; likelihood ratio {kept.deviance - ties.deviance:.2f} on 1 df",
            (rounded(kept.deviance / ties.deviance, "7"),),
            note=f"Both models fit poorly: p {_p(ties.p_deviance)} with ties, {_p(kept.p_deviance)} without.",
        ),
    )
    head = ("", "as printed", "AD and BC exchanged")
    rows = tuple(
        (name, *(_with_error(fit, name) for fit in (ties, ties_exchanged))) for name in ("A", "B", "C", "tie")
    )
    worths = tuple(
        (f"worth of {name}", *(f"{fit.worths()[name]:.4f}" for fit in (ties, ties_exchanged)))
        for name in "ABCD"
    )
    figures = (
        Grid(
            "Table 1: estimates, relative to D",
            "Lambda with standard errors; g1 is the row tie.",
            head,
            rows + worths,
        ),
        _intervals(
            "Table 1: lambda relative to D", {name: (ties, name) for name in ("A", "B", "C")}, "lambda"
        ),
    )
    return Section("Table 1 and Eq. 1: four systems", ("The judges are pooled.",), claims, figures)


def _fit_table(ties: str, exchanged: bool) -> BradleyTerryFit:
    return BradleyTerry(ties=ties, reference="D", cluster="none").fit(table_1(exchanged))  # type: ignore[arg-type]


def _deviance(statement: str, printed: str, df: int, fit: BradleyTerryFit) -> Claim:
    digits = len(printed.partition(".")[2])
    return Claim(
        "Section 5",
        f"{statement}.",
        f"{printed} on {df} df",
        f"{fit.deviance:.{digits}f} on {fit.df_residual} df",
        (rounded(fit.deviance, printed), near(fit.df_residual, df, 0.0)),
        because=EXCHANGED,
    )
