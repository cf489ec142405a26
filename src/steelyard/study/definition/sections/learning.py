"""[learning] of study.toml: the model that turns judgments into a scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from steelyard.errors import UnknownName
from steelyard.models.known import MODELS, model_named
from steelyard.models.model import Model

Features = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """The model and its settings, when the selection learns, and whether items or systems are scaled."""

    model: str = "steelyard"
    model_settings: dict[str, Any] = field(default_factory=dict)
    update: Literal["answer", "round"] = "answer"
    unit: Literal["item", "system"] = "item"

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise UnknownName("model", self.model, tuple(MODELS))
        self.make_model(seed=0)  # reports at once what is wrong with its settings

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of judgment that the model takes."""
        return tuple(MODELS[self.model].kinds)

    def make_model(self, seed: int, features: Features | None = None) -> Model:
        """The model that turns the study's judgments into a scale; `features` are columns of the items."""
        item_features = {"features": features} if features and self.model == "steelyard" else {}
        # Without a penalty the first answers decide too much.
        defaults = {"penalty": "auto"} if self.model == "bradley_terry" else {}
        return model_named(self.model, **{"seed": seed, **defaults, **item_features, **self.model_settings})
