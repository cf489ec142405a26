"""Pages of a study with arms."""

from steelyard.storage.database import open_database
from tests.web.conftest import IDS, answer_to, come_from_prolific, csrf_of, start_rating

ARMS = """
redundancy = 5

[[condition]]
name = "short-arm"
raters = 2
instructions = "Instructions of the slider arm."

[[condition]]
name = "long-arm"
raters = 2
protocol = "list"
list_size = 3
instructions = "Instructions of the list arm."
completion_code = "LIST"
[condition.training]
interface = true
"""
TEXTS = {"short-arm": "Instructions of the slider arm.", "long-arm": "Instructions of the list arm."}


def arm_of(app, name):
    session = app.state.session
    (rater,) = [each for each in session.roster.all() if each.name == name]
    return session.record(rater.id).condition


def test_two_raters_land_in_two_arms_and_see_only_their_own(make_app, visit):
    app, _ = make_app(protocol="rating", extra=ARMS)
    arms = {}
    for name in ("Ines", "Omar"):
        client = visit(app)
        csrf = csrf_of(client.get("/join"))
        client.post("/join", data={"csrf": csrf, "name": name})
        arms[name] = arm_of(app, name)
        welcome = client.get("/welcome").text
        assert [text in welcome for text in TEXTS.values()] == [each == arms[name] for each in TEXTS]
        assert "-arm" not in welcome
        client.post("/welcome", data={"csrf": csrf_of(client.get("/welcome")), "agree": "1"})
        if arms[name] == "long-arm":
            assert client.get("/task").headers["location"] == "/training"
            assert client.get("/api/training").json()["task"]["protocol"] == "list"
        else:
            task = client.get("/api/task").json()["task"]
            assert task["protocol"] == "rating"
            headers = {"X-CSRF-Token": csrf_of(client.get("/task"))}
            assert client.post("/api/answers", json=answer_to(task), headers=headers).status_code == 200
    assert set(arms.values()) == {"short-arm", "long-arm"}


def test_a_full_study_says_so(make_app, visit):
    app, _ = make_app(protocol="rating", extra=ARMS)
    for name in "abcd":
        start_rating(visit(app), name)
    assert "needs no more answers" in visit(app).get("/join").text


def test_the_join_address_carries_the_stratum(make_app, visit):
    strata = '[assignment]\nstrata = ["source"]\n'
    app, _ = make_app(protocol="rating", extra=ARMS + strata)
    client = visit(app)
    page = client.get("/join?source=mail&other=1")
    assert 'action="/join?source=mail"' in page.text
    client.post("/join?source=mail", data={"csrf": csrf_of(page), "name": "Ines"})
    session = app.state.session
    assert session.record(session.roster.all()[0].id).stratum == ("mail",)


def test_a_person_of_an_excluded_study_is_told_politely_and_not_added(make_app, visit):
    first, _ = make_app(protocol="rating", extra="prolific = true")
    come_from_prolific(visit(first), PROLIFIC_PID="abc")
    folder = first.state.session.study.folder
    second, _ = make_app(
        protocol="rating", extra=f'prolific = true\nexclude_raters_of = ["../{folder.name}"]'
    )
    page = visit(second).get("/p", params={**IDS, "PROLIFIC_PID": "abc"})
    assert page.status_code == 200
    assert "already taken part" in page.text
    assert not open_database(second.state.session.study.folder).all()
    assert come_from_prolific(visit(second), PROLIFIC_PID="xyz").status_code == 303


def test_the_owner_sees_one_arm_at_a_time_and_the_comparison(make_app, visit):
    quick = 'model = "direct_assessment"\n'
    arms = '[[condition]]\nname = "one"\n[[condition]]\nname = "two"\nscale = {labels = ["Low", "High"]}\n'
    app, key = make_app(protocol="rating", extra=quick + arms)
    for name in ("Ines", "Omar"):
        client = visit(app)
        headers = {"X-CSRF-Token": start_rating(client, name)}
        task = client.get("/api/task").json()["task"]
        client.post("/api/answers", json=answer_to(task), headers=headers)
    owner = visit(app)
    owner.get(f"/owner/enter?key={key}")
    first, second = (owner.get(f"/owner?condition={name}").text for name in ("one", "two"))
    assert "It cannot be determined yet which way of asking works better" in first
    shown = {arm_of(app, name): name for name in ("Ines", "Omar")}
    assert (shown["one"] in first, shown["two"] in first) == (True, False)
    assert (shown["one"] in second, shown["two"] in second) == (False, True)
    assert "condition=two" in second
    assert shown["two"] in owner.get("/owner/live").text
    judgments = owner.get("/owner/download/judgments.csv").text
    assert ",one," in judgments
    assert ",two," in judgments
