"""What a study is: study.toml as frozen records."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from steelyard.errors import BadSetting, NoStudy, UnknownName
from steelyard.models.known import MODELS, model_named
from steelyard.models.model import Model
from steelyard.selection.known import SELECTIONS, check_settings, selection_named
from steelyard.selection.pool import Selection
from steelyard.selection.stopping import Stop
from steelyard.study.definition.protocols import PROTOCOLS, Name, Protocol
from steelyard.study.definition.sections import (
    EVERYTHING,
    AnchorSettings,
    ColdStartSettings,
    Ground,
    ProbeSettings,
    RoundSettings,
)
from steelyard.study.definition.toml_files import read_toml
from steelyard.study.definition.toml_records import make_record
from steelyard.study.definition.training_settings import TrainingSettings, check_training
from steelyard.study.log.cells import PLACED

# The models whose belief a selection looks at.
SELECTION_NEEDS = {
    "easl": ("easl", "beta_ranking"),
    "information": ("steelyard",),
    "match_quality": ("trueskill", "beta_ranking"),
}
ALL_PAIRS = "all_pairs"
USUAL_AUDIT = 0.1
USUAL_LEAST_WORTH = 0.25
STEPS = 100  # of a slider whose step is not set
LEAST = {
    "redundancy": 1,
    "list_size": 1,
    "group_size": 2,
    "top_k": 1,
    "sequence_length": 0,
    "tasks_per_rater": 0,
    "seed": 0,
    "lease_minutes": 0.1,
}
MOST = {"redundancy": 1_000_000, "list_size": 1_000, "group_size": 10_000, "lease_minutes": 1_000_000}
STUDY_FILE = "study.toml"
Features = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ScaleSettings:
    """The scale that people answer on: its ends, its labels, and steps instead of a slider if wanted."""

    low: float = 0.0
    high: float = 100.0
    step: float = 0.0
    labels: tuple[str, ...] = ("Not at all", "Extremely")
    levels: int = 0
    show_value: bool = False
    zoom: bool | None = None  # None: where it helps
    beyond: bool = False

    def __post_init__(self) -> None:
        if not math.isfinite(self.high - self.low) or not math.isfinite(self.step):
            raise BadSetting("scale", "low, high, step and the width of the scale are not finite numbers.")
        if self.high <= self.low:
            raise BadSetting("scale", f"high {self.high:g} is not above low {self.low:g}.")
        if self.step < 0 or self.step > self.high - self.low:
            raise BadSetting("scale, step", f"{self.step:g} is not a step inside {self.low:g}-{self.high:g}.")
        if self.levels == 1 or self.levels < 0:
            raise BadSetting("scale, levels", f"{self.levels} levels make no scale; 0 gives a slider.")
        if self.levels and len(self.labels) not in (2, self.levels):
            raise BadSetting("scale, labels", f"give {self.levels} labels, one a level, or 2 for the ends.")
        if self.levels and self.beyond:
            raise BadSetting("scale, beyond", "there is nothing past the last level; set levels = 0.")

    @property
    def slider_step(self) -> float:
        """The smallest step of the slider: as set, or a hundredth of the scale."""
        return self.step if self.step > 0 else (self.high - self.low) / STEPS

    def level_values(self) -> tuple[float, ...]:
        """The scores that levels stand for, evenly over the range; empty for a slider."""
        if not self.levels:
            return ()
        gap = (self.high - self.low) / (self.levels - 1)
        return tuple(self.low + gap * at for at in range(self.levels))


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of an item."""

    text: str
    id: str = "question"
    hint: str = ""
    most: str = ""
    more: str = ""
    lower: str = "definitely lower"
    not_lower: str = "not lower"
    higher: str = "definitely higher"
    not_higher: str = "not higher"
    scale: ScaleSettings | None = None

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise BadSetting("questions, text", "is empty; write what is asked of an item.")


