import pytest

from steelyard.errors import StudyChanged
from steelyard.study.collecting.session import Session
from steelyard.study.definition.items import Item
from steelyard.study.log import changes
from steelyard.study.log.entries import Event
from tests.study.making import make_study, work


def reconcile(session):
    changes.reconcile(session.study, session.log, session.clock())


def again(session, items=6, **settings):
    """The same log with another study.toml."""
    study = make_study(session.study.folder, items, **settings)
    return Session(study, session.log, session.roster, session.clock)


@pytest.fixture
def started(make):
    session = make(6)
    reconcile(session)
    work(session, session.join("a", "link").id, 2)
    return session


def test_nothing_is_logged_twice(started):
    before = started.log.head()
    reconcile(again(started))
    assert started.log.head() == before


# The facts of a `defined` event that Steelyard 0b59732 wrote for this study, in which keys had no sections.
BEFORE = {
    "questions": ["question"],
    "scales": [[0.0, 100.0, 0]],
    "labels": [["Not at all", "Extremely"]],
    "protocol": "list",
    "items": ["a", "b", "c"],
    "contents": ["1bb5699f5a31", "87b408cec6ae", "e647862f97f7"],
    "settings": "919143",
}
SETTINGS = {"title": "T", "protocol": "list", "list_size": 3, "redundancy": 4, "seed": 7, "comment": True}
SECTIONS = {
    "title": "T",
    "seed": 7,
    "asking": {"protocol": "list", "list_size": 3},
    "choosing": {"redundancy": 4},
    "page": {"comment": True},
}


@pytest.mark.parametrize("settings", [SETTINGS, SECTIONS])
def test_the_log_of_a_version_without_sections_can_be_continued_unchanged(make, settings):
    items = [Item(name, "text", name.upper()) for name in "abc"]
    session = make(items, **settings, rounds={"number": 2})
    with session.log.writing() as writer:
        writer.append(Event("defined", facts=BEFORE, at=session.clock()))
    before = session.log.head()
    reconcile(session)
    assert session.log.head() == before


@pytest.mark.parametrize(
    ("items", "settings", "words"),
    [
        (5, {}, "'i5' is missing"),
        (6, {"scale": {"low": 0, "high": 10}}, "a scale"),
        (6, {"questions": [{"text": "?", "id": "other"}]}, "ids of the questions"),
        (6, {"protocol": "list"}, "protocol"),
        (
            6,
            {"scale": {"labels": ["Extremely", "Not at all"]}},
            r"order of the labels \(Not at all, Extremely\)",
        ),
        (
            [Item(f"i{at}", "text", f"Other text {at}") for at in range(6)],
            {},
            "the content of item 'i0' and 5 more",
        ),
    ],
)
def test_a_change_that_would_reinterpret_answers_is_refused(started, items, settings, words):
    with pytest.raises(StudyChanged, match=words):
        reconcile(again(started, items, **settings))


def test_wording_redundancy_and_further_items_may_change(started):
    reconcile(again(started, 8, redundancy=7, questions=[{"text": "How much, really?"}]))
    assert started.log.newest_event("defined").facts["items"][-1] == "i7"


def test_anything_may_change_before_the_first_task(make):
    session = make(6)
    reconcile(session)
    other = again(session, [Item("new", "text", "x")], scale={"low": 0, "high": 1})
    reconcile(other)
    assert session.log.newest_event("defined").facts["items"] == ["new"]


def test_labels_may_be_reworded_and_the_new_wording_is_logged(started):
    reconcile(again(started, scale={"labels": ["None at all", "Extremely"]}))
    assert started.log.newest_event("defined").facts["labels"] == [["None at all", "Extremely"]]


def test_a_log_without_labels_and_contents_can_be_continued(started):
    facts = dict(started.log.newest_event("defined").facts)
    older = {name: value for name, value in facts.items() if name not in ("labels", "contents")}
    started.note("defined", facts=older)
    reconcile(again(started))
    assert started.log.newest_event("defined").facts == facts


ARMS = [{"name": "a"}, {"name": "b", "protocol": "list"}]


@pytest.fixture
def with_arms(make):
    session = make(6, condition=ARMS)
    reconcile(session)
    work(session, session.join("a", "link").id, 2)
    return session


def test_an_arm_may_be_added_to_a_running_study(with_arms):
    reconcile(again(with_arms, condition=[*ARMS, {"name": "c"}]))
    facts = with_arms.log.newest_event("defined").facts
    assert list(facts["conditions"]) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ([ARMS[0], {"name": "c"}], "'b' is missing"),
        ([ARMS[0], {"name": "b"}], "the protocol of condition 'b' in study.toml"),
        ([ARMS[0], {**ARMS[1], "scale": {"high": 7.0}}], "low, high or levels of a scale of condition 'b'"),
    ],
)
def test_an_arm_with_answers_keeps_its_meaning(with_arms, conditions, words):
    with pytest.raises(StudyChanged, match=words):
        reconcile(again(with_arms, condition=conditions))


def test_a_running_study_cannot_get_its_first_arms(started):
    with pytest.raises(StudyChanged, match="the conditions"):
        reconcile(again(started, condition=ARMS))
