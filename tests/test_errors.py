import copy
import inspect
import pickle
import re

import pytest

from steelyard import errors

CLASSES = {
    name: each
    for name, each in vars(errors).items()
    if inspect.isclass(each) and issubclass(each, errors.SteelyardError)
}

FACTS = {
    "str": "tea",
    "str | None": "no room",
    "object": "many",
    "float": 0.5,
    "int": 3,
    "int | None": 3,
    "Sequence[str]": ["egg", "tea"],
    "Mapping[str, str] | None": {"milk": "in the fridge"},
    "Mapping[str, int]": {"rating": 3, "comparison": 1},
    "Mapping[str, str]": {"rating": "rating", "comparison": "comparison"},
    "Sequence[Sequence[str]]": [["egg"], ["tea", "milk"]],
    "Sequence[RowMistakes]": [errors.RowMistakes([(3, errors.BadRank(0)), (7, errors.BadRank("x"))], 9)],
}


def made(mistake):
    """Return an error of this class, made from facts of the right types."""
    own = mistake.__init__ is not Exception.__init__
    names = list(inspect.signature(mistake).parameters.values()) if own else []
    return mistake(*(FACTS[each.annotation] for each in names)) if own else mistake("That is wrong.")


def drawn_tree():
    """Return each class in the docstring of errors, and the class above it."""
    tree, above = {}, []
    for line in errors.__doc__.splitlines():
        found = re.match(r"^([│├└─ ]*)((?:[A-Z]\w+)(?:  ?[A-Z]\w+)*)", line)
        if found and not line.startswith(("Errors", "Catch")):
            depth = len(found[1]) // 4
            for name in found[2].split():
                tree[name] = above[depth - 1] if depth else None
            above = [*above[:depth], found[2].split()[0]]
    return tree


def test_the_drawn_tree_names_every_class_under_its_base():
    bases = {name: each.__base__.__name__ for name, each in CLASSES.items() if name != "SteelyardError"}
    drawn = drawn_tree()
    assert drawn.pop("SteelyardError") is None
    assert drawn == bases


def test_every_error_has_the_name_that_users_import():
    assert {each.__module__ for each in CLASSES.values()} == {"steelyard.errors"}


@pytest.mark.parametrize("moved", [lambda each: pickle.loads(pickle.dumps(each)), copy.deepcopy])
@pytest.mark.parametrize("mistake", CLASSES.values(), ids=CLASSES)
def test_every_error_survives_the_way_to_another_process(mistake, moved):
    before = made(mistake)
    after = moved(before)
    assert type(after) is mistake
    assert after.args == before.args
    assert str(after) == str(before) != ""
    assert vars(after).keys() == vars(before).keys()


@pytest.mark.parametrize(
    ("kind", "file", "remedy"),
    [
        (
            "rating",
            "a file of rating judgments",
            "choose another kind of judgment: kind=... in Python, --kind on the command line.",
        ),
        ("the items file", "the items file", "Rename a column, or choose another file."),
    ],
)
def test_a_missing_column_has_the_remedy_of_its_file(kind, file, remedy):
    mistake = errors.MissingColumn("tea.csv", ["score"], ["rater"], kind)
    assert str(mistake).endswith(remedy)
    other = mistake.with_remedy("Rename a column.")
    assert (
        str(other)
        == f"tea.csv, line 1: {file} needs the column 'score'. Columns found: rater. Rename a column."
    )
    assert str(pickle.loads(pickle.dumps(other))) == str(other) != str(mistake)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("nonsense", ""), ("sed", "Did you mean 'seed'?"), ("feature", "Did you mean 'features'?")],
)
def test_only_a_near_name_is_suggested(name, hint):
    assert str(errors.UnknownName("setting", name, ["features", "seed"])) == (
        f"Unknown setting {name!r}. {hint} Known: features, seed.".replace("  ", " ")
    )


def test_rows_with_mistakes_keep_them_on_the_way():
    before = made(errors.BadRows)
    after = pickle.loads(pickle.dumps(before))
    assert after.source == before.source
    assert [list(each.lines("")) for each in after.groups] == [list(each.lines("")) for each in before.groups]
