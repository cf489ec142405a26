"""How the code base reads: how far an answer travels, what modules depend on, how long functions are.

    python benchmarks/code_shape.py
    python benchmarks/code_shape.py --root /path/to/another/checkout --details

How each line is counted:

functions of one POST    a study of single ratings with every default is served by Starlette's test client; after two
                         answers (what is imported late is there by then) ten more are posted under `sys.setprofile`, in
                         every thread. Counted are functions and methods of Steelyard that were entered, each once,
                         without comprehensions, lambdas and the methods that dataclasses make; in brackets with
                         comprehensions and lambdas. The median of the ten, and the most: that answer refills the queue.
collaborators            other modules of Steelyard that a module imports anywhere in its text
length of a function     from `def` to its last line; a nested function counts by itself and within the outer one
kinds named outside      lines outside `kinds/` with a string that is the name of a kind, docstrings left out
tests by name            comparisons, outside the core, with the name of a model or a selection, as a string or as a
                         module's constant; the name of a kind that is also a model counts where a model is compared
imports inside functions those without a comment on their lines, on the line above or on the import just before
type names twice         names of classes and type aliases that two modules define; names that begin with _ left out
unspecific names         functions that bind told, found, known or said
"""

import argparse
import ast
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

KINDS = {"rating", "comparison", "ranking", "best_worst", "range"}
MODELS = {
    *(
        "steelyard",
        "direct_assessment",
        "easl",
        "trueskill",
        "beta_ranking",
        "elo",
        "win_rate",
        "bradley_terry",
    ),
    *("plackett_luce", "best_worst", "goldilocks", "crossed"),
}
SELECTIONS = {"balanced", "information", "easl", "match_quality", "sequences", "all_pairs"}
OUTER = ("study", "simulation", "storage", "web", "report", "crowd", "cli")  # packages above the core
UNSPECIFIC = ("told", "found", "known", "said")
LONGEST_FUNCTION, LONGEST_FILE = 60, 400
ANSWERS = 10
ITEMS = "id,text\n" + "".join(f"dish-{at:02d},Dish {3 + 4 * at}\n" for at in range(24))
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Module:
    """One file of the package."""

    name: str
    path: Path

    @cached_property
    def text(self):
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def lines(self):
        return self.text.splitlines()

    @cached_property
    def tree(self):
        return ast.parse(self.text)

    @cached_property
    def functions(self):
        return [node for node in ast.walk(self.tree) if isinstance(node, FUNCTIONS)]

    @property
    def package(self):
        """The first folder below the package, or the file itself."""
        return self.name.split(".")[1] if "." in self.name else ""


def modules_of(package):
    """Every module of a package, by its dotted name."""
    names = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        names[name] = Module(name, path)
    return names


# Modules


def imported_modules(module, modules):
    """Other modules of the package that a module imports."""
    names = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            deeper = {f"{node.module}.{alias.name}" for alias in node.names} & set(modules)
            names |= deeper or {node.module}
    return (names & set(modules)) - {module.name}


def type_names(modules):
    """Where each type is defined, by its name."""
    places = defaultdict(list)
    for module in modules.values():
        for node in module.tree.body:
            name = node.name if isinstance(node, ast.ClassDef) else alias_name(node)
            if name and not name.startswith("_"):
                places[name].append(module.name)
    return places


