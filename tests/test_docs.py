"""The documentation tells the whole truth: every setting, command and option is in it."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import typer.main

from steelyard.cli.main import app
from steelyard.judgments.formats.mturk import field_pattern
from steelyard.judgments.table_kinds import KINDS
from steelyard.models.bradley_terry.settings import CHOICES
from steelyard.models.known import item_models
from steelyard.selection.known import SELECTIONS, STUDY_KEYS
from steelyard.selection.stopping import Stop
from steelyard.study.definition.definition import StudyDefinition
from steelyard.study.definition.sections.asking import Question
from steelyard.study.definition.sections.items import ItemsSettings
from steelyard.study.definition.sections.joining import SurveyQuestion
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.definition.spellings import SECTIONS

DOCS = Path(__file__).parents[1] / "docs"
RECORDS = {
    "items": ItemsSettings,
    "scale": ScaleSettings,
    "questions": Question,
    "stop": Stop,
    "survey": SurveyQuestion,
    **{name: record for name, record in SECTIONS.items() if name != "grounding"},
}
TABLES = {"stop", "survey"}  # keys of a section that have a section of their own


@pytest.mark.parametrize("name", RECORDS)
def test_every_setting_of_a_section_is_documented_in_it(name):
    settings = [each.name for each in fields(RECORDS[name]) if each.name not in TABLES]
    assert [setting for setting in settings if f"`{setting}`" not in section(name)] == []


def test_every_section_and_every_key_at_the_top_is_documented():
    page = (DOCS / "study_toml.md").read_text()
    missing = [
        each.name
        for each in fields(StudyDefinition)
        if f"`{each.name}`" not in page and not section(each.name)
    ]
    assert missing == []
    assert [each.name for each in fields(SECTIONS["grounding"]) if not section(each.name)] == []


def section(title):
    page = (DOCS / "study_toml.md").read_text().replace("[[", "[").replace("]]", "]")
    return page.partition(f"## [{title}]\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", item_models())
def test_every_setting_of_a_model_is_listed_beside_it(name):
    rows = [
        row
        for row in section("learning.model_settings").splitlines()
        if f"`{name}`" in "".join(row.split("|")[1:2])
    ]
    assert len(rows) == 1
    missing = [
        f.name for f in fields(item_models()[name]) if f.name != "seed" and f"`{f.name}`" not in rows[0]
    ]
    assert missing == []


@pytest.mark.parametrize("name", SELECTIONS)
def test_every_setting_of_a_selection_is_a_key_of_the_study_or_of_its_section(name):
    told = (DOCS / "study_toml.md").read_text()
    for setting in fields(SELECTIONS[name]):
        if setting.name in STUDY_KEYS:
            assert f"`{STUDY_KEYS[setting.name].split()[0]}`" in told
        else:
            assert f"| `{setting.name}` |" in section("choosing.selection_settings")
            assert f"`{name}`" in section("choosing.selection_settings")


@pytest.mark.parametrize(
    ("option", "values"), [("--penalty", CHOICES["penalty"]), ("--ties", CHOICES["ties"][1:])]
)
def test_every_choice_of_an_option_is_in_its_help(option, values):
    command = typer.main.get_command(app).commands["fit"]
    (told,) = [each.help for each in command.params if option in each.opts]
    assert [value for value in values if value not in told] == []


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
    assert [name for name in names if field_pattern().fullmatch(f"Answer.{name}") is None] == []
    stems = {re.sub(r"\d+$", "", name) for name in names}
    kinds = {name for name, kind in KINDS.items() if stems & set(kind.fields.holding)}
    assert kinds == set(KINDS)
