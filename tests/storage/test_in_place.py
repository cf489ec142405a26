"""The judgments of a study in PostgreSQL, read in place, are those of its ledger."""

import numpy as np
import pytest

from steelyard import BradleyTerry, Steelyard
from steelyard.errors import BadSetting
from steelyard.kinds.comparison import Verdict
from steelyard.kinds.rating import Score
from steelyard.storage.database import create_database
from steelyard.storage.in_place import Decision, excluded_raters, study_log
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import open_study
from steelyard.study.log.entries import Answer
from tests.postgres import create_postgres
from tests.study.making import Clock

pytest.importorskip("ibis")
ITEMS = "id,text\n" + "".join(f"i{at},Item {at}\n" for at in range(8))
RATING = """
title = "Test"
[items]
file = "items.csv"
[[questions]]
text = "How much?"
[asking]
protocol = "list"
list_size = 4
[choosing]
redundancy = 4
"""
COMPARISON = """
title = "Test"
[items]
file = "items.csv"
[[questions]]
text = "Which is more?"
[asking]
protocol = "comparison"
[choosing]
redundancy = 6
"""


def study_of(folder, text, store=create_postgres):
    folder.mkdir()
    (folder / "items.csv").write_text(ITEMS)
    (folder / "study.toml").write_text(text)
    database, _ = store(folder)
    return Session(open_study(folder), database, database, Clock())


def value_of(given, at, rng):
    """A score, a verdict or "can't judge"."""
    item, first = (int(given.task.items[each][1:]) for each in (at, 0))
    if rng.random() < 0.1:
        return None
    if given.task.protocol == "list":
        return float(np.clip(10 * item + rng.normal(0, 10), 0, 100))
    return str(rng.choice(["left", "tie", "right"], p=[0.6, 0.1, 0.3] if first > item else [0.3, 0.1, 0.6]))


def answer_one(session, rater, rng):
    """Let a rater answer the next task; return whether there was one."""
    given = session.next_task(rater).assignment
    if given is None:
        return False
    one_each = given.task.protocol == "list"
    make = Score if one_each else Verdict
    places = range(len(given.task.items)) if one_each else (1,)
    cells = tuple(make(at, 0, value_of(given, at, rng)) for at in places)
    session.accept(rater, Answer("", "", given.id, cells, milliseconds=900))
    return True


def answer_all(session, raters=6):
    """Let raters answer, one of whom takes an answer back and one of whom is excluded."""
    rng = np.random.default_rng(4)
    ids = [session.join(f"rater {at}", "link").id for at in range(raters)]
    while any([answer_one(session, rater, rng) for rater in ids]):
        pass
    session.undo(ids[1], session.rater_state(ids[1]).last)
    session.note("excluded", ids[2], {"reason": "test"})
    session.note("excluded", ids[3])
    session.note("included", ids[3])
    return ids


@pytest.mark.parametrize(
    ("text", "model"), [(COMPARISON, BradleyTerry(penalty="pseudo")), (RATING, Steelyard())]
)
def test_a_study_read_in_place_gives_the_fit_of_its_ledger(text, model, tmp_path):
    session = study_of(tmp_path / "study", text)
    answer_all(session)
    with study_log(tmp_path / "study") as log:
        fit = model.fit(log).scale.ordered()
        assert not log.rejected.counts
        assert log.engine.name == "postgres"
    exact = model.fit(session.ledger.judgments()).scale.ordered()
    assert fit.item.tolist() == exact.item.tolist()
    assert fit.count.tolist() == exact.count.tolist()
    np.testing.assert_allclose(fit.position, exact.position, rtol=1e-9, atol=1e-9)


def test_exclusions_follow_the_events_as_the_ledger_does(tmp_path):
    session = study_of(tmp_path / "study", RATING)
    ids = answer_all(session)
    for kind, rater in (
        ("declined", ids[0]),
        ("declined", ids[4]),
        ("consented", ids[4]),
        ("declined", ids[5]),
        ("declined", ids[5]),
        ("included", ids[5]),
        ("declined", ids[2]),
        ("consented", ids[2]),
    ):
        session.note(kind, rater)
    excluded = {rater for rater, record in session.ledger.raters.items() if record.excluded}
    assert excluded == {ids[0], ids[2]}
    with study_log(tmp_path / "study") as log:
        raters = set(log.engine.table(log.source.select("rater").distinct())["rater"].to_pylist())
    assert raters == set(ids) - excluded


def test_a_rater_who_declines_without_answers_is_not_left_out():
    assert excluded_raters([Decision("ann", "declined", False)], True) == set()
    assert excluded_raters([Decision("ann", "declined", True)], False) == set()
    assert (
        excluded_raters([Decision("ann", "ended", False), Decision("ann", "included", True)], True) == set()
    )


def test_studies_that_the_query_cannot_read_are_refused(tmp_path):
    study_of(tmp_path / "file", RATING, create_database)
    with pytest.raises(BadSetting, match=r"study\.db.*export STUDY --to"):
        study_log(tmp_path / "file")
    two = RATING.replace(
        'text = "How much?"', 'text = "How much?"\nid = "much"\n[[questions]]\ntext = "How many?"'
    )
    study_of(tmp_path / "two", two)
    with pytest.raises(BadSetting, match="several questions"):
        study_log(tmp_path / "two")
    session = study_of(tmp_path / "rescaled", RATING)
    session.note(
        "round_closed",
        "",
        {"round": 1, "mapping": {"from": [0, 100], "to": [10, 90]}, "anchors": [], "reannotate": []},
    )
    with pytest.raises(BadSetting, match="rescaled"):
        study_log(tmp_path / "rescaled")
