"""Ranges, anchors, training, the cold start and rounds over the wire."""

import pytest

from tests.web.conftest import csrf_of, start_rating
from tests.web.pictures import only_pictures

ANCHORED = '[anchors]\nfile = "anchors.csv"\n[rounds]\nnumber = 2\n'
FILES = [(f"i{at}", f"{at}.png") for at in range(5)]
TRAINED = (
    '[training]\ninstructions = "Mind the *size*."\n[[training.tasks]]\ntext = "Bread"\nlow = 30\nhigh = 50\n'
)


def anchors_file(folder):
    (folder / "anchors.csv").write_text("item,low,high\ntea,5,10\nsoup,40,60\nburger,80,95\n")


def bounds(task, low=30.0, high=45.0, **sent_fields):
    cell = {"item": 0, "question": 0, "low": low, "high": high, **sent_fields}
    return {"assignment": task["assignment"], "answers": [cell], "milliseconds": 900}


@pytest.fixture
def ranging(make_app, visit):
    """A rater's browser on a range study, and the headers of its answers."""

    def build(extra="", change=None, scale="", **settings):
        app, key = make_app(protocol="range", extra=extra, change=change, scale=scale, **settings)
        client = visit(app)
        return client, {"X-CSRF-Token": start_rating(client)}, (app, key)

    return build


@pytest.fixture
def owning(visit):
    """The owner's browser on an application, and its token."""

    def build(app, key):
        client = visit(app)
        client.get(f"/owner/enter?key={key}")
        return client, csrf_of(client.get("/owner"))

    return build


def test_a_range_task_tells_its_words_its_scale_and_its_anchors(ranging):
    client, headers, _ = ranging(ANCHORED, anchors_file, scale="beyond = true")
    task = client.get("/api/task").json()["task"]
    (question,) = task["questions"]
    assert (question["lower"], question["not_higher"]) == ("definitely lower", "not higher")
    assert question["scale"]["zoom"] is True
    assert question["scale"]["beyond"] is True
    assert task["labels_shown"] is True
    assert task["anchors_spread"] == {"most": 7, "distance": 0.08}
    assert 2 <= len(task["anchors"]) <= 3
    for anchor in task["anchors"]:
        assert set(anchor) == {"kind", "text", "low", "high", "own"}
        assert anchor["own"] is False
    sent = client.post("/api/answers", json=bounds(task), headers=headers).json()
    own = [anchor for anchor in sent["task"]["anchors"] if anchor["own"]]
    assert [(each["low"], each["high"]) for each in own] in ([(30.0, 45.0)], [])


def test_ids_of_anchors_stay_on_the_server(ranging):
    items = [(f"secret-{at}", f"text {at}") for at in range(4)]

    def change(folder):
        (folder / "anchors.csv").write_text("item,position\nsecret-0,10\nsecret-1,50\n")

    client, *_ = ranging('[anchors]\nfile = "anchors.csv"\n', change, items=items)
    page = client.get("/api/task")
    assert page.json()["task"]["anchors"]
    assert "secret" not in page.text


def test_plain_studies_show_labels_and_no_zoom(make_app, visit):
    app, _ = make_app(protocol="rating")
    client = visit(app)
    start_rating(client)
    task = client.get("/api/task").json()["task"]
    assert (task["anchors"], task["labels_shown"]) == ([], True)
    assert task["questions"][0]["scale"]["zoom"] is False


@pytest.mark.parametrize(
    "sent_fields",
    [
        {"low": 60.0, "high": 40.0},
        {"low": 10.0, "high": 400.0, "outside": True},
        {"low": 10.0, "high": None},
        {"low": "10"},
        {"kept_low": True},
        {"score": 40},
        {"cannot_judge": True},
        {"outside": 1},
    ],
)
def test_bounds_that_do_not_fit_are_refused(ranging, sent_fields):
    client, headers, _ = ranging()
    task = client.get("/api/task").json()["task"]
    assert client.post("/api/answers", json=bounds(task, **sent_fields), headers=headers).status_code == 422
    assert client.get("/api/task").json()["task"]["assignment"] == task["assignment"]


def test_kept_bounds_and_cannot_judge_are_answers(ranging):
    client, headers, _ = ranging()
    for sent_fields in ({"low": 0.0, "kept_low": True}, {"low": None, "high": None, "cannot_judge": True}):
        task = client.get("/api/task").json()["task"]
        assert client.post("/api/answers", json=bounds(task, **sent_fields), headers=headers).json()[
            "accepted"
        ]


