import json
import re

import pytest

from steelyard.errors import BadSetting
from steelyard.messages.words import accepted, owner_words, words_of
from steelyard.report.local_words import LocalWords
from steelyard.study.definition.sections.page import PageSettings
from steelyard.study.definition.study_file import define
from tests.study.making import work
from tests.web.conftest import csrf_of, start_rating

PLAIN = {"title": "T", "items": {"file": "i.csv"}, "questions": [{"text": "?"}]}


def lang_of(page):
    return re.search(r'<html lang="([^"]*)" dir="([^"]*)">', page.text).groups()


@pytest.mark.parametrize(
    ("extra", "header", "wanted"),
    [
        ("", "de", ("en", "ltr")),
        ('language = "de"', "fr", ("de", "ltr")),
        ('language = "ar"', "fr", ("ar", "rtl")),
        ('language = "ar"\ndirection = "ltr"', "fr", ("ar", "ltr")),
        ('language = "nl"', "fr", ("nl", "ltr")),
        ('language = "auto"', "pt-BR, en;q=0.5", ("pt", "ltr")),
        ('language = "auto"', "xx, ar;q=0.1", ("ar", "rtl")),
        ('language = "auto"', "", ("en", "ltr")),
    ],
)
def test_a_page_has_the_language_of_the_study_or_of_the_browser(make_app, visit, extra, header, wanted):
    app, _ = make_app(extra=f"open_link = true\n{extra}")
    page = visit(app).get("/join", headers={"Accept-Language": header})
    assert lang_of(page) == wanted


def test_pages_before_the_task_and_refusals_are_in_the_language_of_the_study(make_app, visit):
    app, _ = make_app(extra='open_link = true\nlanguage = "de"')
    client = visit(app)
    assert "Wählen Sie einen Namen" in client.get("/join").text
    csrf = csrf_of(client.get("/join"))
    wrong = client.post("/join", data={"csrf": csrf, "name": " "})
    assert "höchstens 80 sichtbaren Zeichen" in wrong.text
    assert "Diese Seite gibt es nicht." in client.get("/nowhere").text
    client.post("/join", data={"csrf": csrf, "name": "Ines"})
    welcome = client.get("/welcome").text
    assert "Was Sie tun werden" in welcome
    assert "Ihre Antworten, die Dauer jeder Antwort" in welcome


def test_a_task_page_has_only_the_messages_of_its_protocol_in_one_language(make_app, visit):
    app, _ = make_app(protocol="comparison", extra='open_link = true\nlanguage = "ja"')
    with visit(app) as client:
        start_rating(client)
        page = client.get("/task").text
    language, sent = re.search(r'id="messages" data-language="(\w+)">(.*)</script>', page).groups()
    messages = json.loads(sent)
    assert language == "ja"
    assert messages["next"] == "次へ"
    assert {"about_equal", "saved"} <= set(messages)
    assert not {"move_up", "order_so_far", "drop_here"} & set(messages)


def test_a_study_replaces_words_in_all_languages_or_in_one():
    words = {"next": "Go", "de": {"next": "Los"}, "answers_saved": {"one": "One.", "other": "{count} saved."}}
    definition = define({**PLAIN, "words": words})
    assert words_of("en", definition.words)["next"] == "Go"
    assert words_of("fr", definition.words)["next"] == "Go"
    assert words_of("de", definition.words)["next"] == "Los"
    assert words_of("en", definition.words).say("answers_saved", count=4) == "4 saved."


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"nexxt": "Go"}, r"unknown key 'nexxt'. Did you mean 'next'?"),
        ({"de": {"nexxt": "Los"}}, r"words, de.*unknown key"),
        ({"next": "Go {where}"}, r"has {where}, which this message does not have"),
        ({"next": "Go {"}, "brace"),
        ({"next": 3}, "is not text"),
        ({"next": {"one": "Go"}}, "needs one text"),
        ({"answers_saved": {"one": "One."}}, "plural form other"),
    ],
)
def test_words_that_are_no_messages_are_refused(words, reason):
    with pytest.raises(BadSetting, match=reason):
        define({**PLAIN, "words": words})


