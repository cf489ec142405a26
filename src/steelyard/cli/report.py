"""`steelyard report`: write a report as a page, as Markdown, as JSON or as PDF."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steelyard.cli.command_line import command_given, options_given, refuse_for_study
from steelyard.cli.fit import KindOption, RangeOption, read_judgments
from steelyard.cli.fit_groups import Group, groups_by
from steelyard.cli.fit_options import (
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
    with_records,
)
from steelyard.cli.fitting import Fitter, chosen_model, chosen_rows, fit_groups, remark_on_fitting
from steelyard.cli.output import check_place, is_stdout, progress, remark, remark_on_file, write_text
from steelyard.cli.reading_options import ReadingOptions, remark_on_judgments
from steelyard.cli.studies import ConditionName, check_exists, open_watch
from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.features import item_columns
from steelyard.judgments.probes import without_probes
from steelyard.judgments.table import Judgments
from steelyard.judgments.writing import write_file
from steelyard.models.known import seed_setting
from steelyard.quality.gold.item_values import ItemValues
from steelyard.quality.gold.reading import read_values

if TYPE_CHECKING:
    from steelyard.report.contents import Cover, Report
    from steelyard.report.parts.arms import ArmsPart
    from steelyard.study.definition.definition import StudyDefinition
    from steelyard.study.results.overview import Overview

SUFFIXES = (".html", ".md", ".json", ".pdf")
OF_ANY_SOURCE = {
    "source",
    "output",
    "title",
    "gold",
    "condition",
}  # parameters that do not change the fits of a study
QUESTION = "question"


@dataclass(frozen=True, eq=False)
class FitRequest:
    """The fits that options ask for."""

    where: list[str] | None
    model: str | None
    by: str | None
    unit: str
    about: SystemTarget
    settings: Mapping[str, Any]
    feature: list[str] | None
    assignments: list[str] | None
    bootstrap: int | None
    defaults: Mapping[str, Any] = field(default_factory=dict)  # settings of the study


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What a report shows beside the fits: its cover, gold values, and the study that the judgments come from."""

    cover: Cover
    gold: ItemValues | None
    overview: Overview | None = None


@with_records
def report(
    context: typer.Context,
    source: Annotated[
        str, typer.Argument(help="Folder of a study, or file of judgments. Use '-' for stdin.")
    ],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            help="File to write. The suffix sets the format: .html, .md (Markdown), .json, or .pdf, which needs the "
            "extra steelyard\\[pdf]. Use '-' for HTML on stdout.",
        ),
    ] = Path("report.html"),
    title: Annotated[
        str,
        typer.Option(help="Title of the report. Default: the title of the study, or the name of the file."),
    ] = "",
    gold: Annotated[
        Path | None,
        typer.Option(
            help="File with one gold value per item or system, with which the positions are compared. It has a column "
            "item or system, and a column value, position, gold or score. Default: none."
        ),
    ] = None,
    condition: ConditionName = "",
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
) -> None:
    """Write a report in one file: data collection, scale, systems, raters, agreement and methods.

    For a file with several questions, the report has one part per question. The report of a study uses
    the model of the study. If an option of the model is set, the judgments of the study are fitted again with these
    options.
    """
    check_output(output)
    about.check(unit)
    seeded = {} if seed is None else {"seed": seed}
    settings = {**fields_set(averaging), **seeded, **fields_set(comparing)}
    asked = FitRequest(where, model, by, unit, about, settings, feature, set_, bootstrap)
    check_exists(source)
    around = Surroundings(_cover(context, title), None if gold is None else read_values(gold))
    if Path(source).is_dir():
        refuse_for_study(context)
        made = _of_study(Path(source), condition, asked, around, options_given(context))
    else:
        if condition:
            raise BadSetting("--condition", "this option needs a study. Use --where condition=NAME.")
        named = replace(around.cover, title=title or ("Judgments" if source == "-" else Path(source).stem))
        made = _of_judgments(
            read_judgments(source, kind, range, reading), asked, replace(around, cover=named)
        )
    _write(made, output)


def check_output(output: Path) -> None:
    """Raise an error, before any long computation, if the report cannot be written."""
    from steelyard.report.pdf import check_pdf  # optional dependencies

    check_place(output)
    if is_stdout(output):
        return
    if output.suffix not in SUFFIXES:
        raise UnknownName("format", output.suffix or str(output), SUFFIXES, str(output))
    if output.suffix == ".pdf":
        check_pdf()


def _cover(context: typer.Context, title: str) -> Cover:
    from steelyard.report.contents import Cover  # optional dependencies

    return Cover(title, time.time(), command_given(context))


