"""The methods paragraph of a report, ready to paste into a paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steelyard.maths.sandwich import FEW, ErrorType
from steelyard.models.methods import BELL, CAMERON, Clause, methods_of
from steelyard.models.outputs import target_in_words
from steelyard.report import words
from steelyard.report.parts.systems import ADJUST, MOST_DIFFERENCES
from steelyard.report.procedure_text import exclusion_sentences, procedure_sentences
from steelyard.report.source import ReportSource
from steelyard.scales.fit import INTERVAL_LEVEL
from steelyard.scales.provenance import MODEL_ERRORS
from steelyard.study.definition.definition import StudyDefinition
from steelyard.version import VERSION

FEW_CLUSTERS = Clause(
    f"Because there are fewer than {FEW} clusters of a kind, the larger of the model variance and the clustered "
    "variance, adjusted as in Bell and McCaffrey (2002), was used, and intervals and tests are based on t "
    "distributions.",
    (BELL,),
)
FEW_IN_SOME = Clause(
    FEW_CLUSTERS.sentence.replace("Because there are", "In groups with"),
    FEW_CLUSTERS.references,
)
STEELYARD = f"Steelyard (Version {VERSION}) [Computer software]."


@dataclass(frozen=True, slots=True)
class MethodsText:
    """A paragraph for the methods section of a paper.

    Attributes
    ----------
    sentences
        The sentences of the paragraph.
    references
        The references that the sentences cite.
    """

    sentences: tuple[str, ...]
    references: tuple[str, ...]

    @property
    def paragraph(self) -> str:
        """The sentences as one text."""
        return " ".join(self.sentences)


def methods_text(sources: Sequence[ReportSource], counts: str) -> MethodsText:
    """Return the methods paragraph about the judgments and the model of these sources.

    `counts` is a sentence on who judged what, and how often.
    """
    source = sources[0]
    before, after = (
        [] if source.overview is None else list(map(Clause, sentences(source.overview)))
        for sentences in (exclusion_sentences, procedure_sentences)
    )
    clauses = [Clause(counts), *before, *_asking(source), *after, *_estimation(sources), *_systems(source)]
    if len(sources) > 1:
        clauses.append(Clause(f"The {len(sources)} groups of judgments were analysed separately."))
    clauses.append(Clause(f"All results were computed with Steelyard {VERSION}.", (STEELYARD,)))
    sentences = tuple(each.sentence.replace("{unit}", source.unit) for each in clauses if each.sentence)
    references = dict.fromkeys(name for each in clauses for name in each.references)
    return MethodsText(sentences, tuple(sorted(references)))


def _asking(source: ReportSource) -> Iterator[Clause]:
    """How the raters of a study were asked, and how tasks were chosen."""
    if source.overview is None:
        return
    definition = source.overview.definition
    traits = definition.make_selection().traits
    yield Clause(_questions(definition))
    for each in definition.asked_ways:
        way = each.asking.way
        if way.method:
            yield Clause(way.method.format(size=each.asking.list_size), way.references)
    if definition.ways:
        yield Clause(_shares(definition))
    if traits.method:
        yield Clause(traits.method, traits.references)
    if definition.choosing.audit_share:
        share = words.percent(definition.choosing.audit_share)
        yield Clause(f"{share} of the tasks were chosen at random, to measure the coverage of intervals.")


def _shares(definition: StudyDefinition) -> str:
    shares = zip(definition.asking.protocols, definition.asking.shares_of_tasks, strict=True)
    listed = ", ".join(f"{words.percent(share)} {name.replace('_', '-')}" for name, share in shares)
    if definition.compares_kinds:
        return (
            "The kind of each task was the one whose answer was expected to reduce the variance of the positions most "
            f"per second, at the median time of its tasks in this study. The first tasks, and at least "
            f"{words.percent(definition.choosing.audit_share)} of all tasks, were divided between the kinds as planned "
            f"({listed})."
        )
    return f"Each rater received tasks of all these kinds (planned shares: {listed})."


def _questions(definition: StudyDefinition) -> str:
    asked = [question.text for way in definition.asked_ways for question in way.questions]
    texts = [f"“{text}”" for text in dict.fromkeys(asked)]
    listed = texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
    return f"The question{'s were' if len(texts) > 1 else ' was'} {listed}."


def _systems(source: ReportSource) -> Iterator[Clause]:
    """How systems were estimated and compared; nothing if the report has no systems."""
    fit = source.systems
    if fit is None:
        return
    if source.unit == "item":
        errors = fit.provenance.error_type
        yield Clause(
            f"The {words.counted(len(fit.item), 'system')} were estimated from the judgments of their outputs with the "
            f"same model. {_errors_sentence(errors, ' of systems')} {_target_sentence(target_in_words('new', 'new'))}"
        )
    if len(fit.item) <= MOST_DIFFERENCES:
        method = words.adjustment(fit.compared(ADJUST, INTERVAL_LEVEL).adjust)
        yield Clause(
            "All pairs of systems were compared by two-sided tests, with p values adjusted for the number of pairs by "
            f"{method}. Systems of different clusters have p < 0.05 in every pair."
        )


def _estimation(sources: Sequence[ReportSource]) -> Iterator[Clause]:
    """The model, its settings and its intervals. Several groups of judgments have the same model."""
    source = sources[0]
    methods = methods_of(source.model)
    settings: Mapping[str, Any] = {} if source.fit is None else source.fit.provenance.settings
    if methods is None:
        yield Clause(f"Positions were estimated with the model {source.model.name}.")
    else:
        yield Clause(methods.estimation, methods.references)
        yield from methods.clauses(settings)
        yield Clause(methods.intervals)
    yield from _errors([each.fit.provenance.settings for each in sources if each.fit is not None])
    if "target" in settings:
        yield Clause(_target_sentence(str(settings["target"])))


def _errors(settings: Sequence[Mapping[str, Any]]) -> Iterator[Clause]:
    """How standard errors were computed in fits with these settings."""
    texts = dict.fromkeys(str(each.get("errors", "")) for each in settings)
    errors = _in_groups(list(texts))
    if errors.startswith("clustered"):
        yield Clause(f"{_errors_sentence(errors)[:-1]}, as in Cameron et al. (2011).", (CAMERON,))
    elif errors:
        yield Clause(_errors_sentence(errors))
    few = [ErrorType.of_text(text).is_few for text in texts]
    if any(few) and settings[0].get("few_clusters") != "plain":
        yield FEW_CLUSTERS if all(few) else FEW_IN_SOME


def _in_groups(texts: Sequence[str]) -> str:
    """Return the type of the errors of several groups of judgments, with the smallest and largest number of clusters.

    >>> _in_groups(["clustered by rater (73)", "clustered by rater (5)"])
    'clustered by rater (5 to 73)'
    >>> _in_groups(["clustered by rater (73)", "independent judgments"])
    'clustered by rater (73) or independent judgments, depending on the group'
    """
    types = [ErrorType.of_text(text).clusters for text in texts]
    names = {tuple(name for name, _ in clusters) for clusters in types}
    if len(texts) > 1 and len(names) == 1 and all(types):
        counts = [[count for _, count in clusters] for clusters in types]
        ends = [f"({min(each):,} to {max(each):,})" for each in zip(*counts, strict=True)]
        return "clustered by " + " and ".join(f"{name} {end}" for name, end in zip(*names, ends, strict=True))
    return " or ".join(texts) + (", depending on the group" if len(texts) > 1 else "")


def _errors_sentence(errors: str, whose: str = "") -> str:
    """Return how standard errors were computed, from the words of a signature.

    >>> _errors_sentence("independent judgments")
    'Standard errors assume independent judgments.'
    >>> _errors_sentence("model-based, at least clustered by rater")
    'Standard errors are those of the model, or those clustered by rater where these are larger.'
    """
    name, _, least = errors.partition(", at least ")
    if name == MODEL_ERRORS:
        larger = f", or those {least} where these are larger" if least else ""
        return f"Standard errors{whose} are those of the model{larger}."
    if errors == str(ErrorType()):
        return f"Standard errors{whose} assume {errors}."
    if errors.startswith("clustered"):
        return f"Standard errors{whose} are {errors}."
    return f"Standard errors{whose} are from the {errors}."


def _target_sentence(target: str) -> str:
    """Return which segments and raters intervals apply to, from the words of a signature."""
    return f"Intervals of systems apply to {target.replace(', ', ' and ')}."
