"""Accessibility checks of a page by axe-core, from the npm packages of the project."""

from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
# Rules of WCAG 2.2 A and AA, and best practices.
RUN = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
}"""


def violations(page):
    """What axe-core finds on a page, one line per rule."""
    if not SCRIPT.is_file():
        pytest.skip("axe-core is not installed. Run: npm ci")
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    return page.evaluate(RUN)
