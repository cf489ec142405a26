"""From answers to a belief and a scale, with any pattern of "can't judge"."""

import itertools
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from steelyard.errors import BadSetting
from steelyard.judgments.counting import count_judgments
from steelyard.kinds.known import PROTOCOLS
from steelyard.models.known import item_models
from steelyard.report.contents import Cover, report_of_study
from steelyard.selection.known import SELECTIONS
from steelyard.study.collecting.fitting import fit_question
from steelyard.study.collecting.learning import Learner
from steelyard.study.definition.items import Item
from steelyard.study.definition.study_file import define
from steelyard.study.results.watch import Watch
from tests.study.making import answer_with, make_session


def allowed():
    """Every valid combination of protocol, model and selection in study.toml, for items and for systems."""
    for protocol, model, selection, unit in itertools.product(
        PROTOCOLS, item_models(), SELECTIONS, ("item", "system")
    ):
        settings = {"protocol": protocol, "model": model, "selection": selection, "unit": unit}
        try:
            define({"title": "t", "items": {"file": "f"}, "questions": [{"text": "q"}], **settings})
        except BadSetting:
            continue
        yield pytest.param(settings, id="-".join(settings.values()))


def outputs(systems=6, segments=2):
    places = itertools.product(range(systems), range(segments))
    return [Item(f"{s}.{at}", "text", "words", system=f"sys{s}", segment=f"seg{at}") for s, at in places]


def skipped(cells, keep):
    """The cells with "can't judge" in all but the first few; where all or nothing is answered, in all."""
    kind = type(cells[0]).__name__
    if kind in ("Rank", "Pick"):
        keep = len(cells) if keep else 0
    empty = {"Score": {"score": None}, "Bounds": {"low": None, "high": None, "kept_low": False, "kept_high": False},
             "Verdict": {"outcome": None, "strength": None, "both_bad": False},
             "Rank": {"rank": None}, "Pick": {"choice": None}}[kind]  # fmt: skip
    return tuple(cell if at < keep else replace(cell, **empty) for at, cell in enumerate(cells))


def answer_skipping(session, rater, keep, rng):
    assignment = session.next_task(rater).assignment
    if assignment is None:
        return False
    definition = session.study.definition
    cells = definition.kind.simulate(rng.random(len(assignment.task.items)), 0, definition.asked(0), rng)
    session.accept(rater, replace(answer_with(assignment), cells=skipped(cells, keep)))
    return True


def watch(session):
    return Watch(session.study, session.log, session.roster)


def each_pair_once(cases):
    """The cases in which two of the four settings meet for the first time, so that every pair is tested."""
    met = set()
    for case in cases:
        pairs = set(itertools.combinations(case.values[0].items(), 2))
        if pairs - met:
            met |= pairs
            yield case


@pytest.mark.parametrize("settings", list(each_pair_once(allowed())))
def test_nothing_fails_whatever_raters_cannot_judge(settings, tmp_path, clock):
    session = make_session(tmp_path / "study", clock, outputs(), True, redundancy=3, **settings)
    rng = np.random.default_rng(1)
    raters = [session.join(f"rater {at}", "link").id for at in range(4)]
    owner = watch(session)
    for keeps in ((0, 1), (1, 2), (9, 0, 9)):
        for keep, rater in itertools.product(keeps, raters):
            answer_skipping(session, rater, keep, rng)
        overview = owner.overview()
        owner.wake()
        assert overview.judgments == count_judgments(session.ledger.judgments())
    assert overview.judgments > 0
    assert report_of_study(overview, Cover("", clock())).sections


@pytest.mark.parametrize("model", ["trueskill", "beta_ranking", "elo", "win_rate", "bradley_terry"])
@pytest.mark.parametrize("unit", ["item", "system"])
def test_a_list_with_one_scored_item_compares_nothing(make, model, unit):
    session = make(outputs(4, 1), protocol="list", list_size=4, redundancy=2, model=model, unit=unit)
    rater = session.join("Ann", "link").id
    session.accept(rater, answer_with(session.next_task(rater).assignment, [50.0, None, None, None]))
    assert session.next_task(rater).finished
    assert fit_question(session.ledger, 0) is None
    assert watch(session).overview().judgments == 1


class Background(ThreadPoolExecutor):
    """An executor whose jobs the test waits for."""

    def __init__(self):
        super().__init__(1)
        self.jobs = []

    def submit(self, *arguments):
        self.jobs.append(super().submit(*arguments))
        return self.jobs[-1]

    def wait(self):
        for job in self.jobs:
            job.exception()


@pytest.fixture
def background():
    with Background() as executor:
        yield executor


def steelyard_session(tmp_path, clock):
    session = make_session(
        tmp_path / "study", clock, 6, True, redundancy=6, model="steelyard", selection="information"
    )
    return session, session.join("Ann", "link").id


def failing_once(monkeypatch, session, name):
    """Let one method of the study's model fail the first time."""
    model = type(session.study.definition.make_model())
    whole, failures = getattr(model, name), iter([RuntimeError("out of memory")])

    def method(self, *arguments):
        for failure in failures:
            raise failure
        return whole(self, *arguments)

    monkeypatch.setattr(model, name, method)


@pytest.mark.parametrize("in_background", [True, False])
def test_a_failed_refit_is_logged_shown_and_tried_again_with_the_next_answers(
    tmp_path, clock, monkeypatch, caplog, background, in_background
):
    session, rater = steelyard_session(tmp_path, clock)
    learner = Learner(session.ledger, background if in_background else None)
    session.accept(rater, answer_with(session.next_task(rater).assignment, 20.0))
    failing_once(monkeypatch, session, "believe")
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            assert learner.belief() is not None
            background.wait()
        assert learner.belief() is not None
    assert "out of memory" in learner.problem
    assert "out of memory" in caplog.text
    session.accept(rater, answer_with(session.next_task(rater).assignment, 80.0))
    learner.belief()
    background.wait()
    assert learner.belief().count.sum() == 2
    assert learner.problem == ""


def test_answers_that_a_model_fails_on_are_tried_again_with_the_next(tmp_path, clock, monkeypatch):
    session = make_session(tmp_path / "study", clock, 6, True, redundancy=6, model="easl", selection="easl")
    rater = session.join("Ann", "link").id
    learner = Learner(session.ledger)
    session.accept(rater, answer_with(session.next_task(rater).assignment, 20.0))
    failing_once(monkeypatch, session, "update")
    assert learner.belief().count.sum() == 0
    assert "out of memory" in learner.problem
    session.accept(rater, answer_with(session.next_task(rater).assignment, 20.0))
    assert learner.belief().count.sum() == 2
    assert learner.problem == ""


def test_the_session_reports_a_problem_and_continues(tmp_path, clock, monkeypatch):
    session, rater = steelyard_session(tmp_path, clock)
    assert session.problems == ()
    session.accept(rater, answer_with(session.next_task(rater).assignment, 20.0))
    failing_once(monkeypatch, session, "believe")
    assert session.next_task(rater).assignment is not None
    assert "out of memory" in session.problems[0]
