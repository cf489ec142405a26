"""The code blocks of a page of the documentation, run from top to bottom in one folder.

- ```console: lines that begin with `$ ` are commands; other lines are their output, which is compared.
- ```python and ```pycon: doctests. A block of Python without `>>>` is executed.
- ```{code-block} with a file name as its caption: the block is written to that file.
- ```{literalinclude}: the file is copied, so that later blocks can import it.
- ```toml: must be valid TOML.

Blocks in any other language are not run.
"""

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path

from steelyard.kinds.known import KINDS
from steelyard.models.known import MODELS
from steelyard.selection.known import SELECTIONS
from tests.commands import finish

FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,})\s*(?P<info>.*)$")
FILE_NAME = re.compile(r"^[\w./-]+\.(csv|tsv|toml|jsonl|json|py|md|txt|html)$")
SHELL = re.compile(r"[|><;&*$`]")
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PYTHON = ("python", "pycon")


@dataclass(frozen=True)
class Block:
    """One code block: its language, its caption, its text and the line that it starts at."""

    language: str
    caption: str
    text: str
    line: int


class BlockFailed(AssertionError):
    """A code block did not do what the page shows."""


def blocks_of(page):
    """Every code block of a page, in order."""
    lines = page.splitlines()
    at = 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        if fence:
            end = _closing(lines, at, fence["ticks"])
            yield _fenced(lines[at + 1 : end], fence, at + 1)
            at = end + 1
        else:
            at += 1


def run_page(path, folder):
    """Run the code blocks of a page in a folder, which is the working directory meanwhile."""
    names = {"__name__": "__main__"}
    with chdir(folder), own_modules(folder), own_parts():
        for block in blocks_of(path.read_text("utf-8")):
            _run(block, names, path)


@contextmanager
def own_modules(folder):
    """Let a page import modules from its folder, and forget them afterwards."""
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]


@contextmanager
def own_parts():
    """Forget the kinds, models and selections that a page registers."""
    before = [({part.name for part in each.registered}, each) for each in (KINDS, MODELS, SELECTIONS)]
    try:
        yield
    finally:
        for names, registry in before:
            for part in registry.registered:
                if part.name not in names:
                    registry.remove(part.name)


def commands_of(block):
    """Each command of a console block, with the output that the page shows; a backslash continues a line."""
    commands = []
    for line in block.text.replace("\\\n", "").splitlines():
        if line.startswith("$ "):
            commands.append((line[2:].strip(), []))
        elif commands:
            commands[-1][1].append(line)
    return [(command, "\n".join(output).strip()) for command, output in commands]


def _closing(lines, start, ticks):
    for at in range(start + 1, len(lines)):
        if lines[at].strip().startswith(ticks) and not lines[at].strip().strip(ticks[0]):
            return at
    raise BlockFailed(f"line {start + 1}: this code block has no end.")


def _fenced(lines, fence, line):
    info = fence["info"].strip()
    directive = re.match(r"^\{(code-block|code|literalinclude)\}\s*(\S*)", info)
    if directive and directive[1] == "literalinclude":
        return Block("literalinclude", "", directive[2], line)
    language = directive[2] if directive else info.partition(" ")[0].strip("{}")
    caption, options = "", 0
    while directive and options < len(lines) and re.match(r"^\s*:[\w-]+:", lines[options]):
        if lines[options].strip().startswith(":caption:"):
            caption = lines[options].strip().removeprefix(":caption:").strip().strip("`")
        options += 1
    if directive and options < len(lines) and not lines[options].strip():
        options += 1
    indent = len(fence["indent"])
    text = "\n".join(each[indent:] if not each[:indent].strip() else each for each in lines[options:])
    return Block(language, caption, f"{text}\n" if text else "", line + options)


def _run(block, names, path):
    if block.language == "literalinclude":
        shutil.copy(path.parent / block.text, Path.cwd())
    elif FILE_NAME.match(block.caption):
        Path(block.caption).parent.mkdir(parents=True, exist_ok=True)
        Path(block.caption).write_text(block.text, "utf-8")
    elif block.language == "console":
        for command, output in commands_of(block):
            _run_command(command, output)
    elif block.language in PYTHON and ">>>" in block.text:
        _run_doctest(block, names, path)
    elif block.language == "python":
        exec(compile("\n" * block.line + block.text, str(path), "exec"), names)
    elif block.language == "toml":
        tomllib.loads(block.text)


def _run_doctest(block, names, path):
    test = doctest.DocTestParser().get_doctest(block.text, names, path.name, str(path), block.line)
    test.globs = names  # the parser copies them; later blocks of the page use what this one defines
    report = []
    doctest.DocTestRunner(optionflags=SAME, verbose=False).run(test, out=report.append, clear_globs=False)
    if report:
        raise BlockFailed("".join(report))


def _run_command(command, output):
    code, printed = (
        _shell(command)
        if SHELL.search(command) or not command.startswith("steelyard ")
        else _steelyard(command)
    )
    if code != 0:
        raise BlockFailed(f"$ {command}\nexit code {code}\n{printed}")
    if output and not doctest.OutputChecker().check_output(output + "\n", printed, SAME):
        raise BlockFailed(f"$ {command}\nThe page shows:\n{output}\nThe command printed:\n{printed}")


def _steelyard(command):
    done = finish(*shlex.split(command)[1:])
    return done.returncode, done.stdout + done.stderr


def _shell(command):
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path},
    )
    return done.returncode, done.stdout + done.stderr
