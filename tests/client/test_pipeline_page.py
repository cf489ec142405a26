"""The pipeline of the how-to guide, as the page shows it, on a real server."""

import os
import subprocess
import sys

from steelyard.storage.server_keys import ServerKeys
from tests.client.test_client import creating_server
from tests.documents import DOCS
from tests.pages import blocks_of
from tests.storage.test_kill import Person


def test_the_pipeline_of_the_guide_runs_to_its_end(tmp_path):
    page = (DOCS / "how-to" / "pipeline.md").read_text("utf-8")
    (pipeline,) = [block.text for block in blocks_of(page) if block.caption == "pipeline.py"]
    token = ServerKeys(tmp_path).add_key("pipeline", 0.0)
    with creating_server(tmp_path) as address:
        environment = {**os.environ, "STEELYARD_SERVER": address, "STEELYARD_TOKEN": token}
        command = [sys.executable, "-c", pipeline]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
            joining = process.stdout.readline()
            assert joining.startswith("Raters join at http://127.0.0.1:")
            person = Person(joining.split()[-1].removesuffix("/join"))
            person.start("Ann")
            while process.poll() is None:  # until the added item is answered too
                person.work()
            printed = process.stdout.read()
    assert process.returncode == 0
    assert printed.startswith("3 judgments: The study has 3 of 3 planned judgments")
    assert all(item in printed for item in ("tea", "soup", "pasta"))
