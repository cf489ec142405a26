"""Conversion of Markdown to safe HTML."""

from __future__ import annotations

from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

TAGS = {
    *("a", "b", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "hr", "i", "li", "ol", "p"),
    *("pre", "s", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}


@lru_cache(maxsize=4096)
def markdown_html(text: str) -> Markup:
    """Return sanitised HTML for a Markdown text. HTML in it is shown as text, and images are removed.

    >>> str(markdown_html("**yes** <script>alert(1)</script>"))
    '<p><strong>yes</strong> &lt;script&gt;alert(1)&lt;/script&gt;</p>\\n'
    """
    rendered = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    clean = nh3.clean(
        rendered, tags=TAGS, attributes={"a": {"href"}}, url_schemes={"https", "http", "mailto"}
    )
    return Markup(clean)
