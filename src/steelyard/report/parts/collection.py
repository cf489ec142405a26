"""The collection: what was asked, of whom, how long it took, who was excluded, and a methods paragraph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from steelyard.judgments.answering import task_times
from steelyard.judgments.assumptions import assumptions
from steelyard.judgments.counting import count_judgments, count_raters
from steelyard.judgments.table import Judgments
from steelyard.kinds.asked import AskedQuestion
from steelyard.kinds.known import KINDS
from steelyard.messages.words import Figure, Term, said, said_in_row
from steelyard.report import words
from steelyard.report.methods_text import MethodsText, methods_text
from steelyard.report.procedure_text import training_words
from steelyard.report.source import ReportSource
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.results.effort import ProtocolWork
from steelyard.study.results.overview import Overview

MS_PER_HOUR = 3_600_000.0
EXCLUDED, STOPPED = "Excluded", "Stopped early"
TOO_LITTLE = "answers carried too little information"
SOURCES = {
    "link": "invited",
    "open": "joined through the open link",
    "prolific": "Prolific",
    "mturk": "MTurk",
    "panel": "a panel",
    "simulated": "simulated",
    "file": "from files",
}


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A rater who was excluded or stopped early.

    Attributes
    ----------
    rater
        Id of the rater.
    status
        "Excluded" or "Stopped early". Answers of raters who were stopped early count.
    reason
        Reason; "" if none was given.
    answers
        Number of judgments of the rater.
    """

    rater: str
    status: str
    reason: str
    answers: int


@dataclass(frozen=True, slots=True)
class Collection:
    """How the judgments were collected.

    Attributes
    ----------
    questions
        Questions that raters read; empty if they are not known.
    task
        What one task asked, in words; "" for a file.
    kinds
        Kinds of judgment.
    items, systems, segments
        Numbers of items, systems and segments.
    raters
        Number of raters who answered.
    sources
        Numbers of raters by where they came from.
    judgments
        Number of judgments.
    cannot_judge, probes
        Number of times raters answered “can’t judge”, and of answers to probes, which do not count for the scale.
    first_at, last_at
        Times of the first and last judgment, in seconds since 1970; None if they are not known.
    median_milliseconds
        Median time per task; None if it was not measured.
    hours
        Total time of all raters in hours; None if it was not measured.
    scale
        Ends of the scale of the positions, in words.
    selection
        How tasks were chosen, in words; "" for a file.
    exclusions
        Raters who were excluded or stopped early.
    remarks
        Sentences about rows that were left out and values that are pooled.
    methods
        A paragraph for the methods section of a paper, with references.
    checks
        Number of checks and of failed ones, in words; "" without checks.
    pay
        Total pay and the median hourly rate, in words; "" if the study sets no pay.
    times
        Work on each protocol of a study with several; empty otherwise.
    training
        Training of the raters, in words; "" without training.
    repeated
        What `probes` counts, as a noun in the singular.
    """

    questions: tuple[str, ...]
    task: str
    kinds: tuple[str, ...]
    items: int
    systems: int
    segments: int
    raters: int
    sources: tuple[tuple[str, int], ...]
    judgments: float
    cannot_judge: int
    probes: int
    first_at: float | None
    last_at: float | None
    median_milliseconds: float | None
    hours: float | None
    scale: str
    selection: str
    exclusions: tuple[Exclusion, ...]
    remarks: tuple[str, ...]
    methods: MethodsText
    checks: str = ""
    pay: str = ""
    times: tuple[ProtocolWork, ...] = ()
    training: str = ""
    repeated: str = "probe"

    def facts(self, date: Callable[[float], str] = words.date) -> list[tuple[str, str]]:
        """Return the numbers as pairs of name and text, without those that do not apply; `date` writes a date."""
        counts = [("Systems", self.systems), ("Segments", self.segments)]
        facts = [
            ("Question" if len(self.questions) == 1 else "Questions", " · ".join(self.questions)),
            ("Items", Figure(words.whole(self.items))),
            *((name, Figure(words.whole(count))) for name, count in counts if count),
            ("Task", self.task),
            ("Scale", self.scale),
            ("Selection", self.selection),
            ("Raters", self._raters()),
            ("Judgments", self._judgments(date)),
            ("Training", self.training),
            ("Checks", self.checks),
            ("Time", self._time()),
            ("Pay", self.pay),
        ]
        return [(name, value) for name, value in facts if value]

    def _raters(self) -> str:
        if not self.raters and self.judgments:
            return said("raters_not_named")
        listed = [said("n_from", number=count, source=Term(source)) for source, count in self.sources]
        whole: str = Figure(words.whole(self.raters))
        if listed:
            whole = said("raters_from", number=self.raters, sources=said_in_row(listed))
        by_status = Counter(each.status for each in self.exclusions)
        keys = {EXCLUDED: "n_excluded", STOPPED: "n_stopped"}
        return _apart([whole, *(said(keys[status], count=count) for status, count in by_status.items())])

    def _judgments(self, date: Callable[[float], str]) -> str:
        dates, number = days(self.first_at, self.last_at, date), Figure(words.whole(self.judgments))
        keys = {"probe": "n_probes_left_out", "repeat": "n_repeats_left_out"}
        left_out = keys.get(self.repeated, "n_probes_or_repeats_left_out")
        parts = [
            said_in_row([number, dates]) if dates else number,
            *([said("n_cannot_judge", count=self.cannot_judge)] if self.cannot_judge else []),
            *([said(left_out, count=self.probes)] if self.probes else []),
        ]
        return _apart(parts)

    def _time(self) -> str:
        if self.median_milliseconds is None or self.hours is None:
            return ""
        each, total = [_time_of_way(way) for way in self.times], said_hours(self.hours)
        typical = Figure(words.duration(self.median_milliseconds))
        if each:
            return said("time_by_protocol", time=typical, listed=said_in_row(each), total=total)
        return said("time_in_total", time=typical, total=total)


