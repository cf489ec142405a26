"""`steelyard freeze` writes the definition of a study with a hash, and finds later changes."""

import json

import pytest
from typer.testing import CliRunner

from steelyard.cli.main import app
from tests.serving import write_study


@pytest.fixture
def run():
    return lambda *arguments: CliRunner().invoke(app, ["freeze", *map(str, arguments)])


def test_a_frozen_study_has_its_settings_and_items_and_the_same_hash_each_time(tmp_path, run):
    write_study(tmp_path / "study", extra="redundancy = 4")
    first, second = tmp_path / "one.json", tmp_path / "two.json"
    assert run(tmp_path / "study", "-o", first).exit_code == 0
    run(tmp_path / "study", "-o", second)
    frozen = json.loads(first.read_text(encoding="utf-8"))
    assert frozen == json.loads(second.read_text(encoding="utf-8"))
    assert frozen["settings"]["choosing"]["redundancy"] == 4
    assert len(frozen["items"]) == 10
    assert len(frozen["sha256"]) == 64


def test_a_later_change_of_an_item_or_a_setting_is_named(tmp_path, run):
    folder, file = tmp_path / "study", tmp_path / "frozen.json"
    write_study(folder)
    run(folder, "-o", file)
    assert run(folder, "--compare", file).exit_code == 0
    items = (folder / "items.csv").read_text(encoding="utf-8")
    (folder / "items.csv").write_text(items.replace("Green tea", "Black tea"), encoding="utf-8")
    toml = (folder / "study.toml").read_text(encoding="utf-8")
    changed_toml = toml.replace("seed = 7", "seed = 8") + "\n[stop]\nbudget = 9\n"
    (folder / "study.toml").write_text(changed_toml, encoding="utf-8")
    changed = run(folder, "--compare", file)
    assert changed.exit_code == 1
    assert "item tea" in changed.output
    assert "settings, seed" in changed.output
    assert "settings, choosing, stop, budget" in changed.output
