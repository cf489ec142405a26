"""What must fit on a phone of 360 pixels."""

import re

import pytest

from tests.browser.grounding import FIVE_LABELS, flag, ranges
from tests.browser.walking import PHONE, begin


@pytest.mark.parametrize("protocol", ["rating", "list"])
def test_no_label_of_a_phone_breaks_within_a_word(study, open_page, protocol):
    def five_labels(folder):
        text = (folder / "study.toml").read_text(encoding="utf-8")
        changed = re.sub(r"^labels = .*$", FIVE_LABELS, text, flags=re.MULTILINE)
        (folder / "study.toml").write_text(changed, encoding="utf-8")

    page = begin(open_page, study(protocol=protocol, change=five_labels), **PHONE)
    words = page.evaluate(
        """() => [...document.querySelectorAll(".labels .label")].flatMap((label) => {
        const text = label.firstChild;
        return [...text.data.matchAll(/\\S+/g)].map(({ 0: word, index }) => {
            const range = document.createRange();
            range.setStart(text, index);
            range.setEnd(text, index + word.length);
            return [word, range.getClientRects().length];
        });
    })"""
    )
    assert len(words) > 5
    assert [word for word, lines in words if lines > 1] == []


def test_on_a_phone_both_ends_of_the_line_and_their_handles_are_above_the_dock(study, open_page):
    page = begin(open_page, ranges(study, anchors=[("tea", 0, 10), ("pasta", 55, 70)]), **PHONE)
    dock = page.locator(".dock").bounding_box()["y"]
    handle, label = (
        flag(page, "low").locator(".thumb").bounding_box(),
        page.locator(".end-label").last.bounding_box(),
    )
    assert handle["y"] + handle["height"] <= dock
    assert label["y"] + label["height"] <= dock
