"""`steelyard fit`: fit a model to judgments and write the scale."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.fit_groups import Group, GroupFit, groups_by
from steelyard.cli.fit_items import item_settings
from steelyard.cli.fit_log import (
    LogFit,
    LogOptions,
    columns_used,
    fit_log,
    opened,
    refuse_in_memory_options,
)
from steelyard.cli.fit_options import (
    AnySetting,
    Bootstrap,
    BradleyTerrySettings,
    By,
    DirectAssessmentSettings,
    Feature,
    ItemCovariate,
    ItemsFile,
    ModelName,
    Seed,
    SystemTarget,
    Unit,
    WhereOption,
    fields_set,
    with_records,
)
from steelyard.cli.fit_shown import Shown
from steelyard.cli.fitting import (
    Fitter,
    chosen_model,
    chosen_rows,
    fit_groups,
    named_values,
    remark_on_fitting,
)
from steelyard.cli.output import progress, remark
from steelyard.cli.reading_options import READING, ReadingOptions, remark_on_judgments
from steelyard.judgments.findings import counted
from steelyard.judgments.probes import without_probes
from steelyard.judgments.read import read
from steelyard.judgments.table import Judgments
from steelyard.judgments.table_rows import COMMON_RANGES
from steelyard.kinds.known import KINDS
from steelyard.quality.raters import describe_raters, spam_by_rater

FILE_HELP = "File of judgments: CSV, JSONL or Parquet. Use '-' for stdin."
LOG_HELP = (
    "File of judgments: CSV, JSONL or Parquet. Use '-' for stdin. A pattern such as 'votes/*.parquet', a folder of "
    "Parquet files or a database (postgresql://...) is analysed without loading all rows. For a study, "
    "export its judgments first, or name its folder with --in-place if its answers are in PostgreSQL."
)
COMMON_WORDED = ", ".join(f"{low:g} to {high:g}" for low, high in COMMON_RANGES)
File = Annotated[str, typer.Argument(help=FILE_HELP)]
RangeOption = Annotated[
    tuple[float, float] | None,
    typer.Option(
        "--range",
        rich_help_panel=READING,
        metavar="LOW HIGH",
        help="Limits of the scale: the lowest and highest score that raters could give. For judgments of the kinds "
        f"rating and range. Set them if they differ from the default: the first of {COMMON_WORDED} that contains all "
        "scores in the file; if none does, the lowest and highest score.",
    ),
]
KindOption = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=READING,
        help=f"Kind of judgment. One of: {', '.join(KINDS.built_in)}. A judgment of the kind range has a low and a "
        "high value. Default: recognised from the columns.",
    ),
]


@with_records
def fit(
    file: Annotated[str, typer.Argument(help=LOG_HELP)],
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
    items_file: ItemsFile = None,
    set_: AnySetting = None,
    seed: Seed = None,
    comparing: BradleyTerrySettings,
    item_covariate: ItemCovariate = None,
    bootstrap: Bootstrap = None,
    log: LogOptions,
    shown: Shown,
) -> None:
    """Fit a model to judgments and write the scale.

    The columns are item, position, spread (uncertainty of the position: its standard error or standard deviation,
    depending on the model), low, high (95% interval), rank, rank_low, rank_high (95% interval), count (number of
    judgments of the item), errors (how standard errors were computed) and, for systems, target (the segments and raters
    that the result describes). Positions are in points of the rating scale, or in the unit of the model for
    comparisons, rankings and best-worst choices (see --model).
    """
    shown.check()
    about.check(unit)
    seeded = {} if seed is None else {"seed": seed}
    if log.applies(file):
        refuse_in_memory_options(
            where=where,
            unit=unit != "item",
            feature=feature,
            items_file=items_file,
            item_covariate=item_covariate,
            repeats=reading.repeats,
            item_key=reading.item_key,
            raters=shown.raters,
            without_flagged=shown.without_flagged,
        )
        options = {**fields_set(averaging), **seeded, **fields_set(comparing)}
        with opened(file, kind, range, log, columns_used({**options, **named_values(set_)}, by)) as judged:
            fit_log(judged, LogFit(model, options, set_, by, bootstrap), log, shown)
        return
    everything = chosen_rows(leave_out_probes(read_judgments(file, kind, range, reading)), where)
    described = item_settings(everything, feature, item_covariate, items_file)
    options = {**fields_set(averaging), **described, **seeded, **fields_set(comparing)}
    made, seed_used = chosen_model(everything, model, options, set_)
    groups = groups_by(everything, by)
    fit_of = Fitter(made, unit, about, bootstrap, seed_used)
    fits = fit_groups(fit_of, groups)
    if not shown.prints_summary:  # which has the signature and the remarks itself
        for each in fits:
            for text in (each.fit.signature, *each.fit.remarks):
                remark(each.group.named(text))
    apart = (*groups[0].columns, *(("segment",) if unit == "system" else ()))
    printed = {text for each in fits for text in each.fit.remarks}
    remark_on_judgments(everything, apart, made.capabilities.uses_machine(everything), printed)
    remark_on_fitting(made, everything, groups)
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
        judgments = read(source, kind, range=range, **options.settings())
    if range is not None and not judgments.placed:
        remark(f"--range has no effect: {' and '.join(judgments.kinds)} judgments have no scores.")
    return judgments


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
