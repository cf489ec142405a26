"""`steelyard fit`: judgments in, a scale out."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from steelyard.cli.output import (
    AsJson,
    Output,
    check_place,
    progress,
    remark,
    table_format,
    write_table,
    write_text,
)
from steelyard.errors import BadSetting
from steelyard.judgments.features import item_columns
from steelyard.judgments.read import read
from steelyard.judgments.table import Judgments
from steelyard.models.known import MODELS, model_named, usual_model
from steelyard.models.model import Model
from steelyard.scales.fit import Fit
from steelyard.scales.scale import stacked

Range = Annotated[
    tuple[float, float] | None,
    typer.Option("--range", metavar="LOW HIGH", help="The ends of the scale that scores were given on."),
]


def fit(
    file: Annotated[str, typer.Argument(help="CSV, JSONL or Parquet file of judgments; - is stdin.")],
    model: Annotated[
        str | None,
        typer.Option(help=f"One of: {', '.join(MODELS)}. If none is named, what suits the judgments."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(help="Fit each value of this column apart; rows without one have an empty name."),
    ] = None,
    unit: Annotated[str, typer.Option(help="Scale items, or the systems that made them.")] = "item",
    range: Range = None,
    kind: Annotated[
        str | None, typer.Option(help="The kind of judgment, where the columns leave it open.")
    ] = None,
    standardise: Annotated[str | None, typer.Option(help="direct_assessment: none or rater.")] = None,
    trim: Annotated[float | None, typer.Option(help="direct_assessment: share cut from each end.")] = None,
    drop_bad_rows: Annotated[
        bool,
        typer.Option("--drop-bad-rows", help="Leave rows with mistakes out instead of refusing the file."),
    ] = False,
    feature: Annotated[
        list[str] | None,
        typer.Option(
            help="steelyard: a column of the items to learn from, such as a machine's score; repeatable."
        ),
    ] = None,
    ties: Annotated[
        str | None,
        typer.Option(
            help="bradley_terry: davidson, rao_kupper, half, drop or kept; davidson where there are ties."
        ),
    ] = None,
    order: Annotated[
        bool, typer.Option("--order", help="bradley_terry: an effect of being shown on the left.")
    ] = False,
    rater_covariate: Annotated[
        list[str] | None,
        typer.Option(help="bradley_terry: a column by which items differ, such as rater; repeatable."),
    ] = None,
    tie_by: Annotated[
        str | None, typer.Option(help="bradley_terry: a column by which the tie effect differs.")
    ] = None,
    rater_position: Annotated[
        str | None,
        typer.Option(help="bradley_terry: random lean to one side by rater: laplace or quadrature."),
    ] = None,
    reference: Annotated[
        str | None, typer.Option(help="bradley_terry: the item that coefficients are told against.")
    ] = None,
    link: Annotated[str | None, typer.Option(help="bradley_terry: logit or probit.")] = None,
    penalty: Annotated[
        str | None, typer.Option(help="bradley_terry: none, firth, ridge (with --prior-sd) or pseudo.")
    ] = None,
    prior_sd: Annotated[
        float | None, typer.Option(help="bradley_terry: standard deviation of log-worths under ridge.")
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(help="bradley_terry: what deviance is about: pairs, ordered, raters or judgments."),
    ] = None,
    standard_errors: Annotated[
        str | None, typer.Option(help="bradley_terry: information, rater, rater_cr1 or judgment.")
    ] = None,
    bootstrap: Annotated[
        int | None, typer.Option(help="bradley_terry: intervals from so many draws of the raters.", min=2)
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any other setting of the model; repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draws behind rank intervals.")] = 0,
    summary: Annotated[
        bool, typer.Option("--summary", help="Write a summary to read instead of a table.")
    ] = False,
    raters: Annotated[
        bool, typer.Option("--raters", help="Write what the fit says of each rater instead.")
    ] = False,
    items: Annotated[
        bool,
        typer.Option("--items", help="Write what the fit says of each item beside its position instead."),
    ] = False,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Turn judgments into a scale: item, position, spread, low, high, rank, rank_low, rank_high, count."""
    if summary:
        check_place(output)
    else:
        table_format(output, as_json)
    everything = read_judgments(file, kind, range, drop_bad_rows)
    features = item_columns(everything, feature) if feature else None
    settings = {
        "standardise": standardise,
        "trim": trim,
        "features": features,
        "seed": seed,
        "ties": ties,
        "order": order or None,
        "rater_covariates": rater_covariate,
        "tie_by": tie_by,
        "rater_position": rater_position,
        "reference": reference,
        "link": link,
        "penalty": penalty,
        "prior_sd": prior_sd,
        "table": table,
        "standard_errors": standard_errors,
    }
    given = {name: value for name, value in settings.items() if value is not None}
    made = model_named(usual_model(everything.kinds) if model is None else model, **given, **_set(set_))
    judgments = everything.at_unit(unit)
    groups = [("", judgments)] if by is None else [(str(value), part) for value, part in judgments.by(by)]
    fits = _fit_groups(made, groups)
    if bootstrap is not None:
        fits = [(value, _bootstrapped(each, bootstrap, seed)) for value, each in fits]
    for value, each in fits:
        remark(f"{by}={value} | {each.signature}" if by else each.signature)
    _remark_on(judgments, groups, by)
    if raters:
        write_table(_columns([(value, each.raters) for value, each in fits], by, "--raters"), output, as_json)
    elif items:
        write_table(_columns([(value, each.items) for value, each in fits], by, "--items"), output, as_json)
    elif summary:
        write_text("\n\n".join(each.summary() for _, each in fits) + "\n", output)
    else:
        write_table(stacked([(value, each.scale) for value, each in fits], by), output, as_json)


