"""Answers that could not be sent wait on the device, each for the rater who gave it."""

from playwright.sync_api import expect

from tests.browser.walking import agree, begin, click_at, join, progress_words, send, sliders

KEPT = "Object.keys(localStorage).filter((key) => key.startsWith('steelyard-answer:')).length"
NO_STORAGE = """Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("not here", "SecurityError"); } })"""
FULL_STORAGE = (
    """Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }"""
)


def answer_in_vain(page, reply):
    page.route("**/api/answers*", reply)
    click_at(page, sliders(page), 0.4)
    page.click("#next")
    expect(page.locator(".note")).to_be_visible()


def let_through(page):
    page.unroute("**/api/answers*")


def test_an_answer_kept_for_one_rater_is_not_sent_for_another(study, open_page):
    served = study(protocol="rating")
    page = open_page(f"{served.address}/join")
    join(page, "Ines")
    link = page.locator("#link").input_value()
    agree(page)
    answer_in_vain(page, lambda route: route.abort())
    sent = []
    page.on("request", lambda request: sent.append(request.url) if "/api/answers" in request.url else None)
    page.goto(f"{served.address}/join?new=1")
    join(page, "Amara")
    agree(page)
    assert progress_words(page).startswith("1 of")
    assert sent == []
    page.wait_for_function(f"() => {KEPT} === 1")
    let_through(page)
    page.goto(link)
    expect(page.locator("#next")).to_be_visible()
    assert progress_words(page).startswith("2 of")
    page.wait_for_function(f"() => {KEPT} === 0")
    page.complaints.expect("Failed to load resource")  # the browser itself reports the failed request


def test_a_page_that_was_made_before_the_answer_arrived_shows_the_next_task(study, open_page):
    page = begin(open_page, study(protocol="rating"))
    old = page.request.get(page.url).text()
    click_at(page, sliders(page), 0.4)
    send(page)
    page.route(page.url, lambda route: route.fulfill(body=old, content_type="text/html"))
    page.reload()
    expect(page.locator("#progress .progress-words")).to_contain_text("2 of")


def test_an_answer_refused_for_an_old_page_is_kept_and_one_that_does_not_fit_is_not(study, open_page):
    page = begin(open_page, study(protocol="rating"))
    refusal = {"content_type": "application/json", "body": '{"message": "No."}'}
    answer_in_vain(page, lambda route: route.fulfill(status=403, **refusal))
    page.wait_for_function(f"() => {KEPT} === 1")
    let_through(page)
    page.reload()
    expect(page.locator("#next")).to_be_visible()
    assert progress_words(page).startswith("2 of")
    answer_in_vain(page, lambda route: route.fulfill(status=422, **refusal))
    page.wait_for_function(f"() => {KEPT} === 0")
    page.complaints.expect("Failed to load resource")  # the browser itself reports the refusals


def test_the_page_works_where_nothing_can_be_stored(study, open_page):
    served = study(protocol="rating")
    for forbid in (NO_STORAGE, FULL_STORAGE):
        page = open_page(f"{served.address}/join")
        page.add_init_script(forbid)
        join(page)
        agree(page)
        click_at(page, sliders(page), 0.4)
        send(page)
        assert progress_words(page).startswith("2 of")


def test_an_undo_whose_reply_was_lost_takes_one_answer_back(study, open_page):
    page = begin(open_page, study(protocol="rating"))
    for share in (0.2, 0.8):
        click_at(page, sliders(page), share)
        send(page)

    def lose_the_reply(route):
        route.fetch()
        route.abort()

    page.route("**/api/undo", lose_the_reply, times=1)
    page.keyboard.press("u")
    expect(page.locator(".note.bad")).to_contain_text("Try to undo again")
    page.keyboard.press("u")
    expect(page.locator(".toast")).to_contain_text("Your last answer was undone")
    assert progress_words(page).startswith("2 of")
    page.complaints.expect("Failed to load resource")  # the browser itself reports the lost reply


def test_another_answer_from_a_second_browser_is_told_that_the_earlier_one_is_kept(study, open_page):
    page = begin(open_page, study(protocol="rating"))
    signed_in = {"cookies": page.context.cookies(), "origins": []}
    second = page.context.browser.new_context(storage_state=signed_in).new_page()
    second.goto(page.url)
    expect(second.locator("#next")).to_be_visible()
    click_at(page, sliders(page), 0.2)
    send(page)
    click_at(second, sliders(second), 0.8)
    second.click("#next")
    expect(second.locator(".note")).to_contain_text("Your earlier answer is kept.")
    assert progress_words(second).startswith("2 of")
    second.context.close()


def test_an_answer_of_an_earlier_visit_that_is_not_stored_is_said(study, open_page):
    page = begin(open_page, study(protocol="rating"))
    answer_in_vain(page, lambda route: route.abort())
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator("#next")).to_be_visible()  # it has sent what was kept
    page.evaluate(
        """() => { const key = "steelyard-answer:" + document.querySelector("meta[name=rater]").content + ":nobody";
        localStorage.setItem(key, JSON.stringify({ assignment: "nobody", answers: [] })); }"""
    )
    other.reload()
    expect(other.locator(".note")).to_contain_text("was closed while you were away")
    page.complaints.expect("Failed to load resource")  # the browser itself reports the refusals
