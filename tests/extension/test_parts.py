"""A model and a selection from outside Steelyard work wherever the built-in ones do."""

import csv
import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from starlette.testclient import TestClient

from steelyard import Judgments, Rating
from steelyard.models.known import model_named, register_model
from steelyard.models.model import Capabilities
from steelyard.report.contents import Cover, report_of_judgments, report_of_study
from steelyard.report.page import render_report
from steelyard.scales.belief import BeliefFeature
from steelyard.selection.known import register_selection
from steelyard.selection.pool import Traits
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.results.exports import export_columns
from steelyard.study.results.watch import Watch
from steelyard.web.app import create_app
from tests.extension.most_uncertain import MostUncertain
from tests.extension.registering import forget_parts, install
from tests.extension.shrunken_mean import ShrunkenMean
from tests.serving import write_study
from tests.study.making import make_session
from tests.web.conftest import answer_to, start_rating

ROOT = Path(__file__).parents[2]
OWN = 'model = "shrunken_mean"\nselection = "most_uncertain"\nredundancy = 4'
RATINGS = [Rating(rater, item, score) for rater, more in (("ann", 0), ("bob", 6)) for item, score in
           (("tea", 20 + more), ("soup", 60 + more), ("pasta", 88 + more))]  # fmt: skip


@pytest.fixture(params=["registered", "installed"])
def known(request, monkeypatch, tmp_path):
    """Register both parts, by a call or as an installed package."""
    forget_parts(monkeypatch)
    if request.param == "registered":
        register_model(ShrunkenMean)
        register_selection(MostUncertain)
    else:
        install(tmp_path / "site")
        monkeypatch.syspath_prepend(tmp_path / "site")
    yield request.param
    forget_parts(monkeypatch)


@pytest.fixture
def simulated(known, tmp_path):
    """Return a study with both parts, answered by a simulated crowd."""

    def run(name="study", **settings):
        rng = np.random.default_rng(8)
        given = {"protocol": "list", "redundancy": 8, "selection": "most_uncertain", **settings}
        session = make_session(tmp_path / name, lambda: 1000.0, 20, "memory", **given)
        crowd = Crowd.draw(session, SCENARIOS["iid"], 12, "uniform", rng)
        simulate(session, crowd, rng)
        return session, crowd

    return run


def test_fit_and_report_of_a_file_take_the_model(known):
    judgments = Judgments.of(RATINGS, range=(0, 100))
    fit = model_named("shrunken_mean", noise=0.01).fit(judgments)
    assert fit.scale.item.tolist() == ["tea", "soup", "pasta"]
    assert fit.scale.rank.tolist() == [3, 2, 1]
    assert fit.signature.startswith("shrunken_mean noise=0.01")
    page = render_report(report_of_judgments(judgments, ShrunkenMean(), "Dishes", 0.0))
    assert "the mean rating of the item, shrunk towards the middle of the scale" in page


def test_folding_equals_fitting(known):
    model = model_named("shrunken_mean")
    whole = Judgments.of(RATINGS, range=(0, 100))
    belief = model.start(whole.items)
    for record in RATINGS:
        belief = model.update(belief, Judgments.of([record], range=(0, 100)))
    assert 100 * belief.position == pytest.approx(model.fit(whole).scale.position)


def test_a_study_learns_chooses_and_recovers_the_truth(simulated):
    session, crowd = simulated()
    assert session.study.definition.learning.model == "shrunken_mean"  # the default of the selection
    assert int(session.ledger.answered.sum()) == 160
    assert {task.chosen.selection for task in session.ledger.tasks.values()} == {"most_uncertain", "audit"}
    overview = Watch(session.study, session.log, session.roster).overview()
    assert np.corrcoef(overview.views[0].fit.scale.position, crowd.truth[0])[0, 1] > 0.9
    assert overview.quantity.name == "shrunken mean"


def test_its_forecasts_are_audited_and_its_reliability_is_predicted(simulated):
    session, _ = simulated()
    overview = Watch(session.study, session.log, session.roster).overview()
    assert overview.audit.calibration.answers > 0
    assert overview.audit.growth[-1].reliability > overview.audit.growth[0].reliability
    assert 0.8 < overview.reliability < 1.0
    page = render_report(report_of_study(overview, Cover("", 0.0)))
    assert "Observed coverage" in page
    assert "most_uncertain" in page


def test_rules_stop_by_its_intervals(simulated):
    early, _ = simulated("early", stop={"interval_width": 0.4})
    whole, _ = simulated("whole")
    assert 40 <= int(early.ledger.answered.sum()) < int(whole.ledger.answered.sum())


