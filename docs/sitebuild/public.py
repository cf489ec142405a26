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
                "Very large logs",
                (
                    "steelyard: connect",
                    "steelyard.engines.log: Log",
                    "steelyard.engines.comparisons: ComparisonLog",
                    "steelyard.engines.ratings: RatingLog",
                    "steelyard.engines.rejected: Rejected",
                ),
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
                    "steelyard.kinds.file_answer",
                    "steelyard.judgments.table_kinds: TableKind, BatchFields",
                    "steelyard.kinds.form_field: FormField",
                    "steelyard.judgments.orders: Orders",
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
            Part("Distributions of positions", ("steelyard.scales.distributions",)),
            Part(
                "Tables",
                (
                    "steelyard.scales.tables: Tabular, Rows, Records",
                    "steelyard.scales.clusters: Clusters",
                    "steelyard.scales.win_matrix: WinMatrix",
                ),
                "[Results as tables and charts](../../how-to/results.md) has examples.",
            ),
            Part(
                "Charts",
                (
                    "steelyard.report.plots.scales: scale_plot, rank_plot",
                    "steelyard.report.plots.matrices: matrix_plot",
                    "steelyard.report.plots.raters: rater_plot",
                    "steelyard.report.plots.histograms: histogram_plot",
                    "steelyard.report.plots.ranges: ambiguity_plot",
                    "steelyard.report.plots.calibration: coverage_plot",
                    "steelyard.report.plots.gold: gold_plot",
                    "steelyard.report.plots.learning: learning_plot",
                    "steelyard.report.plots.saving: save_chart",
                ),
                "Functions that return Altair charts. `Fit.plot` finds those of fits by name.",
            ),
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
                    "steelyard: anova",
                    "steelyard.models.bradley_terry.anova: Anova",
                    "steelyard.models.bradley_terry.ratios: LikelihoodRatio",
                    "steelyard.models.bradley_terry.profile: ProfileInterval",
                    "steelyard.models.bradley_terry.rater_variance: RaterClusters, ClusteredEstimate, ClusteredTest",
                ),
                "`BradleyTerryFit` also has all attributes and methods of {py:class}`steelyard.Fit`, such as `scale`, "
                "`differences()`, `clusters()` and `systems()`. "
                "[Bradley-Terry](../../explanation/models/bradley_terry.md) explains the model and its tests.",
            ),
            Part(
                "Fits of other models",
                (
                    "steelyard.models.steelyard.model: SteelyardFit",
                    "steelyard.models.steelyard.mixed.results: MixedFit",
                    "steelyard.models.steelyard.mixed.agreement: KindAgreement",
                    "steelyard.models.system_means: ScoredFit, StandardisedSystems",
                    "steelyard.models.refitting: RefittingFit",
                    "steelyard.models.plackett_luce.model: PlackettLuceFit, Tie",
                    "steelyard.models.goldilocks: GoldilocksFit",
                    "steelyard.models.crossed: CrossedFit",
                    "steelyard.models.thurstone.model: ThurstoneFit",
                ),
                "Each also has all attributes and methods of {py:class}`steelyard.Fit`. "
                "[Models](../../explanation/models/index.md) explains the models.",
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
        "client",
        "Client",
        "Studies on a server, for pipelines and notebooks. [Run studies from a program](../../how-to/pipeline.md) has "
        "an example, and [HTTP API](../http_api.md) the routes.",
        (
            Part("Client", ("steelyard: Client",)),
            Part(
                "Records",
                (
                    "steelyard.client.records: Created, StudyFacts, AskedQuestion, Progress, ArmProgress, Added",
                    "steelyard.client.records: Invitation, NewWebhook, WebhookFacts, DeliveryFacts",
                ),
            ),
            Part("Signatures of webhooks", ("steelyard.client.signatures: verify, signature",)),
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
            Part(
                "Agreement",
                (
                    "steelyard.quality.agreement.agreement: Agreement, agreement_of",
                    "steelyard.quality.agreement.source: AgreementSettings",
                    "steelyard.quality.agreement.rows: AgreementRow",
                ),
                "[Agreement](../../explanation/agreement.md) explains the statistics.",
            ),
            Part(
                "Machine judges",
                (
                    "steelyard.quality.machine.reporting: machine_judges, JudgeSettings, MachineJudges",
                    "steelyard.quality.machine.pools: pool_of, Pool, PoolSettings",
                    "steelyard.quality.machine.prediction_powered: cross_predictions, estimate_means, Estimates",
                    "steelyard.quality.machine.trust: judge_rows, JudgeRow, difference_rows, DifferenceRow",
                ),
                "[Machine judges](../../explanation/machine_judges.md) explains the estimates.",
            ),
            Part(
                "Statistics of agreement",
                (
                    "steelyard.quality.agreement.ratings: Ratings, as_ratings",
                    "steelyard.quality.agreement.krippendorff: krippendorff_alpha, alpha_over_items",
                    "steelyard.quality.agreement.paired_values: alpha_over_pairs, PairBootstrap",
                    "steelyard.quality.agreement.kappas",
                    "steelyard.quality.agreement.intraclass",
                    "steelyard.quality.agreement.variance_components: variance_components, VarianceComponents",
                    "steelyard.quality.agreement.variance_components: one_way_anova, OneWayAnova",
                    "steelyard.quality.agreement.split_halves: split_half, SplitHalf",
                    "steelyard.quality.agreement.best_worst",
                    "steelyard.quality.agreement.between_raters: mean_pairwise_spearman, PairwiseSpearman",
                    "steelyard.quality.agreement.between_raters: leave_one_out, LeaveOneOut",
                    "steelyard.quality.agreement.concordance: kendall_w, Concordance, mean_correlation",
                    "steelyard.quality.agreement.self_consistency",
                    "steelyard.quality.agreement.preferences",
                    "steelyard.quality.agreement.intervals",
                ),
            ),
            Part("Calibration", ("steelyard.quality.calibration",)),
            Part(
                "Comparison with gold",
                (
                    "steelyard.quality.gold: against_gold, AgainstGold, ItemValues, read_values, seem_on_one_scale",
                    "steelyard.quality.gold: MatchedItems, match_items, pair_counts, OrderCounts, pearson, spearman",
                    "steelyard.quality.gold: mean_ranks, regression, item_pairs, ItemPairs, calibrate_ties",
                    "steelyard.quality.gold: TieCalibration, held_out_accuracy",
                ),
                "[Comparing with gold](../../explanation/gold.md) explains the statistics.",
            ),
            Part("Learning curves", ("steelyard.quality.learning_curve: learning_curve, LearningCurve",)),
            Part("Paired tests", ("steelyard.quality.paired", "steelyard.quality.paired_segments")),
            Part(
                "Conditions and ranges",
                (
                    "steelyard.quality.arms.answers: arm_answers, arms_in, ArmAnswers",
                    "steelyard.quality.arms.comparing: compare_arms, ArmsSettings, ArmsComparison",
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
                "Ranges",
                ("steelyard.simulation.range_scenarios", "steelyard.simulation.reproduction.range_distances"),
            ),
            Part("Simulated studies", ("steelyard.simulation.crowd_at_work: Crowd, simulate",)),
        ),
    ),
    ApiPage(
        "planning",
        "Planning",
        "How many answers, hours and how much money a study needs for a target, by simulation. "
        "[Planning](../../explanation/planning.md) describes the method.",
        (
            Part(
                "Plans",
                (
                    "steelyard.planning.plan: Wish, make_plan, Plan, ProtocolPlan, study_toml",
                    "steelyard.planning.targets: Target, Reliability, Width, Distinguish",
                    "steelyard.planning.leaderboard",
                    "steelyard.report.plots: plan_plot",
                ),
            ),
            Part(
                "What is simulated",
                (
                    "steelyard.planning.worlds: World, DrawnWorld, Sureness, stated_world",
                    "steelyard.planning.pilots: world_of_pilot",
                    "steelyard.planning.returning: ReturningRaters",
                    "steelyard.planning.noise: NoisePosterior, CommonNoise",
                    "steelyard.planning.designs: Design",
                    "steelyard.planning.search: Searching, Search",
                    "steelyard.planning.curves: Curve",
                ),
            ),
            Part("Time and cost", ("steelyard.planning.costs: Timing, PilotTimes, times_of_pilot, Pay",)),
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
