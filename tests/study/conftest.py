import pytest

from tests.stores import STORES
from tests.study.making import Clock, make_session


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=[*STORES, "memory"])
def make(tmp_path, clock, request):
    """Sessions on every kind of log; tests must pass on all of them."""
    made = []

    def build(items=10, **settings):
        folder = tmp_path / f"study{len(made)}"
        made.append(make_session(folder, clock, items, request.param, **settings))
        return made[-1]

    return build