def test_a_built_in_selection_takes_the_model_and_the_other_way_round(simulated):
    by_information, _ = simulated(
        "information", selection="information", model="shrunken_mean", least_worth=0
    )
    # Lists that a rater's unseen items made shorter leave fewer answers than a whole list; a whole one is asked.
    assert 160 <= int(by_information.ledger.answered.sum()) < 160 + 5
    by_easl, _ = simulated("easl", model="easl", selection_settings={"shrinkage": 3})
    assert by_easl.study.definition.make_selection().shrinkage == 3
    assert int(by_easl.ledger.answered.sum()) == 160


def test_the_scale_is_exported(simulated):
    session, _ = simulated()
    columns = export_columns(Watch(session.study, session.log, session.roster), "scale")
    assert len(columns["item"]) == 20


def test_pages_and_the_owners_page_work(known, tmp_path):
    folder = tmp_path / "served"
    key = write_study(folder, extra=f"{OWN}\nlist_size = 3")
    app = create_app(folder)
    rater = TestClient(app, follow_redirects=False)
    csrf = start_rating(rater)
    for score in (15.0, 55.0, 95.0):
        task = rater.get("/api/task").json()["task"]
        assert len(task["items"]) == 3
        sent = rater.post("/api/answers", json=answer_to(task, score), headers={"X-CSRF-Token": csrf})
        assert sent.status_code == 200, sent.text
    owner = TestClient(app, follow_redirects=True)
    owner.get("/owner/enter", params={"key": key})
    for path in ("/owner", "/owner/items", "/owner/report"):
        page = owner.get(path)
        assert page.status_code == 200
    assert "shrunk towards the middle of the scale" in page.text
    rows = list(csv.DictReader(owner.get("/owner/download/scale.csv").text.splitlines()))
    assert len(rows) >= 3


def test_commands_take_both_from_an_installed_package(tmp_path):
    install(tmp_path / "site")
    file = tmp_path / "ratings.csv"
    rows = "".join(f"{each.rater},{each.item},{each.score}\n" for each in RATINGS)
    file.write_text(f"rater,item,score\n{rows}", encoding="utf-8")
    items = tmp_path / "items.csv"
    items.write_text("id,text\n" + "".join(f"i{at},Item {at}\n" for at in range(6)), encoding="utf-8")

    def run(*arguments):
        path = os.pathsep.join([str(tmp_path / "site"), str(ROOT), *sys.path])
        command = [sys.executable, "-m", "steelyard", *map(str, arguments)]
        done = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done

    fitted = run("fit", file, "--model", "shrunken_mean", "--set", "noise=0.02", "--range", "0", "100")
    assert "shrunken_mean noise=0.02" in fitted.stderr
    assert fitted.stdout.startswith("item,position")
    study = tmp_path / "study"
    run("new", study, "--items", items, "--protocol", "list", "--selection", "most_uncertain")
    assert 'model = "shrunken_mean"' in (study / "study.toml").read_text()
    run("simulate", study, "--raters", 3, "--seed", 1)
    run("report", study, "-o", tmp_path / "report.html")
    assert "shrunken mean" in (tmp_path / "report.html").read_text()
    exported = run("export", study, "--what", "scale", "-o", tmp_path / "scale.jsonl")
    assert exported.returncode == 0
    assert len([json.loads(line) for line in (tmp_path / "scale.jsonl").read_text().splitlines()]) == 6


@pytest.mark.parametrize("record", [Capabilities, Traits])
def test_every_capability_and_every_trait_is_documented(record):
    text = (ROOT / "docs" / "how-to" / "extending.md").read_text(encoding="utf-8")
    names = [field.name for field in fields(record)] + list(get_args(BeliefFeature))
    assert [name for name in names if f"| `{name}` |" not in text] == []


def test_the_script_of_the_documentation_registers_all_parts():
    script = Path(__file__).with_name("register_parts.py")
    asked = (
        f"import runpy; runpy.run_path({str(script)!r})\n"
        "from steelyard.kinds.known import KINDS\n"
        "from steelyard.models.known import MODELS\n"
        "from steelyard.selection.known import SELECTIONS\n"
        "print('yes_no' in KINDS, 'shrunken_mean' in MODELS, 'most_uncertain' in SELECTIONS)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(script.parent), str(ROOT / "src")])}
    done = subprocess.run(
        [sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True"] * 3
