"""The owner's pages of one rater and one item, notes, and acts that ask first."""

from dataclasses import replace

from steelyard.kinds.comparison import Verdict
from steelyard.study.log.entries import Answer
from tests.browser.grounding import MEALS, grounded
from tests.study.making import answer_with, work
from tests.web.conftest import csrf_of


def signed_in(visit, app, key):
    client = visit(app)
    client.get("/owner/enter", params={"key": key})
    return client


def rated_study(make_app, visit):
    """A study in which one of three raters gives other answers than the rest, with a comment."""
    app, key = make_app(
        protocol="rating", extra="comment = true\nredundancy = 3\nmodel = 'direct_assessment'"
    )
    session = app.state.session
    raters = [session.join(name, "link").id for name in ("Ines", "Amara", "Bo")]
    for rater, score in zip(raters, (20.0, 30.0, 90.0), strict=True):
        while (assignment := session.next_task(rater).assignment) is not None:
            session.accept(rater, replace(answer_with(assignment, score), comment=f"as {score:g}"))
    return app, raters, signed_in(visit, app, key)


def test_a_raters_page_has_their_answers_beside_the_others_with_time_and_comment(make_app, visit):
    app, raters, owner = rated_study(make_app, visit)
    page = owner.get(f"/owner/raters/{raters[2]}").text
    assert "Answers beside the other raters’" in page
    assert "25 (2)" in page.replace(".0", "")
    assert "+65" in page
    assert "4.0 s" in page
    item = app.state.session.ledger.tasks[next(iter(app.state.session.ledger.answers.values())).task].items[0]
    assert f"/owner/items/{item}" in page
    assert "as 90" in page


def test_an_items_page_has_every_answer_and_the_mean_so_far(make_app, visit):
    app, raters, owner = rated_study(make_app, visit)
    ledger = app.state.session.fresh_ledger()
    item = next(answer for answer in ledger.rater(raters[2]).answers.values())
    name = ledger.tasks[item.task].items[0]
    page = owner.get(f"/owner/items/{name}").text
    assert "95% interval" in page
    assert "Every answer" in page
    for rater in raters:
        assert f"/owner/raters/{rater}" in page
    assert "46.7" in page
    owner.post(
        f"/owner/raters/{raters[2]}/exclude", data={"csrf": csrf_of(owner.get("/owner")), "reason": "x"}
    )
    assert "excluded rater" in owner.get(f"/owner/items/{name}").text
    assert owner.get("/owner/items/nothing").status_code == 404


def test_comparisons_are_shown_as_pairs_on_both_pages(make_app, visit):
    app, key = make_app(protocol="comparison", extra="redundancy = 2")
    session, raters = app.state.session, []
    for name, outcome in (("Ines", "left"), ("Bo", "right")):
        raters.append(session.join(name, "link").id)
        assignment = session.next_task(raters[-1]).assignment
        session.accept(raters[-1], Answer("", "", assignment.id, (Verdict(1, 0, outcome),)))
    owner = signed_in(visit, app, key)
    assert "Pair" in owner.get(f"/owner/raters/{raters[0]}").text
    assert "First" in owner.get(f"/owner/items/{assignment.task.items[0]}").text


def test_a_note_is_logged_and_shown_as_text_and_an_empty_one_is_not(make_app, visit):
    app, raters, owner = rated_study(make_app, visit)
    address, csrf = f"/owner/raters/{raters[0]}", csrf_of(owner.get("/owner"))
    head = app.state.session.log.head()
    assert owner.post(f"{address}/note", data={"csrf": csrf, "text": "  "}).status_code == 303
    assert app.state.session.log.head() == head
    assert owner.post(f"{address}/note", data={"csrf": csrf, "text": "wrote <b>me</b>"}).status_code == 303
    assert "wrote &lt;b&gt;me&lt;/b&gt;" in owner.get(address).text
    assert owner.post(f"{address}/note", data={"csrf": "wrong", "text": "x"}).status_code == 403
    assert owner.post("/owner/raters/nobody/note", data={"csrf": csrf, "text": "x"}).status_code == 404


def test_closing_a_round_asks_first_and_asking_changes_nothing(make_app, visit):
    app, key = make_app(protocol="rating", items=MEALS, change=grounded(sections="[rounds]\nnumber = 2\n"))
    session = app.state.session
    work(session, session.join("Ines", "link").id, 2)
    owner = signed_in(visit, app, key)
    head = session.log.head()
    page = owner.get("/owner/close-round").text
    assert "This cannot be undone." in page
    assert session.log.head() == head
