"""What `steelyard new` remarks on, and names of studies and conditions that do not exist."""

import pytest

from tests.cli.test_commands import steelyard
from tests.cli.test_refusals import refused


@pytest.fixture
def items(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("id,text\na,A\nb,B\nc,C\nd,D\n")
    return path


@pytest.fixture
def created(tmp_path, items):
    """Create a study with these options; returns what is printed on stderr, in one line."""

    def create(*options):
        return " ".join(steelyard("new", tmp_path / "study", "--items", items, *options).stderr.split())

    return create


def test_a_study_without_a_question_names_the_one_that_raters_see(created, tmp_path):
    printed = created("--protocol", "list,comparison", "--question", "How warm is it?")
    assert "general question" in printed
    assert '"How strong is this quality?"' not in printed
    assert (
        '"Which item has more of this quality?", because no question was set for the protocol comparison.'
        in printed
    )
    assert f"[[protocol_settings.comparison.questions]] in {tmp_path / 'study' / 'study.toml'}" in printed


def test_the_general_question_is_named_with_its_place(created):
    printed = created()
    assert '"How strong is this quality?", because no question was set for the protocol rating.' in printed
    assert "To ask your own, change text under [[questions]]" in printed


def test_a_question_that_is_set_is_not_remarked_on(created):
    assert "general question" not in created("--question", "How warm is it?")


@pytest.mark.parametrize(
    ("options", "remark"),
    [
        (("--protocol", "list"), "Pages of list show at most 4 items instead of 5 (list_size)"),
        (("--protocol", "list", "--list-size", 1), "Each page of list shows 1 item, because list_size is 1."),
        (("--protocol", "list", "--list-size", 4), ""),
        (("--protocol", "comparison"), ""),
    ],
)
def test_pages_with_fewer_items_than_expected_are_remarked_on(created, options, remark):
    printed = created(*options)
    assert remark in printed
    assert ("list_size" in printed) is bool(remark)


@pytest.mark.parametrize("command", [("export",), ("report", "-o", "-"), ("trust",), ("next",)])
def test_a_condition_that_a_study_does_not_have_is_refused(created, tmp_path, command):
    created()
    name, *options = command
    message = refused(name, tmp_path / "study", *options, "--condition", "plain")
    assert (
        "has no condition 'plain', because it does not compare conditions. Leave out --condition." in message
    )


def test_an_unknown_condition_is_answered_with_the_conditions_of_the_study(created, tmp_path):
    created()
    toml = tmp_path / "study" / "study.toml"
    toml.write_text(
        toml.read_text() + '\n[[condition]]\nname = "plain"\n\n[[condition]]\nname = "grounded"\n'
    )
    message = refused("export", tmp_path / "study", "--what", "pay", "--condition", "plane")
    assert "--condition: unknown condition 'plane'. Did you mean 'plain'? Known: plain, grounded." in message


@pytest.mark.parametrize("command", ["report", "agreement", "check", "trust"])
def test_a_study_that_does_not_exist_can_be_created(command):
    message = refused(command, "nostudy")
    assert "nostudy: no such file or folder." in message
    assert "create a study: steelyard new nostudy --items items.csv" in message


def test_a_file_that_does_not_exist_is_not_a_study():
    assert "steelyard new" not in refused("report", "nofile.csv")


def test_an_existing_study_can_be_served(created, tmp_path, items):
    created()
    assert f"steelyard serve {tmp_path / 'study'}" in refused("new", tmp_path / "study", "--items", items)
