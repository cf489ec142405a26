"""The folder of Parquet files that follows the log of a study."""

import json

import numpy as np
import pytest

from steelyard import Steelyard, connect, read
from steelyard.errors import BadSetting
from steelyard.storage.forgetting import forget_rater
from steelyard.study.log.entries import Answer
from steelyard.study.results.exports import export_columns
from steelyard.study.results.judgment_files import STATE, JudgmentFiles
from steelyard.study.results.watch import Watch
from tests.study.making import Clock, answer_with, make_session, work

pytest.importorskip("ibis")


class Following:
    """A study with a folder that follows it."""

    def __init__(self, tmp_path, **settings):
        self.clock = Clock()
        self.session = make_session(tmp_path / "study", self.clock, items=8, redundancy=6, **settings)
        self.folder = tmp_path / "judgments"
        self.start()

    def start(self):
        session = self.session
        self.watch = Watch(session.study, session.log, session.roster)
        self.files = JudgmentFiles(self.watch, self.folder, "study")

    def join(self, name):
        return self.session.join(name, "link").id

    def undo(self, rater):
        self.session.undo(rater, self.session.rater_state(rater).last)

    def names(self):
        return sorted(path.name for path in self.folder.glob("*.parquet"))

    def rows(self):
        """The rows of all files, and those of the export, in the same order."""
        import duckdb

        found = duckdb.sql(f"SELECT rater, item, score FROM '{self.folder}/*.parquet'").fetchall()
        columns = export_columns(
            Watch(self.session.study, self.session.log, self.session.roster), "judgments"
        )
        exported = zip(columns["rater"], columns["item"], columns["score"], strict=True)
        return sorted(found), sorted(exported)


@pytest.fixture
def study(tmp_path):
    return Following(tmp_path)


def test_each_update_adds_one_file_with_the_new_judgments(study):
    ann, bob = study.join("Ann"), study.join("Bob")
    work(study.session, ann, 3)
    assert (study.files.update().judgments, len(study.names())) == (3, 1)
    assert (study.files.update().judgments, len(study.names())) == (0, 1)
    work(study.session, bob, 4)
    assert (study.files.update().judgments, len(study.names())) == (4, 2)
    found, exported = study.rows()
    assert found == exported


def test_a_file_is_replaced_only_if_its_judgments_changed(study):
    ann, bob = study.join("Ann"), study.join("Bob")
    work(study.session, ann, 3)
    study.files.update()
    work(study.session, bob, 3)
    study.files.update()
    first, second = (study.folder / name for name in study.names())
    before = second.stat().st_mtime_ns, first.stat().st_mtime_ns
    study.session.note("excluded", ann, {"reason": "test"})
    assert study.files.update().replaced == 1
    assert study.names() == [second.name]
    assert second.stat().st_mtime_ns == before[0]
    study.session.note("included", ann)
    study.files.update()
    found, exported = study.rows()
    assert found == exported
    assert len(found) == 6


def test_an_answer_that_is_taken_back_leaves_the_folder(study):
    ann = study.join("Ann")
    work(study.session, ann, 3)
    study.files.update()
    study.undo(ann)
    assert study.files.update().replaced == 1
    found, exported = study.rows()
    assert found == exported
    assert len(found) == 2


def test_answers_are_left_for_later_until_they_have_settled(study):
    ann = study.join("Ann")
    work(study.session, ann, 2)
    study.clock.pass_minutes(10)
    work(study.session, ann, 1)
    assert study.files.update(before=study.clock.now - 60).judgments == 2
    study.clock.pass_minutes(10)
    assert study.files.update(before=study.clock.now - 60).judgments == 1
    assert study.rows()[0] == study.rows()[1]


def test_a_restart_continues_and_repairs_the_folder(study):
    ann = study.join("Ann")
    work(study.session, ann, 3)
    study.files.update()
    study.undo(ann)  # while nothing follows
    (study.folder / "judgments-000000000900-000000000999.parquet").write_bytes(b"interrupted")
    study.start()
    assert study.files.update().replaced == 1
    found, exported = study.rows()
    assert found == exported
    kept = study.names()
    (study.folder / kept[0]).unlink()
    study.start()
    study.files.update()
    assert study.names() == kept
    assert study.rows()[0] == exported


def test_a_forgotten_rater_leaves_the_folder(study):
    ann, bob = study.join("Ann"), study.join("Bob")
    work(study.session, ann, 2)
    work(study.session, bob, 2)
    study.files.update()
    forget_rater(study.session.log, ann, study.clock.now)
    study.files.update()
    found, exported = study.rows()
    assert found == exported
    assert {rater for rater, _, _ in found} == {bob}


def test_the_folder_is_fitted_in_place_like_the_exported_file(study):
    for name, scores in (("Ann", 20.0), ("Bob", 55.0), ("Cy", 80.0)):
        rater = study.join(name)
        while (given := study.session.next_task(rater).assignment) is not None:
            at = int(given.task.items[0][1:])
            study.session.accept(rater, answer_with(given, min(scores + 3 * at, 100.0)))
        study.files.update()
    with connect(study.folder, range=(0, 100)) as log:
        fit = Steelyard().fit(log).scale.ordered()
        assert not log.rejected.counts
    columns = export_columns(study.watch, "judgments")
    exact = Steelyard().fit(read(columns, range=(0, 100))).scale.ordered()
    assert fit.item.tolist() == exact.item.tolist()
    np.testing.assert_allclose(fit.position, exact.position, rtol=1e-9)


def test_files_have_the_same_types_whatever_their_values(tmp_path):
    import duckdb

    study = Following(tmp_path, page={"comment": True})
    ann = study.join("Ann")
    for comment in ("", "hard"):
        given = study.session.next_task(ann).assignment
        cells = answer_with(given, 50.0).cells
        milliseconds = 4000 if comment else None
        study.session.accept(ann, Answer("", "", given.id, cells, comment=comment, milliseconds=milliseconds))
        study.files.update()
    types = [
        duckdb.sql(f"DESCRIBE SELECT * FROM '{study.folder / name}'").fetchall() for name in study.names()
    ]
    assert len(types) == 2
    assert types[0] == types[1]
    assert ("milliseconds", "DOUBLE") in [row[:2] for row in types[0]]


def test_folders_of_another_origin_are_refused(study, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "votes.parquet").write_bytes(b"")
    with pytest.raises(BadSetting, match="another origin"):
        JudgmentFiles(study.watch, other, "study")
    study.files.update()
    with pytest.raises(BadSetting, match="has the judgments of study"):
        JudgmentFiles(study.watch, study.folder, "another")
    assert json.loads((study.folder / STATE).read_text())["study"] == "study"
