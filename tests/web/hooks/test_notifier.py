import json

import pytest

from steelyard.client.signatures import verify
from steelyard.errors import BadSignature
from steelyard.storage.database import open_database
from steelyard.storage.webhooks import DELIVERIES_KEPT, MOST_WEBHOOKS, WAITS, Webhooks
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import open_study
from steelyard.web.hooks.addresses import Networks
from steelyard.web.hooks.notifier import Notifier
from steelyard.web.hooks.sending import Sender
from tests.commands import PATIENCE
from tests.serving import write_study
from tests.stores import STORES, create_store
from tests.study.making import answer_with
from tests.web.hooks.receiving import receiving

LOOPBACK = Networks.of(["127.0.0.0/8"])


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture(params=STORES)
def followed(request, tmp_path):
    """A study of two pages, a session on it, its webhooks, and a clock that the test moves."""
    folder = tmp_path / "study"
    write_study(folder, extra="redundancy = 1\nlist_size = 5")
    for name in ("study.db", "database.toml"):
        (folder / name).unlink(missing_ok=True)
    database, _ = create_store(folder, request.param)
    study, clock = open_study(folder), Clock()
    session = Session(study, database, database, clock)
    return session, open_database(folder), clock


def notifier_of(followed, networks=LOOPBACK):
    session, database, clock = followed
    return Notifier(session.study, database, Sender(networks, clock, timeout=PATIENCE))


def answer_all(session):
    rater = session.join("Ann", "link").id
    state = session.next_task(rater)
    while state.assignment is not None:
        session.accept(rater, answer_with(state.assignment))
        state = session.next_task(rater)


def test_new_judgments_and_the_end_of_a_study_are_announced_once(followed):
    session, database, clock = followed
    webhooks, notifier = Webhooks(database), notifier_of(followed)
    with receiving() as receiver:
        hook = webhooks.add(receiver.url, ["judgments.added", "study.stopped"], "owner", clock.now)
        assert notifier.turn() == 0  # the state at the start is no news
        clock.now += 60
        answer_all(session)
        assert notifier.turn() == 2
        sent = [receiver.next() for _ in range(2)]
        clock.now += 60
        assert notifier.turn() == 0
        assert receiver.messages.empty()
    messages = {json.loads(body)["event"]: json.loads(body) for _, body in sent}
    assert messages["judgments.added"]["new_judgments"] == messages["judgments.added"]["judgments"] == 10
    assert messages["study.stopped"]["status"] == "complete"
    for headers, body in sent:
        verify(hook.secret, headers, body, now=clock.now)
        with pytest.raises(BadSignature):
            verify(hook.secret, headers, body + b" ", now=clock.now)
        assert json.loads(body)["id"] == headers["webhook-id"]
    assert {each.state for each in webhooks.deliveries(hook.id)} == {"delivered"}
    assert webhooks.problems() == []


def test_a_message_that_fails_is_sent_again_with_the_same_id_and_then_given_up(followed):
    _, database, clock = followed
    webhooks, notifier = Webhooks(database), notifier_of(followed)
    with receiving() as receiver:
        receiver.status = 500
        hook = webhooks.add(receiver.url, ["study.stopped"], "owner", clock.now)
        webhooks.test(hook.id, {"title": "Meals"}, clock.now)
        ids = []
        for wait in (*WAITS, 0):
            assert notifier.turn() == 1
            assert notifier.turn() == 0  # not before the wait is over
            ids.append(receiver.next()[0]["webhook-id"])
            clock.now += wait
        clock.now += 10 * max(WAITS)
        assert notifier.turn() == 0
    (delivery,) = webhooks.deliveries(hook.id)
    assert ids == [delivery.id] * (len(WAITS) + 1)
    assert (delivery.state, delivery.attempts) == ("failed", len(WAITS) + 1)
    assert "status 500. It was given up." in webhooks.problems()[0]


def test_a_redirect_is_not_followed(followed):
    _, database, clock = followed
    webhooks, notifier = Webhooks(database), notifier_of(followed)
    with receiving() as receiver, receiving() as elsewhere:
        receiver.status, receiver.headers = 307, {"Location": elsewhere.url}
        hook = webhooks.add(receiver.url, ["study.stopped"], "owner", clock.now)
        webhooks.test(hook.id, {}, clock.now)
        notifier.turn()
        receiver.next()
        assert elsewhere.messages.empty()
    assert "status 307" in webhooks.deliveries(hook.id)[0].problem


def test_an_address_that_is_not_allowed_any_more_receives_nothing(followed):
    _, database, clock = followed
    webhooks, notifier = Webhooks(database), notifier_of(followed, Networks())
    with receiving() as receiver:
        hook = webhooks.add(receiver.url, ["study.stopped"], "owner", clock.now)
        webhooks.test(hook.id, {}, clock.now)
        notifier.turn()
        assert receiver.messages.empty()
    assert "not a public address" in webhooks.deliveries(hook.id)[0].problem


def test_two_processes_send_a_message_once(followed):
    _, database, clock = followed
    webhooks = Webhooks(database)
    hook = webhooks.add("https://example.org/", ["study.stopped"], "owner", clock.now)
    webhooks.test(hook.id, {}, clock.now)
    assert len(webhooks.take_due(clock.now, 8)) == 1
    assert webhooks.take_due(clock.now, 8) == []
    assert len(webhooks.take_due(clock.now + 3600, 8)) == 1  # the first process ended


def test_old_messages_are_deleted_and_webhooks_are_limited(followed):
    _, database, clock = followed
    webhooks = Webhooks(database)
    hooks = [
        webhooks.add("https://example.org/", ["study.stopped"], "owner", clock.now)
        for _ in range(MOST_WEBHOOKS)
    ]
    with pytest.raises(Exception, match="at most 20 webhooks"):
        webhooks.add("https://example.org/", ["study.stopped"], "owner", clock.now)
    for at in range(DELIVERIES_KEPT + 3):
        webhooks.test(hooks[0].id, {}, clock.now + at)
    for _, delivery in webhooks.take_due(clock.now + 1000, 1000):
        webhooks.settle(delivery, "", clock.now)
    assert len(webhooks.deliveries(hooks[0].id)) == DELIVERIES_KEPT
    assert webhooks.remove(hooks[0].id)
    assert not webhooks.remove(hooks[0].id)
    assert webhooks.deliveries(hooks[0].id) == []
