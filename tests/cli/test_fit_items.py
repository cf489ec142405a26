"""Item covariates and features from a file of items."""

import csv

import pytest

from tests.cli.test_commands import steelyard, table_of
from tests.models.bradley_terry.test_golden import CASES, GOLDEN

SURFACE = CASES["bt2_springall_halfties_surface"]


@pytest.fixture
def springall(tmp_path):
    """Springall's table (1973), and the covariates of his response surface."""
    table, covariates = GOLDEN["tables"]["springall"], SURFACE["settings"]["item_covariates"]
    judgments, items = tmp_path / "springall.csv", tmp_path / "items.csv"
    with judgments.open("w", newline="") as file:
        csv.writer(file).writerows([table["columns"], *table["rows"]])
    with items.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["item", *covariates, "colour"])
        for item in covariates["flav"]:
            colour = "red" if item in ("o1", "o4", "o7") else "green"
            writer.writerow([item, *(values[item] for values in covariates.values()), colour])
    return judgments, items


def covariates(names):
    return [each for name in names for each in ("--item-covariate", name)]


def test_item_covariates_have_the_coefficients_of_r(springall):
    judgments, items = springall
    names = SURFACE["settings"]["item_covariates"]
    options = ["--items-file", items, *covariates(names), "--ties", "half", "--cluster", "none"]
    rows = table_of(steelyard("fit", judgments, *options, "--coefficients").stdout)
    found = {row["name"]: (float(row["estimate"]), float(row["se"])) for row in rows}
    for name, (estimate, error) in SURFACE["coefficients"].items():
        assert found[name] == pytest.approx((estimate, error), abs=1e-4)


def test_a_column_of_text_has_a_coefficient_for_each_value_but_the_first(springall):
    judgments, items = springall
    done = steelyard("fit", judgments, "--items-file", items, "--item-covariate", "colour", "--coefficients")
    assert [row["name"] for row in table_of(done.stdout)] == ["colour=red", "tie"]


def test_positions_are_predicted_from_the_covariates(springall):
    judgments, items = springall
    done = steelyard("fit", judgments, "--items-file", items, "--item-covariate", "colour")
    assert len({row["position"] for row in table_of(done.stdout)}) == 2
    assert "item_covariates=colour=red item_effects=False" in done.stderr


def test_features_come_from_a_file_of_items(tmp_path):
    ratings, items = tmp_path / "ratings.csv", tmp_path / "items.csv"
    ratings.write_text("rater,item,score\nann,tea,20\nbob,tea,40\nann,soup,70\nbob,soup,75\n")
    items.write_text("id,metric\ntea,0.1\nsoup,0.9\n")
    assert "features=metric" in steelyard("fit", ratings, "--items-file", items, "--feature", "metric").stderr


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--item-covariate", "flav"], "this option needs --items-file"),
        (["--items-file", "{items}"], "this option needs --feature or --item-covariate"),
        (["--items-file", "{items}", "--item-covariate", "flaw"], "Did you mean 'flav'?"),
        (["--items-file", "nothing.csv", "--item-covariate", "flav"], "nothing.csv: no such file"),
        (["--set", "item_covariates=3"], "use --item-covariate COLUMN instead"),
    ],
)
def test_mistakes_are_explained(springall, options, reason):
    judgments, items = springall
    given = [each.replace("{items}", str(items)) for each in options]
    assert reason in steelyard("fit", judgments, *given, code=2).stderr


def test_an_item_without_a_value_is_named(springall):
    judgments, items = springall
    lines = items.read_text().splitlines()
    items.write_text("\n".join(lines[:-1]) + "\n")
    message = steelyard("fit", judgments, "--items-file", items, "--item-covariate", "flav", code=2).stderr
    assert "item 'o9' has no value" in message


def test_a_file_without_ids_is_refused(springall, tmp_path):
    items = tmp_path / "other.csv"
    items.write_text("name,flav\no1,1\n")
    message = steelyard("fit", springall[0], "--items-file", items, "--item-covariate", "flav", code=2).stderr
    assert "an items file needs the column 'item'" in message


def test_an_item_with_two_values_is_refused(springall, tmp_path):
    items = tmp_path / "other.csv"
    items.write_text("item,flav\no1,1\no1,2\n")
    message = steelyard("fit", springall[0], "--items-file", items, "--item-covariate", "flav", code=2).stderr
    assert "item 'o1' has two different values" in message
