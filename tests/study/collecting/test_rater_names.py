"""Names are stored without invisible characters."""

import pytest

from steelyard.study.collecting.rater_names import clean_name


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("Ann\u202eeL", "AnneL"),
        ("\u2067Ann\u2069", "Ann"),
        ("A\0nn\x07", "Ann"),
        ("\u200b\ufeff\u2060", ""),
        ("\u200d", ""),
        ("\u0301", ""),
        ("نرگس\u200cها", "نرگس\u200cها"),
        ("👩\u200d🔬", "👩\u200d🔬"),
        ("  Ann \n Lee ", "Ann Lee"),
        ("\ud800Ann", "Ann"),
    ],
)
def test_invisible_and_direction_changing_characters_are_removed_from_a_name(name, clean):
    assert clean_name(name) == clean


def test_every_rater_is_stored_under_a_clean_name(make):
    session = make(3)
    assert session.join("Ann\u202e\0", "link").name == "Ann"
    assert session.join("\u200b", "open").name == "r-02"
