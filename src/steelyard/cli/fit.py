"""`steelyard fit`: fit a model to judgments and write the scale."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer

from steelyard.cli.fit_groups import Group, GroupFit, groups_by, rows_where
from steelyard.cli.fit_options import (
    DEFAULT_SEED,
    OPTION_SETTINGS,
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
    check_options,
    fields_set,
    option_of,
    remedy_options,
    settled,
    with_records,
)
from steelyard.cli.fit_shown import Shown
from steelyard.cli.output import progress, remark
from steelyard.cli.reading_options import READING, ReadingOptions, remark_on_judgments
from steelyard.errors import BadSetting, NoGroupFitted, Separated, SteelyardError, Unconnected
from steelyard.judgments.assumptions import assumed_range
from steelyard.judgments.features import item_columns
from steelyard.judgments.findings import counted
from steelyard.judgments.probes import without_probes
from steelyard.judgments.read import read
from steelyard.judgments.table import Judgments
from steelyard.kinds.known import KINDS
from steelyard.models.bradley_terry.results import BradleyTerryFit
from steelyard.models.known import default_model, model_named, seed_setting
from steelyard.models.model import Model
from steelyard.models.units import fit_unit
from steelyard.quality.raters import describe_raters, spam_by_rater
from steelyard.scales.fit import Fit, Sample

FILE_HELP = "File of judgments: CSV, JSONL or Parquet. - reads from stdin."
File = Annotated[str, typer.Argument(help=FILE_HELP)]
RangeOption = Annotated[
    tuple[float, float] | None,
    typer.Option(
        "--range",
        rich_help_panel=READING,
        metavar="LOW HIGH",
        help="Ends of the rating scale. Default: a common range that contains the scores, such as 0-100; otherwise the "
        "lowest and highest score.",
    ),
]
KindOption = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=READING,
        help=f"Kind of judgment. One of: {', '.join(KINDS.built_in)}. Default: recognised from the columns.",
    ),
]


@with_records
def fit(
    file: Annotated[str, typer.Argument(help=FILE_HELP)],
    *,
    kind: KindOption = None,
    range: RangeOption = None,
    where: WhereOption = None,
    reading: ReadingOptions,
    model: ModelName = None,
    by: By = None,
    unit: Unit = "item",
    about: SystemTarget,
    averaging: DirectAssessmentSettings,
    feature: Feature = None,
    set_: AnySetting = None,
    seed: Seed = None,
    comparing: BradleyTerrySettings,
    bootstrap: Bootstrap = None,
    shown: Shown,
) -> None:
    """Fit a model to judgments and write the scale.

    The columns are item, position, spread (standard error or posterior standard deviation), low, high (95% interval),
    rank, rank_low, rank_high (95% interval), count.
    """
    shown.check()
    about.check(unit)
    everything = _chosen_rows(leave_out_probes(read_judgments(file, kind, range, reading)), where)
    features = {"features": item_columns(everything, feature)} if feature else {}
    seeded = {} if seed is None else {"seed": seed}
    options = {**fields_set(averaging), **features, **seeded, **fields_set(comparing)}
    settings = settled(options, _named_values(set_))
    chosen = default_model(everything.kinds) if model is None else model
    check_options(options, chosen, everything.kinds if model is None else ())
    made = _made(chosen, {**seed_setting(chosen, DEFAULT_SEED), **settings})
    groups = groups_by(everything, by)
    fit_of: Callable[[Judgments], Fit] = partial(_fitted, made, unit, about)
    if bootstrap is not None:
        fit_of = partial(_fitted_and_drawn, fit_of, bootstrap, settings.get("seed", DEFAULT_SEED))
    fits = _fit_groups(fit_of, groups)
    if not shown.prints_summary:  # which has the signature and the remarks itself
        for each in fits:
            for text in (each.fit.signature, *each.fit.remarks):
                remark(each.group.named(text))
    apart = (*groups[0].columns, *(("segment",) if unit == "system" else ()))
    remark_on_judgments(everything, apart)
    _remark_on(made, everything, groups)
    shown.write(fits, fit_of, _flags_of(groups, fits) if shown.raters else {})


def read_judgments(
    file: str, kind: str | None, range: tuple[float, float] | None, options: ReadingOptions
) -> Judgments:
    """Read judgments from a file or from stdin.

    Parameters
    ----------
    file
        Path of the file; `-` is stdin.
    kind
        Kind of judgment; None to recognise it from the columns.
    range
        Ends of the rating scale; None to assume a common range that contains the scores.
    options
        How to treat repeated answers, mistakes and item ids.

    Returns
    -------
    Judgments
        The judgments of the file.
    """
    source = sys.stdin.buffer if file == "-" else Path(file)
    with progress("Reading"):
        return read(source, kind, range=range, **options.settings())


def leave_out_probes(judgments: Judgments) -> Judgments:
    """Return the judgments without probes, and print how many rows were left out."""
    kept, left_out = without_probes(judgments)
    if left_out:
        verb = "is" if left_out == 1 else "are"
        remark(f"{counted(left_out, 'row')} marked as probe {verb} left out of the fit.")
    return kept


def parts_by(judgments: Judgments, by: str | None) -> list[tuple[str, Judgments]]:
    """Return the judgments for each value of a column, or all of them under an empty name."""
    return [("", judgments)] if by is None else [(str(value), part) for value, part in judgments.by(by)]


def _flags_of(groups: Sequence[Group], fits: Sequence[GroupFit]) -> dict[tuple[str, str], str]:
    """The flags of each rater as text, by group and rater."""
    spam = {each.group.label: spam_by_rater(each.fit.raters) for each in fits}
    return {
        (group.label, habits.rater): ", ".join(habits.flags)
        for group in groups
        if group.label in spam
        for habits in describe_raters(group.judgments, spam=spam[group.label])
    }


def _named_values(assignments: Sequence[str] | None) -> dict[str, Any]:
    """Parse settings written as NAME=VALUE. Values are TOML, or text if they are not valid TOML."""
    settings: dict[str, Any] = {}
    for each in assignments or ():
        name, equals, value = each.partition("=")
        if not equals:
            raise BadSetting("--set", f"{each!r} does not have the form NAME=VALUE.")
        try:
            settings[name.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            settings[name.strip()] = value
    return settings


def _made(name: str, settings: Mapping[str, Any]) -> Model:
    """The model with these settings. If a list was written without quotes, the error shows how to write it."""
    try:
        return model_named(name, **settings)
    except BadSetting as reason:
        setting = str(reason).partition(":")[0]
        value = settings.get(setting)
        if (
            "is not a list of text" in str(reason)
            and isinstance(value, str)
            and setting not in OPTION_SETTINGS
        ):
            names = ",".join(f'"{each.strip()}"' for each in value.strip("[] ").split(","))
            reason.add_note(f"Write quotes around each name: --set '{setting}=[{names}]'.")
        raise


def _chosen_rows(judgments: Judgments, where: Sequence[str] | None) -> Judgments:
    """Keep the rows that --where selects, and print how many were left out."""
    if not where:
        return judgments
    kept, left_out = rows_where(judgments, where)
    verb = "is" if left_out == 1 else "are"
    remark(
        f"{counted(left_out, 'row')} of {len(judgments):,} {verb} left out by --where {' --where '.join(where)}."
    )
    return kept


def _fit_groups(fitted: Callable[[Judgments], Fit], groups: Sequence[Group]) -> list[GroupFit]:
    """Fit each group. With --by, groups that cannot be fitted are reported and skipped."""
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
    """Fit the judgments. Errors that a setting can prevent get a note with the option of the command."""
    try:
        target, raters = ("new" if each is None else each for each in (about.target, about.target_raters))
        return fit_unit(model, judgments, unit, cast(Sample, target), cast(Sample, raters))
    except (Separated, Unconnected) as reason:
        if model.capabilities.remedy:
            reason.add_note(f"On the command line, {remedy_options(model.capabilities.remedy)}.")
        raise
    except BadSetting as reason:
        setting = str(reason).partition(":")[0]
        if setting in OPTION_SETTINGS:
            reason.add_note(f"On the command line, this setting is the option {option_of(setting)}.")
        raise


def _fitted_and_drawn(
    fit_of: Callable[[Judgments], Fit], replicates: int, seed: int, judgments: Judgments
) -> Fit:
    return _bootstrapped(fit_of(judgments), replicates, seed)


def _bootstrapped(fit: Fit, replicates: int, seed: int) -> Fit:
    """The fit with intervals from a bootstrap of the raters."""
    if not isinstance(fit, BradleyTerryFit):
        raise BadSetting("--bootstrap", "this model has no bootstrap. Use --model bradley_terry.")
    with progress("Bootstrap", replicates) as show:
        return fit.bootstrapped(replicates, np.random.default_rng(seed), show)


def _remark_on(model: Model, judgments: Judgments, groups: Sequence[Group]) -> None:
    """Print assumptions about rows without a group, and about the range."""
    nameless = sum(len(group.judgments) for group in groups if not all(group.values))
    if nameless:
        have, they = ("has", "It is") if nameless == 1 else ("have", "They are")
        column = " or no ".join(groups[0].columns)
        remark(
            f"{counted(nameless, 'row')} {have} no {column}. {they} fitted separately, under an empty name."
        )
    assumed = assumed_range(judgments) if model.capabilities.needs_range else None
    if assumed is not None:
        remark(assumed)
