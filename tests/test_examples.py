"""The examples work as they say."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from steelyard import DirectAssessment
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.storage.memory import Memory
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import open_study

EXAMPLES = sorted(path for path in (Path(__file__).parents[1] / "examples").iterdir() if path.is_dir())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_can_be_run_to_its_end(example, tmp_path):
    folder = tmp_path / "mine"
    shutil.copytree(example, folder)
    memory, rng = Memory(), np.random.default_rng(0)
    session = Session(open_study(folder), memory, memory, lambda: 0.0)
    simulate(session, Crowd.draw(session, SCENARIOS["full"], 8, "uniform", rng), rng)
    assert session.ledger.answered.min() >= session.study.definition.choosing.redundancy
    scale = DirectAssessment().fit(session.ledger.judgments().at_unit("system")).scale
    assert sorted(scale.item) == ["East", "North", "South"]
