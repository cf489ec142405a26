"""Every setting, command, option and public name is documented, and every link leads somewhere."""

import inspect
import re
import sys
from dataclasses import fields

import pytest
import typer.main

import steelyard
from steelyard import errors
from steelyard.cli.main import app
from steelyard.judgments.formats.mturk import field_pattern
from steelyard.judgments.table_kinds import KINDS
from steelyard.models.bradley_terry.settings import CHOICES
from steelyard.models.known import MODELS
from steelyard.selection.known import SELECTIONS, STUDY_KEYS
from steelyard.selection.stopping import Stop
from steelyard.study.definition.definition import DERIVED, StudyDefinition
from steelyard.study.definition.sections.asking import Question
from steelyard.study.definition.sections.items import ItemsSettings
from steelyard.study.definition.sections.joining import SurveyQuestion
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.study.definition.spellings import SECTIONS
from steelyard.study.definition.training_settings import TrainingSettings
from tests.documents import DOCS, ROOT, broken, pages, prose, relative_links, rows, section, toctree

sys.path.insert(0, str(DOCS))
from sitebuild.docstrings import settings_of
from sitebuild.pages import generated_pages
from sitebuild.public import PAGES, resolve

RECORDS = {
    "items": ItemsSettings,
    "scale": ScaleSettings,
    "questions": Question,
    "stop": Stop,
    "survey": SurveyQuestion,
    "training": TrainingSettings,
    **{name: record for name, record in SECTIONS.items() if name != "grounding"},
}
FEWEST_WORDS = 30  # of a page, with its heading
TABLES = {"stop", "survey"}  # keys of a section that have a section of their own
SET_ELSEWHERE = {"seed", "features"}  # settings of models that other keys of study.toml set
LINKED = [*pages(), *(ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"))]
DOCUMENTED = [(page.name, path) for page in PAGES for path in page.names]


def toml_section(title):
    page = (DOCS / "reference" / "study_toml.md").read_text("utf-8")
    return section(page, f"[{title}]") or section(page, f"[[{title}]]")


def test_the_generated_pages_are_current():
    outdated = [path.name for path, text in generated_pages().items() if path.read_text("utf-8") != text]
    assert not outdated, "Write the generated pages again: make reference"


@pytest.mark.parametrize("name", RECORDS)
def test_every_setting_of_a_section_is_described_in_it(name):
    settings = [each.name for each in fields(RECORDS[name]) if each.name not in TABLES]
    described = rows(toml_section(name))
    assert [each for each in settings if each not in described or not described[each][-1]] == []


def test_every_section_and_every_key_at_the_top_is_described():
    described = rows(section((DOCS / "reference" / "study_toml.md").read_text("utf-8"), "Top of the file"))
    keys = [each.name for each in fields(StudyDefinition) if each.name not in DERIVED]
    assert [
        each for each in keys if each not in described and not toml_section(each) and each != "grounding"
    ] == []
    assert [each.name for each in fields(SECTIONS["grounding"]) if not toml_section(each.name)] == []


@pytest.mark.parametrize("record", SECTIONS["grounding"].__dataclass_fields__)
def test_every_setting_of_a_grounded_scale_is_described(record):
    hint = {each.name: each for each in fields(SECTIONS["grounding"])}[record].type
    owner = getattr(inspect.getmodule(SECTIONS["grounding"]), hint.removesuffix(" | None"))
    described = rows(toml_section(record))
    assert [each.name for each in fields(owner) if not described[each.name][-1]] == []


@pytest.mark.parametrize("name", MODELS.built_in)
def test_every_setting_of_a_model_is_described(name):
    model = MODELS[name]
    own = [each.name for each in fields(model) if each.init]
    assert [each for each in own if not settings_of(model).get(each)] == []
    listed = rows(section((DOCS / "reference" / "study_toml.md").read_text("utf-8"), f"Settings of {name}"))
    assert [each for each in own if each not in SET_ELSEWHERE and each not in listed] == []


@pytest.mark.parametrize("name", SELECTIONS)
def test_every_setting_of_a_selection_is_a_key_of_the_study_or_of_its_section(name):
    page = (DOCS / "reference" / "study_toml.md").read_text("utf-8")
    own = [
        row
        for row in toml_section("choosing.selection_settings").splitlines()
        if row.startswith(f"| `{name}` |")
    ]
    for setting in fields(SELECTIONS[name]):
        if setting.name in STUDY_KEYS:
            assert f"`{STUDY_KEYS[setting.name].split()[0]}`" in page
        else:
            (row,) = [row for row in own if f"| `{setting.name}` |" in row]
            assert row.rstrip(" |").rpartition("|")[2].strip()


@pytest.mark.parametrize(
    ("option", "values"), [("--penalty", CHOICES["penalty"]), ("--ties", CHOICES["ties"][1:])]
)
def test_every_choice_of_an_option_is_in_its_help(option, values):
    command = typer.main.get_command(app).commands["fit"]
    (text,) = [each.help for each in command.params if option in each.opts]
    assert [value for value in values if value not in text] == []


def commands():
    """All commands; those of a group have its name before theirs."""
    whole = typer.main.get_command(app).commands
    groups = {name: each.commands for name, each in whole.items() if hasattr(each, "commands")}
    inner = {f"{name} {inner}": each for name, group in groups.items() for inner, each in group.items()}
    return {name: each for name, each in whole.items() if name not in groups} | inner


@pytest.mark.parametrize("name", commands())
def test_a_command_and_its_options_are_documented(name):
    command = commands()[name]
    text = section((DOCS / "reference" / "command_line.md").read_text("utf-8"), f"steelyard {name}")
    described = {spelling.split()[0]: cells for spelling, cells in rows(text).items()}
    for each in command.params:
        if getattr(each, "hidden", False):  # an earlier name of an option
            continue
        names = each.opts if each.param_type_name == "option" else [each.name.upper()]
        assert [spelling for spelling in names if not described[spelling][-1]] == []


@pytest.mark.parametrize("path", pages(), ids=lambda path: str(path.relative_to(DOCS)))
def test_a_page_has_more_than_a_heading(path):
    assert len(path.read_text("utf-8").split()) > FEWEST_WORDS


def test_every_page_is_in_a_table_of_contents():
    reached, waiting = set(), [DOCS / "index.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting += toctree(page)
    assert set(pages()) - reached == {DOCS / "README.md"}


@pytest.mark.parametrize("path", LINKED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file_and_a_heading(path):
    assert list(filter(None, (broken(path, target) for target in relative_links(path)))) == []


@pytest.mark.parametrize("path", LINKED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_example_is_in_a_code_block(path):
    """Outside of one, Markdown shows `>>>` as a quotation, and nothing runs it."""
    assert [line for line in prose(path.read_text("utf-8")).splitlines() if line.startswith(">>>")] == []


@pytest.mark.parametrize("name", [each for each in steelyard.__all__ if not each.startswith("__")])
def test_every_exported_name_is_on_a_page_of_the_api(name):
    assert f"steelyard.{name}" in [path for _, path in DOCUMENTED]


def test_every_error_is_on_the_page_of_errors():
    classes = {
        value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, Exception)
    }
    documented = {resolve(path) for page, path in DOCUMENTED if page == "errors"}
    assert {each for each in classes if issubclass(each, steelyard.SteelyardError)} <= documented


def test_every_model_and_every_selection_is_on_a_page_of_the_api():
    documented = [resolve(path) for _, path in DOCUMENTED]
    parts = {**MODELS.built_in, **SELECTIONS.built_in}
    assert [name for name, part in parts.items() if part not in documented] == []


def test_nothing_is_documented_twice():
    documented = [path for _, path in DOCUMENTED]
    assert [path for path in documented if documented.count(path) > 1] == []


def test_every_field_of_the_mturk_forms_is_read():
    text = (DOCS / "how-to" / "mturk.md").read_text("utf-8")
    forms = "".join(re.findall(r"```html\n(.*?)```", text, re.DOTALL))
    names = set(re.findall(r' name="(\w+)"', forms))
    assert [name for name in names if field_pattern().fullmatch(f"Answer.{name}") is None] == []
    stems = {re.sub(r"\d+$", "", name) for name in names}
    kinds = {name for name, kind in KINDS.items() if stems & set(kind.fields.holding)}
    assert kinds == set(KINDS)
