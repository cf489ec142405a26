"""The public API: every page of docs/reference/api, and the modules and names that it documents.

This is the one list of what is public. An entry is a module, with all of its public classes and functions, or
`module: names` with some of them. Names of `steelyard` itself are documented under their short path.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import steelyard


@dataclass(frozen=True)
class Part:
    """A heading of a page, and what is documented under it."""

    title: str
    entries: tuple[str, ...]
    text: str = ""


@dataclass(frozen=True)
class ApiPage:
    """A page of the API reference."""

    name: str
    title: str
    text: str
    parts: tuple[Part, ...]

    @property
    def names(self) -> list[str]:
        """Return the full path of everything on the page."""
        return [path for part in self.parts for path in paths_of(part)]


PAGES = (
    ApiPage(
        "judgments",
        "Judgments",
        "Read judgments from files and data frames, check them, and convert them from one kind to another. "
        "[Judgment files](../judgment_files.md) describes the formats.",
        (
            Part(
                "Reading and converting",
                ("steelyard: read, convert", "steelyard.judgments.conversions: losses"),
            ),
            Part(
                "The table",
                (
                    "steelyard: Judgments",
                    "steelyard.judgments.table: Table",
                    "steelyard.judgments.coding: Vocabulary",
                ),
            ),
            Part(
                "Reports on a file",
                (
                    "steelyard.judgments.reading: Reading",
                    "steelyard.judgments.checks: check, Report",
                    "steelyard.judgments.findings: Finding",
                ),
            ),
            Part(
                "Counts",
                ("steelyard.judgments.counting", "steelyard.judgments.counts: PairCounts, Covariate"),
            ),
            Part("Probes", ("steelyard.judgments.probes: without_probes",)),
        ),
    ),
    ApiPage(
        "kinds",
        "Kinds of judgment",
        "One record for each kind of judgment, and the interface of a kind. "
        "[Extending Steelyard](../../how-to/extending.md) shows how to add a kind.",
        (
            Part(
                "Records",
                (
                    "steelyard: Rating, Comparison, Ranking, BestWorst, Range",
                    "steelyard.judgments.records: Judgment",
                ),
            ),
            Part(
                "Interface of a kind",
                (
                    "steelyard.kinds.kind",
                    "steelyard.judgments.table_kinds: TableKind, BatchFields",
                    "steelyard.judgments.conversions: Conversion",
                ),
            ),
            Part(
                "Cells",
                (
                    "steelyard.kinds.cell",
                    "steelyard.kinds.rating: Score",
                    "steelyard.kinds.comparison: Verdict",
                    "steelyard.kinds.ranking: Rank",
                    "steelyard.kinds.best_worst: Pick",
                    "steelyard.kinds.range: Bounds",
                ),
            ),
            Part(
                "Protocols",
                ("steelyard.kinds.protocol", "steelyard.kinds.asked", "steelyard.kinds.known: kind_of"),
            ),
        ),
    ),
    ApiPage(
        "models",
        "Models",
        "A model is a frozen dataclass. Its fields are its settings, and `fit(judgments)` returns a [fit](results.md). "
        "[Models](../../explanation/models/index.md) explains the idea, the formula and the assumptions of each.",
        (
            Part("Ratings", ("steelyard: Steelyard, DirectAssessment, Easl, Crossed",)),
            Part(
                "Comparisons", ("steelyard: BradleyTerry, Thurstone, TrueSkill, BetaRanking, Elo, WinRate",)
            ),
            Part(
                "Rankings, best-worst choices and ranges",
                ("steelyard: PlackettLuce, BestWorstScaling, Goldilocks",),
            ),
            Part(
                "Finding models by name",
                ("steelyard.models.known: model_named, find_model, item_models, default_model",),
            ),
            Part(
                "Interface of a model",
                (
                    "steelyard.models.model: Model, OnlineModel, RefittingModel, ForecastingModel",
                    "steelyard.models.model: AnswerForecast, Capabilities",
                ),
            ),
            Part(
                "Helpers for authors of models",
                (
                    "steelyard.models.model: rows_of, refuse_other_kinds, stated_range, in_sorted_order",
                    "steelyard.models.model: places_of, unit_scores, provenance_of, learn_all",
                ),
            ),
        ),
    ),
    ApiPage(
        "results",
        "Results",
        "A fit contains the scale, how it was made, and what the model can report besides. "
        "Online models also have beliefs, which can be updated and saved.",
        (
            Part("Fits", ("steelyard: Fit", "steelyard.scales.fit: Provenance, Posterior")),
            Part("Scales", ("steelyard: Scale", "steelyard.scales.quantity: Quantity")),
            Part(
                "Differences and ranks",
                (
                    "steelyard.scales.differences: Differences, differences_of, clusters_of, adjusted",
                    "steelyard.scales.ranks",
                    "steelyard.scales.joint",
                ),
            ),
            Part(
                "Fits of Bradley-Terry models",
                (
                    "steelyard.models.bradley_terry.results: BradleyTerryFit",
                    "steelyard.models.bradley_terry.coefficients: Coefficients",
                    "steelyard.models.bradley_terry.contrasts: Contrasts, QuasiVariances",
                    "steelyard.models.bradley_terry.differences: Difference",
                    "steelyard.models.bradley_terry.goodness: Goodness",
                    "steelyard.models.bradley_terry.ratios: LikelihoodRatio",
                    "steelyard.models.bradley_terry.profile: ProfileInterval",
                    "steelyard.models.bradley_terry.rater_variance: RaterClusters, ClusteredEstimate, ClusteredTest",
                ),
            ),
            Part(
                "Fits of other models",
                (
                    "steelyard.models.steelyard.model: SteelyardFit",
                    "steelyard.models.system_means: ScoredFit, StandardisedSystems",
                    "steelyard.models.refitting: RefittingFit",
                    "steelyard.models.plackett_luce.model: PlackettLuceFit, Tie",
                    "steelyard.models.goldilocks: GoldilocksFit",
                    "steelyard.models.crossed: CrossedFit",
                ),
            ),
            Part(
                "Beliefs",
                (
                    "steelyard: save_belief, load_belief",
                    "steelyard.scales.belief: Belief, BetaBelief, GaussianBelief",
                    "steelyard.scales.tally: TallyBelief",
                    "steelyard.scales.held: HeldBelief",
                    "steelyard.models.steelyard.belief: SteelyardBelief",
                ),
            ),
            Part(
                "Arrays",
                ("steelyard.maths.arrays: Vector, Matrix, Codes, Mask, Labels",),
                "Names of array types in signatures.",
            ),
        ),
    ),
    ApiPage(
        "selection",
        "Selection of tasks",
        "A selection chooses the next tasks of a study. [Choosing tasks](../../explanation/choosing.md) compares them.",
        (
            Part("Interface", ("steelyard.selection.pool: Selection, Traits, Pool, Choice",)),
            Part(
                "Selections",
                (
                    "steelyard.selection.balanced: Balanced",
                    "steelyard.selection.information: Information",
                    "steelyard.selection.pair_information: PairInformation",
                    "steelyard.selection.easl: EaslSelection",
                    "steelyard.selection.match_quality: MatchQuality",
                    "steelyard.selection.sequences: Sequences",
                    "steelyard.selection.all_pairs: AllPairs",
                ),
            ),
            Part(
                "Finding selections by name",
                (
                    "steelyard.selection.known: selection_named, find_selection, traits_of",
                    "steelyard.selection.known: selections_with, own_settings",
                ),
            ),
            Part(
                "Stopping",
                ("steelyard.selection.stopping", "steelyard.selection.early_stop: carries_too_little"),
            ),
            Part("Random tasks", ("steelyard.selection.audit",)),
        ),
    ),
    ApiPage(
        "quality",
        "Quality of judgments",
        "Tests of preference, consistency and agreement of raters, calibration, and comparisons of conditions.",
        (
            Part(
                "Preference",
                (
                    "steelyard.quality.preference",
                    "steelyard.quality.friedman: FriedmanTest, friedman_test, friedman_of_scores",
                ),
            ),
            Part(
                "Consistency",
                ("steelyard.quality.triads", "steelyard.quality.repeats", "steelyard.quality.probes"),
            ),
            Part(
                "Raters",
                (
                    "steelyard.quality.raters",
                    "steelyard.quality.rater_flags",
                    "steelyard.quality.differing",
                    "steelyard.quality.without_flagged",
                ),
            ),
            Part("Calibration", ("steelyard.quality.calibration",)),
            Part("Paired tests", ("steelyard.quality.paired", "steelyard.quality.paired_segments")),
            Part(
                "Conditions and ranges",
                (
                    "steelyard.quality.conditions",
                    "steelyard.quality.relations",
                    "steelyard.quality.trends",
                    "steelyard.quality.widths",
                ),
            ),
        ),
    ),
    ApiPage(
        "simulation",
        "Simulation",
        "Simulated raters with known properties, to test a design before a study or to check a model.",
        (
            Part("Ratings", ("steelyard.simulation.scenarios",)),
            Part(
                "Ranges", ("steelyard.simulation.range_scenarios", "steelyard.simulation.range_reproduction")
            ),
            Part("Simulated studies", ("steelyard.simulation.crowd_at_work: Crowd, simulate",)),
        ),
    ),
    ApiPage(
        "errors",
        "Errors",
        "Every error that a user can correct is a subclass of `SteelyardError`. "
        "The message says what is wrong, where, and what to do.",
        (Part("Error classes", ("steelyard: SteelyardError", "steelyard.errors")),),
    ),
    ApiPage(
        "registering",
        "Registering extensions",
        "Register kinds, models and selections of your own. "
        "[Extending Steelyard](../../how-to/extending.md) has examples.",
        (
            Part(
                "Functions",
                (
                    "steelyard: register_kind, register_model, register_selection",
                    "steelyard.registry: Registry",
                ),
            ),
        ),
    ),
)


def paths_of(part: Part) -> list[str]:
    """Return the full path of everything that a part documents."""
    return [path for entry in part.entries for path in _paths(entry)]


def resolve(path: str) -> Any:
    """Return what has this path.

    >>> resolve("steelyard.read").__name__
    'read'
    """
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def _paths(entry: str) -> list[str]:
    name, _, chosen = entry.partition(":")
    module = import_module(name)
    if chosen:
        return [f"{name}.{each.strip()}" for each in chosen.split(",")]
    return [f"{name}.{each}" for each, value in vars(module).items() if _is_public(each, value, name)]


def _is_public(name: str, value: Any, module: str) -> bool:
    """Whether a module defines this name; a package also has the names of its modules."""
    if name.startswith("_") or not (inspect.isclass(value) or inspect.isfunction(value)):
        return False
    own = value.__module__ == module or (module == "steelyard.errors" and value.__module__.startswith(module))
    return own and (module == "steelyard" or getattr(steelyard, name, None) is not value)
