import re
import subprocess
import sys
from contextlib import contextmanager

from playwright.sync_api import expect

from tests.browser.walking import click_at, send, sliders


@contextmanager
def demo(folder):
    """The links that the demo command prints, while it runs."""
    command = [
        sys.executable,
        "-m",
        "steelyard",
        "demo",
        "--folder",
        str(folder),
        "--port",
        "0",
        "--raters",
        "3",
    ]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    try:
        links = {}
        for line in process.stderr:
            found = re.match(r"  (.+?): +(http://\S+)", line)
            links |= {found.group(1): found.group(2)} if found else {}
            if line.startswith("Press Ctrl-C"):
                break
        yield links
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_the_demo_is_finished_by_its_own_raters_link(tmp_path, open_page):
    with demo(tmp_path / "demo") as links:
        page = open_page(links["Rater's link"])
        page.wait_for_url("**/welcome")
        page.check("input[name=agree]")
        page.click("#start")
        page.wait_for_url("**/task")
        expect(page.locator("#next")).to_be_visible()
        while "/thanks" not in page.url:
            for at in range(5):
                click_at(page, sliders(page).nth(at), 0.1 + 0.2 * at)
            send(page)
        expect(page.locator("#code")).to_have_value("C1A9X7QF")
        owner = open_page(links["Owner's page"])
        expect(owner.locator("picture img").first).to_be_visible()
        expect(owner.locator("#links")).not_to_contain_text("simulated")
        assert owner.locator("#links input[id^=link-r]").count() == 1
        for opened in (page, owner):  # a page that is still loading would complain about the end of the demo
            opened.close()
