"""Docstrings describe parameters, results and settings of everything public."""

import ast
import inspect
import re
import sys
from dataclasses import dataclass, fields, is_dataclass

import pytest

import steelyard
from steelyard.cli.main import app
from tests.documents import DOCS, ROOT

sys.path.insert(0, str(DOCS))
from sitebuild.docstrings import docstring_of, settings_of
from sitebuild.public import PAGES, resolve

SOURCE = ROOT / "src" / "steelyard"
MANY = 3  # parameters from which a signature alone does not explain a function
# Parameters of routes and commands are documented by OpenAPI and by their help.
FRAMEWORKS = ("typer.", "Request", "Form(", "Header(", "Query(")
PUBLIC = [path for page in PAGES for path in page.names]
GROUPS = [app, *(group.typer_instance for group in app.registered_groups)]
COMMANDS = {
    (each.callback.__module__, each.callback.__name__)
    for group in GROUPS
    for each in group.registered_commands
}
EXPORTED = [name for name in steelyard.__all__ if not name.startswith("__")]


@dataclass(frozen=True)
class PublicFunction:
    """A function or method without an underscore in its name, and what its docstring describes."""

    place: str
    name: str
    parameters: tuple[str, ...]
    docstring: str
    returns: bool
    is_method: bool

    @property
    def missing(self):
        """What the docstring lacks."""
        described = section(self.docstring, "Parameters")
        names = [
            each
            for each in self.parameters
            if not re.search(rf"^[\w, *]*\b{each}\b", described, re.MULTILINE)
        ]
        if self.returns and not re.search(r"^(Returns|Yields)\n-+$", self.docstring, re.MULTILINE):
            names.append("Returns")
        return names


def section(docstring, title):
    """The lines under a heading of a docstring, down to the next heading."""
    match = re.search(rf"^{title}\n-+\n(.*?)(?=^\w[\w ]*\n-+$|\Z)", docstring, re.MULTILINE | re.DOTALL)
    return match.group(1) if match else ""


def public_functions(path):
    """Public functions of a module and public methods of its public classes."""
    tree = ast.parse(path.read_text("utf-8"))
    yield from _functions(tree.body, path.relative_to(SOURCE.parent).as_posix(), is_method=False)


def _functions(body, place, is_method):
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from _functions(node.body, f"{place}:{node.name}", is_method=True)
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if not is_function or node.name.startswith("_"):
            continue
        if not any(name in ast.unparse(node.args) for name in FRAMEWORKS):
            yield _function(node, place, is_method)


def _function(node, place, is_method):
    marks = {ast.unparse(each) for each in node.decorator_list}
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    names = names[1:] if is_method and "staticmethod" not in marks else names
    returns = node.returns is None or ast.unparse(node.returns) not in ("None", "Never", "NoReturn")
    returns = returns and "overload" not in marks
    parameters = tuple(names) if "overload" not in marks else ()
    return PublicFunction(place, node.name, parameters, ast.get_docstring(node) or "", returns, is_method)


FUNCTIONS = [each for path in sorted(SOURCE.rglob("*.py")) for each in public_functions(path)]
IN_AN_INTERFACE = {(each.name, each.parameters) for each in FUNCTIONS if each.is_method and not each.missing}


@pytest.mark.parametrize(
    "function",
    [each for each in FUNCTIONS if len(each.parameters) >= MANY],
    ids=lambda each: f"{each.place}.{each.name}",
)
def test_a_function_of_many_parameters_describes_them(function):
    """Methods of one interface are described once: in the interface."""
    if function.is_method and (function.name, function.parameters) in IN_AN_INTERFACE:
        return
    if (function.place.removesuffix(".py").replace("/", "."), function.name) in COMMANDS:
        return
    assert function.missing == []


@pytest.mark.parametrize("path", PUBLIC)
def test_everything_public_has_a_docstring(path):
    assert docstring_of(resolve(path)).summary.endswith(".") or path.startswith("steelyard.maths.arrays.")


@pytest.mark.parametrize("path", [path for path in PUBLIC if is_dataclass(resolve(path))])
def test_every_field_of_a_public_record_is_described(path):
    record = resolve(path)
    described = settings_of(record)
    assert [
        each.name for each in fields(record) if not each.name.startswith("_") and not described.get(each.name)
    ] == []


@pytest.mark.parametrize("name", EXPORTED)
def test_an_exported_name_has_an_example(name):
    part = getattr(steelyard, name)
    if inspect.isclass(part) and issubclass(part, Exception):
        return
    assert ">>> " in docstring_of(part).sections.get("Examples", "")


@pytest.mark.parametrize("name", EXPORTED)
def test_an_exported_function_and_the_methods_of_an_exported_class_are_described(name):
    part = getattr(steelyard, name)
    functions = list(own_functions(part)) if inspect.isclass(part) else [part]
    assert {each.__qualname__: missing(each) for each in functions if missing(each)} == {}


def own_functions(cls):
    """Public methods of a class that the package defines; an inherited description is enough."""
    for name in dir(cls):
        value = inspect.getattr_static(cls, name)
        function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
        if (
            not name.startswith("_")
            and inspect.isfunction(function)
            and function.__module__.startswith("steelyard")
        ):
            yield function


def missing(function):
    """Parameters that the docstring does not describe, and "Returns" where neither summary nor section has it."""
    docstring = docstring_of(function)
    signature = inspect.signature(function)
    names = [each for each in signature.parameters if each not in ("self", "cls")]
    described = docstring.entries("Parameters")
    lacking = [each for each in names if not described.get(each)]
    returns = signature.return_annotation not in ("None", None, inspect.Signature.empty)
    summarised = not names and docstring.summary.startswith(("Return ", "Yield "))
    if returns and not summarised and not {"Returns", "Yields"} & set(docstring.sections):
        lacking.append("Returns")
    if re.search(r"as in `\w+`", docstring.summary):  # described at the function that is named
        return []
    interface = (function.__name__, tuple(names)) in IN_AN_INTERFACE
    return [] if interface and docstring.summary else lacking