def _apart(parts: Sequence[str]) -> str:
    """Return parts in one text, separated more clearly than the entries of a list."""
    return reduce(lambda first, second: said("one_apart_from", first=first, second=second), parts)


def _time_of_way(way: ProtocolWork) -> str:
    time = Figure(words.duration(way.milliseconds))
    return said("time_for_tasks", time=time, count=way.answers, protocol=way.protocol)


def said_hours(value: float) -> str:
    """Return a number of hours, or of minutes if it is below 2 hours."""
    number, _, unit = words.hours(value).partition(" ")
    return said("in_hours" if unit == "hours" else "in_minutes", number=Figure(number))


def collection_part(sources: Sequence[ReportSource]) -> Collection:
    """Return how the judgments of all questions or groups were collected."""
    overview = sources[0].overview
    return _of_file(sources) if overview is None else _of_study(overview, sources)


def _of_study(overview: Overview, sources: Sequence[ReportSource]) -> Collection:
    definition, effort = overview.definition, overview.effort
    answering = [line for line in overview.raters if line.tasks]
    counting = [line for line in answering if line.answers and not line.excluded]
    by_source = Counter(SOURCES[line.rater.source] for line in answering)
    judgments = sources[0].judgments
    return Collection(
        questions=tuple(question.text for question in definition.questions),
        task=_task(definition),
        kinds=tuple(kind.name for kind in definition.kinds),
        items=overview.items,
        systems=len(judgments.labels("system")),
        segments=len(judgments.labels("segment")),
        raters=len(answering),
        sources=tuple(by_source.most_common()),
        judgments=overview.judgments,
        cannot_judge=overview.cannot_judge,
        probes=overview.probes,
        first_at=overview.since,
        last_at=overview.newest_at,
        median_milliseconds=overview.milliseconds,
        hours=effort.milliseconds / MS_PER_HOUR if effort.timed else None,
        scale=_scale(sources),
        selection=said(
            "selection_with_target",
            selection=definition.choosing.selection,
            count=definition.choosing.redundancy,
        ),
        exclusions=_exclusions(overview),
        remarks=(),
        methods=methods_text(
            sources,
            _counts(
                len(counting),
                overview.judgments,
                overview.items,
                tuple(kind.words for kind in definition.kinds),
            )
            + _simulated(sum(line.rater.source == "simulated" for line in counting), len(counting)),
        ),
        checks=checks_words(overview),
        pay=pay_words(overview),
        times=effort.protocols,
        training=training_words(effort),
        repeated=_repeated(definition),
    )


def _repeated(definition: StudyDefinition) -> str:
    """Return the noun for answers that repeat an earlier task: probes, repeats of [checks], or both."""
    probes, repeats = definition.grounding.probes is not None, definition.checks.repeats is not None
    return "repeat" if repeats and not probes else "probe or repeat" if repeats else "probe"


def checks_words(overview: Overview) -> str:
    """Return the numbers of answered and failed checks, or "" without checks."""
    counted = overview.checks
    if not counted.answered:
        return ""
    ended = sum(line.ended for line in overview.raters)
    stopped = f"; {words.counted(ended, 'session')} ended" if ended else ""
    return (
        f"{words.counted(counted.answered, 'check')} answered, {words.whole(counted.failed)} failed{stopped}; "
        "left out of the scale"
    )


