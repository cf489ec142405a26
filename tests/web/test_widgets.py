import pytest

from steelyard.kinds.known import PROTOCOLS
from steelyard.web.widgets import ADDRESS, GROUND, STATIC, fetched_ahead, imports_of, widget_of

MODULES = sorted(STATIC.rglob("*.js"))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_has_a_module_and_stylesheets_that_exist(protocol):
    shown = widget_of(protocol)
    assert all(
        (STATIC / each.removeprefix(ADDRESS)).is_file() for each in [shown["module"], *shown["styles"]]
    )


def test_the_widget_of_one_protocol_imports_no_other():
    modules = fetched_ahead([widget_of("rating")]).modules
    others = [imports_of(widget_of(each)["module"])[0] for each in PROTOCOLS if each != "rating"]
    assert not set(modules) & {*others, GROUND["module"]}


def test_imports_are_followed_to_the_end_and_each_is_named_once():
    modules = imports_of("/static/widgets/scale/rating.js")
    assert "/static/widgets/choices/choices.js" in modules
    assert len(modules) == len(set(modules))


def test_a_widget_that_another_package_serves_is_left_to_it():
    assert imports_of("/widgets/yes_no/yes-no.js") == ("/widgets/yes_no/yes-no.js",)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_every_module_imports_files_that_exist(module):
    address = ADDRESS + module.relative_to(STATIC).as_posix()
    assert all((STATIC / each.removeprefix(ADDRESS)).is_file() for each in imports_of(address))
