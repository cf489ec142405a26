"""Pages around the tasks: instructions after the training, and the last pages with their codes."""

from tests.web.conftest import IDS, answer_to, come_from_prolific, csrf_of, start_rating

CODES = """
prolific = true
completion_code = "DONE1"
full_code = "FULL2"
screened_out_code = "OUT3"
failed_checks_code = "FAILED4"
redundancy = 1
"""
TRAINED = "\n[training]\ninterface = true\n"
ONE = [("a", "one")]


def prolific(number):
    return {"PROLIFIC_PID": f"person{number}", "SESSION_ID": f"se{number}"}


def agree(client):
    csrf = csrf_of(client.get("/welcome"))
    client.post("/welcome", data={"csrf": csrf, "agree": "1"})
    return csrf


def answer_all(client, csrf, score=40.0):
    state = client.get("/api/task").json()
    while state["state"] == "task":
        sent = client.post(
            "/api/answers", json=answer_to(state["task"], score), headers={"X-CSRF-Token": csrf}
        )
        state = sent.json()
    return state


def test_a_late_visitor_from_prolific_gets_the_code_of_a_full_study_and_no_training(make_app, visit):
    app, _ = make_app(protocol="rating", items=ONE, extra=CODES + TRAINED)
    early, late = visit(app), visit(app, follow=True)
    come_from_prolific(early, **prolific(1))
    csrf = agree(early)
    app.state.session.note("trained", app.state.session.roster.all()[0].id)
    answer_all(early, csrf)
    assert "complete?cc=DONE1" in early.get("/thanks").text
    shown = late.get("/p", params={**IDS, **prolific(2)})
    assert "needs no more answers" in shown.text
    assert "complete?cc=FULL2" in shown.text
    assert "DONE1" not in shown.text
    assert len(app.state.session.roster.all()) == 1
    for page in ("/training", "/welcome", "/task"):
        assert late.get(page).status_code == 403


def test_the_largest_number_of_raters_makes_a_study_full(make_app, visit):
    app, _ = make_app(protocol="rating", extra=CODES + "most_raters = 1\ntasks_per_rater = 1\n")
    first, second = visit(app), visit(app, follow=True)
    come_from_prolific(first, **prolific(1))
    agree(first)
    assert "FULL2" in come_from_prolific(second, **prolific(2)).text
    assert first.get("/api/task").json()["state"] == "task"


def test_a_rater_whom_the_survey_screens_out_gets_the_code_for_it_and_no_tasks(make_app, visit):
    survey = """
[[survey]]
id = "native"
text = "Native?"
kind = "choice"
choices = ["yes", "no"]
screen_out = ["no"]
"""
    app, _ = make_app(protocol="rating", extra=CODES + survey)
    client = visit(app, follow=True)
    come_from_prolific(client, **prolific(1))
    csrf = agree(client)
    shown = client.post("/survey", data={"csrf": csrf, "q-native": "no"})
    assert "cannot take part" in shown.text
    assert "complete?cc=OUT3" in shown.text
    kept = visit(app, follow=True)
    come_from_prolific(kept, **prolific(2))
    csrf = agree(kept)
    kept.post("/survey", data={"csrf": csrf, "q-native": "yes"})
    assert kept.get("/api/task").json()["state"] == "task"


def test_a_rater_who_fails_checks_reads_why_and_gets_the_code_for_it(make_app, visit):
    checks = """
[checks]
rate = 0.5
[[checks.tasks]]
item = "c"
answer = 90
[[checks.rules]]
act = "end"
message = "The check was not passed."
"""
    items = [*((f"i{at}", "x") for at in range(9)), ("c", "y")]
    app, _ = make_app(protocol="rating", items=items, extra=CODES + checks)
    client = visit(app)
    come_from_prolific(client, **prolific(1))
    assert answer_all(client, agree(client), 10.0)["state"] == "finished"
    shown = client.get("/thanks")
    assert "The check was not passed." in shown.text
    assert "complete?cc=FAILED4" in shown.text
    assert not app.state.session.ledger.answered.any()


def test_a_warning_is_shown_above_the_next_task(make_app, visit):
    app, _ = make_app(protocol="rating", extra="[checks]\nleast_seconds = 5\n")
    client = visit(app)
    csrf = start_rating(client)
    task = client.get("/api/task").json()
    assert task["notice"] == ""
    following = client.post(
        "/api/answers", json=answer_to(task["task"]), headers={"X-CSRF-Token": csrf}
    ).json()
    assert "very quickly" in following["notice"]
    refusing = visit(
        make_app(protocol="rating", extra='[checks]\nleast_seconds = 5\ntoo_fast = "refuse"\n')[0]
    )
    csrf = start_rating(refusing)
    task = refusing.get("/api/task").json()["task"]
    refused = refusing.post("/api/answers", json=answer_to(task), headers={"X-CSRF-Token": csrf})
    assert (refused.status_code, "at least 5 seconds" in refused.json()["message"]) == (422, True)


def test_the_survey_after_the_tasks_comes_before_the_completion_code(make_app, visit):
    survey = '\n[[survey]]\nid = "hard"\ntext = "Was it hard?"\nwhen = "after"\nrequired = false\n'
    app, _ = make_app(protocol="rating", items=ONE, extra=CODES + survey)
    client = visit(app, follow=True)
    come_from_prolific(client, **prolific(1))
    csrf = agree(client)
    answer_all(client, csrf)
    shown = client.get("/thanks")
    assert shown.url.path == "/survey"
    assert "Was it hard?" in shown.text
    ended = client.post("/survey", data={"csrf": csrf, "q-hard": "no"})
    assert "complete?cc=DONE1" in ended.text
    rater = app.state.session.roster.all()[0].id
    assert app.state.session.record(rater).survey == {"hard": "no"}


def test_instructions_of_the_training_follow_the_interface_training(make_app, visit):
    training = '[training]\ninterface = true\ninstructions = "Think of a *hungry* person."\n'
    app, _ = make_app(protocol="rating", extra=training)
    client = visit(app, follow=True)
    csrf = start_rating(visit_without_redirects := visit(app))
    rater = app.state.session.roster.all()[0]
    client.get(f"/r/{rater.token}")
    assert client.get("/task").url.path == "/training"
    app.state.session.note("trained", rater.id)
    assert visit_without_redirects.get("/api/task").status_code == 403
    shown = client.get("/task")
    assert shown.url.path == "/instructions"
    assert "<em>hungry</em>" in shown.text
    visit_without_redirects.post("/instructions", data={"csrf": csrf})
    assert visit_without_redirects.get("/api/task").json()["state"] == "task"
