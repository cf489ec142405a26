"""`steelyard fit`: judgments in, a scale out."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer

from steelyard.cli.fit_groups import Group, GroupFit, groups_by, rows_where
from steelyard.cli.fit_options import (
    DEFAULT_SEED,
    AnySetting,
    Bootstrap,
    BradleyTerrySettings,
    By,
    DirectAssessmentSettings,
    Feature,
    ModelName,
    Seed,
    SystemTarget,
    Unit,
    WhereOption,
    fields_set,
    settled,
    with_records,
)
from steelyard.cli.fit_shown import Shown
from steelyard.cli.output import progress, remark
from steelyard.cli.reading_options import ReadingOptions, remark_on_judgments
from steelyard.errors import BadSetting, NoGroupFitted, Separated, SteelyardError, Unconnected
from steelyard.judgments.features import item_columns
from steelyard.judgments.findings import counted
from steelyard.judgments.probes import without_probes
from steelyard.judgments.read import read
from steelyard.judgments.table import Judgments
from steelyard.models.bradley_terry.results import BradleyTerryFit
from steelyard.models.known import default_model, model_named, seed_setting
from steelyard.models.model import Model
from steelyard.models.units import fit_unit
from steelyard.quality.raters import describe_raters, spam_by_rater
from steelyard.scales.fit import Fit, Sample

File = Annotated[str, typer.Argument(help="CSV, JSONL or Parquet file of judgments; - is stdin.")]
RangeOption = Annotated[
    tuple[float, float] | None,
    typer.Option("--range", metavar="LOW HIGH", help="The ends of the scale that scores were given on."),
]
KindOption = Annotated[
    str | None, typer.Option(help="The kind of judgment, where the columns leave it open.")
]


@with_records
def fit(
    file: File,
    *,
    model: ModelName = None,
    by: By = None,
    where: WhereOption = None,
    unit: Unit = "item",
    about: SystemTarget,
    range: RangeOption = None,
    kind: KindOption = None,
    averaging: DirectAssessmentSettings,
    reading: ReadingOptions,
    feature: Feature = None,
    comparing: BradleyTerrySettings,
    bootstrap: Bootstrap = None,
    set_: AnySetting = None,
    seed: Seed = None,
    shown: Shown,
) -> None:
    """Turn judgments into a scale: item, position, spread, low, high, rank, rank_low, rank_high, count."""
    shown.check()
    about.check(unit)
    everything = _chosen_rows(leave_out_probes(read_judgments(file, kind, range, reading)), where)
    features = {"features": item_columns(everything, feature)} if feature else {}
    seeded = {} if seed is None else {"seed": seed}
    options = {**fields_set(averaging), **features, **seeded, **fields_set(comparing)}
    settings = settled(options, _named_values(set_))
    chosen = default_model(everything.kinds) if model is None else model
    made = model_named(chosen, **{**seed_setting(chosen, DEFAULT_SEED), **settings})
    groups = groups_by(everything, by)
    fit_of: Callable[[Judgments], Fit] = partial(_fitted, made, unit, about)
    if bootstrap is not None:
        fit_of = partial(_fitted_and_drawn, fit_of, bootstrap, settings.get("seed", DEFAULT_SEED))
    fits = _fit_groups(fit_of, groups)
    for each in fits:
        remark(each.group.named(each.fit.signature))
        for text in each.fit.remarks:
            remark(each.group.named(text))
    apart = (*groups[0].columns, *(("segment",) if unit == "system" else ()))
    remark_on_judgments(everything, apart)
    _remark_on(made, everything, groups)
    shown.write(fits, fit_of, _flags_of(groups, fits) if shown.raters else {})


def read_judgments(
    file: str, kind: str | None, range: tuple[float, float] | None, options: ReadingOptions
) -> Judgments:
    """Judgments from a path, or from stdin where it is `-`."""
    source = sys.stdin.buffer if file == "-" else Path(file)
    with progress("Reading"):
        return read(source, kind, range=range, **options.settings())


def leave_out_probes(judgments: Judgments) -> Judgments:
    """The judgments that a fit counts, with a remark about the probes among the others."""
    kept, left_out = without_probes(judgments)
    if left_out:
        verb = "is" if left_out == 1 else "are"
        remark(f"{counted(left_out, 'row')} marked as probe {verb} left out of the fit.")
    return kept


def parts_by(judgments: Judgments, by: str | None) -> list[tuple[str, Judgments]]:
    """The judgments of each value of a column, or all of them under no name."""
    return [("", judgments)] if by is None else [(str(value), part) for value, part in judgments.by(by)]


def _flags_of(groups: Sequence[Group], fits: Sequence[GroupFit]) -> dict[tuple[str, str], str]:
    """The flags of each rater in words, by the name of the group and the rater."""
    spam = {each.group.label: spam_by_rater(each.fit.raters) for each in fits}
    return {
        (group.label, habits.rater): ", ".join(habits.flags)
        for group in groups
        if group.label in spam
        for habits in describe_raters(group.judgments, spam=spam[group.label])
    }


def _named_values(assignments: Sequence[str] | None) -> dict[str, Any]:
    """Settings written as NAME=VALUE: numbers, true and false as in TOML, anything else as text."""
    settings: dict[str, Any] = {}
    for each in assignments or ():
        name, equals, value = each.partition("=")
        if not equals:
            raise BadSetting("--set", f"{each!r} is not written as NAME=VALUE.")
        try:
            settings[name.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            settings[name.strip()] = value
    return settings


def _chosen_rows(judgments: Judgments, where: Sequence[str] | None) -> Judgments:
    """The rows that --where asks for, and a remark on how many are left out."""
    if not where:
        return judgments
    kept, left_out = rows_where(judgments, where)
    verb = "is" if left_out == 1 else "are"
    remark(
        f"{counted(left_out, 'row')} of {len(judgments):,} {verb} left out by --where {' --where '.join(where)}."
    )
    return kept


def _fit_groups(fitted: Callable[[Judgments], Fit], groups: Sequence[Group]) -> list[GroupFit]:
    """The fit of each group; with --by, one that cannot be fitted is named with its reason and the others go on."""
    fits: list[GroupFit] = []
    several = len(groups) > 1
    with progress("Fitting", len(groups) if several else None) as show:
        for done, group in enumerate(groups, start=1):
            try:
                fits.append(GroupFit(group, fitted(group.judgments)))
            except SteelyardError as reason:
                if not group.label:
                    raise
                notes = getattr(reason, "__notes__", ())
                remark(group.named(" ".join(["not fitted:", str(reason), *notes])))
            if several:
                show(done)
    failed = len(groups) - len(fits)
    if not fits:
        raise NoGroupFitted(failed, ",".join(groups[0].columns))
    if failed:
        remark(f"{failed:,} of {len(groups):,} groups could not be fitted and are not in the results.")
    return fits


def _fitted(model: Model, unit: str, about: SystemTarget, judgments: Judgments) -> Fit:
    """The fit; where none can be made, how the settings that errors name are written in a command."""
    try:
        target, raters = ("new" if each is None else each for each in (about.target, about.target_raters))
        return fit_unit(model, judgments, unit, cast(Sample, target), cast(Sample, raters))
    except (Separated, Unconnected) as reason:
        remedy = model.capabilities.remedy
        example = f", such as --set {remedy}" if remedy else ""
        reason.add_note(f"On the command line a setting is given as --set NAME=VALUE{example}.")
        raise


def _fitted_and_drawn(
    fit_of: Callable[[Judgments], Fit], replicates: int, seed: int, judgments: Judgments
) -> Fit:
    return _bootstrapped(fit_of(judgments), replicates, seed)


def _bootstrapped(fit: Fit, replicates: int, seed: int) -> Fit:
    """The fit with intervals from draws of the raters, with a bar."""
    if not isinstance(fit, BradleyTerryFit):
        raise BadSetting("--bootstrap", "this model cannot draw its raters anew; use --model bradley_terry.")
    with progress("Drawing raters", replicates) as show:
        return fit.bootstrapped(replicates, np.random.default_rng(seed), show)


def _remark_on(model: Model, judgments: Judgments, groups: Sequence[Group]) -> None:
    """Say what was taken for granted."""
    nameless = sum(len(group.judgments) for group in groups if not all(group.values))
    if nameless:
        have, they = ("has", "it is") if nameless == 1 else ("have", "they are")
        column = " or no ".join(groups[0].columns)
        remark(f"{counted(nameless, 'row')} {have} no {column}; {they} fitted apart, under an empty name.")
    if judgments.range is None and model.capabilities.needs_range:
        remark("The range was taken from the scores; --range LOW HIGH says otherwise.")
