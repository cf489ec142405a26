"""Two raters of a study with two arms, in two browsers."""

from playwright.sync_api import expect

from tests.browser.walking import agree, click_at, join, sliders

ARMS = """
redundancy = 3

[[condition]]
name = "one-item"
instructions = "Judge one food at a time."

[[condition]]
name = "three-items"
protocol = "list"
list_size = 3
instructions = "Judge three foods together."
[condition.scale]
labels = ["Leaves me hungry", "Fills me up"]
"""
SHOWN = {
    1: ("Judge one food at a time.", "Not filling at all"),
    3: ("Judge three foods together.", "Leaves me hungry"),
}


def test_two_raters_land_in_two_arms_and_the_owner_sees_both(study, open_page):
    served = study(protocol="rating", extra=ARMS)
    seen = []
    for name in ("Ines", "Omar"):
        page = open_page(f"{served.address}/join")
        join(page, name)
        instructions = page.locator("main").inner_text()
        agree(page)
        expect(sliders(page).first).to_be_visible()
        count = sliders(page).count()
        seen.append(count)
        own, other = SHOWN[count], SHOWN[4 - count]
        assert own[0] in instructions
        assert other[0] not in instructions
        expect(page.get_by_text(own[1]).first).to_be_visible()
        expect(page.get_by_text(other[1])).to_have_count(0)
        for at in range(count):
            click_at(page, sliders(page).nth(at), 0.3 + 0.2 * at)
        page.click("#next")
        page.reload()
        expect(sliders(page)).to_have_count(count)
    assert sorted(seen) == [1, 3]
    owner = open_page(served.owner)
    expect(owner.get_by_role("navigation", name="Conditions").get_by_role("link")).to_have_text(
        ["one-item", "three-items"]
    )
    owner.get_by_role("link", name="three-items").click()
    expect(owner.locator("#owner-arms a[aria-current]")).to_have_text("three-items")
