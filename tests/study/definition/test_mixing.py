"""study.toml with several protocols."""

import tomllib

import pytest

from steelyard.errors import BadSetting, StudyChanged, UnknownName
from steelyard.storage.memory import Memory
from steelyard.study.definition.create import NewStudy, create_study
from steelyard.study.definition.study_file import define
from steelyard.study.log.changes import reconcile
from steelyard.study.log.entries import Chosen, Task
from tests.study.making import make_study

MIXED = {
    "title": "Filling",
    "items": {"file": "items.csv"},
    "questions": [{"text": "How filling?", "most": "Most filling on top"}],
    "protocol": ["list", "comparison"],
}


def test_each_protocol_has_its_own_definition_with_its_settings():
    own = {"comparison": {"questions": [{"text": "Which is more filling?"}], "ties": False}}
    study = define({**MIXED, "list_size": 7, "both_bad": False, "protocol_settings": own})
    lists, pairs = study.ways
    assert (lists.asking.protocol, lists.asking.task_size, lists.kind.name) == ("list", 7, "rating")
    assert (pairs.asking.protocol, pairs.asking.task_size, pairs.kind.name) == ("comparison", 2, "comparison")
    assert (lists.asking.ties, pairs.asking.ties) == (True, False)
    asked = [(way.questions[0].text, way.questions[0].most) for way in study.ways]
    assert asked == [
        ("How filling?", "Most filling on top"),
        ("Which is more filling?", "Most filling on top"),
    ]
    assert study.learning.model == "steelyard"
    assert study.in_way("comparison") is pairs
    assert pairs.in_way("comparison") is pairs


def test_shares_are_equal_by_default_and_relative():
    assert define(MIXED).asking.shares_of_tasks == (0.5, 0.5)
    assert define({**MIXED, "shares": [3, 1]}).asking.shares_of_tasks == (0.75, 0.25)


def test_the_protocol_with_a_scale_leads_whatever_the_order():
    study = define({**MIXED, "protocol": ["comparison", "list"]})
    assert (study.asking.way.name, study.kind.name) == ("list", "rating")


def test_the_hash_depends_on_shares_and_on_settings_of_protocols():
    plain = define(MIXED).settings_hash()
    assert define({**MIXED, "shares": [2, 1]}).settings_hash() != plain
    settings = {"list": {"list_size": 3}}
    assert define({**MIXED, "protocol_settings": settings}).settings_hash() != plain
    assert define(MIXED).settings_hash() == plain


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"protocol": ["list"]}, "not a list of different protocols"),
        ({"protocol": ["list", "list"]}, "not a list of different protocols"),
        ({"protocol": ["ranking", "comparison"]}, "without a protocol that has a scale"),
        ({"shares": [1]}, "shares: needs 2 numbers"),
        ({"shares": [0, 1]}, "must be numbers above 0"),
        ({"protocol": "list", "shares": [1]}, "needs several protocols"),
        ({"model": "bradley_terry"}, "does not put rating and comparison judgments on one scale"),
        ({"selection": "sequences"}, "'sequences' cannot choose the tasks of several protocols"),
        ({"selection": "easl"}, 'Set selection = "balanced" or selection = "information"'),
        ({"selection": "match_quality"}, "'match_quality' cannot choose between kinds of judgment"),
        ({"update": "round"}, 'Set update = "answer"'),
        ({"unit": "system"}, "'system' needs judgments of one kind"),
        ({"anchors": {"show": ["examples"]}}, "anchors: cannot be combined with several protocols"),
        ({"rounds": {"number": 2}}, "rounds: cannot be combined with several protocols"),
        ({"training": {"tasks": [{"text": "a", "answer": 3}]}}, "belong to one protocol"),
        ({"checks": {"repeats": {"rate": 0.1}}}, "need a study with one protocol"),
        ({"protocol_settings": {"list": {"training": {}}}}, r"Add a table \[training\]"),
        ({"protocol_settings": {"list": {"questions": []}}}, "another number of questions"),
        ({"protocol_settings": {"list": {"list_size": 0}}}, "list needs at least 1 items"),
    ],
)
def test_settings_that_do_not_apply_are_refused(settings, words):
    with pytest.raises(BadSetting, match=words):
        define({**MIXED, **settings})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"protocol": ["list", "comparsion"]}, "Did you mean 'comparison'"),
        ({"protocol_settings": {"range": {}}}, "unknown protocol 'range'"),
        ({"protocol_settings": {"list": {"list_sise": 3}}}, "Did you mean 'list_size'"),
    ],
)
def test_names_that_are_unknown_are_refused(settings, words):
    with pytest.raises(UnknownName, match=words):
        define({**MIXED, **settings})


def test_a_running_study_may_get_a_further_protocol_and_may_not_lose_one(tmp_path):
    log = Memory()
    reconcile(make_study(tmp_path, 4, protocol="list"), log, 1.0)
    with log.writing() as writer:
        writer.append(Task("t1", ("i0", "i1"), ("question",), "list", Chosen("balanced", 0, ())))
    both = make_study(tmp_path, 4, protocol=["list", "comparison"])
    reconcile(both, log, 2.0)
    reconcile(both, log, 3.0)  # the same definition is not logged again
    assert log.newest_event("defined").facts["protocol"] == ["list", "comparison"]
    with pytest.raises(StudyChanged, match="the protocol"):
        reconcile(make_study(tmp_path, 4, protocol="list"), log, 4.0)


def test_new_writes_a_study_with_several_protocols(tmp_path):
    (tmp_path / "items.csv").write_text("id,text\n" + "".join(f"i{at},Item {at}\n" for at in range(6)))
    study = create_study(tmp_path / "study", NewStudy(tmp_path / "items.csv", "list,comparison", seed=1))
    written = tomllib.loads((tmp_path / "study" / "study.toml").read_text())
    assert written["asking"]["protocol"] == ["list", "comparison"]
    assert written["asking"]["shares"] == [0.5, 0.5]
    assert study.definition.ways[1].questions[0].text == "Which item has more of this quality?"
    assert study.definition == define(written)
