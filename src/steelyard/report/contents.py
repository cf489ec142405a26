"""The content of a report: its parts, made from a study or from judgments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from steelyard.judgments.probes import without_probes
from steelyard.judgments.table import Judgments
from steelyard.messages.catalogue import SOURCE
from steelyard.models.model import Model
from steelyard.models.units import fit_unit
from steelyard.quality.agreement import agreement_of
from steelyard.quality.arms import ArmsSettings, arm_answers, arms_in, compare_arms
from steelyard.quality.gold.item_values import ItemValues
from steelyard.quality.raters import describe_raters, spam_by_rater
from steelyard.report.parts.agreement import AgreementPart, agreement_part
from steelyard.report.parts.arms import ArmsPart, arms_part
from steelyard.report.parts.collection import Collection, collection_part
from steelyard.report.parts.comparisons import ComparisonsPart, comparisons_part
from steelyard.report.parts.joined_collections import joined_collections
from steelyard.report.parts.method import MethodPart, method_part
from steelyard.report.parts.ranges import RangesPart, ranges_part
from steelyard.report.parts.raters import RatersPart, raters_part
from steelyard.report.parts.scale import ScalePart, scale_part
from steelyard.report.parts.systems import SystemsPart, systems_part
from steelyard.report.source import ReportSource, SourceRater
from steelyard.scales.fit import Fit
from steelyard.study.log.ledger import Ledger
from steelyard.study.results.agreement import agreement_of_study
from steelyard.study.results.arms import compare_ledgers
from steelyard.study.results.overview import Overview
from steelyard.study.results.watch import Watch


@dataclass(frozen=True, slots=True)
class Section:
    """The results of one question or group. A part is None if it does not apply.

    Attributes
    ----------
    name
        Question or group; "" if the report has only one.
    scale
        Positions with intervals.
    systems
        Systems that produced the items.
    comparisons
        Preference, consistency and win matrix, for comparisons.
    ranges
        Ambiguity and disagreement, for ranges.
    raters
        The raters.
    agreement
        Agreement and calibration.
    """

    name: str
    scale: ScalePart | None
    systems: SystemsPart | None
    comparisons: ComparisonsPart | None
    ranges: RangesPart | None
    raters: RatersPart | None
    agreement: AgreementPart | None


@dataclass(frozen=True, slots=True)
class Report:
    """The content of a report, before it is formatted.

    Attributes
    ----------
    title
        Title of the report.
    at
        Time of the report, in seconds since 1970.
    collection
        How the judgments were collected.
    sections
        Results of each question or group.
    method
        How every number was made.
    arms
        Comparison of the arms of a study; None if there are none.
    language
        Code of the language of the report.
    """

    title: str
    at: float
    collection: Collection
    sections: tuple[Section, ...]
    method: MethodPart
    arms: ArmsPart | None = None
    language: str = SOURCE


PARTS: Mapping[str, Callable[[ReportSource], Any]] = {
    "scale": scale_part,
    "systems": systems_part,
    "comparisons": comparisons_part,
    "ranges": ranges_part,
    "raters": raters_part,
    "agreement": agreement_part,
}


@dataclass(frozen=True, slots=True)
class Cover:
    """Title and time of a report, and the command that makes it again."""

    title: str
    at: float
    command: str = "steelyard report"


@dataclass(frozen=True, eq=False)
class FittedGroup:
    """Judgments with their fit; `name` is the question or group, "" if there is only one. Probes are included."""

    name: str
    judgments: Judgments
    fit: Fit


def _nothing() -> None:
    """Ignore progress."""


def section_of(source: ReportSource, progressed: Callable[[], None] = _nothing) -> Section:
    """Return the results of one question or group; `progressed` is called after each part."""
    made = {}
    for name, part in PARTS.items():
        made[name] = part(source)
        progressed()
    return Section(source.name, **made)


def report_of_study(
    overview: Overview,
    cover: Cover,
    ledger: Ledger | None = None,
    gold: ItemValues | None = None,
    progressed: Callable[[], None] = _nothing,
) -> Report:
    """Return the content of the report of a study.

    Parameters
    ----------
    overview
        Overview of the study, with its judgments.
    cover
        Title, time and command. An empty title is replaced by that of the study.
    ledger
        State of the study at the same log position, for agreement and probes. Default: these are left out.
    gold
        Gold values, to compare the positions with. Default: none.
    progressed
        Called after each part. Default: nothing happens.

    Returns
    -------
    Report
        The content of the report.
    """
    sources = [study_source(overview, at, ledger, gold) for at in range(len(overview.views))]
    titled = cover if cover.title else replace(cover, title=overview.definition.title)
    return _report(titled, sources, progressed)


def report_of_watch(
    watch: Watch,
    cover: Cover,
    gold: ItemValues | None = None,
    progressed: Callable[[], None] = _nothing,
    condition: str = "",
) -> Report:
    """Return the content of the report of a study, or of one of its arms.

    Parameters
    ----------
    watch
        Results of the study.
    cover
        Title, time and command. An empty title is replaced by that of the study.
    gold
        Gold values, to compare the positions with. Default: none.
    progressed
        Called after each part. Default: nothing happens.
    condition
        Name of an arm. Default: all arms, with a comparison.

    Returns
    -------
    Report
        The content of the report. With several arms, it has a section for each arm and question.
    """
    if condition or not watch.conditions:
        return report_of_study(watch.overview(condition), cover, watch.ledger(condition), gold, progressed)
    by_arm: list[list[ReportSource]] = []
    for name in watch.conditions:
        overview, ledger = watch.overview(name), watch.ledger(name)
        sources = [study_source(overview, at, ledger, gold) for at in range(len(overview.views))]
        titles = [f"{name}: {each.name}" if each.name else name for each in sources]
        by_arm.append([replace(each, name=title) for each, title in zip(sources, titles, strict=True)])
    titled = cover if cover.title else replace(cover, title=watch.overview().definition.title)
    return replace(
        _report(titled, [source for sources in by_arm for source in sources], progressed),
        collection=joined_collections(watch.conditions, [collection_part(sources) for sources in by_arm]),
        arms=_arms(watch, gold),
    )


def compared_conditions(judgments: Judgments, gold: ItemValues | None = None) -> ArmsPart:
    """Return the comparison of the conditions in a table of judgments, by question; `gold` has values of the items."""
    settings = ArmsSettings(gold=_gold_values(gold))
    asked = len(judgments.labels("question")) > 1
    groups = [(str(name), part) for name, part in judgments.by("question")] if asked else [("", judgments)]
    compared = [
        (name, compare_arms([arm_answers(arm, each) for arm, each in arms_in(part).items()], settings))
        for name, part in groups
    ]
    return arms_part(compared)


def _gold_values(gold: ItemValues | None) -> dict[str, float] | None:
    if gold is None or gold.item is None:
        return None
    return {str(item): float(value) for item, value in zip(gold.item, gold.value, strict=True)}


def _arms(watch: Watch, gold: ItemValues | None) -> ArmsPart:
    """Return the comparison of all arms, by question."""
    ledgers = {name: watch.ledger(name) for name in watch.conditions}
    values = _gold_values(gold)
    questions = next(iter(ledgers.values())).definition.questions
    settings, pay = ArmsSettings(gold=values), watch.pay_by_rater()
    compared = [compare_ledgers(ledgers, at, settings, pay) for at in range(len(questions))]
    return arms_part(zip((question.text for question in questions), compared, strict=True))


def study_source(
    overview: Overview, question: int = 0, ledger: Ledger | None = None, gold: ItemValues | None = None
) -> ReportSource:
    """Return what the parts about one question of a study are made from.

    Parameters
    ----------
    overview
        Overview of the study, with its judgments.
    question
        Index of the question.
    ledger
        State of the study at the same log position, for agreement and probes. Default: these are left out.
    gold
        Gold values, to compare the positions with. Default: none.

    Returns
    -------
    ReportSource
        Fit, judgments and raters of the question.
    """
    view, definition = overview.views[question], overview.definition
    raters = tuple(
        SourceRater(
            line.rater.id,
            line.answers,
            line.habits,
            line.excluded,
            line.reason,
            line.stopped_early,
            line.checks.decided,
            line.checks.failed,
        )
        for line in view.raters
        if line.answers
    )
    return ReportSource(
        name=view.question.text if len(overview.views) > 1 else "",
        unit=definition.learning.unit,
        labels=overview.labels,
        model=definition.make_model(),
        fit=view.fit,
        judgments=view.judgments,
        raters=raters,
        overview=overview,
        with_probes=None
        if ledger is None or not overview.probes
        else ledger.judgments(question, probes=True),
        agreement=None if ledger is None else partial(agreement_of_study, ledger, question),
        gold=gold,
    )


def report_of_judgments(judgments: Judgments, model: Model, title: str, at: float) -> Report:
    """Return the content of the report of judgments of items. Each question is fitted separately.

    Parameters
    ----------
    judgments
        Judgments; probes are left out of the scale.
    model
        Model to fit.
    title
        Title of the report.
    at
        Time of the report, in seconds since 1970.

    Returns
    -------
    Report
        The content of the report.
    """
    asked = len(judgments.labels("question")) > 1
    groups = [(str(name), group) for name, group in judgments.by("question")] if asked else [("", judgments)]
    fits = [
        FittedGroup(name, group, fit_unit(model, without_probes(group)[0], "item")) for name, group in groups
    ]
    return report_of_fits(fits, model, Cover(title, at, "steelyard report FILE"))


def report_of_fits(
    groups: Sequence[FittedGroup],
    model: Model,
    cover: Cover,
    *,
    unit: str = "item",
    gold: ItemValues | None = None,
    overview: Overview | None = None,
    progressed: Callable[[], None] = _nothing,
) -> Report:
    """Return the content of the report of fitted groups of judgments, one section each.

    Parameters
    ----------
    groups
        Judgments with their fits.
    model
        Model of the fits.
    cover
        Title, time and command.
    unit
        What the scales order: "item" (default) or "system".
    gold
        Gold values, to compare the positions with. Default: none.
    overview
        Overview of the study that the judgments come from. Default: they come from a file.
    progressed
        Called after each part. Default: nothing happens.

    Returns
    -------
    Report
        The content of the report.
    """
    labels = overview.labels if overview is not None and overview.definition.learning.unit == unit else {}
    sources = [
        replace(
            _file_source(group, model, unit),
            gold=gold,
            overview=overview,
            labels=labels,
            refitted=overview is not None and group is groups[0],
        )
        for group in groups
    ]
    return _report(cover, sources, progressed)


def _file_source(group: FittedGroup, model: Model, unit: str) -> ReportSource:
    counted, probes = without_probes(group.judgments)
    habits = describe_raters(counted, spam=spam_by_rater(group.fit.raters))
    return ReportSource(
        name=group.name,
        unit=unit,
        labels={},
        model=model,
        fit=group.fit,
        judgments=counted,
        raters=tuple(SourceRater(each.rater, each.answers, each) for each in habits),
        with_probes=group.judgments if probes else None,
        agreement=partial(agreement_of, group.judgments),
    )


def _report(cover: Cover, sources: Sequence[ReportSource], progressed: Callable[[], None]) -> Report:
    overview = sources[0].overview
    return Report(
        cover.title,
        cover.at,
        collection_part(sources),
        tuple(section_of(source, progressed) for source in sources),
        method_part(sources, cover.command),
        language=SOURCE if overview is None else overview.definition.page.shown_to_owner,
    )
