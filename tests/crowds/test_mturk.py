"""`steelyard mturk` against a stand-in that checks each request."""

import json

import pytest

from steelyard.cli.studies import open_session
from steelyard.web.app import create_app
from tests.crowds.running import steelyard
from tests.crowds.stand_ins import MTurkStandIn, serving
from tests.serving import write_study
from tests.web.test_crowds import SECURE, WORKER, come, work

TEXTS = ("--description", "Rate meals.", "--reward", "0.50", "--yes")
PAY = "\n[pay]\ncompletion = 0.8\n"


@pytest.fixture
def api(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with serving(MTurkStandIn()) as stand_in:
        yield stand_in


@pytest.fixture
def folder(tmp_path):
    extra = f"mturk = true\nmodel = 'direct_assessment'\n{PAY}"
    write_study(tmp_path / "study", protocol="rating", items=[("a", "one"), ("b", "two")], extra=extra)
    return tmp_path / "study"


def publish(folder, api, *more, **how):
    return steelyard("mturk", "publish", folder, "--endpoint", api.address, *TEXTS, *more, **how)


def test_a_study_is_published_in_a_frame_with_its_cost_and_qualifications(folder, api):
    who = (
        "--country",
        "us",
        "--country",
        "CA",
        "--approval-rate",
        "95",
        "--approved-hits",
        "500",
        "--keep-out",
        "meals",
    )
    shown = publish(folder, api, "--url", "https://study.example", "--assignments", "20", *who).stderr
    assert (
        "rewards 10.00 USD, fee of MTurk 4.00 USD, total 14.00 USD. Nobody is paid in the sandbox." in shown
    )
    (hit,) = [body for name, body in api.log if name == "CreateHIT"]
    assert "<ExternalURL>https://study.example/mturk</ExternalURL>" in hit["Question"]
    assert (hit["Reward"], hit["MaxAssignments"]) == ("0.50", 20)
    guarded = {"ActionsGuarded": "DiscoverPreviewAndAccept"}
    least = {"Comparator": "GreaterThanOrEqualTo", **guarded}
    assert hit["QualificationRequirements"] == [
        {
            "QualificationTypeId": "00000000000000000071",
            "Comparator": "In",
            "LocaleValues": [{"Country": "US"}, {"Country": "CA"}],
            **guarded,
        },
        {"QualificationTypeId": "000000000000000000L0", "IntegerValues": [95], **least},
        {"QualificationTypeId": "00000000000000000040", "IntegerValues": [500], **least},
        {"QualificationTypeId": "3Q0", "Comparator": "DoesNotExist", **guarded},
    ]


def test_real_money_and_confirmation_are_needed(folder, api):
    url = ("--url", "https://study.example")
    texts = ("--description", "x", "--reward", "0.50", *url)
    production = "https://mturk-requester.us-east-1.amazonaws.com"
    refused = steelyard("mturk", "publish", folder, *texts, "--endpoint", production, code=2)
    assert "Add --real-money" in refused.stderr
    steelyard("mturk", "publish", folder, *texts, "--endpoint", api.address, input="n\n", code=1)
    assert "whole cents" in publish(folder, api, *url, "--reward", "0.005", code=2).stderr
    assert "number of tasks" in publish(folder, api, code=2).stderr
    assert "https://study.example" in publish(folder, api, "--url", "http://x.example", code=2).stderr
    assert api.log == []
    assert not (folder / "mturk.json").exists()


def test_finished_workers_are_approved_marked_and_paid_a_bonus_once(folder, api, visit):
    publish(folder, api, "--url", "https://study.example", "--assignments", "3", "--keep-out", "meals")
    app = create_app(folder)
    worker, idle = visit(app, address=SECURE), visit(app, address=SECURE)
    come(worker, "/mturk", **WORKER)
    work(worker)
    come(idle, "/mturk", **{**WORKER, "workerId": "A2IDLE", "assignmentId": "3IDLE"})
    for name in ("A1WORKER", "A2IDLE"):
        api.submit("3H0", name, {"outcome": "completed"})
    assert "2 submitted" in steelyard("mturk", "collect", folder).stderr
    assert sorted(api.holders) == ["A1WORKER", "A2IDLE"]
    approved = steelyard("mturk", "approve", folder, "--yes").stderr
    assert "Not approved: 1 assignment (no answers)" in approved
    assert [each["AssignmentStatus"] for each in api.assignments] == ["Approved", "Submitted"]
    steelyard("mturk", "bonus", folder, "-o", folder / "bonuses.csv")
    rows = (folder / "bonuses.csv").read_text(encoding="utf-8").splitlines()
    assert rows[1].startswith("A1WORKER,3A0,0.3,")
    assert api.bonuses == []
    steelyard("mturk", "bonus", folder, "--yes")
    assert "No bonuses are owed" in steelyard("mturk", "bonus", folder, "--yes").stderr
    assert [(each["WorkerId"], each["BonusAmount"]) for each in api.bonuses] == [("A1WORKER", "0.30")]
    session = open_session(folder)
    assert [act.what for act in session.log.acts()] == ["published", "approved", "bonuses_paid"]
    assert "A1WORKER" not in repr(list(session.log.since(0))) + (folder / "mturk.json").read_text(
        encoding="utf-8"
    )


def test_tasks_are_published_with_forms_and_their_answers_are_imported(folder, api):
    publish(folder, api, "--tasks", "2", "--assignments", "1")
    questions = [body["Question"] for name, body in api.log if name == "CreateHIT"]
    assert len(questions) == 2
    assert all("HTMLQuestion" in each and 'name="score1"' in each for each in questions)
    api.submit("3H0", "A1", {"score1": "70", "assignmentId": "3A0"})
    api.submit("3H1", "A2", {"na1": "on"})
    assert "Imported 2 answers of 2 raters" in steelyard("mturk", "collect", folder).stderr
    assert "Imported 0 answers" in steelyard("mturk", "collect", folder).stderr
    steelyard("mturk", "approve", folder, "--yes")
    assert [each["AssignmentStatus"] for each in api.assignments] == ["Approved", "Approved"]
    judged = json.loads(steelyard("export", folder, "--json").stdout)
    assert [(row["score"], row["milliseconds"]) for row in judged] == [(70.0, 60_000.0)]


def test_a_refusal_of_the_api_is_shown_without_a_record(folder, api):
    refused = publish(folder, api, "--url", "https://study.example", "--country", "Atlantis", code=2).stderr
    assert "MTurk refused create_hit" in refused
    assert not (folder / "mturk.json").exists()
