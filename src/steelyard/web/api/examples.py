"""Examples of what the API for owners sends, for its documentation. A test checks them against the types."""

from __future__ import annotations

from typing import Any

from steelyard.version import VERSION
from steelyard.web.api import payloads

_ARM = {
    "condition": "main",
    "status": "collecting",
    "sentence": "The study has 120 of 400 planned judgments.",
    "judgments": 120,
    "wanted": 400,
    "cannot_judge": 2,
    "items": 80,
    "items_short": 75,
    "tasks_open": 4,
    "round": 1,
    "reliability": 0.61,
    "newest_at": 1790000000.0,
}
_HOOK = {"id": "9f2c41d07ab3e856", "url": "https://example.org/steelyard", "events": ["study.stopped"]}
_MESSAGE = "msg_5b1f0c2d9e8a7b6c5d4e3f21"
EXAMPLES: dict[Any, dict[str, Any]] = {
    payloads.StudyOut: {
        "title": "How filling is it?",
        "protocol": "rating",
        "kind": "rating",
        "model": "steelyard",
        "selection": "balanced",
        "questions": [{"id": "q1", "text": "How filling would this be for you?"}],
        "conditions": [],
        "columns": ["id", "text"],
        "items": 80,
        "version": VERSION,
    },
    payloads.StudyProgressOut: {
        "ended": False,
        "paused": False,
        "judgments": 120,
        "wanted": 400,
        "raters": 6,
        "log_position": 371,
        "arms": [_ARM],
        "notices": [],
    },
    payloads.ItemsOut: {
        "total": 80,
        "start": 0,
        "items": [{"id": "tea", "medium": "text", "content": "Green tea", "system": "", "segment": ""}],
    },
    payloads.RowsOut: {
        "log_position": 371,
        "total": 80,
        "start": 0,
        "rows": [{"item": "burger", "position": 81.2, "low": 74.0, "high": 88.1, "rank": 1}],
    },
    payloads.AddedOut: {"added": ["tea"], "unchanged": [], "items": 81},
    payloads.InvitedOut: {"rater": "r7", "link": "https://rate.example.org/r/Zk3v0pXyQmTt1nLa"},
    payloads.WebhooksOut: {"webhooks": [{**_HOOK, "by": "pipeline", "at": 1790000000.0, "problem": ""}]},
    payloads.NewWebhookOut: {**_HOOK, "secret": "whsec_c2VjcmV0IG9mIHRoaXMgZXhhbXBsZSBvbmx5"},
    payloads.TestedOut: {"id": _MESSAGE},
    payloads.DeliveriesOut: {
        "deliveries": [
            {
                "id": _MESSAGE,
                "event": "study.stopped",
                "state": "pending",
                "attempts": 1,
                "problem": "the receiver answered with status 502.",
                "at": 1790000000.0,
                "due": 1790000005.0,
            }
        ]
    },
    payloads.CreatedOut: {
        "name": "meals",
        "url": "https://s1.rate.example.org",
        "owner_key": "shown-only-once",
        "items": 80,
    },
    payloads.StudiesOut: {"studies": [{"name": "meals", "url": "https://s1.rate.example.org"}], "free": 19},
}


def example_of(kind: Any) -> dict[str, Any]:
    """Return the example of a type."""
    return EXAMPLES[kind]
