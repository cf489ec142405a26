"""A sixth kind of judgment, in one file and one widget outside Steelyard, works everywhere."""

import csv
import io
import json
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from starlette.testclient import TestClient

from steelyard import Judgments, read
from steelyard.errors import BadAnswer, BadRows, BadSetting, UnknownName
from steelyard.judgments.checks import check
from steelyard.judgments.conversions import convert
from steelyard.judgments.frames import to_columns
from steelyard.judgments.writing import write_columns
from steelyard.kinds import known
from steelyard.models.known import default_model, model_named
from steelyard.models.units import fit_unit
from steelyard.report.contents import report_of_judgments
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.storage.database import open_database
from steelyard.study.collecting.files.import_results import import_results
from steelyard.study.collecting.files.results_rows import read_results
from steelyard.study.collecting.session import Session
from steelyard.study.log.entries import Answer
from steelyard.study.results.audit import Auditor
from steelyard.study.results.exports import export_columns
from steelyard.study.results.watch import Watch
from steelyard.study.training import training
from steelyard.study.training.training import Attempt, exercises_of
from steelyard.web.app import create_app
from tests.extension.yes_no import YES_NO, Word, YesNo, YesNoKind
from tests.serving import write_study
from tests.web.conftest import start_rating

ROWS = {"rater": ["ann", "ann", "bob"], "item": ["tea", "soup", "tea"], "answer": ["yes", "no", "no"]}


def answer(assignment, word="yes"):
    return Answer("", "", assignment.id, (Word(0, 0, word),), milliseconds=900)


def work(session, words, rater=None):
    """Let one rater answer with these words, one task each."""
    rater = rater or session.join("Ann", "link").id
    for word in words:
        session.accept(rater, answer(session.next_task(rater).assignment, word))
    return rater


# The registry


def test_an_unknown_kind_is_answered_with_the_closest_one(yes_no):
    with pytest.raises(UnknownName, match="Did you mean 'yes_no'"):
        known.KINDS["yes_not"]
    with pytest.raises(UnknownName, match="Did you mean 'rating'"):
        read(ROWS, kind="ratings")


def test_a_name_is_registered_once(yes_no):
    known.KINDS.register(YES_NO)  # again: nothing changes
    assert known.KINDS.registered == (YES_NO,)

    class Other(YesNoKind):
        """Another kind of the same name."""

    with pytest.raises(BadSetting, match=r"this name is already used by tests\.extension\.yes_no\.YesNoKind"):
        known.KINDS.register(Other())


def test_parts_that_contradict_each_other_are_refused():
    class Odd(YesNoKind):
        name = "odd"

    with pytest.raises(BadSetting, match="must have the same kind"):
        known.KINDS.register(Odd())
    assert "odd" not in known.KINDS


def test_a_kind_is_found_as_an_entry_point(monkeypatch):
    point = EntryPoint("yes_no", "tests.extension.yes_no:YES_NO", known.KINDS.group)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point])
    known.KINDS.load_again()
    try:
        assert read(ROWS).kinds == ("yes_no",)
        assert known.PROTOCOLS["yes_no"].kind == "yes_no"
    finally:
        known.KINDS.remove("yes_no")


def test_a_broken_package_is_named_and_left_out(monkeypatch):
    point = EntryPoint("broken", "tests.extension.no_such_module:KIND", known.KINDS.group)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [point])
    known.KINDS.load_again()
    with pytest.warns(RuntimeWarning, match=r"'broken'.*no_such_module"):
        assert next(iter(known.KINDS)) == "rating"


# Judgments and files


def test_records_and_files_are_read_and_checked(yes_no):
    judgments = read(ROWS)
    assert judgments.kinds == ("yes_no",)
    assert to_columns(judgments) == to_columns(
        Judgments.of(YesNo(*row) for row in zip(*ROWS.values(), strict=True))
    )
    assert read({**ROWS, "answer": ["Yes", "NO", "no"]}).cells("yes_no", "answer").tolist() == [
        "yes",
        "no",
        "no",
    ]
    with pytest.raises(BadRows, match=r"answer 'maybe' is unknown\. Allowed: yes, no"):
        read({**ROWS, "answer": ["yes", "maybe", "no"]})
    with pytest.raises(BadRows, match="ann"):
        read({**ROWS, "item": ["tea", "tea", "tea"]})


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_files_of_every_format_come_back(yes_no, tmp_path, format):
    path = tmp_path / f"answers.{format}"
    write_columns(ROWS, path, format)
    assert to_columns(read(path)) == ROWS