@dataclass(frozen=True, slots=True)
class ItemsSettings:
    """Where the items are and which of their columns is what."""

    file: str
    id: str = "id"
    text: str = ""
    markdown: str = ""
    image: str = ""
    audio: str = ""
    video: str = ""
    alt: str = ""
    system: str = ""
    segment: str = ""
    show: tuple[str, ...] = ()
    features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SurveyQuestion:
    """A short question about the rater: a source of covariates."""

    id: str
    text: str
    kind: Literal["choice", "text", "number"] = "text"
    choices: tuple[str, ...] = ()
    required: bool = True

    def __post_init__(self) -> None:
        if self.kind == "choice" and len(self.choices) < 2:
            raise BadSetting(f"survey {self.id}", "a choice needs at least two choices.")


@dataclass(frozen=True, slots=True)
class StudyDefinition:
    """A whole study, as its owner wrote it."""

    title: str
    items: ItemsSettings
    questions: tuple[Question, ...]
    by: str = ""
    protocol: Name = "rating"
    list_size: int = 5
    group_size: int = 10
    ties: bool = True
    both_bad: bool = False
    strength: bool = False
    scale: ScaleSettings = field(default_factory=ScaleSettings)
    model: str = "steelyard"
    model_settings: dict[str, Any] = field(default_factory=dict)
    selection: str = "balanced"
    selection_settings: dict[str, Any] = field(default_factory=dict)
    update: Literal["answer", "round"] = "answer"
    unit: Literal["item", "system"] = "item"
    redundancy: int = 3
    aim: Literal["positions", "ranking", "top_k", "systems"] = "positions"
    top_k: int = 10
    explore: float | None = None
    least_worth: float | None = None
    stop: Stop = field(default_factory=Stop)
    sequence_length: int = 0
    tasks_per_rater: int = 0
    seed: int = 0
    condition: str = "main"
    cannot_judge: bool = True
    comment: bool = False
    allow_undo: bool = True
    instructions: str = ""
    consent: str = ""
    consent_label: str = "I have read this, and I agree to take part."
    declined_answers: Literal["leave_out", "count"] = "leave_out"
    kept: str = ""
    completion_code: str = ""
    open_link: bool = True
    prolific: bool = False
    language: str = "en"
    direction: Literal["ltr", "rtl"] = "ltr"
    lease_minutes: float = 30.0
    survey: tuple[SurveyQuestion, ...] = ()
    anchors: AnchorSettings | None = None
    rounds: RoundSettings = field(default_factory=RoundSettings)
    cold_start: ColdStartSettings | None = None
    probes: ProbeSettings | None = None
    training: TrainingSettings | None = None

    def __post_init__(self) -> None:
        if not self.questions:
            raise BadSetting("questions", "a study asks at least one question; write a [[questions]] table.")
        if self.model not in MODELS:
            raise UnknownName("model", self.model, tuple(MODELS))
        if self.selection not in SELECTIONS:
            raise UnknownName("selection", self.selection, tuple(SELECTIONS))
        _check_protocol(self)
        self.make_model()  # says at once what is wrong with its settings
        check_settings(self.selection, self.selection_settings)
        needed = SELECTION_NEEDS.get(self.selection, (self.model,))
        if self.model not in needed:
            told = " or ".join(f'model = "{name}"' for name in needed)
            raise BadSetting(
                "selection", f"{self.selection!r} chooses by the belief of another model; set {told}."
            )
        if self.explore is not None and not 0.0 <= self.explore <= 1.0:
            raise BadSetting("explore", f"{self.explore:g} is not a share from 0 to 1.")
        if self.least_worth is not None and not 0.0 <= self.least_worth < 1.0:
            raise BadSetting("least_worth", f"{self.least_worth:g} is not a share from 0 to under 1.")
        if self.least_worth and self.model != "steelyard":
            raise BadSetting("least_worth", 'what answers are worth needs model = "steelyard".')
        if self.least_worth and self.selection == "sequences":
            raise BadSetting(
                "least_worth", "a sequence is one rater's from its first item to its last; set 0."
            )
        if self.stop.looks_at_belief and self.model != "steelyard":
            raise BadSetting("stop", 'reliability and interval_width need model = "steelyard".')
        _check_limits(self)
        _distinct("questions", [question.id for question in self.questions])
        _distinct("survey", [question.id for question in self.survey])
        _check_grounding(self)
        if self.training is not None:
            scale = self.scale_of(self.questions[0])
            check_training(self.training, self.asks, (scale.low, scale.high))

    @property
    def asks(self) -> Protocol:
        """How the study asks."""
        return PROTOCOLS[self.protocol]

    @property
    def task_size(self) -> int:
        """Items in one task."""
        return self.list_size if self.asks.size is None else self.asks.size

    def scale_of(self, question: Question) -> ScaleSettings:
        """The question's own scale, or the study's."""
        return question.scale if question.scale is not None else self.scale

    @property
    def beyond(self) -> bool:
        """May raters place items past the ends of a scale?"""
        return any(self.scale_of(question).beyond for question in self.questions)

    @property
    def shows(self) -> tuple[Ground, ...]:
        """What stands along the scale: as set, everything where the study grounds it, else its labels."""
        if self.anchors is not None:
            return self.anchors.show
        grounded = self.protocol == "range" or self.cold_start is not None or self.rounds.number > 1
        return EVERYTHING if grounded and len(self.questions) == 1 else ("labels",)

    @property
    def anchor_settings(self) -> AnchorSettings:
        """How anchors are spread: as set, or as usual."""
        return AnchorSettings() if self.anchors is None else self.anchors

    def zooms(self, scale: ScaleSettings) -> bool:
        """May raters look closer at this scale? As set, or where there is something to look closer at."""
        if scale.zoom is not None:
            return scale.zoom
        grounded = self.protocol == "range" or bool({"examples", "own"} & set(self.shows))
        return grounded and not scale.levels

    def make_model(self, features: Features | None = None) -> Model:
        """The model that turns the study's judgments into a scale; `features` are columns of the items."""
        told = {"features": features} if features and self.model == "steelyard" else {}
        usual = (
            {"penalty": "auto"} if self.model == "bradley_terry" else {}
        )  # the first answers decide too much
        return model_named(self.model, **{"seed": self.seed, **usual, **told, **self.model_settings})

    def make_selection(self) -> Selection:
        """The selection that fills the study's queue."""
        # EASL's own way of choosing lists links nothing; for comparisons its paper goes by match quality.
        named = "match_quality" if self.selection == "easl" and self.compares else self.selection
        return selection_named(
            named,
            size=self.task_size,
            least=self.asks.least,
            group_size=self.group_size,
            redundancy=self.redundancy,
            seed=self.seed,
            length=self.sequence_length,
            probe_every=0 if self.probes is None else self.probes.every,
            linking=self.asks.against,
            aim=self.aim,
            top_k=self.top_k,
            **self.selection_settings,
        )

    @property
    def compares(self) -> bool:
        """Do positions come from comparisons within tasks? Then only tasks link items, not raters."""
        return self.asks.against or self.asks.kind not in MODELS[self.model].kinds

    @property
    def learns(self) -> bool:
        """Does the selection look at a belief? Then `redundancy` is what items get on average."""
        return bool(SELECTIONS[self.selection].learns)

    @property
    def audit_share(self) -> float:
        """Share of tasks chosen at random: `explore`, a tenth where selection goes by information."""
        if self.explore is not None:
            return self.explore
        return USUAL_AUDIT if self.selection == "information" else 0.0

    @property
    def rest_below(self) -> float:
        """Raters whose answers are worth less are asked no more: `least_worth`, a quarter with `information`."""
        if self.least_worth is not None:
            return self.least_worth
        return USUAL_LEAST_WORTH if self.selection == "information" else 0.0

    def settings_hash(self) -> str:
        """Six digits that change when any setting does."""
        told = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:6]


