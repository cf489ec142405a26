"""Sentences in English that pages say in another language, with their numbers and terms."""

import json
import pickle

import pytest

from steelyard.messages.words import Figure, Share, Term, owner_words, said, said_in_row, said_list
from steelyard.report.local_words import LocalWords
from steelyard.report.page import environment

WIDTH = said("with_measure", value=Figure("1,234.5"), measure=Term("points"))


def test_a_sentence_is_english_text_and_is_said_in_a_language_with_its_values():
    sentence = said("typical_item", width=WIDTH, where=said("on_a_scale", low=Figure("0"), high=Figure("1")))
    assert sentence == "The 95% interval of a typical item is 1,234.5 points wide, on a scale from 0 to 1."
    assert owner_words("de").translated(sentence) == (
        "Das 95-%-Intervall eines typischen Items ist 1.234,5 Punkte breit, auf einer Skala von 0 bis 1."
    )
    assert json.loads(json.dumps(sentence)) == sentence


def test_sentences_keep_their_values_when_another_process_receives_them():
    received = pickle.loads(pickle.dumps(WIDTH))
    assert owner_words("fr").translated(received) == owner_words("fr").translated(WIDTH) != WIDTH


@pytest.mark.parametrize(("count", "wanted"), [(1, "1 Urteil"), (1200, "1.200 Urteile")])
def test_counts_in_sentences_have_the_plural_form_of_the_language(count, wanted):
    assert owner_words("de").translated(said("n_judgments", count=count)) == wanted


def test_lists_of_sentences_are_joined_as_in_the_language():
    parts = [said("arm_needs", name=name, value=Figure("2.5")) for name in "abc"]
    assert said_list(parts) == "“a” needs 2.5, “b” needs 2.5 and “c” needs 2.5"
    assert owner_words("de").translated(said_list(parts)) == "„a“ 2,5, „b“ 2,5 und „c“ 2,5"
    assert owner_words("zh").translated(said_in_row(parts[:2])) == "“a”2.5个、“b”2.5个"


def test_texts_of_a_study_are_never_translated_in_a_sentence():
    sentence = said("in_quotes", text="Stopped early")
    assert owner_words("de").translated(sentence) == "„Stopped early“"


def test_shares_and_isolated_values_follow_the_language():
    sentence = said("intervals_contain", level=Share(0.95), share=Share(0.5))
    assert sentence == "95% intervals contain 50% of the answers"
    assert "50\u00a0%" in owner_words("es").translated(sentence)
    assert owner_words("ar").in_language(Figure("−2.5")) == "\u2068−2.5\u2069"
    assert owner_words("ar").in_language("text of a study") == "text of a study"


def test_notes_of_raters_are_in_the_language_of_the_report():
    note = LocalWords(owner_words("de")).note(("Fast", "Hardly varies"), "Excluded: bots")
    assert note == "Schnell, Variiert kaum. Ausgeschlossen: bots"
    assert LocalWords(owner_words("en")).note((), "Stopped early") == "Stopped early"


def test_only_texts_in_another_language_than_the_page_choose_their_own_direction():
    arabic = owner_words("ar")
    macros = environment().get_template("macros.html").make_module({"messages": arabic})
    facts = macros.facts([("Selection", said("selection_with_target", selection="balanced", count=3))])
    assert "balanced" in facts
    assert "dir=" not in facts
    assert '<dd dir="auto">How filling?</dd>' in macros.facts([("Question", "How filling?")])
    spoken = macros.sentences([said("coverage_as_nominal"), "A remark of a model."])
    assert spoken.count("dir=") == 1
    assert '<span dir="auto" lang="en">A remark of a model.</span>' in spoken
