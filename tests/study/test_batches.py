import pytest

from steelyard import read
from steelyard.errors import BadSetting
from steelyard.study.batches import import_results, long_columns, mturk_columns
from steelyard.study.items import Item
from tests.study.making import work


def results_of(columns, scores, worker="W1"):
    """What MTurk hands back for a batch when one worker does all of it; None ticks "not applicable"."""
    size = sum(name.startswith("id") for name in columns)
    table = {
        "HITId": [f"H{at}" for at in range(len(columns["task"]))],
        "WorkerId": [worker] * len(columns["task"]),
    }
    for name, cells in columns.items():
        table[f"Input.{name}"] = cells
    for slot in range(1, size + 1):
        table[f"Answer.range{slot}"] = ["" if scores[slot - 1] is None else scores[slot - 1]] * len(
            columns["task"]
        )
        table[f"Answer.na{slot}"] = ["on" if scores[slot - 1] is None else ""] * len(columns["task"])
    return read(table, "rating")


def test_a_batch_has_a_row_per_task_and_a_column_per_slot(make):
    items = [Item(f"i{at}", "text", f"Text {at}", context=(("source", f"S{at}"),)) for at in range(6)]
    session = make(items, protocol="list", list_size=3)
    columns = mturk_columns(session.batch(2), session.study.items)
    assert list(columns) == [f"{name}{slot}" for name in ("id", "text", "source") for slot in (1, 2, 3)] + [
        "task"
    ]
    assert columns["text2"][0] == "Text " + columns["id2"][0][1:]


def test_the_loop_of_generate_publish_collect_update(make):
    session = make(
        10, protocol="list", list_size=5, redundancy=2, model="easl", selection="easl", update="round"
    )
    for number in (1, 2):
        planned = session.batch()
        assert {task.round for task in planned} == {number}
        columns = mturk_columns(planned, session.study.items)
        done = import_results(session, results_of(columns, [10, 30, 50, 70, 90], f"W{number}"))
        assert (done.answers, done.repeated, done.raters) == (2, 0, 1)
    assert len(session.ledger.judgments()) == 20
    assert session.ledger.pending.sum() == 0
    assert session.batch() == []


def test_importing_a_file_twice_changes_nothing(make):
    session = make(6, protocol="list", list_size=3)
    results = results_of(mturk_columns(session.batch(2), session.study.items), [1, 2, 3])
    import_results(session, results)
    before = session.log.head()
    again = import_results(session, results)
    assert (again.answers, again.repeated) == (0, 2)
    assert session.log.head() == before


def test_not_applicable_is_stored_as_cannot_judge(make):
    session = make(3, protocol="list", list_size=3)
    import_results(session, results_of(mturk_columns(session.batch(1), session.study.items), [10, None, 30]))
    assert len(session.ledger.judgments()) == 2
    assert session.ledger.answered.tolist() == [1, 1, 1]


def test_pages_do_not_offer_what_a_file_gave_out(make):
    session = make(4, redundancy=1)
    given = {item for task in session.batch(2) for item in task.items}
    rater = session.join("page", "link").id
    seen = {item for task in work(session, rater) for item in task.items}
    assert seen == {f"i{at}" for at in range(4)} - given


def test_results_without_tasks_make_tasks_of_their_own(make):
    session = make(3)
    ratings = read(
        {"rater": ["a", "a", "b"], "item": ["i0", "i1", "i0"], "score": [10, 20, 30]}, range=(0, 100)
    )
    assert import_results(session, ratings).answers == 3
    assert import_results(session, ratings).repeated == 3
    assert session.ledger.answered.tolist() == [2, 1, 0]


def test_scores_of_another_range_are_moved_to_the_studys(make):
    session = make(2, scale={"low": 0, "high": 1, "step": 0.01})
    import_results(session, read({"rater": ["a"], "item": ["i0"], "score": [25]}, range=(0, 100)))
    assert session.ledger.judgments().table("rating").numbers["score"].tolist() == [0.25]


def test_scores_between_levels_refuse_the_whole_file(make):
    session = make(2, scale={"low": 1, "high": 5, "levels": 5})
    rows = {"rater": ["a", "a"], "item": ["i0", "i1"], "score": [2, 2.5]}
    with pytest.raises(BadSetting, match="levels are 1, 2, 3, 4, 5"):
        import_results(session, read(rows, range=(1, 5)))
    assert session.ledger.answered.sum() == 0


def test_a_plain_file_has_a_row_per_item(make):
    session = make(4, protocol="list", list_size=2)
    columns = long_columns(session.batch(2), session.study.items)
    assert list(columns) == ["task", "slot", "item", "text"]
    assert columns["slot"] == [1, 2, 1, 2]


def test_scores_go_to_the_scale_of_their_own_question(make):
    questions = [{"text": "a", "id": "a"}, {"text": "b", "id": "b", "scale": {"low": 1, "high": 7}}]
    session = make(1, questions=questions)
    rows = {
        "rater": ["w", "w"],
        "item": ["i0", "i0"],
        "task": ["t", "t"],
        "question": ["a", "b"],
        "score": [50, 50],
    }
    import_results(session, read(rows, range=(0, 100)))
    assert session.ledger.judgments().table("rating").numbers["score"].tolist() == [50, 4]


def test_one_bad_score_leaves_nothing_behind(make):
    session = make(2)
    rows = {"rater": ["a", "b"], "item": ["i0", "i1"], "score": [20, 140]}
    with pytest.raises(BadSetting, match="'b' gave 'i1' 140"):
        import_results(session, read(rows))
    assert session.log.head() == 0
