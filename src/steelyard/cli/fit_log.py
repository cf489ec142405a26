"""`steelyard fit` of a very large log, whose judgments stay where they are stored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

import typer

from steelyard.cli.fit_groups import Group
from steelyard.cli.fit_options import DEFAULT_SEED, check_options, settled
from steelyard.cli.fit_shown import Shown
from steelyard.cli.fitting import bootstrapped, fit_groups, made_model, named_values
from steelyard.cli.output import progress, remark
from steelyard.engines.comparisons import ComparisonLog
from steelyard.engines.connecting import connect
from steelyard.engines.engine import Watched
from steelyard.engines.log import Log
from steelyard.engines.opening import STUDY_FILE, is_large
from steelyard.engines.suspicious import VoteRules, suspicious_votes, with_rules
from steelyard.errors import BadSetting, LogOfOtherKind
from steelyard.judgments.assumptions import POOLED, pooled_values
from steelyard.judgments.findings import counted
from steelyard.models.known import default_model, find_model, item_models, seed_setting
from steelyard.models.model import Model
from steelyard.scales.fit import Fit

COLUMN_SETTINGS = (
    "contest_covariates",
    "rater_covariates",
    "tie_by",
)  # settings that name columns of the log
CONNECT_OPTIONS = {  # arguments of `connect` and the options that set them
    "table": "--log-table",
    "growing": "--growing",
    "since": "--since",
    "kind": "--kind",
}


@dataclass(frozen=True, kw_only=True)
class LogOptions:
    """Options for logs that stay where they are stored."""

    panel: ClassVar[str] = "Large files and databases"
    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place",
            help="Analyse a single file, or a study whose answers are in PostgreSQL, without loading all rows into "
            "memory. Nothing is changed. This is the default for patterns such as 'votes/*.parquet', folders, "
            "postgresql:// and spark://.",
        ),
    ] = False
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="For files and databases analysed in place: stop with an error if rows cannot be used (unknown "
            "outcomes, missing items, items compared with themselves). Default: leave them out, and report how "
            "many there are of each type, with examples.",
        ),
    ] = False
    log_table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="For a database: name of the table with the judgments, as TABLE or SCHEMA.TABLE.",
        ),
    ] = None
    memory: Annotated[
        str,
        typer.Option(help="Memory that DuckDB uses for files analysed in place, before it writes to disk."),
    ] = "1GB"

    since: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="For files and databases analysed in place: Parquet file that keeps counts of the judgments "
            "between two runs, so that a run reads only new files (or, for a database, rows above the largest value of "
            "--growing so far). Results are the same as from all judgments. The file is created if it does not "
            "exist. Default: all judgments are read.",
        ),
    ] = None

    growing: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="For a database with --since: column of whole numbers that increases with every new row, such "
            "as its key.",
        ),
    ] = None

    anonymous: Annotated[
        str,
        typer.Option(help="For files and databases analysed in place: keep or drop votes without a rater."),
    ] = "keep"
    repeated: Annotated[
        str,
        typer.Option(
            help="For files and databases analysed in place: repeated votes of a rater about the same pair. keep: "
            "count each; share: count them together as one vote. For other files, use --repeats.",
        ),
    ] = "keep"
    one_sided_raters: Annotated[
        str,
        typer.Option(
            help="For files and databases analysed in place: keep or drop the votes of raters with at least 20 "
            "votes of which 95% are the same answer (left, tie or right). Not related to "
            "--one-sided, which sets the test.",
        ),
    ] = "keep"
    suspicious: Annotated[
        bool,
        typer.Option(
            "--suspicious",
            help="Also report how many votes are anonymous, repeated or of one-sided raters, which takes longer. "
            "Always reported with --anonymous, --repeated and --one-sided-raters. Default: not reported.",
        ),
    ] = False

    @property
    def rules(self) -> VoteRules:
        """What to do with suspicious votes."""
        return VoteRules(
            cast(Any, self.anonymous), cast(Any, self.repeated), cast(Any, self.one_sided_raters)
        )

    def applies(self, file: str) -> bool:
        """Whether the judgments stay where they are stored."""
        return self.in_place or self.since is not None or is_large(file)


@dataclass(frozen=True)
class LogFit:
    """What to fit to a log: the model by name, its settings, the columns of `--by`, and bootstrap samples."""

    model: str | None
    options: Mapping[str, Any]
    assignments: Sequence[str] | None
    by: str | None
    bootstrap: int | None = None

    @property
    def seed(self) -> int:
        """Random seed of the bootstrap."""
        settings = {**self.options, **named_values(self.assignments)}
        return int(settings.get("seed", DEFAULT_SEED))

    def made(self, log: Log) -> Model:
        """Return the model with its settings."""
        settings = settled(dict(self.options), named_values(self.assignments))
        name = default_model(log.kinds) if self.model is None else self.model
        check_options(self.options, name, log.kinds if self.model is None else ())
        model = find_model(name)
        if log.kind not in _kinds_of(model):
            fitting = [each for each, other in item_models().items() if log.kind in _kinds_of(other)]
            raise LogOfOtherKind(name, model.kinds, log.kind, fitting)
        return made_model(name, {**seed_setting(name, DEFAULT_SEED), **settings})


def _kinds_of(model: type[Any]) -> tuple[str, ...]:
    """Return all kinds of judgment that a model takes."""
    return (*model.kinds, *model.capabilities.also_fits)


def fit_log(log: Log, wanted: LogFit, options: LogOptions, shown: Shown) -> None:
    """Fit a log in place and write the result.

    Parameters
    ----------
    log
        Log to fit.
    wanted
        Model, settings and slices.
    options
        Whether to refuse rows that cannot be used, and what to do with suspicious votes.
    shown
        Which result to write.
    """
    model = wanted.made(log)
    with progress("Counting, groups of equal judgments received:") as show:
        rejected = replace(log, engine=Watched(log.engine, show)).rejected  # its cache is that of the log
    if options.strict:
        rejected.refuse(log.name)
    log, suspicious = _without_suspicious(log, options)
    groups = _slices(log, wanted.by)

    def fit_of(part: Any) -> Fit:
        with _options_named():
            fit = model.fit(part if model.capabilities.counts else part.judgments())
        return fit if wanted.bootstrap is None else bootstrapped(fit, wanted.bootstrap, wanted.seed)

    fits = fit_groups(fit_of, groups)
    if not shown.prints_summary:
        for each in fits:
            for text in (each.fit.signature, *each.fit.remarks):
                remark(each.group.named(text))
    notes = [*rejected.sentences(), *suspicious, *_machine_left_out(log), *_pooled(log, groups[0].columns)]
    for sentence in notes:
        remark(sentence)
    shown.write(fits, fit_of, {}, notes)


def _pooled(log: Log, apart: Sequence[str]) -> list[str]:
    """Return a sentence per column whose values are pooled into one scale, such as questions."""
    values = log.pooled_values([name for name in POOLED if name not in apart])
    return [finding.sentence for name, some in values.items() for finding in pooled_values(name, some, "log")]


def _machine_left_out(log: Log) -> list[str]:
    """Return a sentence about the rows of machine judges, if there are any."""
    if not log.machine:
        return []
    verb = "is" if log.machine == 1 else "are"
    return [
        f"{counted(log.machine, 'row')} by machine judges {verb} left out. Only people's answers are used."
    ]


def _without_suspicious(log: Log, options: LogOptions) -> tuple[Log, list[str]]:
    """Return the log after the rules for suspicious votes, and sentences about them."""
    rules = options.rules
    if rules.keeps_all and not options.suspicious:
        return log, []
    if not isinstance(log, ComparisonLog):
        raise BadSetting("--suspicious", f"logs of {log.kind} judgments have no votes. Leave the option out.")
    with progress("Counting suspicious votes"), _options_named():
        sentences = suspicious_votes(log).sentences(rules)
        return with_rules(log, rules), sentences


def opened(
    file: str,
    kind: str | None,
    range: tuple[float, float] | None,
    options: LogOptions,
    columns: Sequence[str] = (),
) -> Log:
    """Return the log that a file argument names.

    Parameters
    ----------
    file
        Path, pattern or address.
    kind
        Kind of judgment; None to recognise it.
    range
        Ends of the rating scale; None to infer them.
    options
        Table, memory and stored statistics.
    columns
        Columns that the fit needs besides those of judgments.

    Returns
    -------
    Log
        The log.
    """
    kept = columns if options.since is not None else ()
    if Path(file, STUDY_FILE).is_file():
        return _of_study(Path(file), kind, range, options, columns)
    with progress("Opening" if options.since is None else "Counting new files"), _options_named():
        return connect(
            file,
            kind,
            table=options.log_table,
            range=range,
            memory=options.memory,
            since=options.since,
            growing=options.growing,
            keep=kept,
        )


@contextmanager
def _options_named() -> Iterator[None]:
    """Name options in errors about the arguments of `connect`."""
    try:
        yield
    except BadSetting as reason:
        setting, _, text = str(reason).partition(": ")
        if setting not in CONNECT_OPTIONS:
            raise
        raise BadSetting(CONNECT_OPTIONS[setting], text) from None


def _of_study(
    folder: Path,
    kind: str | None,
    range: tuple[float, float] | None,
    options: LogOptions,
    columns: Sequence[str],
) -> Log:
    """Return the judgments of a study in PostgreSQL, read in place."""
    from steelyard.storage.in_place import study_log  # optional dependencies

    if options.since is not None:
        raise BadSetting("--since", "answers of a study may change. Leave it out, or use export --to FOLDER.")
    with progress("Opening"):
        return study_log(folder, kind, columns, range=range, memory=options.memory)


def columns_used(options: Mapping[str, Any], by: str | None) -> list[str]:
    """Return the columns that a fit needs besides those of judgments: those of `--by` and of covariates.

    Parameters
    ----------
    options
        Settings from options, by name.
    by
        Comma-separated columns of slices.

    Returns
    -------
    list of str
        Names of columns.
    """
    named = [options.get(name) for name in COLUMN_SETTINGS]
    listed = [[each] if isinstance(each, str) else list(each or ()) for each in named]
    slices = [] if by is None else [each.strip() for each in by.split(",")]
    return list(dict.fromkeys([*slices, *(name for names in listed for name in names)]))


def refuse_in_memory_options(**used: Any) -> None:
    """Raise `BadSetting` for options that need all judgments in memory; `used` has their values by name."""
    for name, value in used.items():
        if value:
            raise BadSetting(
                f"--{name.replace('_', '-')}",
                "this option needs the judgments in memory, and a log in place is only counted. Leave it out, or "
                "select the rows before: a single file is read into memory.",
            )


def _slices(log: Log, by: str | None) -> list[Group]:
    if by is None:
        return [Group((), (), log)]
    columns = tuple(dict.fromkeys(each.strip() for each in by.split(",")))
    with progress("Counting slices"):
        return [Group(columns, values, part) for values, part in log.by(*columns)]
