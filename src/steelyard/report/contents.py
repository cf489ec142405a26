"""What a report is about: one record, made from a study or from a file of judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.judgments.counting import count_judgments
from steelyard.judgments.probes import without_probes
from steelyard.judgments.table import Judgments
from steelyard.models.model import Model
from steelyard.quality.raters import RaterHabits, describe_raters
from steelyard.report import words
from steelyard.scales.fit import Fit
from steelyard.study.definition import StudyDefinition
from steelyard.study.overview import Overview, QuestionView, RaterLine

Fact = tuple[str, str]
CAVEATS = {
    "easl": "EASL’s intervals do not look at how far raters agree, so they are wider than they need to be.",
}
SOURCES = {
    "link": "invited",
    "open": "by the open link",
    "prolific": "Prolific",
    "simulated": "simulated",
    "file": "from files",
}


@dataclass(frozen=True, slots=True)
class ReportRater:
    """One rater of a report, by id alone: a report is sent to others."""

    rater: str
    answers: int
    habits: RaterHabits | None
    note: str


@dataclass(frozen=True, eq=False)
class ReportPart:
    """One question: its scale (None without ratings), the judgments behind it and the raters."""

    question: str
    span: tuple[float, float]
    fit: Fit | None
    judgments: Judgments
    raters: tuple[ReportRater, ...]


@dataclass(frozen=True, eq=False)
class ReportInput:
    """Everything that a report tells, before it is put into words and pictures."""

    title: str
    at: float
    unit: str
    labels: Mapping[str, str]
    parts: tuple[ReportPart, ...]
    collected: tuple[Fact, ...]
    made: tuple[Fact, ...]


def report_of_study(overview: Overview, at: float) -> ReportInput:
    """The report of a study, written at this time."""
    definition = overview.definition
    return ReportInput(
        definition.title,
        at,
        definition.unit,
        overview.labels,
        tuple(_part(view) for view in overview.views),
        _collected(overview),
        (
            ("Model", definition.model),
            ("Selection", definition.selection),
            ("Seed", str(definition.seed)),
            ("Settings", definition.settings_hash()),
            ("Log position", words.whole(overview.position)),
            *_sureness(overview),
        ),
    )


def report_of_judgments(judgments: Judgments, model: Model, title: str, at: float) -> ReportInput:
    """The report of a file of judgments; several questions are fitted apart."""
    judgments, probes = without_probes(judgments)
    asked = len(judgments.labels("question")) > 1
    groups = [(str(name), group) for name, group in judgments.by("question")] if asked else [("", judgments)]
    parts = tuple(_file_part(name, group, model) for name, group in groups)
    times = [table.numbers["at"] for table in judgments.tables.values() if "at" in table.numbers]
    dates = _when(np.concatenate([np.empty(0), *times]))
    collected = (
        ("Items", words.whole(len(judgments.items))),
        ("Raters", words.whole(len(judgments.raters))),
        ("Judgments", f"{words.whole(count_judgments(judgments))}{dates}{_left_out(probes)}"),
        ("Scale", "; ".join(dict.fromkeys(_span(part.span) for part in parts))),
    )
    return ReportInput(title, at, "item", {}, parts, collected, (("Model", model.name),))


def _sureness(overview: Overview) -> tuple[Fact, ...]:
    """What the study predicts of itself, and how its intervals fared on fresh answers."""
    facts: list[Fact] = []
    if overview.reliability is not None:
        facts.append(("Predicted reliability", f"{overview.reliability:.2f}"))
    if overview.audit is not None and overview.audit.calibration.answers:
        calibration = overview.audit.calibration
        held = ", ".join(
            f"{100 * share.share:.0f}% in {100 * level:.0f}% intervals"
            for level, share in calibration.by_level
        )
        fresh = words.whole(calibration.answers)
        facts.append(
            (
                "Intervals on fresh answers",
                f"{held}, of {fresh} answers to tasks that the model did not choose",
            )
        )
        regions = ", ".join(
            f"{name} {100 * each.share:.0f}%" for name, each in calibration.by_region if each.of
        )
        facts.append(("95% intervals by region", regions))
        facts += [
            (f"System {each.system} on fresh answers", f"mean {each.mean:.1f} ± {1.96 * each.error:.1f}")
            for each in overview.audit.systems
        ]
    return tuple(facts)


def _part(view: QuestionView) -> ReportPart:
    raters = tuple(_rater(line) for line in view.raters if line.answers)
    ordered = tuple(sorted(raters, key=lambda rater: -rater.answers))
    return ReportPart(view.question.text, view.span, view.fit, view.judgments, ordered)


def _rater(line: RaterLine) -> ReportRater:
    excluded = f"excluded: {line.reason}" if line.reason else "excluded"
    flags = _flagged([*line.flags, *(["asked no more"] if line.rested else [])])
    return ReportRater(line.rater.id, line.answers, line.habits, excluded if line.excluded else flags)


def _flagged(flags: Sequence[str]) -> str:
    return ", ".join(flags).capitalize()


def _file_part(question: str, judgments: Judgments, model: Model) -> ReportPart:
    habits = describe_raters(judgments)
    raters = (ReportRater(each.rater, each.answers, each, _flagged(each.flags)) for each in habits)
    ordered = tuple(sorted(raters, key=lambda rater: -rater.answers))
    fit = model.fit(judgments)
    return ReportPart(question, fit.span, fit, judgments, ordered)


def _collected(overview: Overview) -> tuple[Fact, ...]:
    definition = overview.definition
    asked = [question.text for question in definition.questions]
    wanted = words.counted(definition.redundancy, "answer")
    return (
        ("Question" if len(asked) == 1 else "Questions", " · ".join(asked)),
        ("Items", words.whole(overview.items)),
        ("Asked by", _protocol(definition)),
        ("Chosen by", f"{definition.selection}; {wanted} an item wanted"),
        ("Raters", _raters(overview.raters)),
        ("Judgments", _judgments(overview)),
    )


def _protocol(definition: StudyDefinition) -> str:
    if definition.asks.kind != "rating":
        size = f" of {definition.list_size}" if definition.asks.size is None else ""
        return f"{definition.asks.words}{size}"
    scale = definition.scale
    control = f"{scale.levels} levels" if scale.levels else "a slider"
    listed = f"lists of {definition.list_size}, {control} each"
    asked = listed if definition.protocol == "list" else f"one item, {control}"
    return f"{asked}, {_span((scale.low, scale.high))}"


def _raters(lines: Sequence[RaterLine]) -> str:
    answering = [line for line in lines if line.tasks]
    sources = Counter(SOURCES[line.rater.source] for line in answering)
    told = ", ".join(f"{count} {source}" for source, count in sources.most_common())
    whole = f"{len(answering)} ({told})" if told else str(len(answering))
    apart = {
        "excluded": sum(line.excluded for line in answering),
        "asked no more, for their answers said too little": sum(line.rested for line in answering),
    }
    return "; ".join([whole, *(f"{count} {how}" for how, count in apart.items() if count)])


def _judgments(overview: Overview) -> str:
    times = np.array([at for at in (overview.since, overview.newest_at) if at is not None])
    skipped = f"; {words.whole(overview.cannot_judge)} “can’t judge”" if overview.cannot_judge else ""
    return f"{words.whole(overview.judgments)}{_when(times)}{skipped}{_left_out(overview.probes)}"


def _left_out(probes: int) -> str:
    return f"; {words.counted(probes, 'probe')} left out" if probes else ""


def _when(times: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    """The days that judgments come from."""
    known = times[~np.isnan(times)]
    if not len(known):
        return ""
    first, last = words.date(float(known.min())), words.date(float(known.max()))
    return f", {first}" if first == last else f", {first} to {last}"


def _span(span: tuple[float, float]) -> str:
    return f"{words.score(span[0])} to {words.score(span[1])}"
