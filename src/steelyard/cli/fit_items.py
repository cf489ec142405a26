"""Options of `steelyard fit` that describe items: `--feature`, `--item-covariate` and `--items-file`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steelyard.errors import BadSetting, UnknownName
from steelyard.judgments.features import ItemValues, item_columns, item_file_columns, numeric_columns
from steelyard.judgments.table import Judgments


def item_settings(
    judgments: Judgments,
    features: Sequence[str] | None,
    covariates: Sequence[str] | None,
    file: Path | None,
) -> dict[str, Any]:
    """Return the settings of the model that have one value per item.

    Parameters
    ----------
    judgments
        The judgments, whose columns are features if there is no file of items.
    features
        Columns of `--feature`.
    covariates
        Columns of `--item-covariate`.
    file
        File of items.

    Returns
    -------
    dict
        `features` and `item_covariates`, if there are some.
    """
    if file is None and any(not _has_column(judgments, name) for name in covariates or ()):
        raise BadSetting(
            "--item-covariate",
            "this option needs --items-file, the file that has the column, or judgments that have it.",
        )
    if file is not None and not covariates and not features:
        raise BadSetting("--items-file", "this option needs --feature or --item-covariate.")

    def columns(names: Sequence[str]) -> Mapping[str, ItemValues]:
        return item_columns(judgments, names, "--feature") if file is None else item_file_columns(file, names)

    return {
        **({"features": columns(features)} if features else {}),
        **({"item_covariates": numeric_columns(columns(covariates))} if covariates else {}),
    }


def _has_column(judgments: Judgments, name: str) -> bool:
    """Whether the judgments have this column, or one for each side of a pair."""
    try:
        item_columns(judgments, [name])
    except UnknownName:
        return False
    return True


def without_item_effects(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings, with positions that depend on item covariates only, unless the settings say otherwise."""
    default = {"item_effects": False} if "item_covariates" in settings else {}
    return {**default, **settings}
