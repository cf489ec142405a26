"""The arms of a study compared: a sentence on which way of asking works better, and the numbers behind it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from steelyard.quality.arms import ArmsComparison, ArmValue, ComparedMeasure, Contrast

LEAST_P = 0.001


@dataclass(frozen=True, slots=True)
class ArmRow:
    """One measure: its title, and its value with the 95% interval in each arm, as text."""

    measure: str
    title: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContrastRow:
    """Two arms compared by one measure, as text."""

    title: str
    pair: str
    effect: str
    interval: str
    p: str
    is_clear: bool


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """The arms compared by their answers to one question.

    Attributes
    ----------
    name
        The question; "" if the study has only one.
    verdict
        Which way of asking works better on these data, or that this cannot be determined.
    findings
        Further sentences about clear differences.
    conditions
        Names of the arms.
    items
        Number of items that were compared.
    rows
        The measures by arm.
    contrasts
        Differences between arms, with tests.
    notes
        Sentences about what was left out.
    """

    name: str
    verdict: str
    findings: tuple[str, ...]
    conditions: tuple[str, ...]
    items: int
    rows: tuple[ArmRow, ...]
    contrasts: tuple[ContrastRow, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArmsPart:
    """The comparison of the arms, by question."""

    questions: tuple[ComparedQuestion, ...]


def arms_part(compared: Iterable[tuple[str, ArmsComparison]]) -> ArmsPart:
    """Return the comparison of the arms in words, from pairs of question and comparison."""
    pairs = list(compared)
    return ArmsPart(tuple(_question(name if len(pairs) > 1 else "", each) for name, each in pairs))


def _question(name: str, compared: ArmsComparison) -> ComparedQuestion:
    rows = [_row(each, compared.conditions) for each in compared.measures]
    contrasts = [_contrast(each, contrast) for each in compared.measures for contrast in each.contrasts]
    contrasts += [_between(each) for each in compared.between if not math.isnan(each.effect)]
    findings = tuple(sentence for each in compared.measures for sentence in _findings(each))
    return ComparedQuestion(
        name,
        verdict_of(compared),
        findings,
        compared.conditions,
        compared.items,
        tuple(rows),
        tuple(contrasts),
        compared.notes,
    )


def verdict_of(compared: ArmsComparison) -> str:
    """Return a sentence on which way of asking works better, judged by the answers needed for equal reliability."""
    needed = compared.by_name("answers_needed")
    if needed is None or not needed.contrasts:
        return (
            "It cannot be determined yet which way of asking works better, because there are too few answers."
        )
    values = {each.condition: each for each in needed.values}
    listed = _listed([f"“{name}” needs {_number(each.value)}" for name, each in values.items()])
    fact = f"For a reliability of 0.9, {listed} answers per item"
    if compared.best is None:
        test = (
            _test(needed.contrasts[0]) if len(needed.contrasts) == 1 else "no arm is clearly below all others"
        )
        return f"The data do not determine which way of asking works better. {fact} ({test})."
    test = _test(needed.contrasts[0]) if len(needed.contrasts) == 1 else "clearly below all others"
    return f"On these data, “{compared.best}” works better. {fact} ({test})."


def _findings(each: ComparedMeasure) -> Iterable[str]:
    """Yield a sentence for each clear difference in disagreement, consistency, time or cost."""
    worded = {
        "disagreement": "Raters disagree {} about an item in “{}” than in “{}”",
        "inconsistency": "Repeated answers of a rater differ {} in “{}” than in “{}”",
        "seconds": "A judgment takes {} time in “{}” than in “{}”",
        "time_needed": "Equal reliability takes {} time in “{}” than in “{}”",
        "cost_needed": "Equal reliability costs {} in “{}” than in “{}”",
    }
    for contrast in each.contrasts if each.measure.name in worded else ():
        if contrast.is_clear:
            low = min(contrast.effect, 1.0 / contrast.effect)
            first, second = (
                (contrast.second, contrast.first)
                if contrast.effect < 1.0
                else (contrast.first, contrast.second)
            )
            words = worded[each.measure.name].format(f"{100 * (1.0 - low):.0f}% less", first, second)
            yield f"{words} ({_test(contrast)})."


def _row(each: ComparedMeasure, conditions: Sequence[str]) -> ArmRow:
    values = {value.condition: _value(value) for value in each.values}
    return ArmRow(each.measure.name, each.measure.title, tuple(values.get(name, "–") for name in conditions))


def _value(value: ArmValue) -> str:
    return f"{_number(value.value)} ({_number(value.low)} to {_number(value.high)})"


def _contrast(each: ComparedMeasure, contrast: Contrast) -> ContrastRow:
    title = each.measure.title
    pair = f"{contrast.second} / {contrast.first}"
    if not each.measure.is_ratio:
        title, pair = f"{title} (difference of Fisher’s z)", f"{contrast.second} − {contrast.first}"
    return _as_row(title, pair, contrast)


def _between(contrast: Contrast) -> ContrastRow:
    return _as_row("Correlation between arms", f"{contrast.first}, {contrast.second}", contrast)


def _as_row(title: str, pair: str, contrast: Contrast) -> ContrastRow:
    return ContrastRow(
        title,
        pair,
        _number(contrast.effect),
        f"{_number(contrast.low)} to {_number(contrast.high)}",
        _p(contrast.adjusted_p),
        contrast.is_clear,
    )


def _test(contrast: Contrast) -> str:
    interval = f"{_number(contrast.low)} to {_number(contrast.high)}"
    p = _p(contrast.adjusted_p)
    return (
        f"ratio {_number(contrast.effect)}, 95% interval {interval}, p {p if p.startswith('<') else f'= {p}'}"
    )


def _p(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"< {LEAST_P}" if value < LEAST_P else f"{value:.3f}"


def _number(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")


def _listed(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)
