"""The requests of `steelyard mturk` and `steelyard prolific`, as stand-ins on this machine receive and check them.

PYTHONPATH=. python benchmarks/crowd_requests.py
"""

import json
import os
import tempfile
from pathlib import Path

from starlette.testclient import TestClient
from tests.crowds.running import steelyard
from tests.crowds.stand_ins import TOKEN, MTurkStandIn, ProlificStandIn, serving
from tests.serving import write_study
from tests.web.conftest import come_from_prolific
from tests.web.test_crowds import SECURE, WORKER, come, work

from steelyard.web.app import create_app

EXTRA = """
mturk = true
prolific = true
model = "direct_assessment"
completion_code = "DONE1"
full_code = "FULL2"
screened_out_code = "OUT3"
failed_checks_code = "FAILED4"
[pay]
completion = 3.0
"""
LONGEST = 1_000  # characters of a request that are printed


def printed(stand_in):
    for name, body in stand_in.log:
        text = json.dumps(body, sort_keys=True)
        print(f"{name} {text if len(text) <= LONGEST else text[:LONGEST] + '…'}")


def on_mturk(folder):
    where = ("--url", "https://study.example", "--reward", "2.00", "--assignments", "9", "--yes")
    with serving(MTurkStandIn()) as api:
        texts = (
            "--description",
            "Rate meals.",
            "--country",
            "US",
            "--approval-rate",
            "95",
            "--keep-out",
            "meals",
        )
        steelyard("mturk", "publish", folder, *where, *texts, "--endpoint", api.address)
        worker = TestClient(create_app(folder), base_url=SECURE, follow_redirects=False)
        come(worker, "/mturk", **WORKER)
        work(worker)
        api.submit("3H0", "A1WORKER", {"outcome": "completed"})
        for verb in (("collect",), ("approve", "--yes"), ("bonus", "--yes")):
            steelyard("mturk", verb[0], folder, *verb[1:])
        printed(api)


def on_prolific(folder):
    offer = ("--reward", "2.50", "--places", "3", "--minutes", "10", "--description", "Rate meals.", "--yes")
    with serving(ProlificStandIn()) as api:
        end = ("--endpoint", api.address)
        steelyard(
            "prolific", "publish", folder, "--url", "https://study.example", *offer, "--real-money", *end
        )
        person = TestClient(create_app(folder), follow_redirects=False)
        come_from_prolific(person, PROLIFIC_PID="p1", SESSION_ID="s1")
        work(person)
        api.submissions.append({"id": "s1", "participant_id": "p1", "status": "AWAITING REVIEW"})
        for verb in (("status",), ("approve", "--yes"), ("bonus", "--yes")):
            steelyard("prolific", verb[0], folder, *verb[1:], *end)
        printed(api)


def main():
    os.environ |= {
        "PROLIFIC_TOKEN": TOKEN,
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }
    for name, run in (("MTurk", on_mturk), ("Prolific", on_prolific)):
        with tempfile.TemporaryDirectory() as place:
            write_study(Path(place) / "study", protocol="rating", items=[("a", "one")], extra=EXTRA)
            print(name)
            run(Path(place) / "study")


if __name__ == "__main__":
    main()
