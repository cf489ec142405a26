import csv
import json
import os
import re
import signal
import time
from dataclasses import replace
from html import unescape
from types import SimpleNamespace

import pytest

from steelyard import read
from steelyard.errors import WorkerEnded
from steelyard.kinds.comparison import Verdict
from steelyard.storage.database import open_database
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import open_study
from steelyard.study.log.entries import Answer
from steelyard.web import app as app_module
from steelyard.web import owner_charts, owner_items
from steelyard.web.desk import Desk
from tests.serving import FOODS
from tests.study.making import Clock, answer_with, work
from tests.web.conftest import start_rating

PAGES = [
    "/owner",
    "/owner/acts",
    "/owner/live",
    "/owner/items",
    "/owner/raters/r-01",
    "/owner/scale.svg",
    "/owner/report",
]
FILES = [
    f"/owner/download/{what}.{form}"
    for what in ("judgments", "scale", "distributions", "raters", "acts")
    for form in ("csv", "jsonl", "parquet")
]
ACTS = ["/owner/pause", "/owner/resume", "/owner/raters"]
ACTS += [f"/owner/raters/r-01/{act}" for act in ("exclude", "include", "recall")]


@pytest.fixture
def app_and_key(make_app):
    return make_app(extra="redundancy = 2\nprolific = true")


@pytest.fixture
def session(app_and_key):
    session = app_and_key[0].state.session
    for name in ("Ann <i>", "Bob"):
        work(session, session.join(name, "link").id, tasks=1)
    return session


@pytest.fixture
def stranger(app_and_key, session, visit):
    return visit(app_and_key[0])


@pytest.fixture
def owner(app_and_key, session, visit):
    return sign_in(visit, *app_and_key)


def sign_in(visit, app, key):
    client = visit(app, follow=True)
    client.get("/owner/enter", params={"key": key})
    return client


def csrf_of(client):
    return re.search(r'name="csrf" value="([0-9a-f]+)"', client.get("/owner").text).group(1)


def words_of(response):
    spaced = re.sub(r"<(?!/?(bdi|b|span)\b)[^>]+>", " ", response.text)
    return " ".join(unescape(re.sub(r"<[^>]+>", "", spaced)).split())


@pytest.mark.parametrize("path", PAGES + FILES)
def test_no_page_and_no_file_is_open_to_a_stranger(stranger, path):
    assert stranger.get(path).status_code == 403


@pytest.mark.parametrize("path", ACTS)
def test_no_act_is_open_to_a_stranger(stranger, session, path):
    before = session.log.head()
    assert stranger.post(path, data={"csrf": "x"}).status_code == 403
    assert session.log.head() == before


@pytest.mark.parametrize("path", ACTS)
@pytest.mark.parametrize("token", ["", "0" * 64])
def test_no_act_is_done_for_a_form_of_another_page(owner, session, path, token):
    before, raters = session.log.head(), len(session.roster.all())
    assert owner.post(path, data={"csrf": token}).status_code in (403, 422)
    assert (session.log.head(), len(session.roster.all())) == (before, raters)


@pytest.mark.parametrize("path", PAGES)
def test_every_page_opens_for_the_owner(owner, path):
    assert owner.get(path).status_code == 200


@pytest.mark.parametrize(
    ("path", "shows_names"),
    [("/owner", True), ("/owner/raters/r-01", True), ("/owner/live", True), ("/owner/acts", False)],
)
def test_the_name_of_a_rater_cannot_reorder_the_text_around_it(app_and_key, visit, path, shows_names):
    app, key = app_and_key
    session = app.state.session
    name = "ليلى (5)"  # right-to-left, and ends with what a number beside it could join
    work(session, session.join(f"\u202e{name}\u202e", "link").id, tasks=1)
    client = sign_in(visit, app, key)
    client.post("/owner/raters/r-01/exclude", data={"csrf": csrf_of(client)})
    page = client.get(path)
    assert page.status_code == 200
    assert "\u202e" not in page.text
    isolated = page.text.count(f"<bdi>{name}</bdi>")
    in_attributes = len(re.findall(f'="[^"<>]*{re.escape(name)}[^"<>]*"', page.text))
    assert page.text.count(name) == isolated + in_attributes
    assert bool(isolated) == shows_names


