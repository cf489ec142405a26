"""The content of a report, made from a study or from a file of judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from steelyard.judgments.counting import count_judgments
from steelyard.judgments.probes import without_probes
from steelyard.judgments.table import Judgments
from steelyard.kinds.asked import AskedQuestion
from steelyard.maths.gaussian import NORMAL_95
from steelyard.models.known import suited
from steelyard.models.model import Model
from steelyard.quality.raters import RaterHabits, describe_raters, spam_by_rater
from steelyard.report import words
from steelyard.scales.fit import Fit
from steelyard.scales.quantity import Quantity
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.results.overview import Overview
from steelyard.study.results.question_view import QuestionView, RaterLine

ReportFact = tuple[str, str]
SOURCES = {
    "link": "invited",
    "open": "joined through the open link",
    "prolific": "Prolific",
    "simulated": "simulated",
    "file": "from files",
}


@dataclass(frozen=True, slots=True)
class ReportRater:
    """One rater of a report. It has the id but not the name, because reports are shared."""

    rater: str
    answers: int
    habits: RaterHabits | None
    note: str


@dataclass(frozen=True, eq=False)
class ReportPart:
    """One question: its fit (None without judgments), the meaning of positions, the judgments and the raters."""

    question: str
    span: tuple[float, float]
    fit: Fit | None
    quantity: Quantity
    judgments: Judgments
    raters: tuple[ReportRater, ...]

    @property
    def placed(self) -> bool:
        """Whether answers are positions on a scale, so that raters have a bias and a slope."""
        return self.judgments.placed

    @property
    def rating_width(self) -> float:
        """Width of the range of the answers, in whose units the bias of raters is given."""
        low, high = self.judgments.score_range
        return high - low

    @property
    def has_spam(self) -> bool:
        """Whether the model estimates the probability that a rater does not look at the items."""
        return any(rater.habits is not None and rater.habits.spam is not None for rater in self.raters)

    @property
    def ends(self) -> tuple[float, float] | None:
        """Ends of the scale; None if it has no fixed ends."""
        asked = None if self.fit is None else self.fit.provenance.range
        return self.quantity.ends if asked is None else asked


@dataclass(frozen=True, eq=False)
class ReportInput:
    """The content of a report, before it is formatted."""

    title: str
    at: float
    unit: str
    labels: Mapping[str, str]
    parts: tuple[ReportPart, ...]
    collected: tuple[ReportFact, ...]
    made: tuple[ReportFact, ...]

    @property
    def meaning(self) -> str:
        """Meaning of a position, as the model describes it."""
        return self.parts[0].quantity.sentence(self.unit)


def report_of_study(overview: Overview, at: float) -> ReportInput:
    """Return the content of the report of a study at this time."""
    definition = overview.definition
    return ReportInput(
        definition.title,
        at,
        definition.learning.unit,
        overview.labels,
        tuple(_part(view, overview.quantity) for view in overview.views),
        _collected(overview),
        (
            ("Model", definition.learning.model),
            ("Selection", definition.choosing.selection),
            ("Seed", str(definition.seed)),
            ("Settings", definition.settings_hash()),
            ("Log position", words.whole(overview.log_position)),
            *_sureness(overview),
        ),
    )


def report_of_judgments(judgments: Judgments, model: Model, title: str, at: float) -> ReportInput:
    """Return the content of the report of a file of judgments. Each question is fitted separately.

    Parameters
    ----------
    judgments
        Judgments; probes are left out.
    model
        Model to fit.
    title
        Title of the report.
    at
        Time of the report, in seconds since 1970.

    Returns
    -------
    ReportInput
        The content of the report.
    """
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
        ("Scale", "; ".join(dict.fromkeys(_scale(part) for part in parts))),
    )
    return ReportInput(title, at, "item", {}, parts, collected, (("Model", model.name),))


def _sureness(overview: Overview) -> tuple[ReportFact, ...]:
    """Predicted reliability, and observed coverage of the intervals."""
    facts: list[ReportFact] = []
    if overview.reliability is not None:
        facts.append(("Predicted reliability", f"{overview.reliability:.2f}"))
    if overview.audit is not None and overview.audit.calibration.answers:
        calibration = overview.audit.calibration
        held = ", ".join(
            f"{100 * share.share:.0f}% in the {100 * level:.0f}% intervals"
            for level, share in calibration.by_level
        )
        fresh = words.whole(calibration.answers)
        facts.append(
            (
                "Observed coverage",
                f"{held}, based on {fresh} answers to tasks that the model did not choose",
            )
        )
        regions = ", ".join(
            f"{name} {100 * each.share:.0f}%" for name, each in calibration.by_region if each.of
        )
        facts.append(("Coverage of 95% intervals by region", regions))
        facts += [
            (
                f"Audit mean of system {each.system}",
                f"{each.mean:.1f} ± {NORMAL_95 * each.error:.1f} (95% interval)",
            )
            for each in overview.audit.systems
        ]
    return tuple(facts)


def _part(view: QuestionView, quantity: Quantity) -> ReportPart:
    raters = tuple(_rater(line) for line in view.raters if line.answers)
    ordered = tuple(sorted(raters, key=lambda rater: -rater.answers))
    return ReportPart(view.question.text, view.span, view.fit, quantity, view.judgments, ordered)


def _rater(line: RaterLine) -> ReportRater:
    status = words.status(line.excluded, line.reason, line.stopped_early)
    flags = "" if line.excluded else words.flags(line.flags)
    note = ". ".join(each for each in (flags, status) if each)
    return ReportRater(line.rater.id, line.answers, line.habits, note)


def _file_part(question: str, judgments: Judgments, model: Model) -> ReportPart:
    fit = model.fit(suited(model, judgments))
    habits = describe_raters(judgments, spam=spam_by_rater(fit.raters))
    raters = (ReportRater(each.rater, each.answers, each, words.flags(each.flags)) for each in habits)
    ordered = tuple(sorted(raters, key=lambda rater: -rater.answers))
    return ReportPart(question, fit.span, fit, model.quantity, judgments, ordered)


def _collected(overview: Overview) -> tuple[ReportFact, ...]:
    definition = overview.definition
    asked = [question.text for question in definition.questions]
    wanted = words.counted(definition.choosing.redundancy, "answer")
    return (
        ("Question" if len(asked) == 1 else "Questions", " · ".join(asked)),
        ("Items", words.whole(overview.items)),
        ("Task", _protocol(definition)),
        ("Selection", f"{definition.choosing.selection}; target: {wanted} per item"),
        ("Raters", _raters(overview)),
        ("Judgments", _judgments(overview)),
    )


def _protocol(definition: StudyDefinition) -> str:
    kind, scale = definition.kind, definition.scale
    asked = kind.page_words(definition.asking.way, definition.asking.list_size, AskedQuestion(scale))
    return f"{asked}, {_span((scale.low, scale.high))}" if kind.pointed else asked


def _raters(overview: Overview) -> str:
    """Numbers of raters by source, and of those flagged, excluded or stopped early, as on the owner's page."""
    answering = [line for line in overview.raters if line.tasks]
    sources = Counter(SOURCES[line.rater.source] for line in answering)
    listed = ", ".join(f"{count} {source}" for source, count in sources.most_common())
    whole = f"{len(answering)} ({listed})" if listed else str(len(answering))
    apart = {
        "flagged": overview.views[0].flagged,
        "excluded": sum(line.excluded for line in answering),
        "stopped early because their answers carried too little information": overview.stopped_early,
    }
    return "; ".join([whole, *(f"{count} {how}" for how, count in apart.items() if count)])


def _judgments(overview: Overview) -> str:
    times = np.array([at for at in (overview.since, overview.newest_at) if at is not None])
    skipped = f"; {words.whole(overview.cannot_judge)} “can’t judge”" if overview.cannot_judge else ""
    return f"{words.whole(overview.judgments)}{_when(times)}{skipped}{_left_out(overview.probes)}"


def _left_out(probes: int) -> str:
    return f"; {words.counted(probes, 'probe')} left out" if probes else ""


def _when(times: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    """The days on which the judgments were given."""
    dated = times[~np.isnan(times)]
    if not len(dated):
        return ""
    first, last = words.date(float(dated.min())), words.date(float(dated.max()))
    return f", {first}" if first == last else f", {first} to {last}"


def _scale(part: ReportPart) -> str:
    """The ends of the scale, or a note that it has none."""
    return f"{part.quantity.name}, without fixed ends" if part.ends is None else _span(part.ends)


def _span(span: tuple[float, float]) -> str:
    return f"{words.score(span[0])} to {words.score(span[1])}"
