"""Eq. 2 of Dras (2015): effects of judges on the preferences of Table 1."""

from __future__ import annotations

from steelyard.maths.gaussian import NORMAL_95
from steelyard.models.bradley_terry.model import BradleyTerry
from steelyard.models.bradley_terry.results import BradleyTerryFit
from steelyard.simulation.reproduction.claims import Check, Claim, near
from steelyard.simulation.reproduction.dras_data import DIFFERING_JUDGE, PAIRS, TABLE_1, table_1
from steelyard.simulation.reproduction.figures import Intervals
from steelyard.simulation.reproduction.reproduction import Section

SIGNIFICANT = 0.05
REFERENCE = "D"
DIFFERING = tuple(f"{system}:rater={DIFFERING_JUDGE}" for system in ("A", "B"))
DIFFERING_PAIRS = ("AD", "BC")


def judges_section() -> Section:
    """Return Eq. 2 on Table 1, as printed and with two columns exchanged, and the cells of judge J3."""
    fits = {
        "as printed": _fit(exchanged=False),
        "AD and BC exchanged": _fit(exchanged=True),
    }
    common = BradleyTerry(ties="davidson", table="raters", cluster="none").fit(table_1())
    ratio = fits["as printed"].compare(common)
    claims = (
        _reversed_pairs(),
        *(_interactions(name, fit) for name, fit in fits.items()),
        Claim(
            "Eq. 2",
            "Interactions of judges contribute to the model (degrees of freedom from Eq. 2; the paper prints no "
            "deviance).",
            "9 interactions",
            f"likelihood ratio {ratio.chi_square:.2f} on {ratio.df} df, p = {ratio.p:.1e}; "
            f"deviance {fits['as printed'].deviance:.2f} on {fits['as printed'].df_residual} df",
            (near(ratio.df, 9, 0.0), Check(ratio.p, high=SIGNIFICANT)),
        ),
    )
    coefficients = fits["as printed"].coefficients("lambda")
    rows = []
    for name in _names(fits["as printed"]):
        row = coefficients[name]
        reach = NORMAL_95 * row["se"]
        rows.append(
            (name.replace("rater=", ""), row["estimate"], row["estimate"] - reach, row["estimate"] + reach)
        )
    figure = Intervals(
        "Eq. 2: interactions of systems and judges",
        "Lambda relative to system D and judge J1, with 95% Wald intervals.",
        tuple(rows),
        "lambda",
    )
    return Section("Eq. 2: judges as a covariate", ("The reference judge is J1.",), claims, (figure,))


def _fit(exchanged: bool) -> BradleyTerryFit:
    model = BradleyTerry(ties="davidson", reference=REFERENCE, rater_covariates=["rater"], cluster="none")
    return model.fit(table_1(exchanged))


def _names(fit: BradleyTerryFit) -> list[str]:
    """Return the interactions that are not fixed at 0."""
    return [name for name in fit.coefficients("lambda").name if ":rater=" in name and name[0] != REFERENCE]


def _interactions(which: str, fit: BradleyTerryFit) -> Claim:
    """Return the claim that exactly two interactions are significant."""
    coefficients = fit.coefficients("lambda")
    others = [name for name in _names(fit) if name not in DIFFERING]
    shown = ", ".join(
        f"{name.replace('rater=', '')} {coefficients[name]['estimate']:.3f} (z = {coefficients[name]['z']:.2f})"
        for name in DIFFERING
    )
    smallest = min(coefficients[name]["p"] for name in others)
    return Claim(
        "Section 5, Eq. 2",
        f"Table 1 {which}: the interactions of A and B with J3 are significant, unlike all others.",
        "o1:SUBJ3 and o2:SUBJ3",
        f"{shown}; smallest p of the other {len(others)}: {smallest:.2f}",
        (
            *(Check(coefficients[name]["p"], high=SIGNIFICANT) for name in DIFFERING),
            Check(smallest, low=SIGNIFICANT),
        ),
    )


def _reversed_pairs() -> Claim:
    """Return the pairs in which J3 prefers the other system than all other judges."""
    reversed_here = [
        pair
        for at, pair in enumerate(PAIRS)
        if all(
            (counts[at][0] - counts[at][2])
            * (TABLE_1[DIFFERING_JUDGE][at][0] - TABLE_1[DIFFERING_JUDGE][at][2])
            < 0
            for judge, counts in TABLE_1.items()
            if judge != DIFFERING_JUDGE
        )
    ]
    missed = set(DIFFERING_PAIRS) ^ set(reversed_here)
    return Claim(
        "Section 2",
        "Judge J3 differs from the other judges about AD and BC.",
        "AD, BC",
        ", ".join(reversed_here),
        (near(len(missed), 0.0, 0.0),),
    )
