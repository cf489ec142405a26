"""`steelyard export`: write judgments, scale, distributions, raters, answers or the audit trail of a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steelyard.cli.acting import record_act
from steelyard.cli.export_folder import (
    Every,
    Follow,
    Following,
    Settle,
    To,
    export_to_folder,
    refuse_without_folder,
)
from steelyard.cli.output import AsJson, Output, progress, remark, remark_on_fits, table_format, write_table
from steelyard.cli.studies import ConditionName, open_watch
from steelyard.errors import BadSetting

if TYPE_CHECKING:
    from steelyard.study.results.exports import DistributionSettings
    from steelyard.study.results.watch import Watch

DISTRIBUTIONS = "distributions"
RATERS = "raters"
FITTED = ("scale", DISTRIBUTIONS)


def export(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    what: Annotated[
        str,
        typer.Option(
            help="Table to write. judgments: one row per judgment; scale: positions, 95% intervals and ranks of the "
            "items; distributions: quantiles or draws of each position; raters: statistics and flags of each rater; "
            "answers: one row per answered page, unprocessed, including 'can't judge', comments and "
            "excluded raters; checks: results of each rater on attention checks (tasks with a known answer); pay: "
            "hours and amount of each rater, with names and ids on Prolific or MTurk; acts: audit trail of owners "
            "and their programs."
        ),
    ] = "judgments",
    quantiles: Annotated[
        str | None,
        typer.Option(
            help="With distributions: probabilities of the quantiles of each position, separated by commas. "
            "Default: 0.025,0.25,0.5,0.75,0.975.",
            show_default=False,
        ),
    ] = None,
    draws: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="With distributions: write this number of joint draws of the positions instead of quantiles, one "
            "row per item and draw.",
            show_default=False,
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            help="Format: csv, jsonl, json, parquet, md or tex. Default: the suffix of the output file. Without a "
            "file, aligned text in a terminal and csv in a pipe.",
            show_default=False,
        ),
    ] = None,
    identities: Annotated[
        bool,
        typer.Option(
            "--identities",
            help="With raters: also write names and ids on Prolific or MTurk. Default: pseudonyms only. The table "
            "pay always has them.",
        ),
    ] = False,
    condition: ConditionName = "",
    to: To = None,
    follow: Follow = False,
    every: Every = 60.0,
    settle: Settle = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Write the judgments of a study, its scale, or another of its tables (see --what)."""
    if to is not None:
        _refuse_with_folder(
            what=what != "judgments", condition=condition, output=output, format=format, json=as_json
        )
        watch = open_watch(folder)
        record_act(watch.trail, "exported", table=what, to=str(to))
        export_to_folder(watch, folder, Following(to, follow, every, settle))
        return
    refuse_without_folder(follow, settle)
    from steelyard.study.results.arm_exports import table_of  # optional dependencies
    from steelyard.study.results.exports import filled_in_by_raters  # optional dependencies

    settings = _settings(what, quantiles, draws)
    if identities and what != RATERS:
        raise BadSetting(
            "--identities", "this option needs --what raters. The table pay always has names and ids."
        )
    table_format(output, as_json, format)
    watch = open_watch(folder, condition)
    with progress("Exporting"):
        columns, remarks = table_of(watch, what, condition, settings, identities)
    record_act(watch.trail, "exported", table=what, **({"identities": "yes"} if identities else {}))
    write_table(columns, output, as_json, format, filled_in_by_raters(columns, watch.survey_ids()))
    if what == "pay":
        remark(_pay_remark(watch))
    if what in FITTED:
        named = [condition] if condition else (watch.conditions or ("",))
        remark_on_fits(view.fit for name in named for view in watch.overview(name).views)
    for each in remarks:
        remark(each)


def _refuse_with_folder(**used: Any) -> None:
    """Raise `BadSetting` for options that have no effect with --to; `used` has their values by name."""
    for name, value in used.items():
        if value:
            raise BadSetting(
                f"--{name}", "this option cannot be combined with --to, which writes all judgments."
            )


def _pay_remark(watch: Watch) -> str:
    pay = watch.arm_ledgers()[0].definition.pay
    if not pay.is_paid:
        return "study.toml sets no pay. Add a [pay] section."
    return (
        f"Hours are the sum of the gaps between acts of a rater (pages, training, answers). A gap of more than "
        f"{pay.idle_minutes:g} minutes counts as {pay.idle_minutes:g} minutes. Raters who failed checks receive the "
        "base amount only."
    )


def _settings(what: str, quantiles: str | None, draws: int | None) -> DistributionSettings:
    """Return what to write about each distribution, or raise an error if the options do not fit together."""
    from steelyard.study.results.exports import DistributionSettings  # optional dependencies

    chosen = [name for name, value in (("--quantiles", quantiles), ("--draws", draws)) if value is not None]
    if chosen and what != DISTRIBUTIONS:
        raise BadSetting(chosen[0], "this option needs --what distributions.")
    if len(chosen) > 1:
        raise BadSetting("--quantiles and --draws", "these options exclude each other. Use one of them.")
    if quantiles is not None:
        return DistributionSettings(_probabilities(quantiles))
    return DistributionSettings(draws=0 if draws is None else draws)


def _probabilities(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(each) for each in text.split(","))
    except ValueError:
        raise BadSetting(
            "--quantiles", f"{text!r} is not a list of numbers. Write numbers such as 0.05,0.5,0.95."
        ) from None
