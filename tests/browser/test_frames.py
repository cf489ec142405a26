"""An HTML item in a real browser: it is shown, its scripts do not run, and nothing leaves the server."""

from playwright.sync_api import expect

from tests.browser.walking import agree, join

PICTURE = "https://elsewhere.example/x.png"
HOSTILE = (
    "<p id=shown>A bowl of soup</p><script>document.body.textContent = 'changed'; top.location = '/changed'</script>"
    "<img src=https://elsewhere.example/x.png onerror=top.alert(1)><form action=https://elsewhere.example/>"
    "<iframe src=https://elsewhere.example/></iframe><meta http-equiv=refresh content='0;url=https://elsewhere.example/'>"
)


def as_html(folder):
    rows = "".join(f'i{at},"{HOSTILE}"\n' for at in range(3))
    (folder / "items.csv").write_text(f"id,html\n{rows}")


def test_an_html_item_is_shown_without_scripts_and_without_requests_to_others(study, open_page):
    served = study(as_html, protocol="rating")
    page = open_page(f"{served.address}/join")
    finished = []
    page.on("requestfinished", lambda request: finished.append(request.url))
    join(page)
    with page.expect_event("requestfailed", lambda request: request.url == PICTURE) as failed:
        agree(page)
    frame = page.frame_locator("iframe.item-frame")
    expect(frame.locator("#shown")).to_have_text("A bowl of soup")
    is_reachable = "document.querySelector('iframe.item-frame').contentDocument !== null"
    assert page.evaluate(is_reachable) is False  # the frame has an origin of its own
    assert page.url == f"{served.address}/task"
    assert not [url for url in finished if not url.startswith(served.address)]
    # The browser itself refuses the requests, and does not just fail to find the host.
    assert failed.value.failure == "csp"
    page.complaints.expect("elsewhere", "sandbox")
