from dataclasses import replace
from typing import get_args

import pytest

from steelyard.study.results.headline import WORDS, headline_of
from steelyard.study.results.status import Status
from steelyard.study.results.watch import Watch
from tests.study.making import Clock, make_session, work


@pytest.fixture
def overview(tmp_path):
    session = make_session(
        tmp_path / "study", Clock(), 10, True, protocol="list", redundancy=2, stop={"budget": 9}
    )
    work(session, session.join("Ann", "link").id, tasks=1)
    return Watch(session.study, session.log, session.roster).overview()


def test_every_status_has_a_word_and_a_sentence(overview):
    for status in get_args(Status):
        line = headline_of(replace(overview, status=status))
        assert line.word == WORDS[status]
        assert line.sentence.endswith(".")


@pytest.mark.parametrize(
    ("status", "word", "words"),
    [
        ("collecting", "Collecting", "5 of 9 planned judgments"),
        ("budget_spent", "Budget spent", "The budget of 9 answers is spent."),
        ("paused", "Paused", "Raters receive no new tasks."),
        ("stopped", "Enough answers", "A stopping rule in study.toml is met."),
        ("waiting_for_round", "Waiting for the next round", "Round 1 of 1 has its answers."),
    ],
)
def test_the_sentence_explains_the_word(overview, status, word, words):
    line = headline_of(replace(overview, status=status))
    assert line.word == word
    assert words in line.sentence