def test_a_rating_past_the_scale_carries_its_mark(make_app, visit):
    app, _ = make_app(protocol="rating", scale="beyond = true")
    client = visit(app)
    headers = {"X-CSRF-Token": start_rating(client)}
    task = client.get("/api/task").json()["task"]
    cell = {"item": 0, "question": 0, "score": 120.0}
    answer = {"assignment": task["assignment"], "answers": [cell]}
    assert client.post("/api/answers", json=answer, headers=headers).status_code == 422
    answer["answers"] = [{**cell, "outside": True}]
    assert client.post("/api/answers", json=answer, headers=headers).status_code == 200


def test_training_is_gated_and_says_what_is_wrong(ranging):
    client, headers, _ = ranging(TRAINED)
    assert client.get("/task").headers["location"] == "/training"
    assert client.get("/api/task").status_code == 403
    assert client.get("/training").status_code == 200
    state = client.get("/api/training").json()
    assert (state["state"], state["at"], state["of"]) == ("training", 0, 2)
    assert state["task"]["assignment"] == "training-0"
    assert len(state["task"]["anchors"]) == 6

    def attempt(number, step, low, high):
        cell = {"item": 0, "question": 0, "low": low, "high": high}
        sent_fields = {"task": number, "step": step, "answers": [cell]}
        return client.post("/api/training", json=sent_fields, headers=headers).json()

    wrong = attempt(0, 1, 90.0, None)
    assert (wrong["right"], wrong["done"]) == (False, False)
    assert "too far up" in wrong["feedback"]
    right = {"right": True, "feedback": "That is right.", "done": False, "items": [], "examples": []}
    assert attempt(0, 1, 40.0, None) == right
    assert attempt(0, 2, 40.0, 42.0)["done"]
    state = client.get("/api/training").json()
    assert state["at"] == 1
    assert "<em>size</em>" in state["instructions_html"]
    assert state["task"]["items"][0]["text"] == "Bread"
    assert attempt(1, None, 31.0, 52.0)["done"]
    assert client.get("/api/training").json()["state"] == "done"
    assert client.get("/training").headers["location"] == "/task"
    assert client.get("/api/task").json()["state"] == "task"


def test_practice_pictures_are_drawn_and_can_run_nothing(ranging):
    client, *_ = ranging(TRAINED)
    task = client.get("/api/training").json()["task"]
    for shown in [*task["items"], *task["anchors"]]:
        picture = client.get(shown["url"])
        assert picture.headers["content-type"] == "image/svg+xml"
        assert "sandbox" in picture.headers["content-security-policy"]
        assert picture.text.startswith("<svg")
        assert shown["alt"]
    assert client.get("/training/media/0/99").status_code == 404
    assert client.get("/training/media/7/0").status_code == 404


def test_training_needs_consent_and_a_token(make_app, visit):
    app, _ = make_app(protocol="range", extra=TRAINED)
    client = visit(app)
    sent_fields = {"task": 0, "step": None, "answers": []}
    assert client.get("/api/training").status_code == 403
    csrf = csrf_of(client.get("/join"))
    client.post("/join", data={"csrf": csrf, "name": "Ines"})
    assert client.get("/api/training").status_code == 403
    assert client.get("/training").headers["location"] == "/welcome"
    csrf = csrf_of(client.get("/welcome"))
    client.post("/welcome", data={"csrf": csrf, "agree": "1"})
    assert client.post("/api/training", json=sent_fields).status_code == 403
    assert client.post("/api/training", json=sent_fields, headers={"X-CSRF-Token": csrf}).status_code == 422


def test_a_study_without_training_has_no_such_page(ranging):
    client, *_ = ranging()
    assert client.get("/training").status_code == 404
    assert client.get("/api/cold-start").status_code == 404


def draw_and_place(client, csrf):
    headers = {"X-CSRF-Token": csrf}
    assert client.get("/api/cold-start").json()["state"] == "draw"
    drawn = client.post("/api/cold-start/draw", json={"keep": []}, headers=headers).json()
    keep = [item["index"] for item in drawn["items"][:2]]
    drawn = client.post("/api/cold-start/draw", json={"keep": keep}, headers=headers).json()
    assert [item["index"] for item in drawn["items"][:2]] == keep
    assert {item["index"] for item in drawn["items"]}.isdisjoint(item["index"] for item in drawn["dropped"])
    keep = [item["index"] for item in drawn["items"]]
    assert client.post("/api/cold-start/agree", json={}, headers=headers).status_code == 422
    agreed = client.post("/api/cold-start/agree", json={"keep": keep}, headers=headers).json()
    assert (agreed["state"], agreed["dropped"], agreed["reopens"]) == ("place", [], True)
    assert [item["index"] for item in agreed["items"]] == keep
    positions = [{"index": item["index"], "position": 20.0 * at} for at, item in enumerate(agreed["items"])]
    short = client.post("/api/cold-start/place", json={"positions": positions[1:]}, headers=headers)
    assert short.status_code == 422
    return client.post("/api/cold-start/place", json={"positions": positions}, headers=headers).json()


