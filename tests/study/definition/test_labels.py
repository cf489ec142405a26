import pytest

from steelyard.study.definition.items import Item
from steelyard.study.definition.labels import label_of, printable

HARMFUL = [*map(chr, range(0x20)), "\x7f", "\x9f", "\ud800", "\udfff", "\ufffe", "\uffff"]


def test_the_label_of_an_item_is_its_first_line_or_its_id():
    assert label_of(Item("a", "text", "  Tea \n with honey")) == "Tea"
    assert label_of(Item("a", "markdown", "# Tea\nwith honey")) == "Tea"
    assert label_of(Item("a", "image", "pictures/tea.png")) == "a"


@pytest.mark.parametrize("character", HARMFUL)
def test_a_label_has_no_character_that_xml_or_utf_8_cannot_hold(character):
    label = label_of(Item("a", "text", f"Tea{character}time"))
    assert label.startswith("Tea")
    assert label.encode()
    assert character not in label


@pytest.mark.parametrize("text", ["Pasta with pesto 🍝", "حمص مع الجزر", "e\u0301", "👩\u200d🍳", "a  b"])
def test_other_characters_stay_as_they_are(text):
    assert printable(text) == text
