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
    """The model that turns judgments into a scale.

    Parameters
    ----------
    model
        Name of the model. Ratings: `"steelyard"` (the rater model), `"direct_assessment"` or `"easl"`. Comparisons:
        `"bradley_terry"`, `"thurstone"`, `"trueskill"`, `"beta_ranking"`, `"elo"` or `"win_rate"`. Rankings:
        `"plackett_luce"`. Best-worst choices: `"best_worst"`. Ranges: `"goldilocks"`. A model of comparisons also
        takes lists, rankings and best-worst choices, because these can be converted to comparisons. Installed
        packages can add models. The default is that of the selection if it has one, otherwise that of the kind of
        judgment.
    model_settings
        Settings of the model, in a table `[learning.model_settings]`.
    update
        When the estimates that the selection uses are updated: after each `"answer"`, or at the end of a `"round"`.
    unit
        What is scaled: each `"item"`, or each `"system"` that produced items.
    """

    model: str = "steelyard"
    model_settings: dict[str, Any] = field(default_factory=dict)
    update: Literal["answer", "round"] = "answer"
    unit: Literal["item", "system"] = "item"

    def __post_init__(self) -> None:
        find_item_model(self.model)
        self.make_model(seed=0)  # so that a mistake in its settings is reported early

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of judgment that the model accepts."""
        return tuple(find_item_model(self.model).kinds)

    @property
    def mixed_kinds(self) -> tuple[str, ...]:
        """Kinds of judgment that the model accepts in a study with several protocols."""
        return (*self.kinds, *self.capabilities.also_fits)

    @property
    def capabilities(self) -> Capabilities:
        """Capabilities of the model."""
        capabilities: Capabilities = find_item_model(self.model).capabilities
        return capabilities

    def make_model(self, seed: int, features: ItemFeatures | None = None) -> Model:
        """Return the model with the settings of the study.

        Parameters
        ----------
        seed
            Seed of the study, for models that use random numbers.
        features
            Columns of the items by name, for models that use features.

        Returns
        -------
        Model
            The model, ready to fit.
        """
        item_features = {"features": features} if features and self.capabilities.takes_features else {}
        return model_named(self.model, **{**item_features, **self.settings(seed)})

    def settings(self, seed: int) -> dict[str, Any]:
        """Return the settings of the model by name: the seed, the defaults of studies, and those of study.toml.

        Parameters
        ----------
        seed
            Seed of the study, for models that use random numbers.

        Returns
        -------
        dict
            Settings, without features of items.
        """
        return {**seed_setting(self.model, seed), **self.capabilities.study_settings, **self.model_settings}
