"""`steelyard compare`: compare a scale with gold values, or scales with each other."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
import typer

from steelyard.cli.fit import KindOption, RangeOption, leave_out_probes
from steelyard.cli.fit_options import DEFAULT_SEED, Unit, WhereOption, with_records
from steelyard.cli.fitting import chosen_rows
from steelyard.cli.output import (
    AsJson,
    Caption,
    Label,
    Output,
    TableText,
    check_place,
    progress,
    remark,
    remark_on_file,
    table_format,
    write_explained,
)
from steelyard.cli.reading_options import ReadingOptions, remark_on_judgments
from steelyard.errors import BadSetting, Separated, Unconnected, UnknownName
from steelyard.judgments.assumptions import assumed_range
from steelyard.judgments.files import read_file, read_stream
from steelyard.judgments.read import read
from steelyard.judgments.sheet import Sheet
from steelyard.judgments.table import Judgments
from steelyard.models.known import MODELS, default_model, model_named, seed_setting
from steelyard.models.outputs import shared_labels
from steelyard.models.units import UNITS, fit_unit
from steelyard.quality.gold.against import RESAMPLES, AgainstGold, against_gold
from steelyard.quality.gold.item_values import ItemValues
from steelyard.quality.gold.reading import is_scale, read_values
from steelyard.scales.tables import Rows

COMPARED = "What is compared"  # panel of the help


@dataclass(frozen=True, kw_only=True)
class Sides:
    """The scales to compare, and the gold values."""

    panel: ClassVar[str] = COMPARED
    gold: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File of gold values: a column item and a number per item. Columns system and segment are used for "
            "statistics by system and within segments. Default: scales are compared with each other.",
        ),
    ] = None
    gold_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of the gold file with the values. Default: position, gold, value or score.",
        ),
    ] = None
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="FILE",
            help="Another scale, as written by steelyard fit, or any file with an item column and a number. Can be "
            "repeated. Default: none.",
        ),
    ] = None
    models: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL[,MODEL]",
            help=f"Models to fit to FILE and to compare. Any of: {', '.join(MODELS.built_in)}. Default: the default "
            "model of the kind of judgment.",
        ),
    ] = None

    def check(self) -> None:
        """Raise an error if there is nothing to compare, or if an option does not apply."""
        if self.gold is None and self.gold_column is not None:
            raise BadSetting("--gold-column", "this option needs --gold.")
        if self.gold is None and not self.with_ and len(self.model_names) < 2:
            raise BadSetting(
                "compare",
                "there is nothing to compare the scale with. Give --gold FILE, --with FILE, or --models with two or "
                "more names.",
            )
        for name in self.model_names:
            if name not in MODELS:
                raise UnknownName("model", name, tuple(MODELS), "--models")

    @property
    def model_names(self) -> tuple[str, ...]:
        """Names of the models to fit."""
        listed = [] if self.models is None else self.models.split(",")
        return tuple(dict.fromkeys(each.strip() for each in listed if each.strip()))


@dataclass(frozen=True, kw_only=True)
class Judged:
    """How to read FILE if it has judgments."""

    kind: str | None
    range: tuple[float, float] | None
    where: Sequence[str] | None
    reading: ReadingOptions

    def refuse_for_scales(self, sides: Sides, source: str) -> None:
        """Raise an error for options that a file with a scale does not take."""
        used = {
            "--models": sides.models,
            "--kind": self.kind,
            "--range": self.range,
            "--where": self.where,
        }
        wrong = [name for name, value in used.items() if value is not None]
        if wrong:
            raise BadSetting(
                " and ".join(wrong), f"{source} is a scale, but this needs a file of judgments. Leave it out."
            )


@with_records
def compare(
    file: Annotated[
        str,
        typer.Argument(help="File of judgments, or a scale as written by steelyard fit. Use '-' for stdin."),
    ],
    *,
    sides: Sides,
    unit: Unit = "item",
    same_scale: Annotated[
        bool | None,
        typer.Option(
            "--same-scale/--different-scale",
            show_default=False,
            help="Whether positions and gold are on the same scale, so that RMSE and coverage of the intervals are "
            "computed. Default: yes if the scale has a lowest and a highest value and all gold values lie "
            "between them.",
        ),
    ] = None,
    bootstrap: Annotated[
        int,
        typer.Option(
            min=100, help="Number of bootstrap samples, and of random permutations in paired tests."
        ),
    ] = RESAMPLES,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed of models, bootstrap samples and permutations.")
    ] = DEFAULT_SEED,
    kind: KindOption = None,
    range: RangeOption = None,
    where: WhereOption = None,
    reading: ReadingOptions,
    differences: Annotated[
        bool,
        typer.Option(
            "--differences",
            help="Write paired tests between the scales instead of the statistics: which scale agrees better with "
            "gold. Needs --gold.",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also draw positions with their intervals against gold in this file: .svg, .png, .html or .json. "
            "Default: no chart.",
        ),
    ] = None,
    output: Output = None,
    as_json: AsJson = False,
    caption: Caption = None,
    label: Label = None,
) -> None:
    """Compare a scale with gold values, or scales with each other.

    If the file has judgments, a model is first fitted to them. The columns are scale and against
    (what is compared with what), level (item, segment or system), statistic, value, low, high (95% interval), of (the
    data that were used, such as 24 items) and meaning.
    """
    table_format(output, as_json)
    text = TableText(caption=caption, label=label)
    text.check(output, as_json)
    _check_plot(plot)
    if Path(file).is_dir():
        read_file(file)  # refuses a folder; a study is exported first
    sides.check()
    if unit not in UNITS:
        raise UnknownName("unit", unit, UNITS)
    if differences and sides.gold is None:
        raise BadSetting("--differences", "this option needs --gold, against which scales are tested.")
    gold = None if sides.gold is None else read_values(sides.gold, sides.gold_column, "gold")
    scales = _scales(file, sides, unit, Judged(kind=kind, range=range, where=where, reading=reading), seed)
    if differences and len(scales) < 2:
        raise BadSetting("--differences", "there is only one scale. Add another with --with or --models.")
    with progress("Comparing"):
        results = [
            against_gold(
                some,
                other,
                unit=unit,
                same_scale=same_scale,
                resamples=bootstrap,
                rng=np.random.default_rng(seed),
            )
            for some, other in _pairings(scales, gold)
        ]
    for note in dict.fromkeys(note for each in results for note in each.notes):
        remark(note)
    table = _table(results, differences)
    write_explained(table, [each for each in ("meaning", "test") if each in table], output, as_json, text)
    if plot is not None:
        _draw(results, plot)


def _check_plot(plot: Path | None) -> None:
    """Raise an error, before any long computation, if the chart cannot be drawn."""
    if plot is not None:
        from steelyard.report.plots.saving import chart_format  # optional dependencies

        check_place(plot)
        chart_format(plot)


def _draw(results: Sequence[AgainstGold], plot: Path) -> None:
    """Draw all comparisons below each other."""
    from steelyard.report.plots import gold_plot, save_chart  # optional dependencies

    save_chart(gold_plot(*results), plot)
    remark_on_file(plot)


def _scales(file: str, sides: Sides, unit: str, judged: Judged, seed: int) -> list[ItemValues]:
    """The scales of all files, under different names."""
    with progress("Reading"):
        sheet = read_stream(sys.stdin.buffer) if file == "-" else read_file(file)
    if is_scale(sheet):
        judged.refuse_for_scales(sides, sheet.source)
        scales = [read_values(sheet)]
    else:
        scales = _fitted(sheet, sides.model_names, unit, judged, seed)
    scales += [read_values(each) for each in sides.with_ or ()]
    return _distinct(scales)


def _fitted(sheet: Sheet, names: Sequence[str], unit: str, judged: Judged, seed: int) -> list[ItemValues]:
    """The scales of the models, fitted to a file of judgments."""
    whole = read(sheet, judged.kind, range=judged.range, **judged.reading.settings())
    judgments = chosen_rows(leave_out_probes(whole), judged.where)
    remark_on_judgments(judgments, ("segment",) if unit == "system" else ())
    chosen = names if names else (default_model(judgments.kinds),)
    with progress("Fitting", len(chosen)) as show:
        scales = []
        for done, name in enumerate(chosen, start=1):
            scales.append(_scale_of(name, judgments, unit, seed))
            show(done)
    return scales


def _scale_of(name: str, judgments: Judgments, unit: str, seed: int) -> ItemValues:
    model = model_named(name, **seed_setting(name, seed))
    try:
        fit = fit_unit(model, judgments, unit)
    except (Separated, Unconnected) as reason:
        reason.add_note(
            "This command uses the default settings of models. For other settings, write a scale with steelyard fit, "
            "and compare that file."
        )
        raise
    assumed = assumed_range(judgments) if model.capabilities.needs_range else None
    if assumed is not None:
        remark(assumed)
    for text in (fit.signature, *fit.remarks):
        remark(text)
    labels: dict[str, Any] = {}
    if unit == "item":
        labels = {f"{column}s": shared_labels(judgments, column) for column in ("system", "segment")}
    return ItemValues.of_scale(name, fit.scale, fit.provenance.range, **labels)


def _distinct(scales: Sequence[ItemValues]) -> list[ItemValues]:
    """The scales, with a number after a name that occurs again."""
    seen: dict[str, int] = {}
    named = []
    for each in scales:
        seen[each.name] = seen.get(each.name, 0) + 1
        again = seen[each.name] > 1
        named.append(replace(each, name=f"{each.name} ({seen[each.name]})") if again else each)
    return named


def _pairings(
    scales: Sequence[ItemValues], gold: ItemValues | None
) -> list[tuple[list[ItemValues], ItemValues]]:
    """All scales with gold, or every two scales with each other."""
    if gold is not None:
        return [(list(scales), gold)]
    return [([one], other) for one, other in combinations(scales, 2)]


def _table(results: Sequence[AgainstGold], differences: bool) -> dict[str, Any]:
    chosen = [each.differences if differences else each.statistics for each in results]
    return Rows([row for rows in chosen for row in rows]).columns()
