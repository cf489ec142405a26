import pytest

from steelyard.study.definition.definition import define
from steelyard.web.privacy import kept_words
from tests.web.conftest import csrf_of

ALWAYS = "Your answers, how long each took, and how you moved about on the page"
SURVEY = {"survey": [{"id": "age", "text": "How old?"}]}


def definition(**settings):
    return define({"title": "T", "items": {"file": "i.csv"}, "questions": [{"text": "?"}], **settings})


@pytest.mark.parametrize(
    ("settings", "source", "more"),
    [
        ({}, "link", ""),
        ({}, "open", ", the name you chose"),
        ({}, "prolific", ", your Prolific ID"),
        (SURVEY, "link", ", your answers to the survey"),
        ({"comment": True}, "link", ", your comments"),
        (
            {**SURVEY, "comment": True},
            "open",
            ", the name you chose, your answers to the survey, your comments",
        ),
    ],
)
def test_raters_are_told_what_is_kept_of_them(settings, source, more):
    assert kept_words(definition(**settings), source) == f"{ALWAYS}{more}. Nothing else about you."


def test_the_owners_own_words_are_used_as_they_are():
    assert kept_words(definition(kept="Only *this*."), "open") == "Only *this*."


def test_the_welcome_page_says_what_is_kept(make_app, visit):
    client = visit(make_app()[0])
    client.post("/join", data={"csrf": csrf_of(client.get("/join")), "name": "Ines"})
    assert f"{ALWAYS}, the name you chose. Nothing else about you." in client.get("/welcome").text
