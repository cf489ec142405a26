"""Fitting for commands: the model that the options describe, groups of judgments, and remarks on stderr."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from steelyard.cli.fit_groups import Group, GroupFit, columns_read, rows_where
from steelyard.cli.fit_items import without_item_effects
from steelyard.cli.fit_options import (
    DEFAULT_SEED,
    OPTION_SETTINGS,
    SystemTarget,
    check_options,
    option_of,
    remedy_options,
    settled,
)
from steelyard.cli.output import progress, remark
from steelyard.errors import BadSetting, NoGroupFitted, Separated, SteelyardError, Unconnected
from steelyard.judgments.assumptions import assumed_range
from steelyard.judgments.findings import counted
from steelyard.judgments.table import Judgments
from steelyard.models.known import default_model, model_named, seed_setting
from steelyard.models.model import Model
from steelyard.models.units import fit_unit
from steelyard.scales.fit import Fit, Sample

ONE_ITEM = (
    "There is only 1 item. Rank 1 therefore means nothing, and differences between raters cannot be separated from the "
    "position of the item. Add judgments of other items by the same raters."
)
COLUMN_SETTINGS = ("rater_covariates", "tie_by")  # settings that name columns of the judgments


@dataclass(frozen=True, eq=False)
class Fitter:
    """A model, what its scale orders, and the bootstrap of its intervals. Calling it fits judgments."""

    model: Model
    unit: str
    about: SystemTarget
    bootstrap: int | None
    seed: int

    def __call__(self, judgments: Judgments) -> Fit:
        """Return the fit of judgments."""
        fit = _fitted(self.model, self.unit, self.about, judgments)
        return fit if self.bootstrap is None else bootstrapped(fit, self.bootstrap, self.seed)


def chosen_model(
    judgments: Judgments,
    name: str | None,
    options: Mapping[str, Any],
    assignments: Sequence[str] | None,
    defaults: Mapping[str, Any] | None = None,
) -> tuple[Model, int]:
    """Return the model that options describe, and the seed.

    Parameters
    ----------
    judgments
        Judgments to fit, whose kind determines the default model.
    name
        Name of the model; None for the default.
    options
        Settings from options, by name.
    assignments
        Settings from --set, as NAME=VALUE.
    defaults
        Settings, such as those of a study, that options and --set replace. Default: those of the model.

    Returns
    -------
    tuple
        The model with its settings, and the random seed.
    """
    settings = without_item_effects(settled(_with_columns(judgments, options), named_values(assignments)))
    chosen = default_model(judgments.kinds) if name is None else name
    check_options(options, chosen, judgments.kinds if name is None else ())
    made = {**seed_setting(chosen, DEFAULT_SEED), **({} if defaults is None else defaults), **settings}
    return made_model(chosen, made), int(made.get("seed", DEFAULT_SEED))


def _with_columns(judgments: Judgments, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, with columns under the names that Steelyard reads them as: `judge` is read as `rater`."""
    named = {name: options[name] for name in COLUMN_SETTINGS if options.get(name)}
    read = {
        name: columns_read(judgments, [value])[0]
        if isinstance(value, str)
        else columns_read(judgments, value)
        for name, value in named.items()
    }
    return {**options, **read}


def named_values(assignments: Sequence[str] | None) -> dict[str, Any]:
    """Parse settings written as NAME=VALUE. Values are TOML, or text if they are not valid TOML."""
    settings: dict[str, Any] = {}
    for each in assignments or ():
        name, equals, value = each.partition("=")
        if not equals:
            raise BadSetting("--set", f"{each!r} does not have the form NAME=VALUE.")
        try:
            settings[name.strip()] = tomllib.loads(f"value = {value}")["value"]
        except (ValueError, RecursionError):  # not TOML, too many digits, or nested too deeply
            settings[name.strip()] = value
    return settings


def made_model(name: str, settings: Mapping[str, Any]) -> Model:
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


def chosen_rows(judgments: Judgments, where: Sequence[str] | None) -> Judgments:
    """Keep the rows that --where selects, and print how many were left out."""
    if not where:
        return judgments
    kept, left_out = rows_where(judgments, where)
    verb = "is" if left_out == 1 else "are"
    sentence = f"{counted(left_out, 'row')} of {len(judgments):,} {verb} left out by --where {' --where '.join(where)}."
    remark(sentence)
    return replace(kept, reading=replace(kept.reading, selected=sentence))


def fit_groups(fitted: Callable[[Judgments], Fit], groups: Sequence[Group]) -> list[GroupFit]:
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
            reason.add_note(f"On the command line, write {option_of(setting)} VALUE for {setting}=VALUE.")
        raise


def bootstrapped(fit: Fit, replicates: int, seed: int) -> Fit:
    """Return the fit with intervals from a bootstrap of the raters.

    Parameters
    ----------
    fit
        Fit of comparisons.
    replicates
        Number of bootstrap samples.
    seed
        Random seed.

    Returns
    -------
    Fit
        The same estimates with other intervals.
    """
    with progress("Bootstrap", replicates) as show:
        try:
            return fit.bootstrapped(replicates, np.random.default_rng(seed), show)
        except BadSetting as reason:
            reason.add_note("On the command line, --bootstrap needs --model bradley_terry.")
            raise


def remark_on_fitting(model: Model, judgments: Judgments, groups: Sequence[Group]) -> None:
    """Print assumptions about rows without a group and about the range, and which groups have a single item.

    Parameters
    ----------
    model
        Model that is fitted.
    judgments
        All judgments.
    groups
        The judgments by group.
    """
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
    for group in groups:
        if len(group.judgments.items) == 1:
            remark(group.named(ONE_ITEM))
