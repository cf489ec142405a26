import pytest

from steelyard.errors import BadSetting
from steelyard.study.definition.sections.panel import PanelSettings


def test_links_have_the_ids_of_the_person_quoted():
    panel = PanelSettings(
        person="rid", session="s", full="https://p.example/q?a={person}&b={session}&c={code}"
    )
    assert panel.link("full", "a b", "c&d", "X/1") == "https://p.example/q?a=a%20b&b=c%26d&c=X%2F1"
    assert panel.link("completed", "a", "b", "c") == ""
    assert panel.link("none", "a", "b", "c") == ""


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"name": "P"}, "is missing"),
        ({"person": "r d"}, "is not the name of a parameter"),
        ({"person": "rid", "session": "rid"}, "is the parameter of the person"),
        ({"person": "rid", "full": "javascript:alert(1)"}, "begins with https"),
        ({"person": "rid", "full": "https://{person}.example/"}, "begins with https"),
        ({"person": "rid", "full": "https://p.example/{worker}"}, "is not a field"),
        ({"person": "rid", "full": "https://p.example/{session}"}, "needs the name of a parameter"),
        ({"person": "rid", "full": "https://p.example/{"}, "Check its braces"),
    ],
)
def test_a_panel_that_cannot_work_is_refused(settings, reason):
    with pytest.raises(BadSetting, match=reason):
        PanelSettings(**settings)