def read_definition(folder: Path) -> StudyDefinition:
    """The study written in the folder's study.toml."""
    path = folder / STUDY_FILE
    try:
        exists = path.is_file()
    except OSError as error:
        raise BadSetting(str(path), f"cannot be opened ({error.strerror}). Check the path.") from error
    if not exists:
        raise NoStudy(str(folder))
    return define(read_toml(path), STUDY_FILE)


def define(table: Mapping[str, Any], where: str = STUDY_FILE) -> StudyDefinition:
    """A study from a TOML table; several questions without ids are numbered."""
    questions = table.get("questions")
    if isinstance(questions, list) and len(questions) > 1 and all(isinstance(q, Mapping) for q in questions):
        numbered = [{"id": f"question{at}", **question} for at, question in enumerate(questions, 1)]
        table = {**table, "questions": numbered}
    usual = PROTOCOLS.get(str(table.get("protocol", "rating")))
    if usual is not None:  # a wrong name is answered below
        table = {"model": usual.model, "selection": usual.selection, **table}
    return make_record(StudyDefinition, table, where)


def _check_limits(study: StudyDefinition) -> None:
    """Is no number smaller or larger than a study can use?"""
    for name, least in LEAST.items():
        if getattr(study, name) < least:
            raise BadSetting(name, f"{getattr(study, name):g} is not at least {least:g}.")
    for name, most in MOST.items():
        if getattr(study, name) > most:
            raise BadSetting(name, f"{getattr(study, name):g} is not at most {most:,}.")


