"""The site builds without a warning, contains every public name, and needs no other host."""

import fcntl
import inspect
import os
import re
import subprocess
import sys

import pytest
from sphinx.util.inventory import InventoryFile

import steelyard
from tests.documents import DOCS

sys.path.insert(0, str(DOCS))
from sitebuild.public import PAGES, resolve

FETCHED = re.compile(
    r"<(?:script|link|img|iframe|source|video|audio)\b[^>]*?(?:src|href)=\"(https?:)?//[^\"]+\""
)
IMPORTED = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//")


@pytest.fixture(scope="session")
def site(tmp_path_factory, worker_id):
    """The folder of the site, built once for all processes that run tests."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "site"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "html").exists():
            build(folder)
    return folder / "html"


def build(folder):
    """Build the site in `folder / "html"`, which appears when it is complete."""
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-d", str(folder / "doctrees")]
    built = subprocess.run(
        [*command, "-b", "html", str(DOCS), str(folder / "building")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(DOCS.parent / "src"), str(DOCS)])},
    )
    assert built.returncode == 0, built.stderr
    (folder / "building").rename(folder / "html")


@pytest.fixture(scope="session")
def inventory(site):
    loaded = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    return {name for role, names in loaded.data.items() if role.startswith("py:") for name in names}


def test_every_public_name_is_in_the_inventory(inventory):
    assert [path for page in PAGES for path in page.names if path not in inventory] == []


def test_every_public_method_of_an_exported_class_is_in_the_inventory(inventory):
    classes = [name for name in steelyard.__all__ if inspect.isclass(getattr(steelyard, name))]
    expected = [
        f"steelyard.{name}.{method}" for name in classes for method in own_methods(getattr(steelyard, name))
    ]
    assert [path for path in expected if path not in inventory] == []


def own_methods(cls):
    """Public methods and properties that the package defines, also those that a class inherits."""
    bases = [base for base in cls.__mro__ if base.__module__.startswith("steelyard")]
    return [
        name
        for base in bases
        for name, value in vars(base).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, property | classmethod | staticmethod))
    ]


def test_no_page_fetches_anything_from_another_host(site):
    for page in site.rglob("*.html"):
        assert not FETCHED.findall(page.read_text("utf-8")), page
    for file in (*site.rglob("*.css"), *site.rglob("*.js")):
        assert not IMPORTED.findall(file.read_text("utf-8")), file


def test_formulas_are_written_as_mathml_without_a_script(site):
    text = (site / "explanation" / "models" / "bradley_terry.html").read_text("utf-8")
    assert "<math" in text
    assert not re.search(r"<script[^>]*mathjax", text, re.IGNORECASE)


def test_formulas_of_docstrings_are_written_as_mathml(site):
    assert "<math" in (site / "reference" / "api" / "models.html").read_text("utf-8")


def test_the_index_of_the_search_has_the_words_of_the_pages(site):
    """The index has the stems of words."""
    index = (site / "searchindex.js").read_text("utf-8").lower()
    assert [word for word in ("bradley", "redund", "trueskil") if word not in index] == []


def test_every_public_name_resolves():
    assert [path for page in PAGES for path in page.names if resolve(path) is None] == []
