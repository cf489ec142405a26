"""Code above kinds, models and selections asks what they can do, and never which of them it has."""

import ast
from pathlib import Path

import pytest

from steelyard.kinds.known import KINDS
from steelyard.models.known import MODELS
from steelyard.selection.known import SELECTIONS

SOURCE = Path(__file__).parents[1] / "src" / "steelyard"
ABOVE = ("study", "web", "report", "simulation", "planning", "cli", "storage")
NAMES = ({*MODELS.built_in} | {*SELECTIONS.built_in}) - {*KINDS}


def comparisons_by_name(tree):
    """Line and name of every comparison, case and lookup by the name of a model or a selection."""
    for node in ast.walk(tree):
        tested = []
        if isinstance(node, ast.Compare):
            tested = [node.left, *node.comparators]
        elif isinstance(node, ast.MatchValue):
            tested = [node.value]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("hasattr", "getattr"):
            tested = node.args[1:2]
        for part in tested:
            for constant in ast.walk(part):
                if isinstance(constant, ast.Constant) and constant.value in (*NAMES, "believe", "update"):
                    yield node.lineno, constant.value


@pytest.mark.parametrize("package", ABOVE)
def test_no_model_and_no_selection_is_tested_by_name(package):
    found = [
        f"{path.relative_to(SOURCE)}:{line} {name}"
        for path in sorted((SOURCE / package).rglob("*.py"))
        for line, name in comparisons_by_name(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found


def kinds_imported(tree):
    """Modules of single kinds that are imported."""
    modules = {f"steelyard.kinds.{name}" for name in KINDS.built_in}
    return [
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module in modules
    ]


@pytest.mark.parametrize(
    "package", ["quality", "selection", "engines", *(each for each in ABOVE if each != "simulation")]
)
def test_no_kind_is_imported(package):
    found = {
        str(path.relative_to(SOURCE)): kinds
        for path in sorted((SOURCE / package).rglob("*.py"))
        if (kinds := kinds_imported(ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert not found


def test_an_import_of_a_kind_would_be_noticed():
    assert kinds_imported(ast.parse("from steelyard.kinds.rating import RATING")) == [
        "steelyard.kinds.rating"
    ]


def test_a_comparison_with_a_name_would_be_noticed():
    source = 'if study.model == "steelyard" or study.selection in ("easl", "sequences"): pass'
    assert sorted(name for _, name in comparisons_by_name(ast.parse(source))) == [
        "easl",
        "sequences",
        "steelyard",
    ]
