"""The report as JSON, with a schema that has a version."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from steelyard.report.contents import Report
from steelyard.version import VERSION

SCHEMA = "steelyard-report/1"  # the number grows when a field is removed or changes its meaning


def report_json(report: Report) -> str:
    """Return the report as a JSON document: the fields of its records, and the version of the schema."""
    document = {"schema": SCHEMA, "steelyard": VERSION, **_plain(report)}
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Records as objects, sequences as arrays, and null for numbers that are not finite."""
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
