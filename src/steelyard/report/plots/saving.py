"""Writing charts to files: SVG, PNG, HTML or JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from steelyard.errors import UnknownName
from steelyard.judgments.writing import write_file
from steelyard.report.charts import drawable
from steelyard.report.svg_labels import with_all_labels

CHART_FORMATS = ("svg", "png", "html", "json")
PIXELS = 2.0  # of a PNG file per pixel of the chart


def chart_format(path: Path) -> str:
    """Return the format of a chart file; raise UnknownName if charts cannot be written in it.

    >>> chart_format(Path("scale.svg"))
    'svg'
    """
    suffix = path.suffix.lstrip(".").lower()
    if suffix not in CHART_FORMATS:
        raise UnknownName("format of charts", suffix, CHART_FORMATS, str(path))
    return suffix


def save_chart(chart: Any, path: Path) -> None:
    """Write a chart to a file. HTML files contain all scripts, so that they work offline."""
    write_file(_content(chart, chart_format(path)), path)


def _content(chart: Any, format: str) -> bytes:
    import vl_convert  # vl-convert is slow to import

    specification = drawable(chart.to_dict(validate=False))
    if format == "svg":
        return with_all_labels(vl_convert.vegalite_to_svg(specification)).encode()
    if format == "png":
        return vl_convert.vegalite_to_png(specification, scale=PIXELS)
    if format == "html":
        return vl_convert.vegalite_to_html(specification, bundle=True).encode()
    return json.dumps(specification, ensure_ascii=False, indent=1).encode()
