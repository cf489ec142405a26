"""`steelyard agreement`: how well raters agree, in a file of judgments or in a study."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from steelyard.cli.command_line import refuse_for_study
from steelyard.cli.fit import KindOption, RangeOption, parts_by, read_judgments
from steelyard.cli.fit_groups import columns_read
from steelyard.cli.fit_options import with_records
from steelyard.cli.output import (
    AsJson,
    Caption,
    Label,
    Output,
    TableText,
    progress,
    remark,
    table_format,
    write_explained,
)
from steelyard.cli.reading_options import ReadingOptions, remark_on_judgments
from steelyard.cli.studies import check_exists, open_watch
from steelyard.errors import BadInput, BadSetting, UnknownName
from steelyard.judgments.assumptions import POOLED
from steelyard.judgments.table import Judgments
from steelyard.quality.agreement import Agreement, AgreementSettings, agreement_of
from steelyard.quality.agreement.intervals import FEW_ITEMS
from steelyard.quality.agreement.krippendorff import LEVELS

QUESTION = "question"
CONDITION = "condition"
STATISTIC_WORDS = {  # how the help text describes the statistics
    "alpha": "Krippendorff's alpha",
    "kappa": "Cohen's or Fleiss' kappa",
    "icc": "intraclass correlations",
    "split_half": "split-half reliability",
    "pairwise": "mean Spearman correlation of two raters",
    "leave_one_out": "correlation of each rater with the mean of the others",
    "kendall_w": "Kendall's W",
    "rankings": "correlations of rankings of the same items",
    "by_pair": "equal answers to the same pair of items",
    "triads": "circular triads",
    "best_worst_split_half": "split-half reliability of best-worst scores",
    "best_worst_choice": "equal choices of the best and of the worst item",
    "self_consistency": "repeated answers of the same rater",
}


@with_records
def agreement(
    context: typer.Context,
    source: Annotated[
        str, typer.Argument(help="Folder of a study, or file of judgments. Use '-' for stdin.")
    ],
    *,
    statistic: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Statistic to compute. Can be repeated. "
            f"{'; '.join(f'{name}: {words}' for name, words in STATISTIC_WORDS.items())}. "
            "self_consistency of ratings needs --repeats keep, or a column task or round. Default: those that suit the "
            "kind of judgment.",
        ),
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"Level of measurement of Krippendorff's alpha: {', '.join(LEVELS)}. Can be repeated. "
            "Default: interval, and also ordinal if the scores are a few whole numbers.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Compute agreement for each value of this column of a file. Default: question, if there are several.",
        ),
    ] = None,
    question: Annotated[
        str | None, typer.Option(help="Use only the judgments of this question. Default: all questions.")
    ] = None,
    bootstrap: Annotated[
        int, typer.Option(help="Number of bootstrap samples for intervals.", min=100)
    ] = 1000,
    alpha_interval: Annotated[
        str,
        typer.Option(
            help="Interval of Krippendorff's alpha. items: for new items and the same raters, by a bootstrap over "
            f"items, or by a jackknife over items if there are fewer than {FEW_ITEMS}. raters: for new raters and "
            "items, by a jackknife over raters and items. pairs: bootstrap of Hayes & Krippendorff (2007), to compare "
            "with published intervals."
        ),
    ] = "items",
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Random seed of bootstrap samples and splits. Default: the seed of the study, or 0 for a file.",
        ),
    ] = None,
    kind: KindOption = None,
    range: RangeOption = None,
    reading: ReadingOptions,
    output: Output = None,
    as_json: AsJson = False,
    caption: Caption = None,
    label: Label = None,
) -> None:
    """Report how well raters agree with each other, and with their own repeated answers.

    The columns are statistic, value, low, high (95% interval), of (the items, raters and judgments used),
    interval (how the interval was made) and meaning.
    """
    table_format(output, as_json)
    around = TableText(caption=caption, label=label)
    around.check(output, as_json)
    settings = AgreementSettings(
        statistics=tuple(statistic or ()),
        levels=tuple(level or ()),
        draws=bootstrap,
        alpha_interval=alpha_interval,
    )
    check_exists(source)
    if Path(source).is_dir():
        refuse_for_study(context)
        name, parts = _of_study(Path(source), by, question, settings, seed)
    else:
        judgments = _chosen(read_judgments(source, kind, range, reading), question)
        name = _column(judgments, by)
        parts = _of_parts(parts_by(judgments, name or None), settings, 0 if seed is None else seed)
        remark_on_judgments(judgments, POOLED)
        for column in _pooled(judgments, name):
            remark(
                f"The file has several values of {column}, which are pooled. To separate them: --by {column}."
            )
    write_explained(_stacked(parts, name), ("meaning", "interval"), output, as_json, around)
    for value, part in parts:
        for text in part.remarks:
            remark(f"{name}={value}: {text}" if value else text)


def _chosen(judgments: Judgments, question: str | None) -> Judgments:
    """Return the judgments of one question, or all of them."""
    if question is None:
        return judgments
    parts = dict(parts_by(judgments, QUESTION))
    if question not in parts:
        raise UnknownName("question", question, [name for name in parts if name])
    return parts[question]


def _column(judgments: Judgments, by: str | None) -> str:
    """Return the column that separates groups: the one named, or the question if there are several; "" for none."""
    if by is not None:
        return columns_read(judgments, [by])[0]
    used = {
        code
        for table in judgments.tables.values()
        for code in np.unique(table.codes.get(QUESTION, np.empty(0, dtype=np.int64))).tolist()
    }
    return QUESTION if len(used) > 1 else ""


def _pooled(judgments: Judgments, by: str) -> list[str]:
    """Return the columns whose values might need separate statistics, and do not have them."""
    pooled = []
    for column in (each for each in POOLED if each != by):
        for table in judgments.tables.values():
            values = table.codes.get(column, table.numbers.get(column, np.empty(0)))
            if len(np.unique(values)) > 1:
                pooled.append(column)
    return pooled


def _of_parts(
    parts: Iterable[tuple[str, Judgments]], settings: AgreementSettings, seed: int
) -> list[tuple[str, Agreement]]:
    """Return the agreement in each group. A group without results reports why; if none has any, the error is raised."""
    groups, agreements, refusals = list(parts), [], []
    with progress("Computing agreement", len(groups) if len(groups) > 1 else None) as show:
        for done, (value, part) in enumerate(groups, start=1):
            try:
                agreements.append((value, agreement_of(part, settings, np.random.default_rng(seed))))
            except BadInput as reason:
                refusals.append(reason)
                agreements.append((value, Agreement((), (str(reason),))))
            show(done)
    if len(refusals) == len(groups):
        raise refusals[0]
    return agreements


def _of_study(
    folder: Path, by: str | None, question: str | None, settings: AgreementSettings, seed: int | None
) -> tuple[str, list[tuple[str, Agreement]]]:
    """Return the agreement of a study by condition if it has arms, and otherwise by question."""
    watch = open_watch(folder)
    column = CONDITION if watch.conditions else QUESTION
    if by not in (None, column):
        raise BadSetting(
            "--by",
            f"this study is reported by {column}, not by {by}. Export its judgments, and use the file.",
        )
    asked = [each.id for each in watch.ledger().definition.questions]
    if question is not None and question not in asked:
        raise UnknownName("question", question, asked)
    wanted = asked if question is None else [question]
    if watch.conditions and len(wanted) > 1:
        raise BadSetting("--question", f"name one of the questions: {', '.join(asked)}.")

    def agreement(condition: str, each: str) -> Agreement:
        from steelyard.study.results.agreement import agreement_of_study  # optional dependencies

        rng = None if seed is None else np.random.default_rng(seed)
        return agreement_of_study(watch.ledger(condition), asked.index(each), settings, rng)

    with progress("Computing agreement"):
        if watch.conditions:
            return column, [(name, agreement(name, wanted[0])) for name in watch.conditions]
        return column, [(each if len(wanted) > 1 else "", agreement("", each)) for each in wanted]


def _stacked(parts: list[tuple[str, Agreement]], name: str) -> dict[str, list[Any]]:
    """Return the tables of all groups, with the group as the first column if there are several."""
    columns = [part.columns() for _, part in parts]
    stacked = {each: [cell for part in columns for cell in part[each]] for each in columns[0]}
    if not any(value for value, _ in parts):
        return stacked
    return {name: [value for value, part in parts for _ in part.statistics], **stacked}
