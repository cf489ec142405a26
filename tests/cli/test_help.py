"""The help of the commands."""

import pytest

from steelyard.cli.main import app
from steelyard.kinds.known import KINDS
from steelyard.selection.known import find_selection
from steelyard.simulation.scenarios import SCENARIOS
from tests.cli.test_commands import steelyard


def printed(*command):
    """The help of a command, in one line and without frames."""
    return " ".join(steelyard(*command, "--help").stdout.replace("│", " ").split())


@pytest.mark.parametrize("command", [each.name or each.callback.__name__ for each in app.registered_commands])
def test_flags_have_no_type(command):
    assert "<bool>" not in printed(command)


def test_the_application_has_no_types_of_flags():
    assert "<bool>" not in printed()


def test_the_options_of_fit_are_grouped():
    text = printed("fit")
    panels = ["Reading the file", "Model ─", "Bradley-Terry settings", "Output ─"]
    assert sorted(panels, key=text.index) == panels
    assert text.index("Bradley-Terry settings") < text.index("--rater-covariate") < text.index("Output ─")


def test_the_columns_of_a_scale_are_explained():
    assert "spread (standard error or posterior standard deviation)" in printed("fit")


def test_all_values_are_listed():
    assert f"One of: {', '.join(KINDS.built_in)}." in printed("fit")
    assert f"One of: {', '.join(SCENARIOS)}." in printed("simulate")


def test_the_selection_of_pairs_is_not_offered_but_works():
    assert "pair_information" not in printed("new")
    assert find_selection("pair_information").name == "pair_information"


def test_prefer_describes_repeats_of_comparisons_only():
    assert "keep|first|last|refuse" in printed("prefer")
    assert "ratings and ranges" not in printed("prefer")
    assert "half the log-odds, as in prefmod" in printed("prefer")
