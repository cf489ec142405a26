import pytest

from tests.study.making import Clock, make_session


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def make(tmp_path, clock):
    made = []

    def build(items=10, **settings):
        folder = tmp_path / f"study{len(made)}"
        made.append(make_session(folder, clock, items, **settings))
        return made[-1]

    return build
