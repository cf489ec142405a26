"""The examples work as they say."""

import runpy
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from steelyard import DirectAssessment
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.storage.memory import Memory
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import open_study

ROOT = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(path.parent for path in ROOT.glob("*/study.toml"))
OWN_DATA = {  # files of one's own, and the arguments of prepare.py
    "lexical_frequency": (
        {"list.csv": "word,frequency\ngo,900\nsee,500\nhum,3\n"},
        ["list.csv", "--count", "2"],
    ),
    "political_spectrum": ({"all.csv": "text,score\nOne.,-2\nTwo.,1\n"}, ["all.csv", "--count", "2"]),
    "system_ranking": ({"source.txt": "Ja.\nNein.\n", "x.txt": "Yes.\nNo.\n"}, ["source.txt", "x.txt"]),
    "toxicity": (
        {"train.csv": "comment_text,toxic\nHello there,0\nYou fool,1\n"},
        ["train.csv", "--count", "2"],
    ),
    "satiety": ({"photos/soup.jpg": ""}, ["photos"]),
    "age": ({"photos/anna.png": ""}, ["photos"]),
}


def session_of(folder):
    memory = Memory()
    return Session(open_study(folder), memory, memory, lambda: 0.0)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_opens_and_simulated_raters_answer_every_arm(example, tmp_path):
    shutil.copytree(example, tmp_path / "mine")
    session, rng = session_of(tmp_path / "mine"), np.random.default_rng(0)
    answered = simulate(
        session, Crowd.draw(session, SCENARIOS["iid"], 12, "uniform", rng), rng, most_tasks=60
    )
    assert answered > 0
    for arm in session.study.asked:
        assert session.arm(arm.definition.condition).ledger.answered.sum() > 0


def test_the_translations_can_be_run_to_their_end(tmp_path):
    shutil.copytree(ROOT / "translations", tmp_path / "mine")
    session, rng = session_of(tmp_path / "mine"), np.random.default_rng(0)
    simulate(session, Crowd.draw(session, SCENARIOS["full"], 8, "uniform", rng), rng)
    assert session.ledger.answered.min() >= session.study.definition.choosing.redundancy
    scale = DirectAssessment().fit(session.ledger.judgments().at_unit("system")).scale
    assert sorted(scale.item) == ["East", "North", "South"]


@pytest.mark.parametrize("name", OWN_DATA)
def test_an_example_takes_data_of_ones_own(name, tmp_path, monkeypatch):
    files, arguments = OWN_DATA[name]
    shutil.copytree(ROOT / name, tmp_path / "mine")
    for file, content in files.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["prepare.py", *arguments])
    runpy.run_path(str(tmp_path / "mine" / "prepare.py"), run_name="__main__")
    before = (ROOT / name / "items.csv").read_text().splitlines()
    after = (tmp_path / "mine" / "items.csv").read_text().splitlines()
    assert after[0] == before[0]
    assert 1 < len(after) <= 3


@pytest.mark.parametrize("name", ["satiety", "age"])
def test_the_pictures_are_those_that_prepare_draws(name, tmp_path, monkeypatch):
    shutil.copytree(ROOT / name, tmp_path / "mine")
    for picture in (tmp_path / "mine").glob("*.svg"):
        picture.unlink()
    monkeypatch.setattr(sys, "argv", ["prepare.py"])
    runpy.run_path(str(tmp_path / "mine" / "prepare.py"), run_name="__main__")
    for path in sorted((ROOT / name).iterdir()):
        assert (tmp_path / "mine" / path.name).read_bytes() == path.read_bytes(), path.name


def test_the_list_of_examples_is_complete():
    listed = (ROOT / "README.md").read_text()
    assert all(f"`{path.name}`" in listed for path in ROOT.iterdir() if path.is_dir())
