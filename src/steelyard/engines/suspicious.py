"""Suspicious votes of a log: anonymous, repeated, or of raters who nearly always give the same answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from steelyard.engines import statistics
from steelyard.engines.comparisons import ComparisonLog
from steelyard.errors import BadSetting
from steelyard.judgments.answering import LEAST_ONE_SIDED, ONE_ANSWER
from steelyard.judgments.findings import counted

CHOICES = {"anonymous": ("keep", "drop"), "one_sided": ("keep", "drop"), "repeated": ("keep", "share")}


@dataclass(frozen=True, slots=True)
class VoteRules:
    """What to do with suspicious votes.

    Attributes
    ----------
    anonymous
        `"keep"` or `"drop"` votes without a rater.
    repeated
        `"keep"` repeated votes of a rater about a pair, or let them `"share"` the weight of one vote.
    one_sided
        `"keep"` or `"drop"` the votes of raters with 20 votes or more, 95% of which are the same answer (left, tie or
        right). Programs that vote without reading look like this.
    """

    anonymous: Literal["keep", "drop"] = "keep"
    repeated: Literal["keep", "share"] = "keep"
    one_sided: Literal["keep", "drop"] = "keep"

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise BadSetting(name, f"{getattr(self, name)!r} is unknown. Use {' or '.join(choices)}.")

    @property
    def keeps_all(self) -> bool:
        """Whether every vote keeps its weight."""
        return self == VoteRules()


@dataclass(frozen=True, slots=True)
class SuspiciousVotes:
    """Numbers of suspicious votes.

    Attributes
    ----------
    anonymous
        Votes without a rater.
    repeated
        Votes of a rater about a pair that the rater had already compared.
    one_sided
        Votes of one-sided raters.
    one_sided_raters
        Number of those raters.
    """

    anonymous: int
    repeated: int
    one_sided: int
    one_sided_raters: int

    def sentences(self, rules: VoteRules) -> list[str]:
        """Return one sentence per class that has votes, with what was done with them."""
        kept = {
            "keep": "They are kept.",
            "drop": "They are left out.",
            "share": "They share the weight of one vote.",
        }
        raters = counted(self.one_sided_raters, "rater")
        made = {
            "anonymous": (self.anonymous, f"{counted(self.anonymous, 'vote')} without a rater."),
            "repeated": (
                self.repeated,
                f"{counted(self.repeated, 'repeated vote')} of a rater about the same pair.",
            ),
            "one_sided": (
                self.one_sided,
                f"{counted(self.one_sided, 'vote')} of {raters} with nearly always the same answer.",
            ),
        }
        return [f"{text} {kept[getattr(rules, name)]}" for name, (votes, text) in made.items() if votes]


def suspicious_votes(log: ComparisonLog) -> SuspiciousVotes:
    """Count the suspicious votes of a log.

    Parameters
    ----------
    log
        Log of comparisons.

    Returns
    -------
    SuspiciousVotes
        Their numbers.
    """
    _refuse_counts(log)
    table = _votes(log)
    if "rater" not in log.columns.roles:
        total = log.engine.table(table.agg(votes=table.count())).to_pylist()[0]["votes"]
        return SuspiciousVotes(int(total), 0, 0, 0)
    named = table.filter(table.rater != "")
    pairs = named.group_by(["rater", "one", "other"]).agg(votes=named.count())
    one_sided = _one_sided(named)
    rows = [
        table.agg(number=statistics.rows_where(table.rater == "")),
        pairs.agg(number=(pairs.votes - 1).sum().cast("int64")),
        one_sided.agg(number=one_sided.votes.sum().cast("int64")),
        one_sided.agg(number=one_sided.count()),
    ]
    return SuspiciousVotes(*(int(log.engine.table(row).to_pylist()[0]["number"] or 0) for row in rows))


def with_rules(log: ComparisonLog, rules: VoteRules) -> ComparisonLog:
    """Return the log with suspicious votes left out, or with less weight.

    Parameters
    ----------
    log
        Log of comparisons, without a column of counts.
    rules
        What to do with them.

    Returns
    -------
    ComparisonLog
        Log on the same engine.
    """
    if rules.keeps_all:
        return log
    _refuse_counts(log)
    if "rater" not in log.columns.roles:
        raise BadSetting("votes", "the log has no column for the rater. Keep all votes, or add the column.")
    source = log.source.mutate(steelyard_rater=statistics.plain(log.source[log.columns.roles["rater"]]))
    if rules.anonymous == "drop":
        source = source.filter(source.steelyard_rater != "")
    if rules.one_sided == "drop":
        votes = _votes(log)
        raters = _one_sided(votes.filter(votes.rater != "")).select(steelyard_rater="rater")
        source = source.anti_join(raters, "steelyard_rater")
    columns = log.columns
    if rules.repeated == "share":
        source = _shared(source, log)
        columns = replace(columns, roles={**columns.roles, "count": statistics.TIMES})
    return replace(log, source=source.drop("steelyard_rater"), columns=columns, cache={})


def _refuse_counts(log: ComparisonLog) -> None:
    """Raise `BadSetting` for a log of counts, in which single votes cannot be distinguished."""
    if log.stored:
        reason = "stored counts do not have single votes, which are needed to find suspicious ones."
        raise BadSetting(
            "since", f"{reason} Leave it out, or keep all votes without counting suspicious ones."
        )
    if log.columns.roles.get("count", statistics.TIMES) != statistics.TIMES:
        reason = "the log has a column of counts, so single votes cannot be distinguished."
        raise BadSetting("votes", f"{reason} Keep all votes.")


def _votes(log: ComparisonLog) -> Any:
    """Return rater, pair and answer of each vote that can be used."""
    table = log.standard()
    left, right = (statistics.plain(table[side]) for side in ("left", "right"))
    swapped = left > right
    rater = statistics.plain(table.rater) if "rater" in log.columns.roles else left.substr(0, 0)
    named = table.mutate(
        rater=rater, one=swapped.ifelse(right, left), other=swapped.ifelse(left, right), missing=(left == "")
    )
    sound = (named.answer < statistics.UNKNOWN) & ~named.missing & (named.one != "")
    return named.filter(sound & (named.one != named.other))


def _one_sided(named: Any) -> Any:
    """Return the one-sided raters with their numbers of votes."""
    answers = named.group_by(["rater", "answer"]).agg(votes=named.count())
    raters = answers.group_by("rater").agg(votes=answers.votes.sum(), most=answers.votes.max())
    return raters.filter((raters.votes >= LEAST_ONE_SIDED) & (raters.most >= ONE_ANSWER * raters.votes))


def _shared(source: Any, log: ComparisonLog) -> Any:
    """Return the votes with a weight: one divided by the votes of the same rater about the same pair."""
    import ibis  # an optional dependency

    left, right = (statistics.plain(source[log.columns.roles[side]]) for side in ("left", "right"))
    swapped = left > right
    pairs = source.mutate(
        steelyard_one=swapped.ifelse(right, left), steelyard_other=swapped.ifelse(left, right)
    )
    votes = pairs.count().over(
        ibis.window(group_by=[pairs.steelyard_rater, pairs.steelyard_one, pairs.steelyard_other])
    )
    alone = pairs.steelyard_rater == ""
    weight = alone.ifelse(1.0, 1.0 / votes.cast("float64"))
    return pairs.mutate(**{statistics.TIMES: weight}).drop("steelyard_one", "steelyard_other")
