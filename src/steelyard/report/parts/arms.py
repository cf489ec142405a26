"""The arms of a study compared: a sentence on which way of asking works better, and the numbers behind it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from steelyard.messages.words import Figure, Said, Share, Term, said, said_list
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
        return said("arms_too_few_answers")
    values = {each.condition: each for each in needed.values}
    listed = said_list(
        [said("arm_needs", name=name, value=Figure(_number(each.value))) for name, each in values.items()]
    )
    is_pair = len(needed.contrasts) == 1
    if compared.best is None:
        test = _test(needed.contrasts[0]) if is_pair else said("no_arm_below")
        return said("arms_undetermined", listed=listed, test=test)
    test = _test(needed.contrasts[0]) if is_pair else said("arm_below_all")
    return said("arm_works_better", best=compared.best, listed=listed, test=test)


def _findings(each: ComparedMeasure) -> Iterable[str]:
    """Yield a sentence for each clear difference in disagreement, consistency, time or cost."""
    worded = {
        "disagreement": "arms_disagree_less",
        "inconsistency": "arms_repeat_better",
        "seconds": "arms_judge_faster",
        "time_needed": "arms_take_less_time",
        "cost_needed": "arms_cost_less",
    }
    for contrast in each.contrasts if each.measure.name in worded else ():
        if contrast.is_clear:
            low = min(contrast.effect, 1.0 / contrast.effect)
            first, second = (
                (contrast.second, contrast.first)
                if contrast.effect < 1.0
                else (contrast.first, contrast.second)
            )
            key = worded[each.measure.name]
            yield said(key, share=Share(1.0 - low), first=first, second=second, test=_test(contrast))


def _row(each: ComparedMeasure, conditions: Sequence[str]) -> ArmRow:
    values = {value.condition: _value(value) for value in each.values}
    return ArmRow(each.measure.name, each.measure.title, tuple(values.get(name, "–") for name in conditions))


def _value(value: ArmValue) -> str:
    number, low, high = (Figure(_number(each)) for each in (value.value, value.low, value.high))
    return said("value_with_interval", value=number, low=low, high=high)


def _contrast(each: ComparedMeasure, contrast: Contrast) -> ContrastRow:
    title = each.measure.title
    pair = f"{contrast.second} / {contrast.first}"
    if not each.measure.is_ratio:
        title, pair = said("difference_of_z", title=Term(title)), f"{contrast.second} − {contrast.first}"
    return _as_row(title, pair, contrast)


def _between(contrast: Contrast) -> ContrastRow:
    return _as_row("Correlation between arms", f"{contrast.first}, {contrast.second}", contrast)


def _as_row(title: str, pair: str, contrast: Contrast) -> ContrastRow:
    return ContrastRow(
        title,
        pair,
        Figure(_number(contrast.effect)),
        said("low_to_high", low=Figure(_number(contrast.low)), high=Figure(_number(contrast.high))),
        Figure(_p(contrast.adjusted_p)),
        contrast.is_clear,
    )


def _test(contrast: Contrast) -> Said:
    ratio, low, high = (Figure(_number(value)) for value in (contrast.effect, contrast.low, contrast.high))
    p = _p(contrast.adjusted_p)
    return said("ratio_test", ratio=ratio, low=low, high=high, p=Figure(p if p.startswith("<") else f"= {p}"))


def _p(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"< {LEAST_P}" if value < LEAST_P else f"{value:.3f}"


def _number(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")