def _bootstrapped(fit: Fit, replicates: int, seed: int) -> Fit:
    """The fit with intervals from draws of the raters, with a bar."""
    from steelyard.models.bradley_terry.results import BradleyTerryFit  # late: only this option needs it

    if not isinstance(fit, BradleyTerryFit):
        raise BadSetting("--bootstrap", "this model cannot draw its raters anew; use --model bradley_terry.")
    with progress("Drawing raters", replicates) as show:
        return fit.bootstrapped(replicates, np.random.default_rng(seed), show)


def _remark_on(judgments: Judgments, groups: Sequence[tuple[str, Judgments]], by: str | None) -> None:
    """Say what was taken for granted."""
    nameless = sum(len(part) for value, part in groups if by and not value)
    if nameless:
        remark(f"{nameless:,} rows have no {by}; they are fitted apart, under an empty name.")
    if by is None and len(judgments.labels("question")) > 1:
        remark("The file asks several questions, fitted here as one; --by question fits each apart.")
    if judgments.range is None and judgments.tables.get("rating") is not None:
        remark("The range was taken from the scores; --range LOW HIGH says otherwise.")


def _set(told: Sequence[str] | None) -> dict[str, Any]:
    """Settings written as NAME=VALUE: numbers, true and false as in TOML, anything else as text."""
    settings: dict[str, Any] = {}
    for each in told or ():
        name, equals, value = each.partition("=")
        if not equals:
            raise BadSetting("--set", f"{each!r} is not written as NAME=VALUE.")
        try:
            settings[name.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            settings[name.strip()] = value
    return settings


def _columns(
    tables: Sequence[tuple[str, Sequence[Mapping[str, Any]]]], by: str | None, option: str
) -> dict[str, list[Any]]:
    """Rows that fits give, under each other."""
    columns: dict[str, list[Any]] = {}
    for value, rows in tables:
        for row in rows:
            for name, cell in {**({by: value} if by else {}), **row}.items():
                columns.setdefault(name, []).append(cell)
    if not columns:
        raise BadSetting(option, f"this model says nothing of {option[2:]} but the scale.")
    return columns


def _fit_groups(model: Model, groups: Sequence[tuple[str, Judgments]]) -> list[tuple[str, Fit]]:
    fits = []
    with progress("Fitting", len(groups) if len(groups) > 1 else None) as show:
        for value, part in groups:
            fits.append((value, model.fit(part)))
            if len(groups) > 1:
                show(len(fits))
    return fits


def read_judgments(
    file: str, kind: str | None, range: tuple[float, float] | None, drop: bool = False
) -> Judgments:
    """Judgments from a path, or from stdin where it is `-`."""
    source = sys.stdin.buffer if file == "-" else Path(file)
    with progress("Reading"):
        return read(source, kind, range=range, bad_rows="drop" if drop else "refuse")
