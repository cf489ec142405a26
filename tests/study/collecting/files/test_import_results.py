import pytest

from steelyard import Judgments, read
from steelyard.errors import BadRows, BadSetting
from steelyard.kinds.comparison import Verdict
from steelyard.kinds.rating import Score
from steelyard.study.collecting.files.import_results import import_results
from steelyard.study.collecting.files.task_batches import long_columns, mturk_columns
from steelyard.study.definition.items import Item
from steelyard.study.log.entries import Event
from tests.study.making import work


def results_of(columns, scores, worker="W1"):
    """The MTurk results of a batch that one worker answers; None ticks "not applicable"."""
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


def test_pages_do_not_offer_tasks_of_a_batch_file(make):
    session = make(4, redundancy=1)
    given = {item for task in session.batch(2) for item in task.items}
    rater = session.join("page", "link").id
    seen = {item for task in work(session, rater) for item in task.items}
    assert seen == {f"i{at}" for at in range(4)} - given


def test_results_without_tasks_create_new_tasks(make):
    session = make(3)
    ratings = read(
        {"rater": ["a", "a", "b"], "item": ["i0", "i1", "i0"], "score": [10, 20, 30]}, range=(0, 100)
    )
    assert import_results(session, ratings).answers == 3
    assert import_results(session, ratings).repeated == 3
    assert session.ledger.answered.tolist() == [2, 1, 0]


def test_scores_of_another_range_are_rescaled(make):
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


def test_one_bad_score_refuses_the_whole_file(make):
    session = make(2)
    rows = {"rater": ["a", "b"], "item": ["i0", "i1"], "score": [20, 140]}
    with pytest.raises(BadSetting, match="rater 'b' gave item 'i1' the score 140"):
        import_results(session, read(rows))
    assert session.log.head() == 0


def outcomes_of(session):
    return session.ledger.judgments().cells("comparison", "outcome").tolist()


def test_a_count_is_a_number_of_answers(make):
    session = make(3, protocol="comparison")
    rows = {"left": ["i0", "i0"], "right": ["i1", "i1"], "outcome": ["left", "right"], "count": [3, 2]}
    done = import_results(session, read(rows, "comparison"))
    assert (done.answers, done.repeated) == (5, 0)
    assert sorted(outcomes_of(session)) == ["left"] * 3 + ["right"] * 2
    assert import_results(session, read(rows, "comparison")).repeated == 5


def test_rows_without_raters_are_all_kept(make):
    session = make(3)
    ratings = read({"item": ["i0", "i0", "i1"], "score": [10, 20, 30]}, range=(0, 100))
    done = import_results(session, ratings)
    assert session.ledger.judgments().table("rating").numbers["score"].tolist() == [10, 20, 30]
    assert "Answers without a rater: 3. They are stored under one rater, called 'unknown'." in done.notes


def test_repeats_of_one_rater_are_separate_answers(make):
    session = make(3, protocol="comparison")
    rows = {"rater": ["a", "a"], "left": ["i0"] * 2, "right": ["i1"] * 2, "outcome": ["left", "tie"]}
    done = import_results(session, Judgments.from_columns("comparison", rows))
    assert outcomes_of(session) == ["left", "tie"]
    assert len(set(session.ledger.judgments().cells("comparison", "task"))) == 2
    assert "Repeated answers of one rater: 1. Each is stored as a separate answer." in done.notes


def test_rankings_without_raters_are_separate_answers(make):
    session = make(3, protocol="ranking", list_size=3)
    rows = {"task": ["1"] * 6, "item": ["i0", "i1", "i2"] * 2, "rank": [1, 2, 3, 3, 2, 1]}
    assert import_results(session, read(rows, "ranking")).answers == 2
    assert [[cell.rank for cell in answer.cells] for answer in session.ledger.answers.values()] == [
        [1, 2, 3],
        [3, 2, 1],
    ]


def test_strength_both_bad_comments_and_times_are_kept(make):
    session = make(3, protocol="comparison", strength=True, both_bad=True)
    rows = {
        "rater": ["a", "a"],
        "left": ["i0", "i1"],
        "right": ["i1", "i2"],
        "outcome": ["left", "tie"],
        "strength": [2, None],
        "both_bad": ["no", "yes"],
        "comment": ["so", ""],
        "at": [0.0, 77.5],
        "milliseconds": [1500, 900],
    }
    import_results(session, read(rows, "comparison"))
    one, other = session.ledger.answers.values()
    assert one.cells == (Verdict(1, 0, "left", 2),)
    assert other.cells == (Verdict(1, 0, "tie", None, True),)
    assert (one.comment, one.at, one.milliseconds) == ("so", 0.0, 1500)
    assert (other.comment, other.at, other.milliseconds) == ("", 77.5, 900)


