"""The report as PDF, made from the HTML page by WeasyPrint."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

from steelyard.errors import MissingLibrary
from steelyard.report.contents import Report, Section
from steelyard.report.page import render_report

PRINTED = 500  # largest number of items in a table


def report_pdf(report: Report) -> bytes:
    """Return the report as PDF, with shorter tables; raise MissingLibrary if WeasyPrint is not installed."""
    return bytes(_weasyprint().HTML(string=render_report(shortened(report))).write_pdf())


def shortened(report: Report, most: int = PRINTED) -> Report:
    """Return the report with at most this many items in each table. The page states how many are left out."""
    return replace(report, sections=tuple(_shortened(section, most) for section in report.sections))


def _shortened(section: Section, most: int) -> Section:
    scale, ranges = section.scale, section.ranges
    return replace(
        section,
        scale=None if scale is None else replace(scale, rows=scale.rows[:most]),
        ranges=None if ranges is None else replace(ranges, rows=ranges.rows[:most]),
    )


def check_pdf() -> None:
    """Raise MissingLibrary if WeasyPrint is not installed. Commands call this before long computations."""
    _weasyprint()


def _weasyprint() -> Any:
    try:
        return import_module("weasyprint")
    except ModuleNotFoundError as missing:
        raise MissingLibrary("weasyprint" if missing.name is None else missing.name, "pdf") from None
