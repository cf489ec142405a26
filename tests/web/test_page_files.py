import gzip
import json
import re

import pytest

from steelyard.kinds.known import PROTOCOLS
from steelyard.web.page_files import PAGES, Bundles
from steelyard.web.widgets import GROUND, widget_of
from tests.web.conftest import start_rating


def addresses_in(page):
    return re.findall(r'(?:href|src)="(/bundles/[^"]+)"', page)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_page_of_every_protocol_has_its_files(protocol):
    bundles = Bundles([widget_of(protocol), GROUND])
    assert all(bundles.page(name).stylesheet for name in PAGES)
    assert bundles.page("task").script != bundles.page("training").script


def test_a_task_page_asks_for_one_stylesheet_and_one_script_which_browsers_keep(make_app, visit):
    app, _ = make_app(protocol="comparison", extra="open_link = true")
    with visit(app) as client:
        start_rating(client)
        page = client.get("/task")
        files = addresses_in(page.text)
        suffixes = sorted(address.rpartition(".")[2] for address in files)
        responses = [client.get(address) for address in files]
    assert suffixes == ["css", "js", "svg"]
    assert all("immutable" in response.headers["cache-control"] for response in responses)
    assert all(response.headers["content-encoding"] == "gzip" for response in responses)
    assert page.headers["content-encoding"] == "gzip"
    assert "no-store" in page.headers["cache-control"]


def test_a_task_page_comes_with_its_first_task(make_app, visit):
    app, _ = make_app(protocol="comparison", extra="open_link = true")
    with visit(app) as client:
        start_rating(client)
        page = client.get("/task").text
        held = client.get("/api/task").json()
    assert json.loads(re.search(r'id="first-state">(.*)</script>', page)[1]) == held


def test_a_browser_that_does_not_accept_gzip_receives_the_same_file_uncompressed(make_app, visit):
    app, _ = make_app(extra="open_link = true")
    with visit(app) as client:
        [address] = [each for each in addresses_in(client.get("/join").text) if each.endswith("css")]
        plain = client.get(address, headers={"Accept-Encoding": "identity"})
        with client.stream("GET", address, headers={"Accept-Encoding": "gzip"}) as response:
            packed = b"".join(response.iter_raw())
    assert "content-encoding" not in plain.headers
    assert gzip.decompress(packed) == plain.content
    assert plain.headers["vary"] == "Accept-Encoding"


def test_an_unknown_file_is_not_found(make_app, visit):
    app, _ = make_app()
    with visit(app) as client:
        assert client.get("/bundles/task-000000000000.js").status_code == 404


def test_a_widget_of_another_package_is_not_part_of_the_script():
    own = {"module": "/widgets/yes_no/yes-no.js", "styles": ["/widgets/yes_no/yes-no.css"]}
    files = Bundles([own, GROUND]).page("task")
    assert own["module"] in files.ahead.modules
    assert GROUND["module"] in files.ahead.modules
    assert not set(files.holds) & {*own["styles"], *GROUND["styles"]}
