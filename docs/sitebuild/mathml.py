"""A Sphinx extension that writes formulas as MathML when the site is built, so that pages need no script."""

from __future__ import annotations

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

FUNCTIONS = "arg|cos|cov|det|exp|lim|ln|log|logit|max|min|Pr|sin|tan|var"
BEFORE_ARGUMENT = re.compile(
    rf"(?<!<msub>)(?<!<msup>)(?<!<munder>)(<mi>(?:{FUNCTIONS})</mi>)(?!<mo[^>]*>(?:&#x0*28;|\())"
)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the math renderer `mathml`."""
    app.add_html_math_renderer("mathml", (visit_inline, leave), (visit_display, leave))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def visit_inline(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula inside a line."""
    translator.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_display(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})</span>')
    for formula in filter(str.strip, node.astext().split("\n\n")):
        translator.body.append(mathml(formula.strip(), "block"))
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def leave(translator: HTML5Translator, node: nodes.Element) -> None:
    """Do nothing: a formula is written when its node is entered."""


def mathml(latex: str, display: str) -> str:
    """Return a formula as MathML.

    >>> mathml("a_i", "inline").partition(">")[2]
    '<mrow><msub><mi>a</mi><mi>i</mi></msub></mrow></math>'
    """
    latex = latex.replace("{aligned}", "{split}")
    latex = re.sub(r"\\[bB]igg?l?\s*(?=[(\[])", r"\\left", latex)  # the converter knows no sizes
    latex = re.sub(r"\\[bB]igg?r?\s*(?=[)\]])", r"\\right", latex)
    if r"\begin" not in latex and ("&" in latex or r"\\" in latex):
        latex = rf"\begin{{split}}{latex}\end{{split}}"
    try:
        written = convert(latex, display=display)
    except Exception as error:
        raise ExtensionError(f"This formula cannot be written as MathML: {latex!r}") from error
    # MathML has no space between the name of a function and its argument.
    return BEFORE_ARGUMENT.sub(r'\1<mspace width="0.1667em"/>', written)