def _of_study(
    folder: Path, condition: str, asked: FitRequest, around: Surroundings, given: frozenset[str]
) -> Report:
    """The report of a study or of one of its arms; with options of a fit, its judgments are fitted again."""
    from steelyard.report.contents import report_of_watch  # optional dependencies

    watch = open_watch(folder, condition)
    with progress("Computing the scale"):
        overview = watch.overview(condition)
    if _changes_fit(asked, overview.definition, given):
        refitted = _with_study_settings(asked, overview.definition, given)
        cover = replace(around.cover, title=around.cover.title or overview.definition.title)
        if watch.conditions and not condition:
            raise BadSetting("--condition", "name one condition, to fit its judgments with other options.")
        judgments = watch.judgments(condition)
        return _of_judgments(judgments, refitted, replace(around, cover=cover, overview=overview))
    arms = len(watch.conditions) if watch.conditions and not condition else 1
    with _parts_shown(arms * len(overview.views)) as progressed:
        made = report_of_watch(watch, around.cover, around.gold, progressed, condition)
    _remark_on(made)
    return made


def _changes_fit(asked: FitRequest, definition: StudyDefinition, given: frozenset[str]) -> bool:
    """Whether any option differs from the settings of the study, so that its judgments are fitted again."""
    learning = definition.learning
    same = {
        "unit": asked.unit == learning.unit,
        "model": asked.model == learning.model,
        "seed": asked.settings.get("seed") == definition.seed,
    }
    return any(not same.get(name, False) for name in given - OF_ANY_SOURCE)


def _with_study_settings(asked: FitRequest, definition: StudyDefinition, given: frozenset[str]) -> FitRequest:
    """Return the request with the unit, the model, its settings and the seed of the study where no option sets them."""
    learning = definition.learning
    model = learning.model if asked.model is None else asked.model
    defaults = (
        learning.settings(definition.seed)
        if model == learning.model
        else seed_setting(model, definition.seed)
    )
    unit = asked.unit if "unit" in given else learning.unit
    return replace(asked, model=model, unit=unit, defaults=defaults)


def _of_judgments(judgments: Judgments, asked: FitRequest, around: Surroundings) -> Report:
    from steelyard.report.contents import FittedGroup, report_of_fits  # optional dependencies

    everything = chosen_rows(judgments, asked.where)
    features = {"features": item_columns(everything, asked.feature, "--feature")} if asked.feature else {}
    options = {**asked.settings, **features}
    model, seed = chosen_model(everything, asked.model, options, asked.assignments, asked.defaults)
    groups = groups_by(everything, _column(everything, asked.by))
    fitter = Fitter(model, asked.unit, asked.about, asked.bootstrap, seed)
    fits = fit_groups(lambda part: fitter(without_probes(part)[0]), groups)
    with _parts_shown(len(fits)) as progressed:
        made = report_of_fits(
            [FittedGroup(_name(each.group), each.group.judgments, each.fit) for each in fits],
            model,
            around.cover,
            unit=asked.unit,
            gold=around.gold,
            overview=around.overview,
            progressed=progressed,
        )
    made = replace(made, arms=_arms_of(everything, around.gold))
    _remark_on(made)
    remark_on_judgments(everything, (*groups[0].columns, *(("segment",) if asked.unit == "system" else ())))
    remark_on_fitting(model, everything, groups)
    return made


def _arms_of(judgments: Judgments, gold: ItemValues | None) -> ArmsPart | None:
    """The comparison of the conditions in a file, by question; None if it has fewer than two."""
    from steelyard.report.contents import compared_conditions  # optional dependencies

    if len(judgments.labels("condition")) < 2:
        return None
    with progress("Comparing the conditions"):
        return compared_conditions(judgments, gold)


def _column(judgments: Judgments, by: str | None) -> str | None:
    """The column that separates sections: the one named, or the question if there are several."""
    return by if by is not None or len(judgments.labels(QUESTION)) < 2 else QUESTION


def _name(group: Group) -> str:
    """The heading of a section: the question itself, or the columns with their values."""
    return ", ".join(group.values) if group.columns == (QUESTION,) and all(group.values) else group.label


@contextmanager
def _parts_shown(sections: int) -> Iterator[Callable[[], None]]:
    """Show a progress bar that counts the parts of the report."""
    from steelyard.report.contents import PARTS  # optional dependencies

    done = 0
    with progress("Making the report", sections * len(PARTS)) as show:

        def progressed() -> None:
            nonlocal done
            done += 1
            show(done)

        yield progressed


def _write(made: Report, output: Path) -> None:
    from steelyard.report.json_document import report_json  # optional dependencies
    from steelyard.report.markdown import report_markdown  # optional dependencies
    from steelyard.report.page import render_report  # optional dependencies
    from steelyard.report.pdf import report_pdf  # optional dependencies

    writers = {".md": report_markdown, ".json": report_json}
    with progress("Writing the report"):
        if is_stdout(output):
            write_text(render_report(made), output)
        elif output.suffix == ".pdf":
            write_file(report_pdf(made), output)
        else:
            write_file(writers.get(output.suffix, render_report)(made).encode(), output)
    missing = "" if made.method.signatures else " without a scale, because there are no answers yet"
    remark_on_file(output, missing)


def _remark_on(made: Report) -> None:
    """Print the signature and the remarks of each fit."""
    for each in made.method.signatures:
        remark(f"{each.name} | {each.signature}" if each.name else each.signature)
    for section in made.sections:
        for text in () if section.scale is None else section.scale.remarks:
            remark(f"{section.name} | {text}" if section.name else text)
