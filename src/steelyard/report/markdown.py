"""The report as Markdown, with the same parts as the page and tables in place of charts."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from steelyard.messages.words import owner_words
from steelyard.report.contents import PARTS, Report
from steelyard.report.local_words import LocalWords
from steelyard.version import VERSION

SPECIAL = re.compile(r"([\\`*_\[\]<>|#])")


def report_markdown(report: Report) -> str:
    """Return the report as Markdown."""
    template, messages = _environment().get_template("report.md"), owner_words(report.language)
    spoken = {"messages": messages, "words": LocalWords(messages)}
    text = template.render(report=report, parts=PARTS, version=VERSION, **spoken)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def escaped(value: Any) -> str:
    r"""Return text in one line that Markdown shows as it is.

    >>> escaped("a|b *c*\nd")
    'a\\|b \\*c\\* d'
    """
    return SPECIAL.sub(r"\\\1", " ".join(str(value).split()))


@cache
def _environment() -> Environment:
    loader = PackageLoader("steelyard.report")
    environment = Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["md"] = escaped
    return environment
