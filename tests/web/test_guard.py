import pytest

from steelyard.study.definition.items import Item, Items
from steelyard.web.guard import content_policy


def policy_of(*addresses):
    return content_policy(Items(tuple(Item(f"i{at}", "image", each) for at, each in enumerate(addresses))))


def images_of(policy):
    (images,) = [part for part in policy.split("; ") if part.startswith("img-src ")]
    return images.split()[1:]


def test_pictures_may_come_from_where_the_items_lie():
    addresses = ("https://a.org/x.png", "https://a.org/y.png", "http://b.org:8080/z.png", "own.png")
    assert images_of(policy_of(*addresses)) == ["'self'", "http://b.org:8080", "https://a.org"]


def test_a_host_in_another_script_is_named_as_it_is_looked_up():
    assert images_of(policy_of("https://例え.jp/x.png")) == ["'self'", "https://xn--r8jz45g.jp"]


@pytest.mark.parametrize(
    "address",
    [
        "https://x.org; script-src-elem */a.png",
        "https://x.org, script-src */a.png",
        "https://x.org script-src *",
        "https://x.org\u00a0;script-src/a.png",
        "https://*/a.png",
        "https://'unsafe-inline'/a.png",
        "https://x.org:80;script-src/a.png",
        "https://x.org:99999/a.png",
        "https://[::1/a.png",
        "https:///a.png",
        "https://a..b/a.png",
        f"https://{'é' * 80}.org/a.png",
        "https://straße.de/a.png",
    ],
)
def test_no_address_can_write_into_the_policy(address):
    assert policy_of(address) == policy_of()
    assert policy_of(address).isascii()


def test_a_name_and_a_password_in_an_address_stay_out():
    assert images_of(policy_of("https://name:secret@x.org/a.png")) == ["'self'", "https://x.org"]


def test_text_that_looks_like_an_address_opens_nothing():
    assert content_policy(Items((Item("a", "text", "https://x.org/a.png"),))) == policy_of()


def test_media_of_items_that_were_added_may_be_shown(make_app, visit):
    def as_images(folder):
        (folder / "items.csv").write_text(
            "id,image\na,https://one.example/a.png\nb,https://one.example/b.png\n"
        )
        text = (folder / "study.toml").read_text().replace('text = "text"', 'image = "image"')
        (folder / "study.toml").write_text(text)
        folders.append(folder)

    folders = []
    app, _ = make_app(as_images)
    assert "two.example" not in visit(app).get("/join").headers["content-security-policy"]
    with (folders[0] / "items.csv").open("a") as file:
        file.write("c,https://two.example/c.png\n")
    app.state.session.fresh_ledger()
    assert "https://two.example" in visit(app).get("/join").headers["content-security-policy"]


def test_browsers_are_told_to_stay_on_https_where_the_study_is_served_so(make_app, visit):
    app, _ = make_app()
    secure = visit(app, address="https://rate.example.org").get("/join")
    assert secure.headers["strict-transport-security"] == "max-age=31536000"
    assert "strict-transport-security" not in visit(app).get("/join").headers


@pytest.mark.parametrize("path", ["/join", "/task", "/nowhere", "/static/words.js", "/owner"])
def test_every_response_has_the_security_headers(make_app, visit, path):
    headers = visit(make_app()[0]).get(path).headers
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


def test_methods_that_only_echo_are_refused(make_app, visit):
    assert visit(make_app()[0]).request("TRACE", "/join").status_code == 405