def test_the_dashboard_counts_judgments_and_shows_the_scale_as_picture_and_table(owner):
    page = owner.get("/owner")
    page_words = words_of(page)
    assert "Judgments 10 of 20 planned" in page_words
    assert "Active raters 2 of 2" in page_words
    picture = unescape(re.search(r'<img src="([^"]+)"', page.text).group(1))
    drawn = owner.get(picture)
    assert drawn.headers["content-type"] == "image/svg+xml"
    assert drawn.text.startswith("<svg")
    assert "The same numbers as a table" in page_words


def test_the_dashboard_says_which_items_no_judgment_links(make_app, visit):
    app, key = make_app(protocol="comparison", extra='model = "trueskill"')
    session = app.state.session
    rater = session.join("Ann", "link").id
    for _ in range(2):
        assignment = session.next_task(rater).assignment
        session.accept(rater, Answer("", "", assignment.id, (Verdict(1, 0, "left"),), milliseconds=900))
    one, other = (set(session.ledger.tasks[answer.task].items) for answer in session.ledger.answers.values())
    assert not one & other
    page_words = words_of(sign_in(visit, app, key).get("/owner"))
    assert "No judgment links these 2 parts of the items" in page_words


def test_the_dashboard_names_parts_of_the_items_without_a_common_rater(make_app, visit):
    app, key = make_app(extra='model = "steelyard"')
    session = app.state.session
    for name in ("Ann", "Bob"):
        rater = session.join(name, "link").id
        assignment = session.next_task(rater).assignment
        session.accept(
            rater, answer_with(assignment, [10.0 * at for at in range(len(assignment.task.items))])
        )
    one, other = (set(session.ledger.tasks[answer.task].items) for answer in session.ledger.answers.values())
    assert not one & other
    assert "The items form 2 parts without a common rater" in words_of(sign_in(visit, app, key).get("/owner"))


def test_pages_have_no_inline_script_or_style(owner):
    inline = r'<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\s(?:src=|type="application/json"))'
    for path in PAGES[:4]:
        page = owner.get(path).text
        assert not re.search(inline, page), path


def test_names_that_raters_chose_are_shown_as_text(owner):
    assert "Ann <i>" not in owner.get("/owner").text
    assert "Ann &lt;i&gt;" in owner.get("/owner").text


def test_the_live_part_holds_what_changes_and_nothing_else(owner):
    live = owner.get("/owner/live").text
    parts = ("bar", "status", "cards", "scale", "newest", "raters", "collecting")
    for part in parts:
        assert f'id="owner-{part}"' in live
        assert f'id="owner-{part}"' in owner.get("/owner").text
    assert "<html" not in live


def test_pausing_and_resuming_are_logged_and_seen_at_once(owner, session):
    paused = owner.post("/owner/pause", data={"csrf": csrf_of(owner)})
    assert "Paused" in words_of(paused)
    assert session.next_task("r-01").paused
    resumed = owner.post("/owner/resume", data={"csrf": csrf_of(owner)})
    assert "Collecting since" in words_of(resumed)
    assert not session.next_task("r-01").paused


def test_a_rater_is_excluded_with_a_reason_and_included_again(owner, session):
    form = {"csrf": csrf_of(owner), "reason": "  answered <at> random "}
    page = owner.post("/owner/raters/r-02/exclude", data=form)
    assert "Excluded: answered <at> random" in words_of(page)
    assert session.record("r-02").excluded
    assert "Judgments 5 of 20 planned" in words_of(page)
    page = owner.post("/owner/raters/r-02/include", data={"csrf": csrf_of(owner)})
    assert not session.record("r-02").excluded
    assert "Judgments 10 of 20 planned" in words_of(page)


