"""Join ES modules into one script, so that a page needs one request for all of them.

Each module becomes a function that returns its exports, and imports become constants. This supports the forms of import
and export that the modules in static/ use; any other form is an error.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

IMPORT = re.compile(r'^import (?:\{(?P<names>[^}]*)\} from )?"(?P<path>[^"]+)";\n', re.MULTILINE)
REEXPORT = re.compile(r'^export \{(?P<names>[^}]*)\} from "(?P<path>[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(
    r"^export (?P<default>default )?(?P<form>(?:async )?function|class|const) (?P<name>\w+)", re.MULTILINE
)
ANY_MODULE_FORM = re.compile(r"^(?:import|export)\b", re.MULTILINE)
DYNAMIC_IMPORT = re.compile(r"\bimport\(")
COMMENT = re.compile(r"^[ \t]*(?:/\*\*.*?\*/|//[^\n]*)[ \t]*\n", re.MULTILINE | re.DOTALL)
# Modules of the bundle are not fetched again; others, such as widgets of other packages, are.
LOADER = """const $modules = {};
const $load = (address) => address in $modules ? Promise.resolve($modules[address]) : import(address);
"""


class UnsupportedModule(ValueError):
    """A module imports or exports in a form that bundles do not support, or modules import each other in a circle."""


@dataclass(frozen=True, slots=True)
class Module:
    """A module: its address, its source without comments, and the addresses that it imports."""

    address: str
    source: str
    imports: tuple[str, ...]


def read_module(address: str, text: str) -> Module:
    """Return a module with the addresses of its imports, without comment lines."""
    source = COMMENT.sub("", text)
    paths = [match["path"] for pattern in (IMPORT, REEXPORT) for match in pattern.finditer(source)]
    return Module(address, source, tuple(dict.fromkeys(_resolve(address, path) for path in paths)))


def join_modules(entries: Sequence[str], read: Callable[[str], str]) -> str:
    """Return one script that runs these modules and everything they import.

    Parameters
    ----------
    entries
        Addresses of the modules to run, in order.
    read
        Returns the text of the module at an address.

    Returns
    -------
    str
        The source of the script, itself a module.
    """
    modules = _in_order(entries, read)
    variables = {module.address: f"$m{number}" for number, module in enumerate(modules)}
    bodies = [
        f'const {variables[each.address]} = $modules["{each.address}"] = {_wrapped(each, variables)};\n'
        for each in modules
    ]
    return LOADER + "".join(bodies)


def _in_order(entries: Sequence[str], read: Callable[[str], str]) -> list[Module]:
    """Return all modules, each after those that it imports."""
    done: dict[str, Module] = {}
    begun: set[str] = set()

    def visit(address: str) -> None:
        if address in done:
            return
        if address in begun:
            raise UnsupportedModule(f"{address} imports itself through other modules.")
        begun.add(address)
        module = read_module(address, read(address))
        for each in module.imports:
            visit(each)
        done[address] = module

    for entry in entries:
        visit(entry)
    return list(done.values())


def _wrapped(module: Module, variables: dict[str, str]) -> str:
    """Return an expression that runs a module and has its exports as value."""

    def variable(path: str) -> str:
        return variables[_resolve(module.address, path)]

    def as_constants(match: re.Match[str]) -> str:
        names = match["names"]
        return (
            "" if names is None else f"const {{{names.replace(' as ', ': ')}}} = {variable(match['path'])};\n"
        )

    exports = [
        f"{name}: {variable(match['path'])}.{name}"
        for match in REEXPORT.finditer(module.source)
        for name in (each.strip() for each in match["names"].split(","))
    ]
    exports += [
        f"default: {match['name']}" if match["default"] else match["name"]
        for match in EXPORT.finditer(module.source)
    ]
    body = EXPORT.sub(r"\g<form> \g<name>", REEXPORT.sub("", IMPORT.sub(as_constants, module.source)))
    left = ANY_MODULE_FORM.search(body)
    if left is not None:
        line = body[left.start() :].partition("\n")[0]
        raise UnsupportedModule(f"{module.address}: bundles do not support {line!r}.")
    return f"(() => {{\n{DYNAMIC_IMPORT.sub('$load(', body)}return {{ {', '.join(exports)} }};\n}})()"


def _resolve(address: str, path: str) -> str:
    """Return the address that a path in a module refers to.

    >>> _resolve("/static/pages/copy.js", "../elements.js")
    '/static/elements.js'
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(address), path))
