import pytest

from steelyard.messages.words import words_of
from steelyard.study.definition.study_file import define
from steelyard.web.privacy import kept_words
from tests.web.conftest import csrf_of

ALWAYS = "Your answers, the time each answer took"
ACTIONS = "your actions on the task pages"
SURVEY = {"survey": [{"id": "age", "text": "How old?"}]}


def definition(**settings):
    return define({"title": "T", "items": {"file": "i.csv"}, "questions": [{"text": "?"}], **settings})


@pytest.mark.parametrize(
    ("settings", "source", "more"),
    [
        ({}, "link", f" and {ACTIONS}"),
        ({}, "open", f", {ACTIONS} and the name you chose"),
        ({}, "prolific", f", {ACTIONS} and your Prolific ID"),
        (SURVEY, "link", f", {ACTIONS} and your answers to the survey"),
        ({"comment": True}, "link", f", {ACTIONS} and your comments"),
        (
            {**SURVEY, "comment": True},
            "open",
            f", {ACTIONS}, the name you chose, your answers to the survey and your comments",
        ),
    ],
)
def test_raters_read_what_is_stored_about_them(settings, source, more):
    words = kept_words(definition(**settings), source, words_of("en"))
    assert words == f"{ALWAYS}{more}. Nothing else about you is stored."


def test_the_text_of_the_owner_is_used_unchanged():
    assert kept_words(definition(kept="Only *this*."), "open", words_of("en")) == "Only *this*."


def test_the_welcome_page_shows_what_is_stored(make_app, visit):
    client = visit(make_app()[0])
    client.post("/join", data={"csrf": csrf_of(client.get("/join")), "name": "Ines"})
    stored = f"{ALWAYS}, {ACTIONS} and the name you chose. Nothing else about you is stored."
    assert stored in client.get("/welcome").text
