"""The documentation tells the whole truth: every setting, command and option is in it."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import typer.main

from steelyard.cli.main import app
from steelyard.judgments.formats.mturk import FIELD, FIELDS
from steelyard.selection.stopping import Stop
from steelyard.study.definition import ItemsSettings, Question, ScaleSettings, StudyDefinition, SurveyQuestion

DOCS = Path(__file__).parents[1] / "docs"
SECTIONS = {"items", "scale", "questions", "survey", "stop", "model_settings"}


@pytest.mark.parametrize(
    "record", [StudyDefinition, ItemsSettings, ScaleSettings, Question, Stop, SurveyQuestion]
)
def test_every_setting_of_a_study_is_documented(record):
    told = (DOCS / "study_toml.md").read_text()
    missing = [f.name for f in fields(record) if f"`{f.name}`" not in told and f.name not in SECTIONS]
    assert missing == []


def test_every_command_and_option_is_documented():
    told = (DOCS / "command_line.md").read_text()
    commands = typer.main.get_command(app).commands
    missing = [
        name for name in commands if f"`steelyard {name} " not in told and f"`steelyard {name}`" not in told
    ]
    for command in commands.values():
        options = [option for each in command.params for option in each.opts if option.startswith("--")]
        missing += [
            option for option in options if option not in told and option not in ("--help", "--output")
        ]
    assert missing == []


def test_every_page_is_in_the_table_of_contents():
    listed = set(re.findall(r"^(\w+)$", (DOCS / "index.md").read_text(), re.MULTILINE))
    assert {page.stem for page in DOCS.glob("*.md")} - {"index"} == listed


def test_every_field_of_the_mturk_forms_is_read():
    text = (DOCS / "mturk.md").read_text()
    forms = "".join(re.findall(r"```html\n(.*?)```", text, re.DOTALL))
    names = set(re.findall(r' name="(\w+)"', forms))
    assert [name for name in names if FIELD.fullmatch(f"Answer.{name}") is None] == []
    stems = {re.sub(r"\d+$", "", name) for name in names}
    kinds = {kind for kind, some in FIELDS.items() if stems & set(some)}
    assert kinds == set(FIELDS)
