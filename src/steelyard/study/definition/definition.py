"""The definition of a study: the content of study.toml as frozen records."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting, NoStudy, UnknownName
from steelyard.kinds.asked import AskedQuestion
from steelyard.kinds.kind import Kind
from steelyard.kinds.known import KINDS, PROTOCOLS
from steelyard.models.model import Model
from steelyard.selection.known import selection_named
from steelyard.selection.pool import Selection
from steelyard.study.definition import consistency
from steelyard.study.definition.arms import (
    CONDITION,
    at_top,
    check_overrides,
    merged,
    own_keys,
    written_arms,
)
from steelyard.study.definition.earlier_defaults import Facts, default_model_for
from steelyard.study.definition.hashed_settings import hashed_settings
from steelyard.study.definition.mixing import (
    check_mix,
    check_written,
    model_for,
    several_protocols,
    table_of_protocol,
)
from steelyard.study.definition.sections.asking import DEFAULT_PROTOCOL, AskingSettings, Question
from steelyard.study.definition.sections.checks import ChecksSettings
from steelyard.study.definition.sections.choosing import ChoosingSettings
from steelyard.study.definition.sections.conditions import (
    AssignmentSettings,
    ConditionSettings,
    check_names,
)
from steelyard.study.definition.sections.grounding import EVERYTHING, GroundingSettings, ShownGround
from steelyard.study.definition.sections.items import ItemsSettings
from steelyard.study.definition.sections.joining import JoiningSettings
from steelyard.study.definition.sections.learning import ItemFeatures, LearningSettings
from steelyard.study.definition.sections.limits import check_distinct, check_limits
from steelyard.study.definition.sections.page import PageSettings
from steelyard.study.definition.sections.panel import PanelSettings
from steelyard.study.definition.sections.pay import PaySettings
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.definition.spellings import (
    SECTION_OF,
    Tables,
    flattened,
    keys_by_section,
    make_sections,
)
from steelyard.study.definition.toml_files import read_toml
from steelyard.study.definition.toml_records import make_record
from steelyard.study.definition.training_settings import TrainingSettings, check_training

LEAST = {"seed": 0}
STUDY_FILE = "study.toml"
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


def read_definition(folder: Path, begun: Facts | None = None) -> StudyDefinition:
    """Read study.toml in a folder; see `define` for `begun`."""
    path = folder / STUDY_FILE
    try:
        exists = path.is_file()
    except OSError as error:
        raise BadSetting(str(path), f"cannot be opened ({error.strerror}). Check the path.") from error
    if not exists:
        raise NoStudy(str(folder)) if folder.is_dir() else NoStudy.without_folder(str(folder))
    try:
        return define(read_toml(path), str(path), begun)
    except BadSetting as reason:
        if str(path) not in str(reason):  # a check of one section, which does not know the file
            setting, _, rest = str(reason).partition(": ")
            named = setting.replace("_", "").isalnum()  # otherwise the message begins with a sentence
            raise BadSetting(
                f"{path}, {setting}" if named else str(path), rest if named else str(reason)
            ) from None
        raise


def define(
    table: Mapping[str, Any], where: str = STUDY_FILE, begun: Facts | None = None, is_part: bool = False
) -> StudyDefinition:
    """Make a study definition from a TOML table.

    Keys may be written in their sections or at the top. If the study has several questions, those without an id
    get the ids question1, question2 and so on.

    Parameters
    ----------
    table
        Content of study.toml.
    where
        Name of the file in error messages.
    begun
        Facts of the newest `defined` event of the log, or None if the study has not started. They fix the
        default model of a study that has already started.
    is_part
        Whether the table is that of one protocol of a study with several.

    Returns
    -------
    StudyDefinition
        The checked settings.
    """
    arms = written_arms(table, where)
    if arms:
        base = {key: value for key, value in table.items() if key != CONDITION}
        return _with_arms(define(base, where, begun), base, arms, where, begun)
    keys = [each.name for each in fields(StudyDefinition) if each.name not in DERIVED]
    tables = keys_by_section(table, keys, where)
    protocols = several_protocols(tables["asking"].get("protocol"), where)
    if protocols:
        return _with_ways(table, protocols, where, begun)
    name = str(tables["asking"].get("protocol", DEFAULT_PROTOCOL))
    if name not in PROTOCOLS:
        raise UnknownName("value", name, tuple(PROTOCOLS), f"{where}, [asking], protocol")
    selection = tables["choosing"].setdefault("selection", PROTOCOLS[name].selection)
    tables["learning"].setdefault("model", default_model_for(PROTOCOLS[name], str(selection), begun))
    return _record(table, tables, where, **({"is_part": True} if is_part else {}))


def _record(table: Mapping[str, Any], tables: Tables, where: str, **derived: Any) -> StudyDefinition:
    top = {key: value for key, value in table.items() if key not in SECTION_OF}
    records = make_sections(tables, table, where)
    return make_record(StudyDefinition, {**top, **records, **_numbered(table), **derived}, where)


def _with_ways(
    table: Mapping[str, Any], protocols: Sequence[str], where: str, begun: Facts | None
) -> StudyDefinition:
    """Return the definition of a study with several protocols, with the definition for each of them."""
    whole = {"model": model_for(protocols), "selection": "balanced", **at_top(table)}
    check_written(whole, protocols, where)
    ways = []
    for name in protocols:
        place = f"{where}, protocol {name!r}"
        try:
            ways.append(define(table_of_protocol(whole, name, where), place, begun, is_part=True))
        except BadSetting as reason:
            raise reason if str(reason).startswith(where) else BadSetting(place, str(reason)) from None
    tables = keys_by_section(whole, [*whole], where)
    study = _record(whole, tables, where, ways=ways)
    check_mix(study)
    return study


def _with_arms(
    study: StudyDefinition,
    base: Mapping[str, Any],
    written: Sequence[Mapping[str, Any]],
    where: str,
    begun: Facts | None,
) -> StudyDefinition:
    """Return the definition of a study with the definitions of its arms."""
    check_names([str(each.get("name", "")) for each in written])
    started: Mapping[str, Any] = {} if begun is None else begun.get(CONDITIONS, {})
    arms = []
    for each in written:
        place = f"{where}, condition {each['name']!r}"
        check_overrides(each, study.strata_in_survey, place)
        own = make_record(ConditionSettings, own_keys(each), place)
        try:
            arm = define(merged(base, each, place), place, started.get(own.name))
        except BadSetting as reason:
            raise reason if str(reason).startswith(place) else BadSetting(place, str(reason)) from None
        arms.append(replace(arm, arm=own))
    return replace(study, conditions=tuple(arms))


def _numbered(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the questions with numbered ids if there are several, else an empty dictionary."""
    questions = table.get("questions")
    if not isinstance(questions, list) or len(questions) < 2:
        return {}
    if not all(isinstance(question, Mapping) for question in questions):
        return {}  # `Question` raises the error for entries that are not tables
    return {"questions": [{"id": f"question{at}", **question} for at, question in enumerate(questions, 1)]}
