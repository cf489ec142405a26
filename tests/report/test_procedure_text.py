"""What the report of a study states about how the study was run."""

import numpy as np
import pytest

from steelyard.report.contents import Cover, report_of_watch
from steelyard.simulation.crowd_at_work import Crowd, simulate
from steelyard.simulation.scenarios import SCENARIOS
from steelyard.study.results.watch import Watch
from tests.study.making import Clock, make_session

CHECKS = {
    "rate": 0.3,
    "tasks": [{"item": f"i{at}", "answer": 50, "tolerance": 25} for at in range(4)],
    "repeats": {"rate": 0.15, "apart": 2},
    "rules": [{"act": "end", "failed": 2}],
}


def answered(folder, **settings):
    """The watch of a study of 16 items that 12 simulated raters answered."""
    session = make_session(folder / "s", Clock(), 16, True, **{"redundancy": 6, "seed": 3, **settings})
    rng = np.random.default_rng(1)
    simulate(session, Crowd.draw(session, SCENARIOS["full"], 12, "uniform", rng), rng)
    return Watch(session.study, session.log, session.roster)


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    return answered(
        tmp_path_factory.mktemp("checked"), protocol="rating", checks=CHECKS, pay={"per_task": 0.1}
    )


def test_the_methods_paragraph_counts_the_raters_whose_answers_count(checked):
    report, overview = report_of_watch(checked, Cover("", 0.0)), checked.overview()
    scale, paragraph = report.sections[0].scale, report.collection.methods.paragraph
    excluded = sum(line.excluded for line in overview.raters)
    assert excluded
    assert paragraph.startswith(f"{scale.raters} raters gave {scale.judgments:.0f} rating judgments about ")
    assert f"{excluded} further rater" in paragraph
    assert "excluded (failed 2 of" in paragraph or "failed 2 of 2 checks: " in paragraph
    assert report.collection.raters == scale.raters + excluded


def test_the_methods_paragraph_states_checks_and_pay_in_sentences(checked):
    report, overview = report_of_watch(checked, Cover("", 0.0)), checked.overview()
    paragraph = report.collection.methods.paragraph
    counts = f"{overview.checks.answered} were answered, of which {overview.checks.failed} were failed."
    assert (
        f"Checks with a known answer and repeated tasks were mixed in and left out of the scale: {counts}"
        in paragraph
    )
    assert "ended because of failed checks." in paragraph
    assert f"The pay of all raters was {overview.pay.total:,.2f} " in paragraph


def test_repeats_are_counted_alike_in_collection_raters_and_agreement(checked):
    report, overview = report_of_watch(checked, Cover("", 0.0)), checked.overview()
    (section,) = report.sections
    assert dict(report.collection.facts())["Judgments"].endswith(f"; {overview.probes} repeats left out")
    repeats = sum(row.repeats for row in section.raters.rows)
    rows = [row for row in section.agreement.statistics if row.statistic.startswith("Self-consistency")]
    assert rows[0].of.startswith(f"{repeats} repeated items")
    assert overview.probes == repeats


def test_training_is_reported_for_every_protocol_with_wrong_attempts(tmp_path):
    training = {"interface": True, "tasks": [{"text": "A pea", "answer": 5, "tolerance": 2}]}
    watch = answered(tmp_path, protocol="rating", training=training)
    effort, report = watch.overview().effort, report_of_watch(watch, Cover("", 0.0))
    words = dict(report.collection.facts())["Training"]
    assert effort.attempts > effort.wrong_attempts > 0
    assert f"{effort.attempts} attempts at its exercises, of which {effort.wrong_attempts} w" in words
    assert f"A training preceded the first task. {words}" in report.collection.methods.paragraph


def test_examples_and_rounds_are_in_the_methods_paragraph(tmp_path):
    rounds = {"number": 2, "reannotate": 3}
    watch = answered(tmp_path, protocol="range", rounds=rounds)
    paragraph = report_of_watch(watch, Cover("", 0.0)).collection.methods.paragraph
    assert "were shown as examples along the scale." in paragraph
    assert (
        "The items were divided into 2 rounds, and up to 3 items were asked again in each later round."
        in paragraph
    )


def test_one_cluster_is_explained_beside_rank_intervals(checked):
    sentences = report_of_watch(checked, Cover("", 0.0)).sections[0].scale.sentences
    assert sentences[-1] == (
        "Clusters are adjusted for the number of pairs. Rank intervals are not, so they can be narrower."
    )
