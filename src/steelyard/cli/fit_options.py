"""Options of `steelyard fit`. Options that are settings of one model are grouped in a record."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_args, get_type_hints

import typer

from steelyard.cli.reading_options import READING
from steelyard.errors import BadSetting
from steelyard.kinds.known import KINDS
from steelyard.models.known import MODELS, default_model, described_models, models_with

DEFAULT_SEED = 0
DEFAULT_MODELS = ", ".join(f"{kind.default_model} for {name}" for name, kind in KINDS.built_in.items())
MODEL = "Model"  # panels of the help
BRADLEY_TERRY = "Bradley-Terry settings"
ModelName = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=MODEL,
        help=f"Model to fit. {described_models(MODELS.built_in)}. The page on models in the documentation compares "
        "them. An installed plug-in can add models. "
        f"Default: {DEFAULT_MODELS}, {default_model(list(KINDS.built_in))} for several kinds.",
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=MODEL,
        metavar="COLUMN[,COLUMN]",
        help="Fit a separate scale for each value of this column, or for each combination of values of several "
        "columns. Groups that cannot be fitted are reported and skipped. Default: one scale for all rows; in "
        "reports, one for each question.",
    ),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=READING,
        metavar="COLUMN=VALUE",
        help="Use only rows with this value. Can be repeated: values of the same column are alternatives, and "
        "conditions on different columns must all hold. Default: all rows.",
    ),
]
Unit = Annotated[str, typer.Option(rich_help_panel=MODEL, help="What to put on the scale: item or system.")]


@dataclass(frozen=True, kw_only=True)
class SystemTarget:
    """The population to which a scale of systems applies."""

    panel: ClassVar[str] = MODEL
    target: Annotated[
        str | None,
        typer.Option(
            help="With --unit system, the segments to which intervals apply. new: generalise to similar segments; "
            "these: only the segments in the file. Default: new."
        ),
    ] = None
    target_raters: Annotated[
        str | None,
        typer.Option(
            help="With --unit system, the raters to which intervals apply. new: generalise to similar raters; "
            "these: only the raters in the file. Default: new."
        ),
    ] = None

    def check(self, unit: str) -> None:
        """Raise an error if a target is set without --unit system."""
        if unit != "system" and (self.target is not None or self.target_raters is not None):
            raise BadSetting("--target and --target-raters", "these options need --unit system.")


Feature = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=MODEL,
        metavar="COLUMN",
        help="For the model steelyard: column with a numeric feature of the items, such as an automatic score. Can be "
        "repeated. Default: no features.",
    ),
]
ItemsFile = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=MODEL,
        metavar="FILE",
        help="File with one row per item and a column item or id, from which --feature and --item-covariate take their "
        "columns. Default: --feature uses columns of the file of judgments.",
        show_default=False,
    ),
]
ItemCovariate = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=BRADLEY_TERRY,
        metavar="COLUMN",
        help="Predict positions from this column of --items-file instead of estimating each item. Text columns have "
        "one coefficient for each value but the first. Can be repeated. --set item_effects=true also estimates an "
        "effect for each item, which needs --penalty. Default: each position is estimated separately.",
    ),
]
Bootstrap = Annotated[
    int | None,
    typer.Option(
        rich_help_panel=BRADLEY_TERRY,
        help="Compute intervals from this many bootstrap samples of the raters. Default: no bootstrap.",
        min=2,
    ),
]
AnySetting = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        rich_help_panel=MODEL,
        metavar="NAME=VALUE",
        help="Any other setting of the model, such as --set divisor=n-1 for direct_assessment. The documentation of "
        "each model lists its settings. Can be repeated.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        rich_help_panel=MODEL,
        min=0,
        help="Random seed of --bootstrap, of models that shuffle judgments, and of models that draw samples of "
        f"positions to compare items. Default: {DEFAULT_SEED}. A report of a study has the seed of the study.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class DirectAssessmentSettings:
    """Options that are settings of direct_assessment, and the clustering of standard errors, by setting name."""

    panel: ClassVar[str] = MODEL
    standardise: Annotated[
        str | None,
        typer.Option(
            help="For the model direct_assessment: standardise the scores of each rater (rater) or not (none). "
            "Default: none."
        ),
    ] = None
    trim: Annotated[
        float | None,
        typer.Option(
            help="For the model direct_assessment: share of scores to trim from each end before averaging. Default: 0."
        ),
    ] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            help="For bradley_terry, thurstone, plackett_luce, best_worst, win_rate, and systems of "
            "direct_assessment: cluster standard errors by rater, segment, both or none. auto: for items, by rater "
            "if a rater gave more than one judgment; for systems, by rater unless --target-raters is these, and by "
            "segment unless --target is these. Default: auto."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class BradleyTerrySettings:
    """Options that are settings of bradley_terry, by setting name."""

    panel: ClassVar[str] = BRADLEY_TERRY
    ties: Annotated[
        str | None,
        typer.Option(
            help="How to treat ties. davidson, rao_kupper: estimate a tie parameter; half: count half a win for each "
            "item; drop: exclude ties; kept: include ties without estimating a tie parameter (its logarithm is "
            "fixed at 0). "
            "Default: davidson if there are ties (rao_kupper with --link probit)."
        ),
    ] = None
    order: Annotated[
        bool | None,
        typer.Option(
            "--order",
            help="Estimate the effect of being shown first (on the left). Default: no effect.",
        ),
    ] = None
    rater_covariates: Annotated[
        list[str] | None,
        typer.Option(
            "--rater-covariate",
            metavar="COLUMN",
            help="Estimate separate item positions for each value of this column, such as group. Can be repeated. "
            "Default: none.",
        ),
    ] = None
    tie_by: Annotated[
        str | None,
        typer.Option(
            help="Estimate a separate tie parameter for each value of this column. Default: one tie parameter."
        ),
    ] = None
    rater_position: Annotated[
        str | None,
        typer.Option(
            help="Left/right bias of each rater, as a random effect. none: no such effect; laplace (fast) or "
            "quadrature (more accurate): how it is estimated. Default: none."
        ),
    ] = None
    reference: Annotated[
        str | None,
        typer.Option(help="Item whose coefficient is 0 in the summary. Default: coefficients sum to 0."),
    ] = None
    link: Annotated[str | None, typer.Option(help="Link function: logit or probit. Default: logit.")] = None
    penalty: Annotated[
        str | None,
        typer.Option(
            help="Penalty that keeps estimates finite. none: no penalty; pseudo: add half a win and half a loss "
            "of each item against a hypothetical item; auto: pseudo if estimates would be infinite, otherwise none; "
            "firth, firth_poisson: Jeffreys prior of the multinomial or the Poisson model; ridge: normal prior, see "
            "--prior-sd. Default: none."
        ),
    ] = None
    prior_sd: Annotated[
        float | None,
        typer.Option(
            help="Prior standard deviation of the log-worths for --penalty ridge. The log-worth of an item is the log "
            "of its strength (worth). Default: 1."
        ),
    ] = None
    table: Annotated[
        str | None,
        typer.Option(
            help="Rows of the table on which the deviance (goodness of fit) is computed. pairs: one row per pair of "
            "items; ordered: one row per pair in the order shown; raters: one row per pair and rater; judgments: one "
            "row per comparison. Estimates do not depend on it. Default: the smallest table that the other settings "
            "allow."
        ),
    ] = None
    standard_errors: Annotated[
        str | None,
        typer.Option(
            help="Type of standard errors. information: from the model, adjusted for clusters as --cluster states. The "
            "other types are sandwich estimators that replace --cluster: rater and rater_cr1 cluster by rater (CR0 "
            "and CR1); judgment does not cluster (HC0). Default: information."
        ),
    ] = None


REPEATED = (
    "rater_covariates",
    "features",
    "item_covariates",
)  # settings whose option names one value and can be repeated
FROM_COLUMNS = ("features", "item_covariates")  # settings with one value per item
OPTION_SETTINGS = {
    each.name for record in (DirectAssessmentSettings, BradleyTerrySettings) for each in fields(record)
}


def fields_set(record: Any) -> dict[str, Any]:
    """Return the fields of a record that are not None, by name."""
    values = {each.name: getattr(record, each.name) for each in fields(record)}
    return {name: value for name, value in values.items() if value is not None}


def settled(options: dict[str, Any], assigned: dict[str, Any]) -> dict[str, Any]:
    """Return the settings from options and from --set. A setting in both is an error."""
    for name in assigned:
        if name in FROM_COLUMNS:
            raise BadSetting(f"--set {name}", f"use {option_of(name)} COLUMN instead.")
        if name in options:
            raise BadSetting(
                f"{option_of(name)} and --set {name}", "both set the same setting. Use one of them."
            )
    return {**options, **assigned}


def check_options(options: Collection[str], model: str, kinds: Sequence[str]) -> None:
    """Raise an error for an option that is a setting of other models only.

    Parameters
    ----------
    options
        Names of the settings that options set.
    model
        Name of the model.
    kinds
        Kinds of judgment, if the model is their default.
    """
    for name in options:
        having = models_with(name)
        if model not in having:
            default = f" (the default for {kinds[0]} judgments)" if kinds else ""
            others = ", ".join(f"{each} ({' or '.join(MODELS[each].kinds)})" for each in having)
            raise BadSetting(
                option_of(name),
                f"this is not a setting of the model {model!r}{default}. Models with this setting, and the kinds of "
                f"judgment that they take: {others}. Choose one of them with --model, or leave out {option_of(name)}.",
            )


def option_of(setting: str) -> str:
    """Return the option for a setting.

    >>> option_of("prior_sd"), option_of("rater_covariates")
    ('--prior-sd', '--rater-covariate')
    """
    option = f"--{setting.replace('_', '-')}"
    return option.removesuffix("s") if setting in REPEATED else option


def remedy_options(remedy: str) -> str:
    """Return which option to use to keep estimates finite, as the end of a sentence.

    >>> remedy_options("penalty=pseudo"), remedy_options("pseudo=0.5")
    ('use --penalty pseudo', 'use --set pseudo=0.5')
    """
    name, _, value = remedy.partition("=")
    return f"use {option_of(name)} {value}" if name in OPTION_SETTINGS else f"use --set {remedy}"


def _options_of(record: type[Any]) -> list[Parameter]:
    """Return the fields of a record as parameters, in the panel of the record."""
    options: list[Parameter] = []
    for parameter in signature(record, eval_str=True).parameters.values():
        kind, info = get_args(parameter.annotation)
        placed = copy(info)  # commands share some options
        placed.rich_help_panel = record.panel
        options.append(parameter.replace(annotation=Annotated[kind, placed]))
    return options


def with_records(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command with one option for each field of its parameters that are records.

    Typer makes options from the signature, in which the fields of a record replace the record.
    """
    hints: dict[str, type[Any]] = get_type_hints(command)
    records = {name: hint for name, hint in hints.items() if is_dataclass(hint)}

    @wraps(command)
    def with_options(**options: Any) -> None:
        for name, record in records.items():
            options[name] = record(**{each.name: options.pop(each.name) for each in fields(record)})
        command(**options)

    wanted: list[Parameter] = []
    for name, parameter in signature(command, eval_str=True).parameters.items():
        wanted.extend(_options_of(records[name]) if name in records else [parameter])
    with_options.__signature__ = Signature(wanted)  # type: ignore[attr-defined]
    return with_options
