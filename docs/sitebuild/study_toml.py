"""The tables of docs/reference/study_toml.md, from the records that hold the settings of a study."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from sitebuild.docstrings import settings_of
from sitebuild.tables import default_of, settings_table, table
from steelyard.kinds.known import KINDS
from steelyard.models.known import MODELS
from steelyard.selection.known import OFFERED, SELECTIONS, own_settings
from steelyard.selection.stopping import Stop
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.sections.asking import AskingSettings, Question
from steelyard.study.definition.sections.checks import (
    CheckRule,
    ChecksSettings,
    CheckTask,
    HiddenItems,
    RepeatSettings,
)
from steelyard.study.definition.sections.choosing import ChoosingSettings
from steelyard.study.definition.sections.conditions import AssignmentSettings, ConditionSettings
from steelyard.study.definition.sections.grounding import (
    AnchorSettings,
    ColdStartSettings,
    ProbeSettings,
    RoundSettings,
)
from steelyard.study.definition.sections.items import ItemsSettings
from steelyard.study.definition.sections.joining import JoiningSettings, SurveyQuestion
from steelyard.study.definition.sections.learning import LearningSettings
from steelyard.study.definition.sections.page import PageSettings
from steelyard.study.definition.sections.panel import PanelSettings
from steelyard.study.definition.sections.pay import PaySettings
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.definition.training_settings import TrainingSettings, TrainingTask

SECTIONS: dict[str, type[Any]] = {
    "items": ItemsSettings,
    "asking": AskingSettings,
    "questions": Question,
    "scale": ScaleSettings,
    "learning": LearningSettings,
    "choosing": ChoosingSettings,
    "stop": Stop,
    "page": PageSettings,
    "joining": JoiningSettings,
    "survey": SurveyQuestion,
    "anchors": AnchorSettings,
    "rounds": RoundSettings,
    "cold_start": ColdStartSettings,
    "training": TrainingSettings,
    "training_tasks": TrainingTask,
    "probes": ProbeSettings,
    "checks": ChecksSettings,
    "check_tasks": CheckTask,
    "repeats": RepeatSettings,
    "hidden": HiddenItems,
    "rules": CheckRule,
    "pay": PaySettings,
    "panel": PanelSettings,
    "condition": ConditionSettings,
    "assignment": AssignmentSettings,
}
TOP = ("title", "by", "seed", "condition")
OWN_SECTION = {"choosing": ("stop",), "joining": ("survey",)}  # keys that have a heading of their own
# Defaults that depend on other settings.
VARYING = {
    "choosing": ("selection", "explore", "least_worth"),
    "learning": ("model",),
    "items": ("text", "system", "segment"),
    "scale": ("zoom",),
    "page": ("instructions",),
    "joining": ("kept",),
}
SET_ELSEWHERE = ("seed", "features")  # settings of models that other keys of study.toml set


def study_toml_parts() -> dict[str, Any]:
    """Return the tables of the page, by their name in the template."""
    others = [each.name for each in fields(StudyDefinition) if each.name not in TOP]
    sections = {
        name: settings_table(record, without=OWN_SECTION.get(name, ()), varying=VARYING.get(name, ()))
        for name, record in SECTIONS.items()
    }
    return sections | {
        "top": settings_table(StudyDefinition, without=others),
        "default_models": _default_models(),
        "models": [_model(name, model) for name, model in MODELS.built_in.items()],
        "selection_models": _selection_models(),
        "selections": _selections(),
    }


def _default_models() -> str:
    rows = [
        f'| {kind.name} | {", ".join(f"`{each.name}`" for each in kind.protocols)} | `"{kind.default_model}"` |'
        for kind in KINDS.built_in.values()
    ]
    return "\n".join(rows)


def _selection_models() -> str:
    rows = [
        f'| `{name}` | {kind} | `"{model}"` |'
        for name in OFFERED
        for kind, model in SELECTIONS[name].traits.default_models.items()
    ]
    return "\n".join(rows)


def _model(name: str, model: type[Any]) -> tuple[str, str, str]:
    own = [each.name for each in fields(model) if each.init and each.name not in SET_ELSEWHERE]
    rows = settings_table(model, without=SET_ELSEWHERE, heading="setting") if own else ""
    return name, f"Settings of {name}", rows


def _selections() -> str:
    rows = []
    for name in OFFERED:
        selection = SELECTIONS[name]
        described = settings_of(selection)
        own = [each for each in fields(selection) if each.name in own_settings(name)]
        rows += [
            (f"`{name}`", f"`{each.name}`", default_of(each), described.get(each.name, "")) for each in own
        ]
    return "\n".join(table(("", "", "", ""), rows).splitlines()[2:])
