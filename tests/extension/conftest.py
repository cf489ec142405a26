"""Kinds, models and selections outside Steelyard: registered for one test, or installed beside it."""

import subprocess
import sys

import pytest

from steelyard.kinds.known import KINDS
from tests.extension.installing import install
from tests.extension.yes_no import YES_NO
from tests.study.making import Clock, make_session

collect_ignore = ["register_parts.py"]  # it registers parts when it is imported


@pytest.fixture
def yes_no():
    yield KINDS.register(YES_NO)
    KINDS.remove(YES_NO.name)


@pytest.fixture
def make(tmp_path, yes_no):
    """Return sessions of studies that ask yes or no."""
    clock = Clock()

    def build(items=10, folder="study", **settings):
        return make_session(tmp_path / folder, clock, items, protocol="yes_no", **settings)

    return build


@pytest.fixture
def command(tmp_path):
    """Run a command of Steelyard in a Python that has the kind installed."""
    environment = install(tmp_path / "site")

    def run(*arguments, code=0):
        done = subprocess.run(
            [sys.executable, "-m", "steelyard", *map(str, arguments)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run
