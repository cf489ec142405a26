"""What happened in each of the kept studies: who came, answered, took back, was excluded."""

from __future__ import annotations

import csv
import io

from tests.compatibility.outputs import command
from tests.compatibility.people import Owner, Person


class Play:
    """A study while it is being answered."""

    def __init__(self, folder, app, clock, key):
        self.folder, self.app, self.clock, self.key = folder, app, clock, key
        self.people = 0
        self._owner = None

    @property
    def owner(self):
        """The owner, who opens their page when first needed."""
        self._owner = self._owner or Owner(self.app, self.clock, self.key)
        return self._owner

    def person(self):
        """One more browser."""
        self.people += 1
        return Person(self.app, self.clock, seed=self.people)

    def crowd(self, raters, tasks):
        """Several raters by the open link, who answer in turn."""
        people = [self.person().join(f"Rater {at}") for at in range(1, raters + 1)]
        for _ in range(tasks):
            for person in people:
                person.work(1)
        return people


def rating(play):
    """Raters by the open link, one with a comment, and one from Prolific."""
    play.crowd(4, 6)
    commenting = play.person().join("  Zoë\u0301 O’Neil  ")
    state = commenting.task()
    commenting.answer(state["task"], comment="=1+1, “too” salty,\nand cold")
    prolific = "/p?PROLIFIC_PID=5f1e2d3c4b5a69788796a5b4&STUDY_ID=study1&SESSION_ID=session1"
    play.person().open(prolific).work(3)


def lists(play):
    """Four raters, four tasks each."""
    play.crowd(4, 4)


def many(play):
    """Five raters, seven tasks each."""
    play.crowd(5, 7)


def rankings(play):
    """Four raters, five tasks each."""
    play.crowd(4, 5)


def rounds(play):
    """A round that the owner closes, and answers in the next."""
    people = play.crowd(3, 8)
    play.owner.act("/close-round")
    for person in people[:2]:
        person.work(5)


def anchored(play):
    """A round on anchors of a file, and answers on those of the next."""
    people = play.crowd(3, 7)
    play.owner.act("/close-round")
    people[0].work(3)


def sequences(play):
    """One rater through a whole sequence, one in the middle of theirs."""
    people = [play.person().join(f"Rater {at}") for at in (1, 2)]
    people[0].work(14)
    people[1].work(6)


def informed(play):
    """A rater who answers at random is stopped early and reinstated."""
    play.crowd(4, 4)
    careless = play.person().join("Careless")
    state = careless.task()
    for turn in range(8):
        if state["state"] != "task":
            break
        cells = [{"item": at, "question": 0, "score": 100.0 * ((at + turn) % 2)} for at in range(3)]
        state = careless.answer(state["task"], cells)
    assert state["state"] == "finished", "answers at random stop the rater early"
    play.owner.act("/raters/r-05/recall")
    careless.work(1)


def trained(play):
    """Raters who answered, and one who has only been trained."""
    play.crowd(3, 5)
    play.person().join("Only trained")


def taken_back(play):
    """Answers taken back, excluded and withdrawn."""
    people = play.crowd(5, 4)
    people[0].undo()
    people[0].work(2)
    people[0].undo()  # and not answered again
    owner = play.owner
    owner.act("/raters/r-02/exclude", reason="=HYPERLINK(answers at random)")
    owner.act("/raters/r-03/exclude", reason="by mistake")
    owner.act("/raters/r-03/include")
    people[3].decline()
    command("next", str(play.folder), "--tasks", "2")
    command("next", str(play.folder), "--tasks", "1", "--release")
    owner.act("/raters", name="Invited")
    owner.act("/pause")
    owner.act("/resume")
    people[4].work(1)


def published(play):
    """A batch for MTurk, and its results."""
    play.crowd(2, 2)
    batch = command("next", str(play.folder), "--tasks", "3", "--assignments", "2", "--format", "mturk-csv")
    results = play.folder / "results.csv"
    results.write_text(_mturk_results(batch.decode()), encoding="utf-8")
    command("import", str(play.folder), str(results))


def _mturk_results(batch):
    """What MTurk returns for a batch: two workers, one of whom cannot judge an item and leaves a comment."""
    rows = list(csv.DictReader(io.StringIO(batch)))
    text = io.StringIO(newline="")
    fields = [f"Answer.score{at}" for at in (1, 2, 3)] + ["Answer.na2", "Answer.comment"]
    own = ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "SubmitTime", "WorkTimeInSeconds"]
    writer = csv.DictWriter(
        text, [*own, *(f"Input.{name}" for name in rows[0]), *fields], lineterminator="\n"
    )
    writer.writeheader()
    for worker in ("A1WORKER", "A2WORKER"):
        for at, row in enumerate(rows):
            odd = worker == "A2WORKER" and at == 0
            filled = {"HITId": f"H{at}", "AssignmentId": f"{worker}-{at}", "WorkerId": worker}
            filled |= {"AssignmentStatus": "Approved", "SubmitTime": "Sun Jun 15 10:00:00 PDT 2025"}
            filled |= {f"Input.{name}": value for name, value in row.items()}
            filled |= {
                f"Answer.score{slot}": str(10 * slot + at) for slot in (1, 2, 3) if not odd or slot != 2
            }
            filled |= {"WorkTimeInSeconds": "41"}
            filled |= {"Answer.na2": "on", "Answer.comment": "cannot taste it"} if odd else {}
            writer.writerow(filled)
    return text.getvalue()
