import pytest
from typer.testing import CliRunner

from steelyard.cli.main import app
from steelyard.cli.reproduce import grid_table
from steelyard.errors import UnknownName
from steelyard.simulation.range_reproduction import AMBIGUITIES, DISAGREEMENTS, reproduce_grid
from steelyard.simulation.range_scenarios import RangeScenario


@pytest.fixture(scope="module")
def printed():
    result = CliRunner().invoke(app, ["reproduce", "goldilocks", "--repetitions", "2", "--seed", "3"])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_it_says_plainly_that_the_raters_are_simulated(printed):
    assert printed.splitlines()[0].startswith("The raters are simulated")


def test_the_three_distances_are_beside_table_3(printed):
    rows = [line.split() for line in printed.splitlines()]
    assert ["toxicity", "Table", "3", "0.332", "0.367", "0.451"] in rows
    assert ["satiety", "Table", "3", "0.424", "0.449", "0.597"] in rows
    assert sum(row[:1] == ["simulated"] for row in rows) == 4  # distances and lost pairs of both
    assert ["toxicity", "paper", "22.1%", "not", "reported", "43.5%"] in rows


def test_the_grid_shows_every_size_of_ambiguity_and_disagreement(printed):
    tail = printed.splitlines()[-len(AMBIGUITIES) - 2 :]
    assert tail[0].split() == [str(each) for each in DISAGREEMENTS]
    assert [line.split()[0] for line in tail[1:-1]] == [str(each) for each in AMBIGUITIES]
    held = sum(line.count("*") for line in tail)
    assert 0 < held < 25  # the order holds somewhere and fails somewhere
    assert tail[-1] == f"Range < Direct < Infer holds in {held} of 25 cells."


def test_one_seed_gives_one_result(printed):
    again = CliRunner().invoke(app, ["reproduce", "goldilocks", "--repetitions", "2", "--seed", "3"]).stdout
    other = CliRunner().invoke(app, ["reproduce", "goldilocks", "--repetitions", "2", "--seed", "4"]).stdout
    assert again == printed != other


def test_ranges_are_nearest_where_ambiguity_is_large_and_not_where_there_is_none():
    import numpy as np

    grid = reproduce_grid(RangeScenario(0.1, 0.1), 2, np.random.default_rng(0))
    assert grid[-1][0].order[0] == "Range"
    assert grid[0][-1].order[0] != "Range"
    assert "holds in" in grid_table(grid)


def test_one_repetition_has_no_standard_error():
    result = CliRunner().invoke(app, ["reproduce", "goldilocks", "--repetitions", "1"])
    assert "±" not in result.stdout
    assert "inf" not in result.stdout


def test_another_paper_is_unknown():
    result = CliRunner().invoke(app, ["reproduce", "goldilock"])
    assert isinstance(result.exception, UnknownName)
    assert "Did you mean 'goldilocks'" in str(result.exception)
