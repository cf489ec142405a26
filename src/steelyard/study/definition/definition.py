"""The definition of a study: its settings as frozen records, which are consistent with each other."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from steelyard.errors import BadSetting
from steelyard.kinds.asked import AskedQuestion
from steelyard.kinds.kind import Kind
from steelyard.kinds.known import KINDS
from steelyard.models.model import Model
from steelyard.selection.known import selection_named
from steelyard.selection.pool import Selection
from steelyard.study.definition import consistency
from steelyard.study.definition.hashed_settings import hashed_settings
from steelyard.study.definition.sections.asking import AskingSettings, Question
from steelyard.study.definition.sections.checks import ChecksSettings
from steelyard.study.definition.sections.choosing import ChoosingSettings
from steelyard.study.definition.sections.conditions import AssignmentSettings, ConditionSettings
from steelyard.study.definition.sections.grounding import EVERYTHING, GroundingSettings, ShownGround
from steelyard.study.definition.sections.items import ItemsSettings
from steelyard.study.definition.sections.joining import JoiningSettings
from steelyard.study.definition.sections.learning import ItemFeatures, LearningSettings
from steelyard.study.definition.sections.limits import check_distinct, check_limits
from steelyard.study.definition.sections.page import PageSettings
from steelyard.study.definition.sections.panel import PanelSettings
from steelyard.study.definition.sections.pay import PaySettings
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.definition.spellings import flattened
from steelyard.study.definition.training_settings import TrainingSettings, check_training

LEAST = {"seed": 0}
DERIVED = ("arm", "conditions", "ways", "is_part")  # fields that are made from others
CONDITIONS = "conditions"  # key in the facts of a `defined` event: the facts of each arm


@dataclass(frozen=True, slots=True)
class StudyDefinition:
    """The settings of a study, with one record per section of study.toml.

    Every record checks its own values. This class checks that the sections are consistent with each other.

    Attributes
    ----------
    title
        Title of the study, shown to raters.
    items
        Items file and the meaning of its columns.
    questions
        Questions asked about the items, at least one.
    by
        Who runs the study, shown to raters.
    seed
        Seed of every random choice.
    condition
        Name of the experimental condition, which is stored with every judgment. For several conditions, write
        `[[condition]]` tables instead.
    asking, scale, learning, choosing, page, joining, grounding
        The sections of study.toml.
    training
        Exercises before the first task, or None.
    checks
        Tasks with a known answer, repeats, and what follows from failures.
    pay
        What raters are paid.
    panel
        A panel that sends people to the study.
    words
        Words of the pages that the study replaces, by their key.
    assignment
        How raters are assigned to the conditions.
    arm
        Size and limits of this arm, if the definition is an arm of a study.
    conditions
        Definition of each arm; empty if the study has no [[condition]] tables.
    ways
        Definition of the study as it is for each of its protocols; empty if it has one protocol.
    is_part
        Whether this is the definition of one protocol of a study with several.
    """

    title: str
    items: ItemsSettings
    questions: tuple[Question, ...]
    by: str = ""
    seed: int = 0
    condition: str = "main"
    asking: AskingSettings = field(default_factory=AskingSettings)
    scale: ScaleSettings = field(default_factory=ScaleSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    choosing: ChoosingSettings = field(default_factory=ChoosingSettings)
    page: PageSettings = field(default_factory=PageSettings)
    joining: JoiningSettings = field(default_factory=JoiningSettings)
    grounding: GroundingSettings = field(default_factory=GroundingSettings)
    training: TrainingSettings | None = None
    checks: ChecksSettings = field(default_factory=ChecksSettings)
    pay: PaySettings = field(default_factory=PaySettings)
    panel: PanelSettings = field(default_factory=PanelSettings)
    words: dict[str, Any] = field(default_factory=dict)
    assignment: AssignmentSettings = field(default_factory=AssignmentSettings)
    arm: ConditionSettings = field(default_factory=ConditionSettings)
    conditions: tuple[StudyDefinition, ...] = ()
    ways: tuple[StudyDefinition, ...] = ()
    is_part: bool = False

    def __post_init__(self) -> None:
        if not self.questions:
            raise BadSetting("questions", "the study has no question. Add a [[questions]] table.")
        check_distinct("questions", [question.id for question in self.questions])
        check_limits(self, LEAST, {})
        consistency.check_protocol(self.asking, self.learning, self.choosing, self.taken_kinds)
        consistency.check_belief(self.learning, self.choosing, self.chosen_by, self.is_part)
        consistency.check_examples(self.asking, self.grounding, self.shows, len(self.questions))
        if self.beyond:
            consistency.check_beyond(self.asking, self.choosing, len(self.questions))
        consistency.check_spread(self.items, self.grounding)
        consistency.check_rounds(self.asking, self.learning, self.choosing, self.grounding)
        if self.training is not None:
            check_training(self.training, self.asking.way, self.asked(0))
        consistency.check_replaced_words(self.words, self.asking)
        consistency.check_arms(self.questions, [arm.questions for arm in self.conditions])

    @property
    def strata_in_survey(self) -> bool:
        """Whether a question of the survey determines the stratum of a rater."""
        asked = {question.id for question in self.joining.survey_part("before")}
        return bool(asked & set(self.assignment.strata))

    @property
    def kind(self) -> Kind[Any]:
        """The kind of judgment that the study asks for; see `in_way` for studies with several protocols."""
        return self.asking.kind

    @property
    def kinds(self) -> tuple[Kind[Any], ...]:
        """The kinds of judgment that the protocols of the study collect, each once."""
        return tuple(dict.fromkeys(way.kind for way in self.asked_ways))

    @property
    def asked_ways(self) -> tuple[StudyDefinition, ...]:
        """The definition as it is for each protocol: the study itself if it has only one."""
        return self.ways or (self,)

    def in_way(self, protocol: str) -> StudyDefinition:
        """Return the definition as it is for the tasks of one protocol: the study itself if it has only one."""
        return next((way for way in self.ways if way.asking.protocol == protocol), self)

    @property
    def taken_kinds(self) -> tuple[str, ...]:
        """Kinds of judgment that the model accepts in this study."""
        return self.learning.mixed_kinds if self.ways or self.is_part else self.learning.kinds

    def asked(self, question: int) -> AskedQuestion:
        """Return the scale and the answer options of the question with this index."""
        asking, scale = self.asking, self.scale_of(self.questions[question])
        return AskedQuestion(scale, asking.ties, asking.both_bad, asking.strength)

    def scale_of(self, question: Question) -> ScaleSettings:
        """Return the scale of a question: its own, or else that of the study."""
        return question.scale if question.scale is not None else self.scale

    @property
    def beyond(self) -> bool:
        """Whether raters may place items beyond the ends of a scale."""
        return any(self.scale_of(question).beyond for question in self.questions)

    @property
    def shows(self) -> tuple[ShownGround, ...]:
        """What pages show along the scale.

        This is the setting `show` of [anchors]. Without it, a study with one question that uses examples shows
        everything, and any other study shows labels only.
        """
        if self.grounding.anchors is not None:
            return self.grounding.anchors.show
        grounded = self.asking.way.grounded or self.grounding.is_grounded
        return EVERYTHING if grounded and len(self.questions) == 1 else ("labels",)

    def zooms(self, scale: ScaleSettings) -> bool:
        """Whether raters may zoom in on this scale.

        This is the setting `zoom`. Without it, raters may zoom where examples are shown along a slider.
        """
        if scale.zoom is not None:
            return scale.zoom
        grounded = self.asking.way.grounded or bool({"examples", "own"} & set(self.shows))
        return grounded and not scale.levels

    @property
    def compares(self) -> bool:
        """Whether positions are estimated from comparisons within tasks.

        If so, items are linked only by tasks that contain both of them, not by raters who judged both.
        """
        taken = KINDS[self.fitted_kind]
        return self.asking.way.against or taken.per_task or len(taken.table.items) > 1

    @property
    def fitted_kind(self) -> str:
        """Kind of judgment that the model receives: the kind the page collects, or one it is converted to."""
        return next(kind for kind in self.asking.way.kinds if kind in self.taken_kinds)

    def make_model(self, features: ItemFeatures | None = None) -> Model:
        """Return the model that estimates the scale; `features` are columns of the items file."""
        return self.learning.make_model(self.seed, features)

    @property
    def compares_kinds(self) -> bool:
        """Whether the protocol of the next task is the one with most information per second."""
        several = bool(self.ways) and "kinds" in self.learning.capabilities.belief
        return several and self.choosing.traits.across_kinds

    @property
    def chosen_by(self) -> str:
        """The selection that chooses tasks: the study's own, or its stand-in where items are compared."""
        return (self.choosing.traits.stand_in if self.compares else "") or self.choosing.selection

    def make_selection(self) -> Selection:
        """Return the selection method that chooses the tasks of the study."""
        asking, choosing, probes = self.asking, self.choosing, self.grounding.probes
        return selection_named(
            self.chosen_by,
            size=asking.task_size,
            least=asking.way.least,
            group_size=asking.group_size,
            redundancy=choosing.redundancy,
            seed=self.seed,
            length=choosing.sequence_length,
            probe_every=0 if probes is None else probes.every,
            linking=asking.way.against,
            aim=choosing.aim,
            top_k=choosing.top_k,
            **({"first": 1} if self.is_part else {}),
            **choosing.selection_settings,
        )

    def settings_hash(self) -> str:
        """Return the first six hexadecimal digits of `settings_digest`, which people read."""
        return self.settings_digest()[:6]

    def settings_digest(self) -> str:
        """Return a hash of all settings, in hexadecimal digits.

        The hash does not depend on whether a key is written in its section or at the top of the file.
        """
        own = hashed_settings(replace(self, conditions=(), ways=()))
        for key in (*DERIVED, *(() if self.conditions else ("assignment",))):
            own.pop(key, None)
        arms = {arm.condition: [asdict(arm.arm), arm.settings_hash()] for arm in self.conditions}
        flat = flattened(own) | ({CONDITIONS: arms} if arms else {})
        settings = json.dumps(flat, sort_keys=True)
        return hashlib.sha256(settings.encode()).hexdigest()
