"""Dates and numbers of reports in languages other than English."""

import pytest

from steelyard.messages.words import owner_words
from steelyard.report import words
from steelyard.report.local_words import LocalWords
from steelyard.report.parts.collection import days

AT = 1_795_064_780.0  # 19 November 2026


def test_on_pages_from_right_to_left_the_parts_of_a_date_keep_their_order():
    arabic = LocalWords(owner_words("ar"))
    assert arabic.date(AT) == f"\u2066{words.iso(AT)[:10]}\u2069"
    assert arabic.day(AT) == arabic.date(AT)


@pytest.mark.parametrize("code", ["en", "de"])
def test_the_days_of_the_judgments_are_written_like_the_date_of_the_report(code):
    date = LocalWords(owner_words(code)).date
    assert days(AT, AT, date) == date(AT)


def test_reliabilities_have_the_decimals_of_their_target():
    german = LocalWords(owner_words("de"))
    assert german.beside(0.9716, 0.985) == "0,972"
    assert german.beside(0.9716, 0.0) == "0,97"
