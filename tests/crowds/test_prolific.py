"""`steelyard prolific` against a stand-in that checks each request."""

import json

import pytest

from steelyard.cli.studies import open_session
from steelyard.web.app import create_app
from tests.crowds.running import steelyard
from tests.crowds.stand_ins import TOKEN, ProlificStandIn, serving
from tests.serving import write_study
from tests.web.conftest import come_from_prolific
from tests.web.test_endings import agree, answer_all

EXTRA = """
prolific = true
completion_code = "DONE1"
full_code = "FULL2"
screened_out_code = "OUT3"
failed_checks_code = "FAILED4"
most_raters = 2
[pay]
completion = 3.0
"""
OFFER = ("--reward", "2.50", "--places", "3", "--minutes", "10", "--description", "Rate meals.", "--yes")


@pytest.fixture
def api(monkeypatch):
    monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
    with serving(ProlificStandIn()) as stand_in:
        yield stand_in


@pytest.fixture
def folder(tmp_path):
    write_study(tmp_path / "study", protocol="rating", items=[("a", "one")], extra=EXTRA)
    return tmp_path / "study"


def publish(folder, api, *more):
    address = ("--url", "https://study.example", "--endpoint", api.address)
    return steelyard("prolific", "publish", folder, *address, *OFFER, *more)


def take_part(folder, visit, person, work=True):
    client = visit(create_app(folder))
    come_from_prolific(client, PROLIFIC_PID=person, SESSION_ID=f"s-{person}")
    if work:
        answer_all(client, agree(client))


def test_a_draft_has_the_four_codes_and_real_money_publishes_it(folder, api):
    shown = publish(folder, api).stderr
    assert "10.50" in shown  # the total that Prolific computes
    assert "takes at most 2 raters" in shown
    assert api.state == "UNPUBLISHED"
    publish(folder, api, "--real-money")
    assert api.state == "ACTIVE"
    draft = next(body for name, body in api.log if name == "POST studies/")
    assert {
        each["code"]: (each["code_type"], each["actions"][0]["action"]) for each in draft["completion_codes"]
    } == {
        "DONE1": ("COMPLETED", "MANUALLY_REVIEW"),
        "FULL2": ("OTHER", "REQUEST_RETURN"),
        "OUT3": ("OTHER", "REQUEST_RETURN"),
        "FAILED4": ("FAILED_ATTENTION_CHECK", "MANUALLY_REVIEW"),
    }
    assert draft["external_study_url"].startswith("https://study.example/p?")
    assert draft["reward"] == 250


def test_nothing_is_created_without_confirmation_token_or_https(folder, api, monkeypatch):
    asked = ("prolific", "publish", folder, "--endpoint", api.address, *OFFER[:-1])
    assert "Create a draft" in steelyard(*asked, "--url", "https://study.example", input="n\n", code=1).stderr
    assert "https://study.example" in steelyard(*asked, "--url", "http://study.example", code=2).stderr
    monkeypatch.delenv("PROLIFIC_TOKEN")
    assert "PROLIFIC_TOKEN" in steelyard(*asked, "--url", "https://study.example", code=2).stderr
    assert [name for name, _ in api.log if name == "POST studies/"] == []


def test_finished_submissions_are_approved_and_paid_once(folder, api, visit):
    publish(folder, api, "--real-money")
    take_part(folder, visit, "p1")
    take_part(folder, visit, "p2", work=False)
    for person in ("p1", "p2", "p3"):
        status = "AWAITING REVIEW" if person != "p3" else "RETURNED"
        api.submissions.append({"id": f"s-{person}", "participant_id": person, "status": status})
    end = ("--endpoint", api.address)
    shown = steelyard("prolific", "status", folder, *end)
    assert "AWAITING REVIEW,2" in shown.stdout
    assert "1 rater with answers of at most 2" in shown.stderr
    approved = steelyard("prolific", "approve", folder, *end, "--yes").stderr
    assert "Not approved: 1 submission (no answers)" in approved
    assert [each["status"] for each in api.submissions] == ["APPROVED", "AWAITING REVIEW", "RETURNED"]
    steelyard("prolific", "bonus", folder, "-o", folder / "bonuses.csv")
    assert (folder / "bonuses.csv").read_text(encoding="utf-8") == "participant_id,amount\np1,0.5\n"
    assert api.paid == []
    steelyard("prolific", "bonus", folder, *end, "--yes")
    assert "No bonuses are owed" in steelyard("prolific", "bonus", folder, *end, "--yes").stderr
    assert api.paid == [{"p1": "0.50"}]
    assert "p1" not in (folder / "prolific.json").read_text(encoding="utf-8")
    acts = [act.what for act in open_session(folder).log.acts()]
    assert acts == ["published", "approved", "bonuses_paid"]


def test_a_refusal_of_the_api_is_shown_and_nothing_is_recorded(folder, api, monkeypatch):
    monkeypatch.setenv("PROLIFIC_TOKEN", "wrong")
    address = ("--url", "https://study.example", "--endpoint", api.address)
    refused = steelyard("prolific", "publish", folder, *address, *OFFER, code=2).stderr
    assert "Prolific refused POST study-cost-calculator/: 400" in refused
    assert "wrong" not in refused
    assert not (folder / "prolific.json").exists()


def test_the_log_of_requests_is_readable(folder, api):
    publish(folder, api)
    first, *_ = api.written().splitlines()
    assert first == 'POST study-cost-calculator/ {"reward": 250, "total_available_places": 3}'
    assert (
        json.loads((folder / "prolific.json").read_text(encoding="utf-8"))["published"][0]["study"] == "st1"
    )