def test_the_owner_places_the_first_examples_and_raters_wait(ranging, owning):
    rater, _, (app, key) = ranging("[cold_start]\nsize = 5\nlabelled = false\n")
    assert rater.get("/api/task").json()["state"] == "paused"
    assert rater.get("/api/cold-start").status_code == 403
    owner, csrf = owning(app, key)
    assert owner.get("/cold-start").status_code == 200
    state = owner.get("/api/cold-start").json()
    assert (state["size"], state["labelled"], state["items"]) == (5, False, [])
    assert owner.post("/api/cold-start/draw", json={"keep": []}).status_code == 403
    assert draw_and_place(owner, csrf)["state"] == "done"
    assert len(rater.get("/api/task").json()["task"]["anchors"]) >= 4


def test_raters_place_the_first_examples_where_the_study_says_so(ranging, owning):
    rater, headers, (app, key) = ranging('[cold_start]\nsize = 3\nby = "raters"\n')
    assert rater.get("/task").headers["location"] == "/cold-start"
    assert rater.get("/cold-start").status_code == 200
    owner, _ = owning(app, key)
    assert owner.get("/api/cold-start").status_code == 403
    assert draw_and_place(rater, headers["X-CSRF-Token"])["state"] == "done"
    assert rater.get("/cold-start").headers["location"] == "/task"
    assert rater.get("/api/task").json()["task"]["anchors"]


def test_the_owner_goes_back_to_choosing_and_takes_more_than_one_draw_gave(ranging, owning):
    _, _, (app, key) = ranging("[cold_start]\nsize = 2\n")
    owner, csrf = owning(app, key)
    headers = {"X-CSRF-Token": csrf}

    def act(name, **sent_fields):
        return owner.post(f"/api/cold-start/{name}", json=sent_fields, headers=headers)

    first = [item["index"] for item in act("draw", keep=[]).json()["items"]]
    act("agree", keep=first)
    assert owner.post("/api/cold-start/reopen", json={}).status_code == 403
    again = act("reopen").json()
    assert (again["state"], again["reopens"]) == ("draw", False)
    assert [item["index"] for item in again["items"]] == first
    drawn = act("draw", keep=first[:1]).json()
    assert [item["index"] for item in drawn["dropped"]] == first[1:]
    all_three = [*(item["index"] for item in drawn["items"]), *first[1:]]
    agreed = act("agree", keep=all_three).json()
    assert [item["index"] for item in agreed["items"]] == all_three
    positions = [{"index": at, "position": 10.0 * at} for at in all_three]
    assert act("place", positions=positions).json()["state"] == "done"
    assert act("reopen").status_code == 409


def test_the_owner_may_close_a_cold_start_that_raters_began(ranging, owning):
    rater, headers, (app, key) = ranging('[cold_start]\nsize = 3\nby = "raters"\nleast = 2\n')
    owner, csrf = owning(app, key)
    assert owner.post("/owner/close-cold-start", data={"csrf": csrf}).status_code == 409
    draw_and_place(rater, headers["X-CSRF-Token"])
    assert rater.get("/api/task").json()["state"] == "paused"
    assert owner.post("/owner/close-cold-start", data={"csrf": csrf}).status_code == 409


def test_items_of_a_cold_start_can_be_seen_by_the_owner_only(make_app, owning, visit):
    app, key = make_app(protocol="range", extra="[cold_start]\nsize = 3\n", change=only_pictures, items=FILES)
    owner, csrf = owning(app, key)
    drawn = owner.post("/api/cold-start/draw", json={"keep": []}, headers={"X-CSRF-Token": csrf}).json()
    url = drawn["items"][0]["url"]
    assert owner.get(url).status_code == 200
    assert visit(app).get(url).status_code == 403


def test_the_owner_closes_a_round_and_sees_how_the_scale_moved(ranging, owning):
    client, headers, (app, key) = ranging(ANCHORED, anchors_file)
    owner, csrf = owning(app, key)
    assert owner.post("/owner/close-round", data={"csrf": csrf}).status_code == 409
    task = client.get("/api/task").json()["task"]
    client.post("/api/answers", json=bounds(task), headers=headers)
    assert owner.post("/owner/close-round", data={"csrf": "wrong"}).status_code == 403
    assert client.post("/owner/close-round", data={"csrf": headers["X-CSRF-Token"]}).status_code == 403
    assert owner.post("/owner/close-round", data={"csrf": csrf}).status_code == 303
    assert app.state.session.fresh_ledger().round == 2
    picture = owner.get("/owner/drift.svg?theme=dark")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert "Green tea" in picture.text
    assert owner.get("/owner").status_code == 200