def pay_words(overview: Overview) -> str:
    """Return the total pay and the median hourly rate, or "" if the study sets no pay."""
    pay = overview.pay
    if pay is None:
        return ""
    rate = "" if pay.median_hourly is None else f", {pay.median_hourly:.2f} per hour (median)"
    return f"{pay.total:,.2f} {pay.currency} in total{rate}; gaps count up to {pay.idle_minutes:g} minutes"


def _of_file(sources: Sequence[ReportSource]) -> Collection:
    parts = [source.judgments if source.with_probes is None else source.with_probes for source in sources]
    whole = parts[0] if len(parts) == 1 else Judgments.concat(parts)
    columns = [table.numbers["at"] for table in whole.tables.values() if "at" in table.numbers]
    at = np.concatenate([np.empty(0), *columns])
    at = at[~np.isnan(at)]
    times = task_times(whole.tables.values())
    counted = float(sum(count_judgments(each.judgments) for each in sources))
    asked = tuple(map(str, whole.labels("question")))
    apart = ("question",) if len(sources) > 1 else ()
    kinds = tuple(KINDS[name].words for name in whole.kinds)
    return Collection(
        questions=asked if len(asked) == 1 or apart else (),
        task="",
        kinds=whole.kinds,
        items=len(whole.items),
        systems=len(whole.labels("system")),
        segments=len(whole.labels("segment")),
        raters=count_raters(whole),
        sources=(),
        judgments=counted,
        cannot_judge=0,
        probes=round(count_judgments(whole) - counted),
        first_at=float(at.min()) if len(at) else None,
        last_at=float(at.max()) if len(at) else None,
        median_milliseconds=float(np.median(times)) if len(times) else None,
        hours=float(times.sum()) / MS_PER_HOUR if len(times) else None,
        scale=_scale(sources),
        selection="",
        exclusions=(),
        remarks=(
            *([whole.reading.selected] if whole.reading.selected else []),
            *(finding.sentence for finding in assumptions(whole, apart)),
        ),
        methods=methods_text(sources, _counts(count_raters(whole), counted, len(whole.items), kinds)),
    )


def _counts(raters: int, judgments: float, items: int, kinds: tuple[str, ...]) -> str:
    """A sentence on who judged what, and how often."""
    named = " and ".join(kinds)
    by = f"{words.counted(raters, 'rater')} gave" if raters else "The file has"
    return f"{by} {words.counted(judgments, f'{named} judgment')} about {words.counted(items, 'item')}."


def _simulated(simulated: int, raters: int) -> str:
    """A sentence on raters who are not people, or ""."""
    if not simulated:
        return ""
    return (
        " All raters are simulated."
        if simulated == raters
        else f" {simulated:,} of the raters are simulated."
    )


def _scale(sources: Sequence[ReportSource]) -> str:
    """The ends of each scale, or a note that it has none."""
    return _apart(list(dict.fromkeys(map(_ends, sources))))


def _ends(source: ReportSource) -> str:
    if source.ends is None:
        return said("without_ends", quantity=Term(source.quantity.name))
    low, high = (Figure(words.score(end)) for end in source.ends)
    return said("low_to_high", low=low, high=high)


def _task(definition: StudyDefinition) -> str:
    return "; ".join(map(_task_of_way, definition.asked_ways))


def _task_of_way(definition: StudyDefinition) -> str:
    kind, scale = definition.kind, definition.scale
    asked = kind.page_words(definition.asking.way, definition.asking.list_size, AskedQuestion(scale))
    return f"{asked}, {words.span(scale.low, scale.high)}" if kind.pointed else asked


def _exclusions(overview: Overview) -> tuple[Exclusion, ...]:
    return tuple(
        Exclusion(
            line.rater.id,
            EXCLUDED if line.excluded else STOPPED,
            line.reason if line.excluded else TOO_LITTLE,
            line.answers,
        )
        for line in overview.raters
        if line.excluded or line.stopped_early
    )


def days(first: float | None, last: float | None, date: Callable[[float], str]) -> str:
    """Return the days on which judgments were given.

    Parameters
    ----------
    first, last
        Times of the first and last judgment, in seconds since 1970; None if they are not known.
    date
        Function that writes a date.

    Returns
    -------
    str
        One day or the first and the last; "" if they are not known.
    """
    if first is None or last is None:
        return ""
    start, end = date(first), date(last)
    return start if start == end else said("low_to_high", low=start, high=end)
