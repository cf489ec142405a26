import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard import Comparison, Judgments, Rating, read
from steelyard.errors import BadSetting, NothingToFit, UnknownName
from steelyard.judgments import counts as counting
from steelyard.judgments.counts import PairCounts

ITEMS = ("tea", "milk", "soup", "cake")
rows = st.lists(
    st.tuples(
        st.sampled_from(ITEMS),
        st.sampled_from(ITEMS),
        st.sampled_from(("left", "tie", "right")),
        st.sampled_from("xy"),
    ).filter(lambda row: row[0] != row[1]),
    min_size=1,
    max_size=40,
)


def judgments_of(listed):
    columns = {
        name: [row[at] for row in listed] for at, name in enumerate(("left", "right", "outcome", "rater"))
    }
    return Judgments.from_columns("comparison", columns)


def counted(counts):
    """Counts as a dict by names of pair and cell."""
    collected = {}
    for at in range(len(counts)):
        cells = tuple(
            str(column.labels[column.values[at]]) if column.labels is not None else column.values[at]
            for column in counts.cells.values()
        )
        key = (counts.items[counts.left[at]], counts.items[counts.right[at]], *cells)
        assert key not in collected
        collected[key] = counts.counts[:, at].tolist()
    return collected


def expected(listed, by_rater, ordered):
    collected = {}
    for left, right, outcome, rater in listed:
        place = ("left", "tie", "right").index(outcome)
        turned = not ordered and left > right
        key = ((right, left) if turned else (left, right)) + ((rater,) if by_rater else ())
        collected.setdefault(key, [0.0, 0.0, 0.0])[2 - place if turned else place] += 1.0
    return collected


@settings(deadline=None)
@given(rows, st.booleans(), st.booleans(), st.booleans())
def test_counts_are_what_counting_by_hand_gives(listed, by_rater, ordered, sorting):
    limit, counting.DENSE_CELLS = counting.DENSE_CELLS, 0 if sorting else counting.DENSE_CELLS
    try:
        counts = PairCounts.of(judgments_of(listed), ("rater",) if by_rater else (), ordered)
    finally:
        counting.DENSE_CELLS = limit
    assert counted(counts) == expected(listed, by_rater, ordered)
    assert counts.judgments == len(listed)


@settings(deadline=None)
@given(rows)
def test_pooling_counts_equals_counting_judgments_anew(listed):
    judgments = judgments_of(listed)
    fine = PairCounts.of(judgments, ("rater",), ordered=True)
    assert counted(fine.pooled()) == counted(PairCounts.of(judgments, ordered=False))
    assert counted(fine.pooled(("rater",))) == counted(PairCounts.of(judgments, ("rater",), ordered=False))


def test_items_are_sorted_and_keep_their_first_places():
    counts = PairCounts.of(judgments_of([("tea", "milk", "left", "x"), ("soup", "tea", "tie", "x")]))
    assert counts.items.tolist() == ["milk", "soup", "tea"]
    assert counts.items[counts.places].tolist() == ["tea", "soup", "milk"]  # the left column first


def test_items_that_were_never_compared_are_left_out():
    judgments = judgments_of([("tea", "milk", "left", "x"), ("soup", "cake", "tie", "x")])
    some = judgments.where(lambda table: np.array([True, False]))
    assert PairCounts.of(some).items.tolist() == ["milk", "tea"]


def test_a_count_column_counts_and_zero_rows_vanish():
    columns = {"left": ["a", "a"], "right": ["b", "c"], "outcome": ["left", "left"], "count": [2.5, 0.0]}
    counts = PairCounts.of(Judgments.from_columns("comparison", columns))
    assert (len(counts), counts.judgments) == (1, 2.5)


def test_rows_can_be_kept_apart():
    listed = [("tea", "milk", "left", "x"), ("tea", "milk", "left", "x")]
    assert len(PairCounts.of(judgments_of(listed), ("row",))) == 2


def test_wide_tables_of_counts_are_read_by_the_names_of_their_pairs():
    wide = {
        "judge": ["j", "k"],
        "obj1": ["a", "c"],
        "obj2": ["b", "a"],
        "win1": [3, 1],
        "tie": [1, None],
        "win2": [2, 4],
    }
    judgments = read(wide)
    counts = PairCounts.of(judgments, ordered=False)
    assert counted(counts) == {("a", "b"): [3.0, 1.0, 2.0], ("a", "c"): [4.0, 0.0, 1.0]}
    assert judgments.raters.tolist() == ["j", "k"]


@pytest.mark.parametrize("names", [("left", "right", "wins", "losses"), ("item1", "item2", "win1", "win2")])
def test_wide_tables_need_no_ties_and_no_rater(names):
    judgments = read(dict(zip(names, (["a"], ["b"], [3], [2]), strict=True)))
    assert counted(PairCounts.of(judgments)) == {("a", "b"): [3.0, 0.0, 2.0]}


def test_a_negative_count_of_a_wide_table_is_refused_with_its_row():
    with pytest.raises(Exception, match="row 1"):
        read({"left": ["a"], "right": ["b"], "wins": [-3], "losses": [2]})


def test_what_cannot_be_counted_is_named():
    with pytest.raises(NothingToFit, match="rating"):
        PairCounts.of(Judgments.of([Rating("ann", "tea", 3)]))
    judgments = Judgments.of([Comparison("ann", "a", "b", "left")])
    with pytest.raises(UnknownName, match="age"):
        PairCounts.of(judgments, ("age",))
    with pytest.raises(BadSetting, match="shown first"):
        PairCounts.of(judgments, ordered=False).pooled(ordered=True)
    empty = {"left": ["a", "a"], "right": ["b", "b"], "outcome": ["left", "tie"], "group": ["x", None]}
    with pytest.raises(BadSetting, match="no value"):
        PairCounts.of(Judgments.from_columns("comparison", empty), ("group",))
