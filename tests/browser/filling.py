"""A study with the answers of five raters, the last of whom gives the same score to everything."""

import random
import time
from dataclasses import replace

from steelyard.storage.database import open_database
from steelyard.study.collecting.session import Session
from steelyard.study.definition.study import open_study
from tests.serving import FOODS
from tests.study.making import answer_with

ITEMS = [item for item, _ in FOODS]
QUICK_MS, USUAL_MS = 300, 4_000


def with_answers(folder):
    """Let five raters rate every item, with comments, and write a note about the last one."""
    database = open_database(folder)
    session = Session(open_study(folder), database, database, time.time)
    rng = random.Random(1)
    for name in ("Ann", "Bob", "Cem", "Dee", "Eve"):
        rater = session.join(name, "link").id
        session.note("consented", rater)
        while (assignment := session.next_task(rater).assignment) is not None:
            rank, is_same = ITEMS.index(assignment.task.items[0]), name == "Eve"
            score = 50.0 if is_same else min(100.0, max(0.0, 9.0 * rank + rng.uniform(-8, 12)))
            given = answer_with(assignment, score)
            comment = "Hard to say, it depends on the sauce." if rank == 2 else ""
            milliseconds = QUICK_MS if is_same else USUAL_MS
            session.accept(rater, replace(given, milliseconds=milliseconds, comment=comment))
    session.note("noted", rater, {"text": "Asked by mail whether the instructions were clear."})
