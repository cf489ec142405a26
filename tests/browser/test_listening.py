"""Audio items: one plays at a time, keys, and answers only after listening."""

from functools import partial

from playwright.sync_api import expect

from tests.browser.listening import sounds
from tests.browser.walking import begin, click_at, send, sliders

NAMES = [f"s{at}" for at in range(6)]
LISTEN = "\n[page]\nlisten_first = true\n"
PLAYING = "[...document.querySelectorAll('audio')].filter((each) => !each.paused).length"
HEARD = "at => { const all = document.querySelectorAll('audio'); return all[at].ended; }"


def begin_listening(open_page, study, protocol, sections=LISTEN):
    change = partial(sounds, names=NAMES, sections=sections)
    return begin(open_page, study(change, protocol=protocol, extra="list_size = 3"))


def reason(page):
    return page.locator("#reason")


def hear(page, key, at):
    page.keyboard.press(key)
    page.wait_for_function(HEARD, arg=at)


def test_a_list_of_sounds_is_answered_after_every_one_was_played_and_one_plays_at_a_time(study, open_page):
    page = begin_listening(open_page, study, "list")
    page.evaluate("for (const each of document.querySelectorAll('audio')) each.loop = true")
    for key in "abc":
        page.keyboard.press(key)
        page.wait_for_function(f"() => {PLAYING} === 1")
    page.evaluate(
        "for (const each of document.querySelectorAll('audio')) { each.loop = false; each.pause(); }"
    )
    for at, key in enumerate("ab"):
        hear(page, key, at)
    for number in range(3):
        click_at(page, sliders(page).nth(number), 0.2 + 0.2 * number)
    hear(page, "c", 2)
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "false")
    send(page)


def test_an_answer_before_listening_names_what_to_play(study, open_page):
    page = begin_listening(open_page, study, "rating")
    click_at(page, sliders(page), 0.4)
    expect(reason(page)).to_have_text("Play it to the end.")
    page.keyboard.press("r")
    page.wait_for_function(HEARD, arg=0)
    expect(reason(page)).to_have_text("")
    with page.expect_request("**/api/answers*") as sent:
        send(page)
    acts = [move[3] for move in sent.value.post_data_json["interactions"]]
    assert {"play", "ended"} <= set(acts)


def test_two_sounds_are_compared_by_keys_at_the_same_volume(study, open_page):
    page = begin_listening(open_page, study, "comparison", "")
    page.evaluate("document.querySelectorAll('audio')[0].volume = 0.5")
    page.wait_for_function("() => document.querySelectorAll('audio')[1].volume === 0.5")
    page.evaluate("document.querySelectorAll('audio')[0].playbackRate = 2")
    page.wait_for_function("() => document.querySelectorAll('audio')[0].playbackRate === 1")
    hear(page, "b", 1)
    hear(page, "a", 0)
    assert page.locator("audio").first.get_attribute("preload") == "auto"


def test_a_player_can_ask_for_a_part_of_a_file(study, open_page):
    page = begin_listening(open_page, study, "rating", "")
    url = page.locator("audio").get_attribute("src")
    reply = page.request.get(page.url.replace("/task", url), headers={"Range": "bytes=100-199"})
    assert (reply.status, len(reply.body())) == (206, 100)
    assert reply.headers["content-type"] == "audio/wav"
    assert "max-age" in reply.headers["cache-control"]