def _check_protocol(study: StudyDefinition) -> None:
    """Do the model, the selection and the size of a task go with how the study asks?"""
    asks = study.asks
    if not set(asks.kinds) & set(MODELS[study.model].kinds):
        fitting = ", ".join(name for name, model in MODELS.items() if set(asks.kinds) & set(model.kinds))
        raise BadSetting("model", f"{study.model!r} takes no {asks.kind} judgments; use one of {fitting}.")
    if (study.strength or study.both_bad) and study.protocol != "comparison":
        raise BadSetting("strength and both_bad", 'are asked by protocol = "comparison" alone.')
    if study.both_bad and not study.ties:
        raise BadSetting("both_bad", "is a tie; set ties = true.")
    if study.task_size < asks.least:
        raise BadSetting("list_size", f"{study.protocol} needs at least {asks.least} items on a page.")
    if study.selection == ALL_PAIRS and study.protocol != "comparison_list":
        raise BadSetting("selection", f'{ALL_PAIRS!r} is for protocol = "comparison_list".')
    if study.protocol == "comparison_list" and study.selection != ALL_PAIRS:
        raise BadSetting("selection", f'comparison_list asks every pair; set selection = "{ALL_PAIRS}".')


def _check_grounding(study: StudyDefinition) -> None:
    """Can what grounds the scale be shown, and do rounds and probes go with how tasks are chosen?"""
    placed, several = study.asks.kind in PLACED, len(study.questions) > 1
    grounded = study.cold_start is not None or (study.anchors is not None and study.shows != ("labels",))
    if (grounded or study.rounds.number > 1) and (not placed or several):
        part = "anchors" if grounded else "rounds"
        raise BadSetting(part, "anchors are positions under one question: ask one, by rating, list or range.")
    if study.cold_start is not None and study.anchors is not None and study.anchors.file:
        raise BadSetting("cold_start", "the anchors come from a file already; leave one of the two out.")
    if study.beyond and (
        several or not placed or study.selection in SELECTION_NEEDS or study.stop.looks_at_belief
    ):
        raise BadSetting(
            "scale, beyond", "needs one question and a selection that does not look at a belief."
        )
    if study.rounds.number > 1 and study.update == "round":
        raise BadSetting("rounds", 'update = "round" makes rounds of its own; set update = "answer".')
    if study.probes is not None and (study.selection != "sequences" or study.asks.against):
        raise BadSetting("probes", 'repeat an item of a sequence: set selection = "sequences".')


def _distinct(where: str, ids: list[str]) -> None:
    for repeated in {each for each in ids if ids.count(each) > 1}:
        raise BadSetting(where, f"id {repeated!r} stands twice; ids must differ.")