def alias_name(node):
    """The name of a type alias: X: TypeAlias = ..., X = Literal[...] and the like, or X = A | B."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id if "TypeAlias" in ast.unparse(node.annotation) else ""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return ""
    name, value = node.targets[0].id, node.value
    if name.isupper() or not name[0].isupper():
        return ""
    return name if isinstance(value, ast.Subscript | ast.BinOp) else ""


# Functions


def lengths(modules):
    """The length of every function, with its place."""
    return sorted(
        (node.end_lineno - node.lineno + 1, f"{module.name}.{node.name}")
        for module in modules.values()
        for node in module.functions
    )


def late_imports(module):
    """Imports inside functions, and whether each has a reason beside it."""
    seen = {}
    for function in module.functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Import | ast.ImportFrom):
                seen[node.lineno] = node
    reasons = {}
    for line, node in sorted(seen.items()):
        own = any("#" in text for text in module.lines[line - 1 : node.end_lineno])
        above = module.lines[line - 2].strip().startswith("#")
        before = next((at for at, earlier in seen.items() if earlier.end_lineno == line - 1), None)
        reasons[line] = own or above or (before is not None and reasons[before])
    return reasons


def binding_functions(module, name):
    """Functions that bind a name, as a variable or a parameter; the innermost one counts."""
    bound = set()

    def visit(node, function):
        inside = node if isinstance(node, (*FUNCTIONS, ast.Lambda)) else function
        is_variable = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name
        if is_variable or (isinstance(node, ast.arg) and node.arg == name):
            bound.add(inside.lineno if inside is not None else 0)
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(module.tree, None)
    return len(bound)


# Knowledge


def without_docstrings(tree):
    """Every string in the code, with its line."""
    documented = (ast.Module, ast.ClassDef, *FUNCTIONS)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node


def kind_lines(module):
    """Lines that name a kind as a string."""
    return {node.lineno for node in without_docstrings(module.tree) if node.value in KINDS}


def constants_of(modules):
    """Constants of modules that are text, by module and name; an import brings those of another."""
    own = {
        module.name: {
            node.targets[0].id: node.value.value
            for node in module.tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        }
        for module in modules.values()
    }
    for module in modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and node.module in own:
                there = own[node.module]
                brought = {
                    alias.asname or alias.name: alias.name for alias in node.names if alias.name in there
                }
                own[module.name] |= {name: there[original] for name, original in brought.items()}
    return own


def named_tests(module, constants):
    """Lines that compare something with the name of a model or a selection."""
    lines = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif isinstance(node, ast.match_case):
            parts = [node.pattern]
        else:
            continue
        texts = {text for part in parts for text in texts_in(part, constants)}
        about_model = any("model" in ast.unparse(part) for part in parts if not isinstance(part, ast.pattern))
        if texts & ((MODELS | SELECTIONS) - KINDS) or (about_model and texts & MODELS):
            lines.add(parts[0].lineno)
    return lines


def texts_in(node, constants):
    """Strings in an expression, written there or as a constant."""
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value
        elif isinstance(each, ast.Name) and each.id in constants:
            yield constants[each.id]


def attribute_tests(module):
    """Lines that ask with `hasattr` what an object can do."""
    calls = (node for node in ast.walk(module.tree) if isinstance(node, ast.Call))
    return {node.lineno for node in calls if isinstance(node.func, ast.Name) and node.func.id == "hasattr"}


# One answer


@contextmanager
def profiled(package, entered):
    """Note every function of the package that is entered in this block, in every thread."""
    start = str(package)

    def note(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(start):
            entered.add(code)

    sys.setprofile(note)
    threading.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def write_study(folder, protocol):
    """A study as small as can be; every setting is the default."""
    from steelyard.storage.database import create_database  # late: --root says which package this is

    folder.mkdir()
    (folder / "items.csv").write_text(ITEMS)
    (folder / "study.toml").write_text(
        f'title = "Shape"\nprotocol = "{protocol}"\nredundancy = 9\n[items]\nfile = "items.csv"\n'
        '[[questions]]\ntext = "How filling is it?"\n'
    )
    create_database(folder)


def answer_paths(folder, package):
    """Code of the package that each of several posted answers enters."""
    from tests.compatibility.people import Clock, Person  # late: --root says which package this is

    from steelyard.web.app import create_app

    write_study(folder, "rating")
    person = Person(create_app(folder), Clock()).join("Ann")
    state, paths = person.work(2), []
    for _ in range(ANSWERS):
        paths.append(set())
        with profiled(package, paths[-1]):
            state = person.answer(state["task"])
    return paths


# The table


def static_rows(modules):
    """Measures of the text, each with its details."""
    constants = constants_of(modules)
    outer = [module for module in modules.values() if module.package in OUTER]
    others = sorted((len(imported_modules(m, modules)), m.name) for m in modules.values() if m.text.strip())
    counts = [count for count, _ in others]
    long = lengths(modules)
    sizes = [size for size, _ in long]
    files = sorted((len(module.lines), module.name) for module in modules.values())
    kinds = {m.name: len(kind_lines(m)) for m in modules.values() if m.package != "kinds"}
    tests = {module.name: len(named_tests(module, constants[module.name])) for module in outer}
    abilities = {module.name: len(attribute_tests(module)) for module in outer}
    reasons = {module.name: late_imports(module) for module in modules.values()}
    bare = {name: sum(not has for has in lines.values()) for name, lines in reasons.items()}
    twice = {name: places for name, places in type_names(modules).items() if len(places) > 1}
    unspecific = {n: {m.name: binding_functions(m, n) for m in modules.values()} for n in UNSPECIFIC}
    too_long = [f"{size} {name}" for size, name in reversed(long) if size > LONGEST_FUNCTION]
    too_large = [f"{size} {name}" for size, name in reversed(files) if size > LONGEST_FILE]
    yield "modules, lines", f"{len(modules)}, {sum(size for size, _ in files):,}", []
    yield (
        "collaborators per module: mean, p90, most",
        f"{np.mean(counts):.2f}, {np.quantile(counts, 0.9):.0f}, {counts[-1]}",
        [f"{count} {name}" for count, name in reversed(others[-8:])],
    )
    middle = f"{np.median(sizes):.0f}, {np.quantile(sizes, 0.9):.0f}, {sizes[-1]}"
    yield "length of functions: median, p90, longest", middle, []
    yield f"functions over {LONGEST_FUNCTION} lines", len(too_long), too_long
    yield f"files over {LONGEST_FILE} lines", len(too_large), too_large
    yield "lines that name a kind outside kinds/, in files", *by_file(kinds)
    yield "tests of a model or selection by name, in files", *by_file(tests)
    yield "tests by hasattr above the core, in files", *by_file(abilities)
    yield "imports inside functions", sum(map(len, reasons.values())), []
    yield "imports inside functions without a reason, in files", *by_file(bare)
    yield (
        "type names defined twice",
        len(twice),
        [f"{name}: {', '.join(p)}" for name, p in sorted(twice.items())],
    )
    for name, counted in unspecific.items():
        yield f"functions that bind `{name}`, in files", *by_file(counted)


def by_file(counts):
    """A sum with the number of files, and the files by their share."""
    kept = Counter({name: count for name, count in counts.items() if count})
    return f"{sum(kept.values())} in {len(kept)}", [f"{count} {name}" for name, count in kept.most_common()]


def answer_rows(package):
    """How many functions and files one POST of an answer passes."""
    with tempfile.TemporaryDirectory() as folder:
        paths = sorted(answer_paths(Path(folder) / "study", package), key=len)
    for name, path in (("median", paths[len(paths) // 2]), ("most", paths[-1])):
        functions = [code for code in path if not code.co_name.startswith("<")]
        files = Counter(str(Path(code.co_filename).relative_to(package)) for code in functions)
        value = f"{len(functions)} ({len(path)}) in {len(files)}"
        details = [f"{count} {file}" for file, count in files.most_common()]
        yield f"functions and files of one POST of an answer, {name}", value, details


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    here = Path(__file__).resolve().parents[1]
    parser.add_argument("--root", type=Path, default=here, help="the checkout to measure; default: this one")
    parser.add_argument("--details", action="store_true", help="print the files and names behind each number")
    options = parser.parse_args()
    package = options.root.resolve() / "src" / "steelyard"
    sys.path[:0] = [str(package.parent), str(here)]
    print("| measure | value |\n|---|---|")
    rows = [*answer_rows(package), *static_rows(modules_of(package))]
    for name, value, details in rows:
        print(f"| {name} | {value} |")
        if options.details:
            print("".join(f"|   | {each} |\n" for each in details), end="")


if __name__ == "__main__":
    main()
