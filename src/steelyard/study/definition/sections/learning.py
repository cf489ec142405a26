"""[learning] of study.toml: the model that turns judgments into a scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from steelyard.models.known import find_item_model, model_named, seed_setting
from steelyard.models.model import Capabilities, Model

ItemFeatures = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """The model and its settings, when the selection learns, and whether items or systems are scaled."""

    model: str = "steelyard"
    model_settings: dict[str, Any] = field(default_factory=dict)
    update: Literal["answer", "round"] = "answer"
    unit: Literal["item", "system"] = "item"

    def __post_init__(self) -> None:
        find_item_model(self.model)
        self.make_model(seed=0)  # reports at once what is wrong with its settings

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of judgment that the model takes."""
        return tuple(find_item_model(self.model).kinds)

    @property
    def capabilities(self) -> Capabilities:
        """What the model can do."""
        capabilities: Capabilities = find_item_model(self.model).capabilities
        return capabilities

    def make_model(self, seed: int, features: ItemFeatures | None = None) -> Model:
        """The model that turns the study's judgments into a scale; `features` are columns of the items."""
        item_features = {"features": features} if features and self.capabilities.takes_features else {}
        defaults = {**seed_setting(self.model, seed), **self.capabilities.study_settings}
        return model_named(self.model, **{**defaults, **item_features, **self.model_settings})
