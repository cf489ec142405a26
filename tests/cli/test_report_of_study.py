"""`steelyard report` of a study whose judgments are fitted with other options."""

import re

import pytest

from tests.cli.test_commands import steelyard


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study of 24 outputs of 4 systems with the seed 11."""
    place = tmp_path_factory.mktemp("report")
    items = place / "items.csv"
    rows = [f"{system}{at},Text {system} {at},s{system},g{at}" for system in range(4) for at in range(6)]
    items.write_text("\n".join(["id,text,system,segment", *rows]) + "\n")
    study = place / "study"
    steelyard("new", study, "--items", items, "--protocol", "rating", "--seed", 11)
    steelyard("simulate", study, "--raters", 8)
    return study


@pytest.fixture
def report(folder, tmp_path):
    """Write a report of the study with these options; returns it as Markdown."""

    def write(*options):
        made = tmp_path / "report.md"
        steelyard("report", folder, "-o", made, *options)
        return made.read_text()

    return write


@pytest.mark.parametrize("options", [("--unit", "system"), ("--model", "direct_assessment"), ("--seed", 11)])
def test_a_fit_with_other_options_has_the_seed_and_the_calibration_of_the_study(report, options):
    text = report(*options)
    assert "| Seed | 11 |" in text
    assert re.search(r"\| seed 11 \|", text)
    assert "The expected correlation with the true positions" in text
    assert "### Coverage of intervals" in text
    own = "The calibration below is that of the study: the model steelyard with the settings of study.toml, for items"
    assert (own in text) is (options[0] != "--seed")


def test_the_unit_of_the_study_is_its_own_report(report):
    plain, named = (
        re.sub(r"(?m)^steelyard report .*$", "", report(*options)) for options in ((), ("--unit", "item"))
    )
    assert plain == named


def test_another_seed_is_that_of_the_fit(report):
    text = report("--seed", 12)
    assert "| Seed | 12 |" in text
    assert "| seed 12 |" in text
