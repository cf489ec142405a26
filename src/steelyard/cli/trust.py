"""`steelyard trust`: how far machine judges can be trusted, and estimates of systems that use their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from steelyard.cli.command_line import refuse_for_study
from steelyard.cli.fit import KindOption, RangeOption, leave_out_probes, read_judgments
from steelyard.cli.fit_groups import columns_read
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import AsJson, Output, progress, remark, table_format, write_table
from steelyard.cli.reading_options import ReadingOptions
from steelyard.cli.studies import ConditionName, check_exists, open_watch
from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.features import item_file_columns
from steelyard.judgments.table import Judgments
from steelyard.quality.machine import JudgeSettings, machine_judges, with_probabilities

TABLES = ("estimates", "differences", "judges", "biases")
PROBABILITY = "probability of the task"


@with_records
def trust(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            help="Folder of a study, or file of judgments with a column source. Use '-' for stdin."
        ),
    ],
    *,
    what: Annotated[
        str,
        typer.Option(
            metavar="|".join(TABLES),
            help="Table to write. estimates: the mean score or win rate of each system with and without the machine "
            "judges, and the number of human answers that they save; differences: the same for each pair of "
            "systems; judges: the correlation of each judge with people; biases: how much higher or lower people rate "
            "the items of a system, with a feature, or on the left side than other items with the same score of the "
            "judge.",
        ),
    ] = "estimates",
    feature: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="With --what biases: column with a feature of the items, such as length, in the file of judgments, in "
            "--items-file, or in the items file of a study. Can be repeated. Default: only the system and the side.",
        ),
    ] = None,
    items_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File with one row per item: a column item or id, and the columns of --feature. Default: these "
            "columns are in the file of judgments.",
        ),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Half-width that the 95% intervals should have. The table then has a column needed, with the "
            "number of further answers of people until an interval has this half-width. Default: no such column.",
        ),
    ] = None,
    probability: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column with the probability that the item was chosen for people to judge. Answers are weighted by "
            "its inverse. Default: all items are assumed to have the same probability.",
        ),
    ] = None,
    audit: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column that has yes or 1 for answers about items that were chosen at random. Only these answers are "
            "used. Default: all answers of a file are used.",
        ),
    ] = None,
    all_answers: Annotated[
        bool,
        typer.Option(
            "--all-answers",
            help="For a study: use all answers of people, as if their items had been chosen at random. Default: only "
            "answers to tasks that were chosen at random, if there are any.",
        ),
    ] = False,
    condition: ConditionName = "",
    kind: KindOption = None,
    range: RangeOption = None,
    reading: ReadingOptions,
    seed: Annotated[
        int, typer.Option(help="Random seed of the cross-validation folds and of bootstrap samples.")
    ] = 0,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Estimate means or win rates of systems from answers of people and of machine judges, and how well these agree.

    Machine judges are metrics or language models. Their rows have machine in the column source, and their scores may
    have any range. Estimates are prediction-powered: answers of people about a random part of the items correct the
    errors of the machine judges, so that intervals are valid even if the judges are wrong.
    """
    table_format(output, as_json)
    if what not in TABLES:
        raise UnknownName("table", what, TABLES)
    check_exists(source)
    wanted = tuple(feature or ())
    if Path(source).is_dir():
        refuse_for_study(context)
        judgments, probability = _of_study(Path(source), condition, all_answers)
    else:
        judgments = leave_out_probes(read_judgments(source, kind, range, reading))
    items = _columns_of_items(Path(source), items_file, wanted)
    named = tuple(name if name in items else columns_read(judgments, [name])[0] for name in wanted)
    settings = JudgeSettings(probability=probability, audit=audit, width=width, features=named, items=items)
    with progress("Comparing machine judges with people"):
        result = machine_judges(judgments, settings, np.random.default_rng(seed))
    write_table(getattr(result, what).columns(), output, as_json)
    for each in result.notes:
        remark(each)


def _columns_of_items(
    source: Path, items_file: Path | None, names: Sequence[str]
) -> Mapping[str, Mapping[str, str | float]]:
    """Return columns of `--items-file` or of the items file of a study; none for a file of judgments alone."""
    if items_file is not None:
        if not names:
            raise BadSetting("--items-file", "this option needs --feature.")
        return item_file_columns(items_file, names)
    if not source.is_dir():
        return {}
    from steelyard.study.definition.study import open_study  # optional dependencies

    study = open_study(source)
    own = {name: study.items.covariates[name] for name in names if name in study.items.covariates}
    settings = study.definition.items
    rest = [name for name in names if name not in own]
    return {**own, **item_file_columns(source / settings.file, rest, (settings.id,))}


def _of_study(folder: Path, condition: str, all_answers: bool) -> tuple[Judgments, str | None]:
    """Return the judgments of a study, and the column with probabilities if only the audit slice is used."""
    watch = open_watch(folder, condition)
    if watch.conditions and not condition:
        raise BadSetting("--condition", f"name one of the conditions: {', '.join(watch.conditions)}.")
    judgments = leave_out_probes(watch.judgments(condition))
    tasks = watch.ledger(condition).tasks
    chances = {name: task.chosen.probability for name, task in tasks.items()}
    audited = {name: chance for name, chance in chances.items() if chance is not None}
    if all_answers or not audited:
        return judgments, None
    return with_probabilities(judgments, audited, PROBABILITY), PROBABILITY