def test_it_is_fitted_by_default_as_ratings(yes_no):
    judgments = read(ROWS)
    model = model_named(default_model(judgments.kinds))
    fit = fit_unit(model, judgments, "item")
    position = dict(zip(fit.scale.item, fit.scale.position, strict=True))
    assert position["tea"] > position["soup"]
    assert fit.provenance.judgments == 3
    assert convert(judgments, "rating").cells("rating", "score").tolist() == [1.0, 0.0, 0.0]


def test_a_report_is_made_of_a_file(yes_no):
    model = model_named("direct_assessment")
    section = report_of_judgments(read(ROWS), model, "Answers", at=0.0).sections[0]
    assert [row.item for row in section.scale.rows] == ["tea", "soup"]
    assert not section.raters.placed


def test_checks_count_its_judgments(yes_no):
    assert check(read(ROWS)).judgments == {"yes_no": 3}


# A study


def test_answers_can_be_given_skipped_and_taken_back(make):
    session = make()
    rater = work(session, ["yes", None, "no"])
    last = session.rater_state(rater).last
    session.undo(rater, last)
    session.accept(rater, answer(session.next_task(rater).assignment, "yes"))
    judgments = session.fresh_ledger().judgments(0)
    assert judgments.kinds == ("yes_no",)
    assert judgments.cells("yes_no", "answer").tolist() == ["yes", "yes"]
    with pytest.raises(BadAnswer, match="not yes or no"):
        session.accept(rater, answer(session.next_task(rater).assignment, "perhaps"))


def test_the_log_comes_back_from_the_database(make, tmp_path):
    session = make()
    work(session, ["yes", None, "no"])
    stored = open_database(session.study.folder)
    again = Session(session.study, stored, stored, session.clock)
    cells = [cell for each in again.fresh_ledger().answers.values() for cell in each.cells]
    assert [(type(cell), cell.answer) for cell in cells] == [(Word, "yes"), (Word, None), (Word, "no")]


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_exports_have_its_own_column(make, tmp_path, format):
    session = make()
    rater = work(session, ["yes", None, "no"])
    watch = Watch(session.study, session.log, session.roster)
    judgments, answers = (export_columns(watch, what) for what in ("judgments", "answers"))
    assert judgments["answer"] == ["yes", "no"]
    assert answers["answer"] == ["yes", None, "no"]
    assert answers["cannot_judge"] == [False, True, False]
    assert not {"score", "choice", "outcome", "rank", "low"} & {*judgments, *answers}
    path = tmp_path / f"export.{format}"
    write_columns(judgments, path, format)
    again = read(path)
    assert again.kinds == ("yes_no",)
    assert set(again.cells("yes_no", "rater")) == {rater}


def test_results_files_are_imported_with_what_was_skipped(make, tmp_path):
    session = make(4)
    path = tmp_path / "results.csv"
    path.write_text("rater,item,answer,cannot_judge\nw1,i0,yes,no\nw1,i1,,yes\nw2,i0,no,no\n")
    done = import_results(session, read_results(path, session.study.definition, session.study.items))
    assert (done.answers, done.raters) == (3, 2)
    cells = [cell for each in session.fresh_ledger().answers.values() for cell in each.cells]
    assert [cell.answer for cell in cells] == ["yes", None, "no"]


def test_results_of_a_batch_are_imported(make, tmp_path):
    session = make(4)
    path = tmp_path / "batch.csv"
    path.write_text(
        "HITId,AssignmentId,WorkerId,Input.id1,Answer.answer1,Answer.na1\nh1,a1,w1,i0,yes,\nh2,a2,w1,i1,,on\n"
    )
    import_results(session, read_results(path, session.study.definition, session.study.items))
    cells = [cell for each in session.fresh_ledger().answers.values() for cell in each.cells]
    assert [cell.answer for cell in cells] == ["yes", None]


def attempt(session, rater, number, cell):
    with session.transaction() as transaction:
        attempted = Attempt(number, None, (cell,))
        return training.attempt(transaction, exercises_of(session.study), rater, attempted)


def test_training_gates_and_gives_feedback(make):
    own = {"text": "A whole cake", "answer": "yes", "feedback": "A whole cake does fill you."}
    session = make(training={"tasks": [own]})
    rater = session.join("Ann", "link").id
    session.note("consented", rater)
    practice, second = exercises_of(session.study)
    assert practice.right == (Word(0, 0, "yes"),)
    assert not attempt(session, rater, 0, Word(0, 0, "no")).right
    assert attempt(session, rater, 0, *practice.right).done
    assert attempt(session, rater, 1, Word(0, 0, "no")).words == own["feedback"]
    assert attempt(session, rater, 1, *second.right).done
    assert session.may_start(rater)
    with pytest.raises(BadSetting, match='answer = "yes"'):
        make(folder="wrong", training={"tasks": [{**own, "answer": "perhaps"}]})