def test_a_rater_who_was_stopped_early_is_shown_and_reinstated(app_and_key, session, visit):
    session.note("stopped_early", "r-02")  # before the owner comes, whose page may then rest for a while
    owner = sign_in(visit, *app_and_key)
    assert "Stopped early" in words_of(owner.get("/owner"))
    report = words_of(owner.get("/owner/report"))
    assert "Stopped early answers carried too little information" in report
    assert "stopped_early" in owner.get("/owner/download/raters.csv").text
    page = words_of(owner.get("/owner/raters/r-02"))
    assert "so this rater receives no new tasks" in page
    assert "Reinstate rater" in page
    assert session.next_task("r-02").finished
    owner.post("/owner/raters/r-02/recall", data={"csrf": csrf_of(owner)})
    assert "Stopped early" not in words_of(owner.get("/owner"))
    assert session.next_task("r-02").assignment is not None


def test_an_unknown_rater_or_question_is_not_found(owner, session):
    before = session.log.head()
    assert owner.get("/owner/raters/r-99").status_code == 404
    assert owner.post("/owner/raters/r-99/exclude", data={"csrf": csrf_of(owner)}).status_code == 404
    assert owner.get("/owner", params={"question": "colour"}).status_code == 404
    assert session.log.head() == before


def test_a_new_rater_gets_a_link_that_works(owner, session, stranger):
    page = owner.post("/owner/raters", data={"csrf": csrf_of(owner), "name": "Amara"})
    rater = session.roster.all()[-1]
    assert (rater.name, rater.source) == ("Amara", "link")
    link = re.search(rf'value="([^"]+/r/{rater.token})"', page.text).group(1)
    assert stranger.get(link).status_code == 303


