"""The id of a rater on a crowdsourcing site is only in the access table, and exports have pseudonyms."""

import csv
import io

import pytest
import sqlalchemy as sa

from steelyard.judgments.writing import FORMULA_STARTS, write_columns
from steelyard.storage import schema
from steelyard.study.results.exports import WHAT, export_columns, filled_in_by_raters
from steelyard.study.results.watch import Watch
from steelyard.web.app import create_app
from tests.serving import write_study
from tests.stores import STORES, create_store
from tests.web.conftest import IDS, answer_to, come_from_prolific, csrf_of
from tests.web.test_owner import sign_in

SECRETS = (IDS["PROLIFIC_PID"], f"…{IDS['PROLIFIC_PID'][-4:]}", IDS["SESSION_ID"])
EXTRA = 'prolific = true\nredundancy = 5\ncomment = true\nsurvey = [{id = "job", text = "Your job?"}]'
FORMULA = "=HYPERLINK(1)"
HARMLESS = frozenset(WHAT) - {"pay"}


@pytest.fixture(params=STORES)
def app_and_key(request, tmp_path):
    write_study(tmp_path, extra=EXTRA)
    for name in ("study.db", "database.toml"):
        (tmp_path / name).unlink(missing_ok=True)
    key = create_store(tmp_path, request.param)[1]
    return create_app(tmp_path), key


@pytest.fixture
def session(app_and_key, visit):
    """A study in which somebody from Prolific typed a formula wherever they could, and one task is held."""
    app, _ = app_and_key
    client = visit(app)
    come_from_prolific(client)
    csrf = csrf_of(client.get("/welcome"))
    client.post("/welcome", data={"csrf": csrf, "agree": "1"})
    assert client.post("/survey", data={"csrf": csrf, "q-job": FORMULA}).status_code == 303
    answer = {**answer_to(client.get("/api/task").json()["task"]), "comment": FORMULA}
    assert client.post("/api/answers", json=answer, headers={"X-CSRF-Token": csrf}).status_code == 200
    app.state.session.note("excluded", "r-01", {"reason": FORMULA})
    app.state.session.join(FORMULA, "open")
    return app.state.session


def tables_of(session):
    watch = Watch(session.study, session.log, session.roster)
    for what in WHAT:
        yield what, export_columns(watch, what), watch.survey_ids()


def test_no_table_but_that_of_access_has_the_id_of_a_crowd(session):
    with session.log.reading() as connection:
        for table in schema.metadata.sorted_tables:
            rows = repr(connection.execute(sa.select(table)).all())
            assert (SECRETS[0] in rows) == (table is schema.rater)
            assert (SECRETS[2] in rows) is False


def test_exports_have_pseudonyms_and_pay_has_the_ids_for_paying(session):
    for what, columns, _ in tables_of(session):
        text = repr(columns)
        assert (SECRETS[0] in text) == (what not in HARMLESS)
        assert SECRETS[1] not in text or what not in HARMLESS
        assert ("external_id" in columns) == ("name" in columns) == (what not in HARMLESS)


def test_the_owner_downloads_pseudonyms_and_identities_only_on_request(app_and_key, session, visit):
    owner = sign_in(visit, *app_and_key)
    for what in ("judgments", "scale", "distributions", "raters"):
        assert (
            SECRETS[0]
            not in owner.get(f"/owner/download/{what}.jsonl?identities={int(what != 'raters')}").text
        )
    assert SECRETS[0] not in owner.get("/owner/report").text
    assert SECRETS[0] in owner.get("/owner/download/raters.jsonl?identities=1").text


def test_no_cell_of_any_csv_file_begins_a_formula_that_a_rater_typed(session):
    seen = 0
    for what, columns, survey in tables_of(session):
        file = io.StringIO()
        write_columns(columns, file, "csv", filled_in_by_raters(columns, survey))
        cells = [cell for row in csv.reader(io.StringIO(file.getvalue())) for cell in row]
        assert not [cell for cell in cells if cell.startswith("=")], what
        seen += sum(FORMULA in cell for cell in cells)
    assert seen >= 4
    assert FORMULA.startswith(FORMULA_STARTS)
