"""Settings of the Bradley-Terry model, with the checks of their values and combinations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from steelyard.errors import BadSetting, UnknownName
from steelyard.models.clusters import Cluster, FewClusters, check_cluster

ITEMS, ORDER, TIE = "items", "order", "tie"  # effects that `rater_covariates` can name
CHOICES: dict[str, tuple[str, ...]] = {
    "ties": ("auto", "davidson", "rao_kupper", "half", "drop", "kept"),
    "link": ("logit", "probit"),
    "penalty": ("none", "auto", "firth", "firth_poisson", "ridge", "pseudo"),
    "standard_errors": ("information", "rater", "rater_cr1", "judgment"),
    "table": ("auto", "pairs", "ordered", "raters", "judgments"),
    "rater_position": ("none", "laplace", "quadrature"),
    "rater_items": ("none", "random", "laplace"),
    "unconnected": ("refuse", "apart"),
}
TIE_MODELS = ("davidson", "rao_kupper")  # models with a tie parameter
POSITION_POINTS = 25  # quadrature points for a position effect
ITEM_POINTS = (41, 25, 13, 13)  # quadrature points per dimension for item effects in 1, 2, 3 and 4 dimensions
LEAST_DRAWS = 64


@dataclass(frozen=True)
class Settings:
    """Settings of `BradleyTerry`, which documents each of them."""

    ties: Literal["auto", "davidson", "rao_kupper", "half", "drop", "kept"] = "auto"
    order: bool = False
    rater_covariates: Sequence[str] | Mapping[str, Sequence[str]] = ()
    tie_by: str | None = None
    item_covariates: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    item_effects: bool = True
    contest_covariates: Sequence[str] = ()
    categorical: Sequence[str] = ()
    reference_levels: Mapping[str, str] = field(default_factory=dict)
    rater_position: Literal["none", "laplace", "quadrature"] = "none"
    rater_items: Literal["none", "random", "laplace"] = "none"
    quadrature_points: int | None = None
    item_draws: int = 4096
    link: Literal["logit", "probit"] = "logit"
    penalty: Literal["none", "auto", "firth", "firth_poisson", "ridge", "pseudo"] = "none"
    prior_sd: float = 1.0
    pseudo: float = 0.5
    standard_errors: Literal["information", "rater", "rater_cr1", "judgment"] = "information"
    reference: str | None = None
    table: Literal["auto", "pairs", "ordered", "raters", "judgments"] = "auto"
    unconnected: Literal["refuse", "apart"] = "refuse"
    cluster: Cluster = "auto"
    few_clusters: FewClusters = "guarded"
    seed: int = 0

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise UnknownName("value", str(getattr(self, name)), choices, where=name)
        for name in ("rater_covariates", "contest_covariates", "categorical"):
            if isinstance(getattr(self, name), str):
                raise BadSetting(name, f"must be a list of columns, such as [{getattr(self, name)!r}].")
        check_cluster(self.cluster, self.few_clusters)
        self._check_combinations()
        self._check_clusters()

    def _check_clusters(self) -> None:
        if self.cluster in ("auto", "none"):
            return
        if self.random_effects:
            raise BadSetting(
                "cluster",
                "cannot be combined with random effects of raters, which already model differences between raters. "
                "Use cluster='none'.",
            )
        if self.standard_errors != "information":
            raise BadSetting(
                "cluster",
                f"cannot be combined with standard_errors={self.standard_errors!r}; choose one of the two.",
            )

    @property
    def clustered(self) -> bool:
        """Whether `cluster` applies. `"auto"` does not if the model has effects of single raters."""
        if self.cluster == "auto" and "rater" in self.varying:
            return False
        return self.cluster != "none" and self.standard_errors == "information" and not self.random_effects

    def _check_combinations(self) -> None:
        if self.link == "probit" and self.ties in ("davidson", "kept"):
            raise BadSetting(
                "link",
                f"'probit' cannot be combined with ties={self.ties!r}. Use ties='rao_kupper', 'half' or 'drop'.",
            )
        if self.prior_sd <= 0.0 or self.pseudo <= 0.0:
            raise BadSetting("prior_sd" if self.prior_sd <= 0.0 else "pseudo", "must be above 0.")
        if self.quadrature_points is not None and self.quadrature_points < 1:
            raise BadSetting("quadrature_points", f"must be at least 1, not {self.quadrature_points}.")
        if self.item_draws < LEAST_DRAWS:
            raise BadSetting("item_draws", f"must be at least {LEAST_DRAWS}, not {self.item_draws}.")
        if not self.item_effects and not self.item_covariates:
            raise BadSetting("item_effects", "False needs item covariates. Set item_covariates.")
        if self.tie_by is not None and self.ties not in ("auto", *TIE_MODELS):
            raise BadSetting(
                "tie_by",
                f"ties={self.ties!r} has no tie parameter that could differ between groups. Use ties='davidson'.",
            )
        self._check_random_effects()

    def _check_random_effects(self) -> None:
        if self.rater_position != "none" and self.rater_items != "none":
            raise BadSetting("rater_items", "cannot be combined with rater_position. Choose one of the two.")
        for name, effects in (
            ("rater_position", "random position effects"),
            ("rater_items", "random item effects"),
        ):
            if getattr(self, name) == "none":
                continue
            if self.link == "probit":
                raise BadSetting(name, f"{effects} need link='logit'.")
            if self.penalty not in ("none", "auto") or self.standard_errors != "information":
                raise BadSetting(name, f"{effects} need penalty='none' and standard_errors='information'.")

    @property
    def has_tie_effect(self) -> bool:
        """Whether the model has a tie parameter."""
        return self.ties in TIE_MODELS

    @property
    def random_effects(self) -> bool:
        """Whether the model has random effects of raters."""
        return self.rater_position != "none" or self.rater_items != "none"

    def points(self, dimensions: int = 0) -> int:
        """Return the number of quadrature points per dimension.

        Parameters
        ----------
        dimensions
            Dimensions of the integral over item effects. Default: 0, a position effect.

        Returns
        -------
        int
            Points per dimension.
        """
        if self.quadrature_points is not None:
            return self.quadrature_points
        return ITEM_POINTS[min(dimensions, len(ITEM_POINTS)) - 1] if dimensions else POSITION_POINTS

    @property
    def varying(self) -> dict[str, tuple[str, ...]]:
        """Effects that differ between raters, by covariate."""
        default_targets = (ITEMS,) if self.item_effects else tuple(self.item_covariates)
        covariates = self.rater_covariates
        named = (
            dict(covariates)
            if isinstance(covariates, Mapping)
            else dict.fromkeys(covariates, default_targets)
        )
        targets_of = {name: tuple(targets) for name, targets in named.items()}
        if self.tie_by is not None and self.has_tie_effect:
            targets_of[self.tie_by] = (*targets_of.get(self.tie_by, ()), TIE)
        return targets_of

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the judgments by which the table of counts is split."""
        random = ("rater",) if self.random_effects or self.table == "raters" else ()
        rows = ("row",) if self.table == "judgments" else ()
        return tuple(dict.fromkeys((*self.varying, *self.contest_covariates, *random, *rows)))

    @property
    def ordered(self) -> bool:
        """Whether the table distinguishes which item of a pair was shown first."""
        targets = {target for each in self.varying.values() for target in each}
        placed = (
            self.order or self.rater_position != "none" or bool(self.contest_covariates) or ORDER in targets
        )
        return placed or self.table in ("ordered", "judgments")

    def changed(self) -> dict[str, Any]:
        """Return the settings that differ from their defaults, for the signature.

        Returns
        -------
        dict
            Name and value of each setting, without the seed.
        """
        defaults = type(self)()
        return {
            each.name: _plain(getattr(self, each.name))
            for each in fields(self)
            if each.name != "seed" and getattr(self, each.name) != getattr(defaults, each.name)
        }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return ",".join(map(str, value))
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else value
