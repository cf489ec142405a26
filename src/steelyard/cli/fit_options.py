"""Options of `steelyard fit`: options by themselves, and settings of one model in a record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_type_hints

import typer

from steelyard.errors import BadSetting
from steelyard.models.known import MODELS

DEFAULT_SEED = 0
ModelName = Annotated[
    str | None,
    typer.Option(help=f"One of: {', '.join(MODELS.built_in)}. If none is named, what suits the judgments."),
]
By = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN[,COLUMN]",
        help="Fit each value of this column by itself, or each combination of values of several columns. "
        "Rows without a value have an empty name. A group that cannot be fitted is named, with the reason.",
    ),
]
WhereOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=VALUE",
        help="Fit only rows with this value; repeatable. Several values of one column: any of them.",
    ),
]
Unit = Annotated[str, typer.Option(help="Scale items, or the systems that made them.")]


@dataclass(frozen=True, kw_only=True)
class SystemTarget:
    """What a scale of systems is about."""

    target: Annotated[
        str | None,
        typer.Option(help="--unit system: new segments like these (the default), or these segments only."),
    ] = None
    target_raters: Annotated[
        str | None,
        typer.Option(help="--unit system: new raters like these (the default), or these raters only."),
    ] = None

    def check(self, unit: str) -> None:
        """Refuse a target where no systems are asked for."""
        if unit != "system" and (self.target is not None or self.target_raters is not None):
            raise BadSetting("--target and --target-raters", "these options belong to --unit system.")


Feature = Annotated[
    list[str] | None,
    typer.Option(
        help="steelyard: a column of the items to learn from, such as a machine's score; repeatable."
    ),
]
Bootstrap = Annotated[
    int | None, typer.Option(help="bradley_terry: intervals from so many draws of the raters.", min=2)
]
AnySetting = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other setting of the model, as in TOML; repeatable. A list is written in brackets.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        min=0,
        show_default=str(DEFAULT_SEED),
        help="Seed of the draws behind rank intervals, and of --bootstrap.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class DirectAssessmentSettings:
    """Options that are settings of direct_assessment, and the clusters of errors, by their names there."""

    standardise: Annotated[str | None, typer.Option(help="direct_assessment: none or rater.")] = None
    trim: Annotated[float | None, typer.Option(help="direct_assessment: share cut from each end.")] = None
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Standard errors clustered by auto, rater, segment, both or none: bradley_terry, plackett_luce, "
            "best_worst, win_rate, and systems of direct_assessment."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class BradleyTerrySettings:
    """Options that are settings of bradley_terry, by their names there."""

    ties: Annotated[
        str | None,
        typer.Option(
            help="bradley_terry: davidson, rao_kupper, half, drop or kept; davidson where there are ties."
        ),
    ] = None
    order: Annotated[
        bool | None, typer.Option("--order", help="bradley_terry: an effect of being shown on the left.")
    ] = None
    rater_covariates: Annotated[
        list[str] | None,
        typer.Option(
            "--rater-covariate",
            help="bradley_terry: a column by which items differ, such as rater; repeatable.",
        ),
    ] = None
    tie_by: Annotated[
        str | None, typer.Option(help="bradley_terry: a column by which the tie effect differs.")
    ] = None
    rater_position: Annotated[
        str | None,
        typer.Option(help="bradley_terry: random lean to one side by rater: laplace or quadrature."),
    ] = None
    reference: Annotated[
        str | None, typer.Option(help="bradley_terry: the item that coefficients are told against.")
    ] = None
    link: Annotated[str | None, typer.Option(help="bradley_terry: logit or probit.")] = None
    penalty: Annotated[
        str | None,
        typer.Option(
            help="bradley_terry: none, auto (pseudo only where estimates are infinite), firth, firth_poisson, "
            "ridge (with --prior-sd) or pseudo."
        ),
    ] = None
    prior_sd: Annotated[
        float | None, typer.Option(help="bradley_terry: standard deviation of log-worths under ridge.")
    ] = None
    table: Annotated[
        str | None,
        typer.Option(help="bradley_terry: what deviance is about: pairs, ordered, raters or judgments."),
    ] = None
    standard_errors: Annotated[
        str | None, typer.Option(help="bradley_terry: information, rater, rater_cr1 or judgment.")
    ] = None


REPEATED = ("rater_covariates",)  # each time the option is given it names one of several


def fields_set(record: Any) -> dict[str, Any]:
    """The fields of a record that have a value, by name."""
    values = {each.name: getattr(record, each.name) for each in fields(record)}
    return {name: value for name, value in values.items() if value is not None}


def settled(options: dict[str, Any], assigned: dict[str, Any]) -> dict[str, Any]:
    """Settings from options of their own and from --set; none may come from both."""
    for name in assigned:
        if name == "features":
            raise BadSetting(f"--set {name}", "columns of the items are named with --feature COLUMN.")
        if name in options:
            raise BadSetting(f"{option_of(name)} and --set {name}", "both give this setting. Give it once.")
    return {**options, **assigned}


def option_of(setting: str) -> str:
    """The option that a setting has of its own.

    >>> option_of("prior_sd"), option_of("rater_covariates")
    ('--prior-sd', '--rater-covariate')
    """
    option = f"--{setting.replace('_', '-')}"
    return option.removesuffix("s") if setting in REPEATED else option


def with_records(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an option for each field of the records among its parameters.

    Typer makes options from a signature: this one has the fields of a record where the command has the record.
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
        inside = signature(records[name], eval_str=True).parameters if name in records else {name: parameter}
        wanted.extend(inside.values())
    with_options.__signature__ = Signature(wanted)  # type: ignore[attr-defined]
    return with_options
