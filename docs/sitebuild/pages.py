"""The generated pages of the reference, each from a template or from the list of public names."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sitebuild.api import api_page
from sitebuild.command_line import command_line_parts
from sitebuild.http_api import http_api_parts
from sitebuild.public import PAGES
from sitebuild.study_toml import study_toml_parts

DOCS = Path(__file__).parents[1]
FROM_TEMPLATES = {
    "study_toml": study_toml_parts,
    "command_line": command_line_parts,
    "http_api": http_api_parts,
}


def generated_pages() -> dict[Path, str]:
    """Return the text of every generated page by its path."""
    templates = Environment(
        loader=FileSystemLoader(DOCS / "templates"), undefined=StrictUndefined, keep_trailing_newline=True
    )
    pages = {}
    for name, parts in FROM_TEMPLATES.items():
        text = templates.get_template(f"{name}.md.j2").render(parts())
        note = f"Made from docs/templates/{name}.md.j2 and the code by `make reference`. Do not edit."
        pages[DOCS / "reference" / f"{name}.md"] = f"<!-- {note} -->\n\n{text}"
    for page in PAGES:
        note = "Made from docs/sitebuild/public.py by `make reference`. Do not edit."
        pages[DOCS / "reference" / "api" / f"{page.name}.md"] = f"<!-- {note} -->\n\n{api_page(page)}"
    return pages


def write_pages() -> None:
    """Write every generated page."""
    for path, text in generated_pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
