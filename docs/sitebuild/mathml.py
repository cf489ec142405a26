"""A Sphinx extension that writes formulas as MathML when the site is built, so that pages need no script."""

from __future__ import annotations

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the math renderer `mathml`."""
    app.add_html_math_renderer("mathml", (visit_inline, leave), (visit_display, leave))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    translator.body.append(convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def visit_display(translator: HTML5Translator, node: nodes.math_block) -> None:
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})</span>')
    for formula in node.astext().split("\n\n"):
        translator.body.append(convert(formula.strip(), display="block"))
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def leave(translator: HTML5Translator, node: nodes.Element) -> None:
    """Formulas are written when they are entered."""
