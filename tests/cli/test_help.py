"""The help of the commands."""

import re

import pytest
from typer.main import get_command

from steelyard.cli.agreement import STATISTIC_WORDS
from steelyard.cli.main import app
from steelyard.kinds.known import KINDS
from steelyard.quality.agreement import STATISTICS
from steelyard.selection.known import OFFERED_WORDS, SELECTIONS, find_selection
from steelyard.simulation.scenarios import SCENARIO_WORDS, SCENARIOS
from tests.cli.test_commands import steelyard


def printed(*command):
    """The help of a command, in one line and without frames."""
    return " ".join(steelyard(*command, "--help").stdout.replace("│", " ").split())


def all_commands(command=None, path=()):
    """Every command and group with its path, the application first."""
    command = get_command(app) if command is None else command
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from all_commands(inner, (*path, name))


def in_brackets(text):
    """What stands in square brackets in a help text, without the mark that keeps it from being markup."""
    return [each for each in re.findall(r"\[[^\[\]]+\]", (text or "").replace("\\", ""))]


@pytest.mark.parametrize("path", [path for path, _ in all_commands()])
def test_no_words_in_brackets_are_lost_as_markup(path):
    command = dict(all_commands())[path]
    inner = [each.get_short_help_str(1_000) for each in getattr(command, "commands", {}).values()]
    texts = [command.help, *inner, *(getattr(each, "help", "") for each in command.params)]
    wanted = [each for text in texts for each in in_brackets(text)]
    if wanted:
        shown = printed(*path)
        assert [each for each in wanted if each not in shown] == []


@pytest.mark.parametrize("command", [each.name or each.callback.__name__ for each in app.registered_commands])
def test_flags_have_no_type(command):
    assert "<bool>" not in printed(command)


def test_the_paragraphs_of_a_help_text_have_no_line_breaks():
    text = get_command(app).commands["fit"].help
    assert len(text.split("\n\n")) == 2
    assert "\n" not in text.replace("\n\n", "")


def test_the_application_has_no_types_of_flags():
    assert "<bool>" not in printed()


def test_the_options_of_fit_are_grouped():
    text = printed("fit")
    panels = ["Reading the file", "Model ─", "Bradley-Terry settings", "Output ─"]
    assert sorted(panels, key=text.index) == panels
    assert text.index("Bradley-Terry settings") < text.index("--rater-covariate") < text.index("Output ─")


def test_the_columns_of_a_scale_are_explained():
    assert "spread (uncertainty of the position: its standard error or standard deviation" in printed("fit")


def test_all_values_are_listed():
    assert f"One of: {', '.join(KINDS.built_in)}." in printed("fit")
    shown = printed("simulate")
    assert all(f"{name}: {words}" in shown for name, words in SCENARIO_WORDS.items())
    assert list(SCENARIO_WORDS) == list(SCENARIOS)


def test_every_statistic_of_agreement_is_explained():
    shown = printed("agreement")
    assert list(STATISTIC_WORDS) == list(STATISTICS)
    assert all(f"{name}: {words}" in shown for name, words in STATISTIC_WORDS.items())


def test_every_selection_that_is_offered_is_explained():
    shown = printed("new")
    assert all(f"{name}: {words}" in shown for name, words in OFFERED_WORDS.items())
    assert {*OFFERED_WORDS, "pair_information"} == set(SELECTIONS.built_in)


def test_the_default_model_of_every_kind_is_listed():
    shown = printed("fit")
    assert all(f"{kind.default_model} for {name}" in shown for name, kind in KINDS.built_in.items())


def test_no_default_is_in_brackets():
    assert "(0)" not in printed("fit")


def test_the_earlier_name_of_an_option_is_not_offered():
    assert "--items" not in printed("simulate")


def test_the_selection_of_pairs_is_not_offered_but_works():
    assert "pair_information" not in printed("new")
    assert find_selection("pair_information").name == "pair_information"


def test_prefer_describes_repeats_of_comparisons_only():
    assert "keep|first|last|refuse" in printed("prefer")
    assert "ratings and ranges" not in printed("prefer")
    assert "half the log-odds, as in prefmod" in printed("prefer")