def run_simulation(session, raters=12, seed=1):
    rng = np.random.default_rng(seed)
    return simulate(session, Crowd.draw(session, SCENARIOS["bias"], raters, "uniform", rng), rng)


def test_simulated_raters_answer_are_audited_and_stopped(make):
    session = make(12, redundancy=6, explore=1.0, training={}, stop={"interval_width": 2.0})
    assert run_simulation(session)
    watch = Watch(session.study, session.log, session.roster)
    overview = watch.overview()
    assert overview.views[0].fit.scale.item.size == 12
    assert (
        0.0 <= min(overview.views[0].fit.scale.position) <= max(overview.views[0].fit.scale.position) <= 1.0
    )
    assert any(line.habits is not None and line.habits.agreement is not None for line in overview.raters)
    assert all(line.habits is None or line.habits.bias is None for line in overview.raters)
    audit = Auditor(session.ledger).audit()
    assert audit is not None
    assert audit.calibration.answers > 0
    assert overview.status == "stopped"


# Pages


@pytest.fixture
def app(tmp_path, yes_no):
    folder = tmp_path / "served"
    key = write_study(folder, protocol="yes_no", extra='model = "direct_assessment"\nlist_size = 1')
    return create_app(folder), key


def test_the_page_serves_answers_undoes_and_shows_them_to_the_owner(app):
    app, key = app
    with TestClient(app, follow_redirects=False) as client:
        csrf = start_rating(client)
        headers = {"X-CSRF-Token": csrf}
        task = client.get("/api/task").json()["task"]
        assert task["protocol"] == "yes_no"

        def send(assignment, **cell):
            body = {"assignment": assignment, "answers": [{"item": 0, "question": 0, **cell}]}
            return client.post("/api/answers", json=body, headers=headers)

        assert send(task["assignment"], answer="maybe").status_code == 422
        assert send(task["assignment"], answer="yes", cannot_judge=True).status_code == 422
        assert send(task["assignment"], score=50.0).status_code == 422
        state = send(task["assignment"], answer="yes").json()
        state = send(state["task"]["assignment"], cannot_judge=True).json()
        undone = client.post("/api/undo", json={"assignment": state["last"]}, headers=headers).json()
        assert send(undone["task"]["assignment"], answer="no").json()["accepted"]

        assert client.get("/owner/enter", params={"key": key}).status_code == 303
        page = client.get("/owner")
        assert page.status_code == 200
        assert "yes_no · selection balanced" in page.text
        assert "one item, yes or no" in client.get("/owner/report").text
        exported = client.get("/owner/download/judgments.csv").text
        rows = list(csv.DictReader(io.StringIO(exported)))
        assert [row["answer"] for row in rows] == ["yes", "no"]


def test_its_widget_is_served_and_its_source_is_not(app):
    app, _ = app
    with TestClient(app) as client:
        widget = client.get("/widgets/yes_no/yes_no.js")
        assert widget.status_code == 200
        assert "javascript" in widget.headers["content-type"]
        assert client.get("/widgets/yes_no/yes_no.py").status_code == 404
        assert known.PROTOCOLS["yes_no"].address("yes_no.js") == "/widgets/yes_no/yes_no.js"


# Installed as a package, with commands in processes of their own


def test_commands_know_an_installed_kind(command, tmp_path):
    (tmp_path / "items.csv").write_text("id,text\n" + "".join(f"i{at},Item {at}\n" for at in range(6)))
    folder = tmp_path / "study"
    command("new", folder, "--items", tmp_path / "items.csv", "--protocol", "yes_no", "--seed", "1")
    written = (folder / "study.toml").read_text()
    assert 'model = "steelyard"' in written
    assert 'text = "Does it have the quality?"' in written
    command("simulate", folder, "--raters", "8", "--seed", "2")
    exported = tmp_path / "judgments.csv"
    command("export", folder, "--output", exported)
    rows = list(csv.DictReader(io.StringIO(exported.read_text())))
    assert {row["answer"] for row in rows} <= {"yes", "no"}
    fitted = command("fit", exported, "--model", "direct_assessment", "--json")
    assert {row["item"] for row in json.loads(fitted.stdout)} == {row["item"] for row in rows}
    assert "yes_no judgments" in command("check", exported).stdout
    report = tmp_path / "report.html"
    command("report", folder, "--output", report)
    assert "one item, yes or no" in report.read_text()
