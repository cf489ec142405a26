"""`steelyard fit`: judgments in, a scale out."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from steelyard.cli.answers import counted
from steelyard.cli.fit_options import (
    AnySetting,
    Bootstrap,
    BradleyTerrySettings,
    By,
    DirectAssessmentSettings,
    Feature,
    ModelName,
    Seed,
    Unit,
    given,
    settled,
    with_records,
)
from steelyard.cli.fit_shown import Shown
from steelyard.cli.output import progress, remark
from steelyard.errors import BadSetting, Separated, Unconnected
from steelyard.judgments.features import item_columns
from steelyard.judgments.read import read
from steelyard.judgments.table import Judgments
from steelyard.models.known import model_named, usual_model
from steelyard.models.model import Model
from steelyard.quality.raters import describe_raters, spam_by_rater
from steelyard.scales.fit import Fit

File = Annotated[str, typer.Argument(help="CSV, JSONL or Parquet file of judgments; - is stdin.")]
Range = Annotated[
    tuple[float, float] | None,
    typer.Option("--range", metavar="LOW HIGH", help="The ends of the scale that scores were given on."),
]
Kind = Annotated[str | None, typer.Option(help="The kind of judgment, where the columns leave it open.")]
DropBadRows = Annotated[
    bool, typer.Option("--drop-bad-rows", help="Leave rows with mistakes out instead of refusing the file.")
]


@with_records
def fit(
    file: File,
    *,
    model: ModelName = None,
    by: By = None,
    unit: Unit = "item",
    range: Range = None,
    kind: Kind = None,
    averaging: DirectAssessmentSettings,
    drop_bad_rows: DropBadRows = False,
    feature: Feature = None,
    comparing: BradleyTerrySettings,
    bootstrap: Bootstrap = None,
    set_: AnySetting = None,
    seed: Seed = None,
    shown: Shown,
) -> None:
    """Turn judgments into a scale: item, position, spread, low, high, rank, rank_low, rank_high, count."""
    shown.check()
    everything = read_judgments(file, kind, range, drop_bad_rows)
    features = {"features": item_columns(everything, feature)} if feature else {}
    seeded = {} if seed is None else {"seed": seed}
    options = {**given(averaging), **features, **seeded, **given(comparing)}
    settings = settled(options, _named_values(set_))
    chosen = usual_model(everything.kinds) if model is None else model
    made = model_named(chosen, **settings)
    judgments = everything.at_unit(unit)
    parts = parts_by(judgments, by)
    fits = _fit_parts(made, parts)
    if bootstrap is not None:
        fits = [(value, _bootstrapped(each, bootstrap, settings["seed"])) for value, each in fits]
    for value, each in fits:
        remark(f"{by}={value} | {each.signature}" if by else each.signature)
    _remark_on(judgments, parts, by)
    shown.write(fits, by, _flags_of(parts_by(everything, by), fits) if shown.raters else {})


def read_judgments(
    file: str, kind: str | None, range: tuple[float, float] | None, drop: bool = False
) -> Judgments:
    """Judgments from a path, or from stdin where it is `-`."""
    source = sys.stdin.buffer if file == "-" else Path(file)
    with progress("Reading"):
        return read(source, kind, range=range, bad_rows="drop" if drop else "refuse")


def parts_by(judgments: Judgments, by: str | None) -> list[tuple[str, Judgments]]:
    """The judgments of each value of a column, or all of them under no name."""
    return [("", judgments)] if by is None else [(str(value), part) for value, part in judgments.by(by)]


def _flags_of(
    parts: Sequence[tuple[str, Judgments]], fits: Sequence[tuple[str, Fit]]
) -> dict[tuple[str, str], str]:
    """The flags of each rater in words, by the value of the column `by` and the rater."""
    spam = {value: spam_by_rater(fit.raters) for value, fit in fits}
    return {
        (value, habits.rater): ", ".join(habits.flags)
        for value, part in parts
        for habits in describe_raters(part, spam=spam.get(value, {}))
    }


def _named_values(told: Sequence[str] | None) -> dict[str, Any]:
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


def _fit_parts(model: Model, parts: Sequence[tuple[str, Judgments]]) -> list[tuple[str, Fit]]:
    fits = []
    with progress("Fitting", len(parts) if len(parts) > 1 else None) as show:
        for value, part in parts:
            fits.append((value, _fitted(model, part)))
            if len(parts) > 1:
                show(len(fits))
    return fits


def _fitted(model: Model, judgments: Judgments) -> Fit:
    """The fit; where none can be made, how the settings that errors tell of are written in a command."""
    try:
        return model.fit(judgments)
    except (Separated, Unconnected) as reason:
        told = "penalty=firth" if model.name == "bradley_terry" else "pseudo=0.5"
        reason.add_note(f"On the command line a setting is given as --set NAME=VALUE, such as --set {told}.")
        raise


def _bootstrapped(fit: Fit, replicates: int, seed: int) -> Fit:
    """The fit with intervals from draws of the raters, with a bar."""
    from steelyard.models.bradley_terry.results import BradleyTerryFit  # late: only this option needs it

    if not isinstance(fit, BradleyTerryFit):
        raise BadSetting("--bootstrap", "this model cannot draw its raters anew; use --model bradley_terry.")
    with progress("Drawing raters", replicates) as show:
        return fit.bootstrapped(replicates, np.random.default_rng(seed), show)


def _remark_on(judgments: Judgments, parts: Sequence[tuple[str, Judgments]], by: str | None) -> None:
    """Say what was taken for granted."""
    nameless = sum(len(part) for value, part in parts if by and not value)
    if nameless:
        told, they = ("has", "it is") if nameless == 1 else ("have", "they are")
        remark(f"{counted(nameless, 'row')} {told} no {by}; {they} fitted apart, under an empty name.")
    if by is None and len(judgments.labels("question")) > 1:
        remark("The file asks several questions, fitted here as one; --by question fits each apart.")
    if judgments.range is None and judgments.tables.get("rating") is not None:
        remark("The range was taken from the scores; --range LOW HIGH says otherwise.")