def test_the_prolific_link_carries_prolifics_placeholders(owner):
    field = unescape(re.search(r'id="link-prolific" value="([^"]+)"', owner.get("/owner").text).group(1))
    assert field.endswith(
        "/p?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    )


def test_there_is_no_prolific_link_unless_the_study_is_on_prolific(make_app, visit):
    assert "link-prolific" not in sign_in(visit, *make_app()).get("/owner").text


def test_links_are_listed_of_people_only(owner, session):
    for source in ("open", "prolific", "simulated", "file"):
        session.join(f"came by {source}", source)
    owner.post("/owner/raters", data={"csrf": csrf_of(owner), "name": "Amara"})
    listed = set(re.findall(r"aria-label=\"Link of ([^\"]+)\"", owner.get("/owner").text))
    assert listed == {"Ann &lt;i&gt;", "Bob", "Amara", "came by open", "came by prolific"}


def test_comments_are_shown_on_the_raters_page_newest_first_and_as_text(make_app, visit):
    app, key = make_app(protocol="rating", extra="comment = true")
    session = app.state.session
    rater = session.join("Ines", "link").id
    for comment in ("the first", "", "then <b>this</b>"):
        assignment = session.next_task(rater).assignment
        if assignment is not None:
            session.accept(rater, replace(answer_with(assignment), comment=comment))
    page = sign_in(visit, app, key).get(f"/owner/raters/{rater}")
    assert page.text.index("then &lt;b&gt;this&lt;/b&gt;") < page.text.index("the first")


def test_a_raters_token_does_not_open_the_owners_forms(make_app, visit):
    app, key = make_app()
    client = visit(app)
    raters_token = start_rating(client)
    client.get("/owner/enter", params={"key": key})
    head = app.state.session.log.head()
    assert client.post("/owner/pause", data={"csrf": raters_token}).status_code == 403
    assert app.state.session.log.head() == head


def test_the_owners_token_does_not_open_a_raters_forms(make_app, visit):
    app, key = make_app()
    client = visit(app)
    start_rating(client)
    client.get("/owner/enter", params={"key": key})
    sent = client.post("/welcome", data={"csrf": csrf_of(client), "agree": "1"})
    assert sent.status_code == 403


def test_items_are_found_by_any_part_of_their_text(owner, session):
    work(session, "r-01")
    page_words = words_of(owner.get("/owner/items", params={"find": "SOUP"}))
    assert "1 item of 10 with “SOUP”" in page_words
    assert "A bowl of lentil soup" in page_words
    assert "Green tea" not in page_words


def test_downloads_hold_what_the_study_has(owner, tmp_path):
    saved = tmp_path / "judgments.csv"
    saved.write_bytes(owner.get("/owner/download/judgments.csv").content)
    assert len(read(saved, "rating")) == 10
    lines = owner.get("/owner/download/scale.jsonl").text.splitlines()
    assert {"item", "position", "low", "high", "rank"} <= set(json.loads(lines[0]))
    parquet = owner.get("/owner/download/raters.parquet")
    assert parquet.content[:4] == b"PAR1"
    assert 'filename="raters.parquet"' in parquet.headers["content-disposition"]


def test_a_download_of_anything_else_is_refused(owner):
    assert owner.get("/owner/download/keys.csv").status_code == 422
    assert owner.get("/owner/download/scale.xlsx").status_code == 422


def test_the_report_has_a_policy_of_its_own_and_no_names(owner):
    report = owner.get("/owner/report")
    assert report.headers["content-security-policy"].startswith(
        "default-src 'none'; style-src 'unsafe-inline'"
    )
    assert "Bob" not in words_of(report)


def test_a_study_without_answers_says_what_to_do(make_app, visit):
    browser = sign_in(visit, *make_app(items=FOODS[:2]))
    page_words = words_of(browser.get("/owner"))
    assert "No judgments yet. Send a link to a rater" in page_words
    assert "No raters yet." in page_words
    assert browser.get("/owner/scale.svg").status_code == 200
    assert browser.get("/owner/download/scale.csv").text.startswith("item,position")


def test_a_failed_refit_is_on_the_owners_page_and_raters_go_on(make_app, visit, monkeypatch):
    app, key = make_app(extra='redundancy = 4\nmodel = "steelyard"\nselection = "information"')
    session = app.state.session
    model = type(session.study.definition.make_model())

    def fail(*arguments):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(model, "believe", fail)
    rater = session.join("Ann", "link").id
    work(session, rater, tasks=1)
    session.next_task(rater)
    session.follower._background.submit(int).result()  # what was asked of the background before is done
    assert session.next_task(rater).assignment is not None
    page = sign_in(visit, app, key).get("/owner")
    assert page.status_code == 200
    assert "out of memory" in words_of(page)


def test_items_added_beside_a_running_server_reach_its_raters_and_its_owner(make_app, visit):
    folders = []
    app, key = make_app(folders.append, extra="redundancy = 2")
    owner, rater = sign_in(visit, app, key), visit(app)
    start_rating(rater)
    assert owner.get("/owner").status_code == 200
    items = folders[0] / "items.csv"
    with items.open("a") as file:
        file.write("added,Added\n")
    database = open_database(folders[0])
    beside = Session(open_study(folders[0]), database, database, time.time)
    beside.batch(40)
    assert "added" in {item for task in beside.ledger.tasks.values() for item in task.items}
    assert rater.get("/api/task").status_code == 200
    for page in ("/owner", "/owner/report", "/owner/live"):
        assert owner.get(page).status_code == 200
    assert len(app.state.session.study.items) == len(beside.study.items)


@pytest.mark.parametrize(
    ("extra", "stop", "words"),
    [
        ("redundancy = 1", "", "Finished"),
        ("redundancy = 9", "[stop]\nbudget = 5", "Budget spent"),
    ],
)
def test_a_study_that_needs_no_more_answers_is_not_called_collecting(make_app, visit, extra, stop, words):
    app, key = make_app(extra=extra, scale=f"\n{stop}\n")
    session = app.state.session
    owner = sign_in(visit, app, key)
    work(session, session.join("Ann", "link").id, tasks=1)
    if not stop:
        assert "Collecting since" in owner.get("/owner").text
        work(session, "r-01")
    page = owner.get("/owner").text
    assert "Collecting since" not in page
    assert f'id="progress-state" role="status">{words}<' in page
    assert "no more answers are needed" in words_of(owner.get("/owner/live"))


def abort(picture):
    """Draw as the chart library does what it cannot draw."""
    os.abort()


def test_a_chart_that_ends_its_process_is_replaced_by_a_picture_that_says_so(owner, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(owner_charts, "draw_scale", abort)
        failed = owner.get("/owner/scale.svg")
        assert owner.get("/owner").status_code == 200
    assert failed.status_code == 500
    assert failed.headers["content-type"] == "image/svg+xml"
    assert failed.headers["cache-control"] == "no-store"
    assert "could not be drawn" in failed.text
    again = owner.get("/owner/scale.svg")
    assert again.status_code == 200
    assert "could not be drawn" not in again.text


def test_items_with_control_characters_are_shown_and_drawn(make_app, visit):
    app, key = make_app(items=[("a", "Tea\x01\x1f"), ("b", "Soup\x7f"), *FOODS[:3]])
    session = app.state.session
    work(session, session.join("Ann", "link").id)
    owner = sign_in(visit, app, key)
    for path in PAGES:
        assert owner.get(path).status_code == 200
    assert "Tea" in owner.get("/owner/scale.svg").text


def test_the_page_follows_the_log_when_the_time_of_day_is_set_back(make_app, visit, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(app_module, "time", SimpleNamespace(time=clock))
    app, key = make_app(extra="redundancy = 9")
    session = app.state.session
    ann = session.join("Ann", "link").id
    owner = sign_in(visit, app, key)
    for judgments in (5, 10):
        work(session, ann, tasks=1)
        assert f"Judgments {judgments} of" in words_of(owner.get("/owner"))
        clock.pass_minutes(-60)


def test_the_page_follows_items_that_are_added_while_the_study_runs(make_app, visit):
    app, key = make_app(items=FOODS[:5], extra="redundancy = 1")
    session = app.state.session
    work(session, session.join("Ann", "link").id)
    owner = sign_in(visit, app, key)
    assert "5 items on the scale" in words_of(owner.get("/owner/items"))
    with (session.study.folder / "items.csv").open("a", encoding="utf-8") as file:
        file.writelines(f'{name},"{text}"\n' for name, text in FOODS[5:])
    take_up_items(session)
    work(session, "r-01")
    assert "10 items on the scale" in words_of(owner.get("/owner/items"))
    assert owner.get("/owner/download/scale.csv").text.count("\n") == 11
    assert owner.get("/owner/report").status_code == 200


def take_up_items(session):
    """What a session does when it finds more items in the study's file."""
    session.follower.study = open_study(session.study.folder)
    session.follower.restart()


def test_what_raters_typed_does_not_begin_a_formula_in_a_downloaded_table(owner, session):
    for name in ("=1+1", "+1", "-1", "@SUM(A1)"):
        session.join(name, "open", key=name)
    table = owner.get("/owner/download/raters.csv?identities=1").text
    rows = list(csv.DictReader(table.splitlines()))
    assert [row["name"] for row in rows[2:]] == ["'=1+1", "'+1", "'-1", "'@SUM(A1)"]
    assert [row["external_id"] for row in rows[2:]] == ["'=1+1", "'+1", "'-1", "'@SUM(A1)"]
    lines = owner.get("/owner/download/raters.jsonl?identities=1").text.splitlines()
    assert [json.loads(line)["name"] for line in lines[2:]] == ["=1+1", "+1", "-1", "@SUM(A1)"]


def test_a_thousand_raters_are_listed_a_page_at_a_time(owner, session):
    for at in range(1000):
        session.join(f"rater {at}", "open")
    page = owner.get("/owner", params={"show": "all"}).text
    assert page.count("<tr data-key=") == 100
    assert "1 to 100 of 1,002" in words_of(owner.get("/owner", params={"show": "all"}))
    last = owner.get("/owner", params={"show": "all", "start": 1000})
    assert last.text.count("<tr data-key=") == 2
    assert 'rel="next"' not in last.text
    assert "999 more links" in words_of(last)
    assert last.text.count('aria-label="Link of') == 50
    assert owner.get("/owner", params={"start": -1}).status_code == 422


def test_items_are_listed_a_page_at_a_time(make_app, visit, monkeypatch):
    monkeypatch.setattr(owner_items, "ITEMS_SHOWN", 4)
    app, key = make_app(extra="redundancy = 1")
    session = app.state.session
    work(session, session.join("Ann", "link").id)
    owner = sign_in(visit, app, key)
    assert "1 to 4 of 10" in words_of(owner.get("/owner/items"))
    last = owner.get("/owner/items", params={"start": 8})
    assert "9 to 10 of 10" in words_of(last)
    assert last.text.count('<th scope="row"') == 2


@pytest.mark.parametrize(
    ("extra", "stop", "status"),
    [("redundancy = 1", "", "Finished"), ("redundancy = 9", "[stop]\nbudget = 5", "Budget spent")],
)
def test_the_page_says_why_a_study_collects_no_more(make_app, visit, extra, stop, status):
    app, key = make_app(extra=extra, scale=f"\n{stop}\n")
    session = app.state.session
    work(session, session.join("Ann", "link").id)
    page = sign_in(visit, app, key).get("/owner")
    assert f'id="progress-state" role="status">{status}<' in page.text
    assert "Collecting since" not in page.text
    assert "To collect more" in words_of(page)


def without_convergence(overview):
    """The overview of a study with one question, whose model did not converge."""
    [view] = overview.views
    fit = replace(view.fit, provenance=replace(view.fit.provenance, converged=False))
    return replace(
        overview, views=(replace(view, fit=fit, question=replace(view.question, text="Is <this> good?")),)
    )


def test_notices_are_shown_on_the_page_and_kept_up_to_date(app_and_key, owner, monkeypatch):
    assert 'id="owner-notices"' in owner.get("/owner").text
    plain = Desk.overview
    monkeypatch.setattr(Desk, "overview", lambda desk, arm: without_convergence(plain(desk, arm)))
    for path in ("/owner", "/owner/live"):
        assert "The model for “Is &lt;this&gt; good?” did not converge." in owner.get(path).text


def test_an_overview_whose_process_ended_is_reported_and_made_again(session):
    desk = Desk(session)
    desk.overview()
    os.kill(desk._watcher.pid, signal.SIGKILL)
    with pytest.raises(WorkerEnded):
        desk.overview()
    assert desk.overview().judgments == 10


def test_a_viewer_reads_results_but_changes_nothing_and_sees_no_links(make_app, visit):
    app, _ = make_app()
    database = app.state.session.log
    viewer = visit(app)
    entered = viewer.get(f"/owner/enter?key={database.add_key('lab', 'viewer', 5.0)}")
    assert entered.headers["location"] == "/owner/report"
    assert viewer.get("/owner/report").status_code == 200
    assert viewer.get("/owner/download/scale.csv").status_code == 200
    for path in ("/owner", "/owner/live", "/owner/items", "/owner/download/raters.csv"):
        refused = viewer.get(path)
        assert refused.status_code == 403
        assert "allows reading" in refused.text
    assert viewer.post("/owner/pause", data={"csrf": "x"}).status_code == 403
    database.revoke_key("lab")
    assert viewer.get("/owner/report").status_code == 403
