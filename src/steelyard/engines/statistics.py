"""One Ibis expression per sufficient statistic. Each runs unchanged on every engine.

All expressions start from a table with standard columns, which `standard` makes. An answer is 0 (first preferred), 1
(tie) or 2 (second preferred); UNKNOWN is an outcome that no word stands for, and BAD_COUNT a count that is missing or
negative. Rows of these two are counted but never used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.engines.columns import Columns, as_text

ANSWERS = {"left": 0, "tie": 1, "right": 2}
UNKNOWN, BAD_COUNT = 3, 4
BETWEEN, AFTER = "\x1f", "\x1e"  # between an item and its rank, and between the items of a ranking
NUMERAL = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
TIMES = "steelyard_times"  # column of the counts of distinct rows
SUMS = ("first", "tie", "second", "unknown", "bad_count")


def standard(table: Any, columns: Columns, kept: Sequence[str] = ()) -> Any:
    """Return a log with standard columns: ids as text, `answer`, `score` or `rank`, and `weight`.

    Parameters
    ----------
    table
        Ibis table of the log.
    columns
        Its columns by role.
    kept
        Further columns to keep, under their own names.

    Returns
    -------
    Table
        One row per row of the log.
    """
    roles = columns.roles
    ids = [role for role in ("rater", "segment", "left", "right", "item", "task") if role in roles]
    made = {role: as_text(table[roles[role]]) for role in ids}
    weight = table[roles["count"]] if "count" in roles else None
    sound = None if weight is None else weight.notnull() & (weight >= 0)
    if "outcome" in roles:
        word = as_text(table[roles["outcome"]]).strip().lower()
        answer = word.cases(*((said, ANSWERS[meant]) for said, meant in columns.words.items()), else_=UNKNOWN)
        answer = answer.cast("int32")
        made["answer"] = answer if sound is None else sound.ifelse(answer, BAD_COUNT).cast("int32")
    for role in ("score", "rank"):
        if role in roles:
            made[role] = _number(table[roles[role]])
    if weight is not None and sound is not None:
        made["weight"] = sound.ifelse(weight, 1 if weight.type().is_integer() else 1.0)
    if "at" in roles:
        made["at"] = table[roles["at"]]
    return table.select(**made, **{name: table[name] for name in kept if name not in made})


def _number(column: Any) -> Any:
    """Return a column of numbers, or of text as numbers; text that is not a number is empty."""
    if column.type().is_numeric():
        return column.cast("float64")
    # DuckDB 2 moves a cast of a plain column into its CSV reader, which then refuses other text.
    text = column.strip()
    if column.get_backend().name != "postgres":  # which has no cast that accepts other text
        return text.try_cast("float64")
    return text.re_search(NUMERAL).ifelse(text, None).cast("float64")


def plain(column: Any) -> Any:
    """Return a column of ids as text without spaces around it; an empty cell is empty text."""
    return as_text(column).strip().fill_null("")


def slice_cell(column: Any) -> Any:
    """Return the value of a column that names a slice: a number, which may be empty, or text."""
    return column.cast("float64") if column.type().is_numeric() else plain(column)


def slices(table: Any, cells: Sequence[Any]) -> Any:
    """Return the distinct combinations of values of some cells."""
    return table.select(**{f"cell_{at}": cell for at, cell in enumerate(cells)}).distinct()


def same_cell(cell: Any, value: Any) -> Any:
    """Return whether a cell has the value of a slice."""
    return cell.isnull() if value is None else cell == value


def counted_rows(table: Any, kept: Sequence[str]) -> Any:
    """Return the distinct rows of a standard table with their numbers as weights; a log with counts as it is.

    Further expressions then work on distinct rows. Answers are numbers here, which engines group faster than words.
    """
    if "weight" in table.columns:
        return table
    return table.group_by(list(kept)).agg(weight=table.count())


def _total(table: Any, where: Any) -> Any:
    """Return the number of judgments that meet a condition."""
    if "weight" in table.columns:
        whole = table.weight.type().is_integer()
        total = where.ifelse(table.weight, 0 if whole else 0.0).sum()
        return total.cast("int64") if whole else total
    return rows_where(where)


def rows_where(condition: Any) -> Any:
    """Return the number of rows that meet a condition."""
    return condition.cast("int32").sum().cast("int64")  # PostgreSQL casts truth values to int32 only


def pair_counts(table: Any, by: Sequence[str] = ()) -> Any:
    """Return the number of judgments of each answer by ordered pair and further columns, bad rows included."""
    sums = {name: _total(table, table.answer == answer) for answer, name in enumerate(SUMS)}
    return table.group_by(["left", "right", *by]).agg(**sums)


def cluster_counts(table: Any, name: str) -> Any:
    """Return the number of judgments that count of each rater or segment."""
    used = table.answer < UNKNOWN if "answer" in table.columns else table.item.notnull()
    return table.group_by(name).agg(judgments=_total(table, used))


def coded_rows(table: Any, items: Any, clusters: Any, cells: Any, sizes: tuple[int, int]) -> Any:
    """Return each judgment as one key of answer, cell and pair, with the code of its cluster.

    Parameters
    ----------
    table
        Standard table.
    items
        Table of item labels and codes.
    clusters
        Name of the column of clusters, and table of its labels and codes.
    cells
        Columns of covariates, and table of their values and codes; None without covariates.
    sizes
        Number of items and of cells.

    Returns
    -------
    Table
        Columns `key`, `cluster` and, if the log has counts, `weight`.
    """
    name, named = clusters
    count, distinct = sizes
    used = table.filter(table.answer < UNKNOWN)
    one, other = (items.view().rename(**{f"{side}_label": "label", f"{side}_code": "code"}) for side in "xy")
    joined = used.join(one, used.left == one.x_label).join(other, used.right == other.y_label)
    cluster = named.view().rename(cluster_label="label", cluster="code")
    joined = joined.left_join(cluster, joined[name] == cluster.cluster_label)
    code: Any = 0
    if cells is not None:
        columns, values = cells
        renamed = values.view().rename(**{f"cell_{column}": column for column in columns}, cell="code")
        joined = joined.join(renamed, [joined[column] == renamed[f"cell_{column}"] for column in columns])
        code = joined.cell
    wide = "int32" if 3 * distinct * count * count < 2**31 else "int64"
    key = (joined.answer.cast(wide) * distinct + code) * count + joined.x_code.cast(wide)
    key = (key * count + joined.y_code.cast(wide)).cast(wide)
    weight = {"weight": joined.weight} if "weight" in table.columns else {}
    return joined.select(key=key, cluster=joined.cluster, **weight)


def ordered_rows(table: Any) -> Any:
    """Return the comparisons with a known outcome in the order of their times, then of rater, items and answer."""
    used = table.filter(table.answer < UNKNOWN)
    ties = [name for name in ("rater", "left", "right", "answer") if name in used.columns]
    kept = [name for name in ("at", "left", "right", "answer", "weight") if name in used.columns]
    return used.order_by(["at", *ties]).select(*kept)


def item_sums(table: Any, middle: float) -> Any:
    """Return number, sum and sum of squares of scores (minus `middle`) by item, bad rows included under null."""
    gap = table.score - middle
    weight = table.weight if "weight" in table.columns else 1
    sound = table.score.notnull()
    return table.group_by("item").agg(
        judgments=_total(table, sound),
        total=(gap * weight).sum(),
        squares=(gap * gap * weight).sum(),
        unknown=_total(table, table.score.isnull()),
        low=table.score.min(),
        high=table.score.max(),
    )


def score_extremes(table: Any) -> Any:
    """Return the lowest and the highest score."""
    return table.agg(low=table.score.min(), high=table.score.max())


def sound_ratings(table: Any) -> Any:
    """Return the ratings of an item by a score, from the standard table."""
    return table.filter(table.score.notnull() & (table.item.strip().fill_null("") != ""))


def row_counts(table: Any, name: str) -> Any:
    """Return the number of rows of each item or rater."""
    return table.group_by(name).agg(judgments=table.count())


def shared_tasks(table: Any) -> Any:
    """Return a row if a rater rated several items in one task."""
    by = [name for name in ("rater", "task") if name in table.columns]
    some = table.filter(table.task.strip().fill_null("") != "")
    sizes = some.group_by(by).agg(items=some.count())
    return sizes.filter(sizes.items > 1).limit(1)


def coded_ratings(table: Any, items: Any, raters: Any, tasks: bool) -> Any:
    """Return each rating with the codes of its item and rater.

    Parameters
    ----------
    table
        Sound ratings.
    items
        Table of item labels and codes.
    raters
        Table of rater labels and codes; None if the log has no raters.
    tasks
        Whether to keep the task.

    Returns
    -------
    Table
        Columns `item_code`, `score` and, if the log has them, `rater_code`, `weight` and `task`.
    """
    one = items.view().rename(item_label="label", item_code="code")
    joined = table.join(one, table.item == one.item_label)
    kept = {"item_code": "item_code", "score": "score"}
    if raters is not None:
        other = raters.view().rename(rater_label="label", rater_code="code")
        joined = joined.left_join(other, joined.rater == other.rater_label)
        kept["rater_code"] = "rater_code"
    kept |= {name: name for name in ("weight", *(("task",) if tasks else ())) if name in table.columns}
    return joined.select(**{name: joined[column] for name, column in kept.items()})


def rater_sums(table: Any, middle: float) -> Any:
    """Return number, sum and sum of squares of scores (minus `middle`) by rater."""
    used = table.filter(table.score.notnull() & table.item.notnull())
    gap = used.score - middle
    weight = used.weight if "weight" in used.columns else 1
    return used.group_by("rater").agg(
        judgments=_total(used, used.score.notnull()),
        total=(gap * weight).sum(),
        squares=(gap * gap * weight).sum(),
    )


def standardised_sums(table: Any, raters: Any) -> Any:
    """Return number, sum and sum of squares of z-scores by item.

    Parameters
    ----------
    table
        Standard table of ratings.
    raters
        Table of rater labels with their mean and standard deviation; a deviation of 0 gives z-scores of 0.

    Returns
    -------
    Table
        One row per item.
    """
    used = table.filter(table.score.notnull() & table.item.notnull())
    known = raters.view().rename(rater_label="label")
    joined = used.join(known, used.rater == known.rater_label)
    steady = joined.deviation == 0.0
    score = steady.ifelse(0.0, (joined.score - joined["mean"]) / steady.ifelse(1.0, joined.deviation))
    weight = joined.weight if "weight" in used.columns else 1
    scored = joined.mutate(z=score)
    return scored.group_by("item").agg(
        judgments=_total(scored, scored.z.notnull()),
        total=(scored.z * weight).sum(),
        squares=(scored.z * scored.z * weight).sum(),
        low=scored.z.min(),
        high=scored.z.max(),
    )


def _ranks(table: Any) -> Any:
    """Return the rank of each item in each ranking, and how often the ranking has the item."""
    by = [name for name in ("rater", "segment", "task", "item") if name in table.columns]
    plain = table.mutate(item=table.item.strip())
    weight = plain.weight if "weight" in table.columns else 1
    return (
        plain.mutate(steelyard_weight=weight)
        .group_by(by)
        .agg(
            rank=lambda rows: rows["rank"].min(),
            weight=lambda rows: rows.steelyard_weight.min(),
            times=lambda rows: rows.count(),
        )
    )


def several_ranks(table: Any) -> Any:
    """Return the items that a ranking has more than once."""
    ranks = _ranks(table)
    return ranks.filter(ranks.times > 1)


def ranked_twice(table: Any) -> Any:
    """Return the number of rows of items that a ranking has more than once."""
    several = several_ranks(table)
    return several.agg(rows=several.times.sum().fill_null(0).cast("int64"))


def ranked_answers(table: Any, sorts_texts: bool = True) -> Any:
    """Return each ranking as text: its items and their ranks, without items that it has twice.

    Equal rankings have equal texts. Engines that cannot join texts in the order of other columns sort the texts of
    the items instead.
    """
    ranks = _ranks(table)
    once = ranks.filter(ranks.times == 1)
    rows = once.mutate(entry=once.item + BETWEEN + once["rank"].cast("string"))
    by = [name for name in ("rater", "segment", "task") if name in table.columns]
    if sorts_texts:
        in_order = rows.entry.group_concat(AFTER, order_by=[rows["rank"], rows.item])
    else:
        in_order = rows.entry.collect().sort().join(AFTER)
    return rows.group_by(by).agg(answer=in_order, weight=rows.weight.min())


def counted_answers(answers: Any, by: Sequence[str]) -> Any:
    """Return the distinct rankings, of each value of these columns, with the number of times they were given."""
    return answers.group_by(["answer", *by]).agg(judgments=answers.weight.sum())


def distinct_rows(table: Any, columns: Sequence[str]) -> Any:
    """Return the distinct combinations of values of these columns, with the number of rows of each."""
    weight = table.weight.sum() if "weight" in table.columns else table.count()
    return table.group_by(list(columns)).agg(judgments=weight)