def test_settings_of_earlier_studies_keep_their_hash():
    assert define(PLAIN).settings_hash() == define({**PLAIN, "direction": "auto"}).settings_hash()
    assert define(PLAIN).settings_hash() == define({**PLAIN, "direction": "ltr"}).settings_hash()
    assert define(PLAIN).settings_hash() != define({**PLAIN, "words": {"next": "Go"}}).settings_hash()


def test_the_browser_prefers_by_weight_and_an_unknown_header_is_english():
    assert accepted("de;q=0.2, ja;q=0.9") == "ja"
    assert accepted("de;q=0, es") == "es"
    assert accepted("*") == "en"
    assert accepted("zh-Hant-TW") == "zh"
    assert accepted(";;q=x,,") == "en"


def test_a_kind_of_another_package_brings_its_words(tmp_path):
    english = '[yes_no]\nsure = "Are you sure?"\n[sentences]\nlook = "Look again, please."\n'
    (tmp_path / "en.toml").write_text(english)
    (tmp_path / "de.toml").write_text(
        '[yes_no]\nsure = "Sicher?"\n[sentences]\nlook = "Bitte noch einmal."\n'
    )
    german, french = (words_of(code, folders=(tmp_path,)) for code in ("de", "fr"))
    assert (german["sure"], french["sure"]) == ("Sicher?", "Are you sure?")
    assert german.translated("Look again, please.") == "Bitte noch einmal."
    assert german["next"] == "Weiter"


def owner_page(make_app, visit, extra, path="/owner"):
    """A page of the owner of a study with a rater who has answered."""
    app, key = make_app(extra=extra)
    session = app.state.session
    work(session, session.join("Ann", "link").id, tasks=1)
    with visit(app, follow=True) as client:
        client.get("/owner/enter", params={"key": key})
        return client.get(path)


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("/owner", ("Sammelt seit", "Urteile bisher", "95-%-Intervall", "Neuer Link", "5 Antworten")),
        (
            "/owner/report",
            (
                "Absatz für den Methodenteil",
                "Punkte: Positionen (erwartete Antwort",
                "Das 95-%-Intervall eines typischen Items",
                "Ziel: 5 Antworten je Item",
            ),
        ),
    ],
)
def test_the_page_and_the_report_of_owners_have_the_language_of_the_study(make_app, visit, path, texts):
    page = owner_page(make_app, visit, 'language = "de"\nredundancy = 5', path)
    assert lang_of(page) == ("de", "ltr")
    assert [text for text in texts if text not in page.text] == []


def test_owners_may_have_another_language_than_raters(make_app, visit):
    page = owner_page(make_app, visit, 'language = "de"\nowner_language = "ar"')
    assert lang_of(page) == ("ar", "rtl")
    assert "التقدم" in page.text
    assert PageSettings(language="auto").shown_to_owner == "en"
    assert PageSettings(language="auto", owner_language="fr").shown_to_owner == "fr"


def test_a_language_without_messages_is_named_on_the_page_of_the_owner(make_app, visit):
    page = owner_page(make_app, visit, 'language = "nl"')
    assert lang_of(page) == ("en", "ltr")
    assert "There are no messages in the language “nl”." in page.text
    assert "no messages in the language" not in owner_page(make_app, visit, 'language = "pt-BR"').text


def test_numbers_of_owners_have_the_marks_of_their_language():
    german, english = LocalWords(owner_words("de")), LocalWords(owner_words("en"))
    assert (german.decimal(0.934), german.whole(1284), german.money(1284.5)) == ("0,93", "1.284", "1.284,50")
    assert (english.decimal(0.934), english.whole(1284), english.money(1284.5)) == (
        "0.93",
        "1,284",
        "1,284.50",
    )
    assert german.flags(["Fast", "Hardly varies"]) == "Schnell, Variiert kaum"
    assert german.status(True, "random", False) == "Ausgeschlossen: random"
    assert german.ago(7_300) == "vor 2 h"


def test_signs_and_ranks_keep_their_order_on_right_to_left_pages():
    arabic = LocalWords(owner_words("ar"))
    assert (arabic.points(-2.0), arabic.local("1 (1–3)")) == ("\u2068−2\u2069", "\u20681 (1–3)\u2069")