def test_a_refused_file_leaves_no_rater_behind(make):
    session = make(3, protocol="comparison", ties=False)
    rows = {"rater": ["a", "b"], "left": ["i0"] * 2, "right": ["i1"] * 2, "outcome": ["left", "tie"]}
    with pytest.raises(BadRows, match="row 2: This study does not allow ties"):
        import_results(session, read(rows, "comparison"))
    assert session.log.head() == 0
    assert list(session.roster.all()) == []


def test_an_answer_that_changed_is_named_and_the_first_is_kept(make):
    session = make(3)
    rows = {"rater": ["a", "a"], "item": ["i0", "i1"], "score": [10, 20]}
    import_results(session, read(rows, range=(0, 100)))
    done = import_results(session, read({**rows, "score": [10, 21]}, range=(0, 100)))
    assert (done.answers, done.repeated) == (0, 2)
    assert [(each.rater, each.task, each.place) for each in done.changed] == [("a", "t2", 2)]
    assert session.ledger.judgments().table("rating").numbers["score"].tolist() == [10, 20]


def test_rounds_and_conditions_of_the_file_are_those_of_its_tasks(make):
    session = make(3, protocol="list", list_size=2, update="round", model="easl", selection="easl")
    rows = {
        "rater": ["a"] * 4,
        "task": ["x", "x", "y", "y"],
        "item": ["i0", "i1"] * 2,
        "score": [1, 2, 3, 4],
        "round": [1, 1, 2, 2],
        "condition": ["long"] * 4,
    }
    import_results(session, read(rows, range=(0, 100)))
    again = session.ledger.judgments()
    assert again.table("rating").numbers["round"].tolist() == [1, 1, 2, 2]
    assert set(again.cells("rating", "condition")) == {"long"}


def test_columns_that_are_not_imported_are_named(make):
    session = make(2)
    rows = {"rater": ["a"], "item": ["i0"], "score": [10], "mood": ["fine"], "weather": ["rain"]}
    assert "Columns not imported: mood, weather." in import_results(session, read(rows)).notes


def test_a_file_of_several_questions_is_refused_where_one_is_asked(make):
    session = make(2)
    rows = {"rater": ["a"] * 2, "item": ["i0"] * 2, "score": [10, 90], "question": ["warm", "sweet"]}
    with pytest.raises(BadSetting, match="this study has no question 'warm'"):
        import_results(session, read(rows))
    assert session.log.head() == 0


def test_times_of_single_items_are_summed_and_reported(make):
    session = make(2, protocol="list", list_size=2)
    rows = {"rater": ["a"] * 2, "task": ["x"] * 2, "item": ["i0", "i1"], "score": [1, 2]}
    done = import_results(session, read({**rows, "milliseconds": [400, 500], "at": [5, 7]}))
    (answer,) = session.ledger.answers.values()
    assert (answer.milliseconds, answer.at) == (900, 7)
    assert any(note.startswith("Answers whose rows have different times: 1.") for note in done.notes)


def test_a_paused_study_accepts_a_file(make):
    session = make(2)
    session.note("paused")
    assert import_results(session, read({"rater": ["a"], "item": ["i0"], "score": [10]})).answers == 1
    assert session.ledger.paused


def test_placements_past_the_scale_are_imported_where_the_study_allows_them(make):
    session = make(2, scale={"beyond": True})
    import_results(session, read({"rater": ["a"], "item": ["i0"], "score": [130]}))
    (answer,) = session.ledger.answers.values()
    assert answer.cells == (Score(0, 0, 130.0, True),)


def test_a_long_import_lets_others_write_and_an_interrupted_one_is_completed(make, monkeypatch):
    session = make(12, protocol="list", list_size=3, redundancy=1)
    results = results_of(mturk_columns(session.batch(4), session.study.items), [1, 2, 3])
    module = "steelyard.study.collecting.files.import_results"
    pauses = []

    def another_writes(_seconds):
        with session.log.writing() as writer:  # would fail or wait if the import held the lock
            writer.append(Event("paused"))
        pauses.append(session.log.head())
        if len(pauses) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(f"{module}.PAGES_AT_ONCE", 1)
    monkeypatch.setattr(f"{module}.time.sleep", another_writes)
    with pytest.raises(KeyboardInterrupt):
        import_results(session, results)
    assert len(session.ledger.answers) == 2
    monkeypatch.setattr(f"{module}.time.sleep", lambda _seconds: None)
    done = import_results(session, results)
    assert (done.answers, done.repeated) == (2, 2)
    assert len(session.fresh_ledger().answers) == 4
