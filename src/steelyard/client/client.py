"""`Client`: a study on a server, for pipelines and notebooks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from steelyard.client.records import (
    Added,
    Created,
    DeliveryFacts,
    Invitation,
    NewWebhook,
    Progress,
    Record,
    StudyFacts,
    WebhookFacts,
    record_of,
)
from steelyard.client.transport import Transport
from steelyard.errors import BadSetting, StillCollecting
from steelyard.judgments.frames import read_frame
from steelyard.judgments.read import read
from steelyard.judgments.sheet import text_cells
from steelyard.judgments.table import Judgments
from steelyard.scales.tables import Records, Rows

STUDY = "/api/study"
STUDIES = "/api/studies"
ITEMS_AT_ONCE = 2_000
ROWS_AT_ONCE = 10_000


class Client:
    """A study on a server.

    Parameters
    ----------
    address
        Address of the study, such as `https://rate.example.org`. To create studies, the address of the server.
    token
        Token of `steelyard keys DIR --add NAME --scope SCOPE`, or the owner key.
    timeout
        Seconds that each step of a request may take, 60 by default.

    Notes
    -----
    Errors are `steelyard.errors.RequestRefused`, with the sentence and the status of the server, and
    `steelyard.errors.ServerUnreachable`. A request is not repeated. Adding the same items again, for example after a
    connection was lost, does not add them twice.

    Examples
    --------
    >>> from steelyard import Client
    >>> study = Client("https://rate.example.org", "token-of-this-study")
    >>> study
    Client('https://rate.example.org')

    With a server, `study.progress().judgments` is the number of judgments, and `study.scale().to_pandas()` the scale.
    """

    def __init__(self, address: str, token: str, timeout: float = 60.0) -> None:
        self._transport = Transport(address.rstrip("/"), token, timeout)

    def __repr__(self) -> str:
        return f"Client({self._transport.address!r})"

    @property
    def address(self) -> str:
        """Return the address of the study."""
        return self._transport.address

    # Studies of a server

    def create_study(self, name: str, items: Any, **options: Any) -> Created:
        """Create a study on a server that was started with `serve --create-in`. Needs the scope create:studies.

        Parameters
        ----------
        name
            Name of the study: small letters, digits, - and _.
        items
            Items: a data frame, a mapping of columns, or a sequence of mappings from columns to cells.
        options
            Options as in `steelyard new`: `protocol`, `question`, `title`, `model`, `selection`, `redundancy`,
            `list_size` and `seed`; or `toml`, the text of study.toml, whose items file is `items.jsonl`.

        Returns
        -------
        Created
            Address and owner key of the study.
        """
        body = {"name": name, "items": _rows(items), **options}
        return self._record(Created, self._transport.json("POST", STUDIES, body))

    def studies(self) -> Rows:
        """Return name and address of the studies that were created on a server. Needs the scope create:studies."""
        return Rows(self._transport.json("GET", STUDIES)["studies"])

    # Reading

    def study(self) -> StudyFacts:
        """Return what the study asks, and how. Needs the scope read:results."""
        return self._record(StudyFacts, self._transport.json("GET", STUDY))

    def progress(self) -> Progress:
        """Return the progress of the study. Needs the scope read:results."""
        return self._record(Progress, self._transport.json("GET", f"{STUDY}/progress"))

    def items(self) -> Rows:
        """Return the items of the study. Needs the scope read:results."""
        return self._pages(f"{STUDY}/items", "items")

    def scale(self, condition: str = "") -> Rows:
        """Return the scale as a table, highest position first; empty before the first fit. Needs read:results.

        Parameters
        ----------
        condition
            Name of an arm. Default: all arms.

        Returns
        -------
        Rows
            One row per item, with `to_pandas()` and other conversions.
        """
        return self._pages(f"{STUDY}/scale", "rows", condition=condition)

    def judgments(self) -> Judgments:
        """Return the judgments that count, ready to be fitted. Needs the scope read:results.

        Without judgments, `steelyard.errors.EmptyFile` is raised.
        """
        return read(BytesIO(self._transport.content("GET", f"{STUDY}/files/judgments.jsonl")))

    def download(self, table: str, path: str | Path) -> Path:
        """Download a table as a file. The table `raters` needs the scope manage:study, the others read:results.

        Parameters
        ----------
        table
            `"judgments"`, `"scale"`, `"distributions"` or `"raters"`.
        path
            File to write. Its suffix is the format: .csv, .jsonl or .parquet.

        Returns
        -------
        pathlib.Path
            The file.
        """
        target = Path(path)
        form = target.suffix.removeprefix(".")
        if form not in ("csv", "jsonl", "parquet"):
            raise BadSetting("path", f"{target} must end with .csv, .jsonl or .parquet.")
        target.write_bytes(self._transport.content("GET", f"{STUDY}/files/{table}.{form}"))
        return target

    def wait(
        self,
        judgments: int | None = None,
        seconds: float = 24 * 3600.0,
        every: float = 10.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Progress:
        """Wait until the study has ended, or has a number of judgments. Needs the scope read:results.

        Parameters
        ----------
        judgments
            Number of judgments that is enough. Default: wait until the study needs no more.
        seconds
            Longest time to wait. After it, `steelyard.errors.StillCollecting` is raised.
        every
            Seconds between two looks at the progress.
        sleep
            Function that waits, for tests.

        Returns
        -------
        Progress
            The progress at the end.
        """
        waited = 0.0
        while True:
            progress = self.progress()
            if progress.ended or (judgments is not None and progress.judgments >= judgments):
                return progress
            if waited >= seconds:
                raise StillCollecting(seconds, progress.judgments, progress.wanted)
            sleep(every)
            waited += every

    # Changes

    def add_items(self, items: Any) -> Added:
        """Add items to the study while it runs. Needs the scope write:items.

        Existing items never change. Items that the study has with the same content are left out. Large tables are sent
        in parts, each of which is added as a whole or not at all.

        Parameters
        ----------
        items
            A data frame, a mapping of columns, or a sequence of mappings from columns to cells.

        Returns
        -------
        Added
            Ids of the items that were added.
        """
        rows = _rows(items)
        added: list[str] = []
        unchanged: list[str] = []
        total = 0
        for start in range(0, max(len(rows), 1), ITEMS_AT_ONCE):
            body = {"items": rows[start : start + ITEMS_AT_ONCE]}
            part = self._record(Added, self._transport.json("POST", f"{STUDY}/items", body))
            added += part.added
            unchanged += part.unchanged
            total = part.items
        return Added(tuple(added), tuple(unchanged), total)

    def pause(self) -> Progress:
        """Return the progress after pausing the study. Needs the scope manage:study."""
        return self._record(Progress, self._transport.json("POST", f"{STUDY}/pause"))

    def resume(self) -> Progress:
        """Return the progress after resuming the study. Needs the scope manage:study."""
        return self._record(Progress, self._transport.json("POST", f"{STUDY}/resume"))

    def invite(self, name: str = "") -> Invitation:
        """Create a personal link for a new rater. Needs the scope manage:study.

        Parameters
        ----------
        name
            Name of the rater for the owner.

        Returns
        -------
        Invitation
            Id and link of the rater.
        """
        return self._record(Invitation, self._transport.json("POST", f"{STUDY}/raters", {"name": name}))

    # Webhooks

    def webhooks(self) -> Records[WebhookFacts]:
        """Return the webhooks of the study. Needs the scope manage:study."""
        listed = self._transport.json("GET", f"{STUDY}/webhooks")["webhooks"]
        return Records(self._record(WebhookFacts, each) for each in listed)

    def add_webhook(
        self, url: str, events: Sequence[str] = ("judgments.added", "study.stopped")
    ) -> NewWebhook:
        """Add an address that is notified of events. Needs the scope manage:study.

        Parameters
        ----------
        url
            Public https address. The administrator can allow internal networks.
        events
            Events: `"judgments.added"`, `"study.stopped"`, or both.

        Returns
        -------
        NewWebhook
            The webhook with its secret.
        """
        body = {"url": url, "events": list(events)}
        return self._record(NewWebhook, self._transport.json("POST", f"{STUDY}/webhooks", body))

    def remove_webhook(self, id: str) -> None:
        """Remove a webhook. Needs the scope manage:study.

        Parameters
        ----------
        id
            Id of the webhook.
        """
        self._transport.json("DELETE", f"{STUDY}/webhooks/{id}")

    def test_webhook(self, id: str) -> str:
        """Send a test message to a webhook. Needs the scope manage:study.

        Parameters
        ----------
        id
            Id of the webhook.

        Returns
        -------
        str
            Id of the message, which `deliveries` lists.
        """
        return str(self._transport.json("POST", f"{STUDY}/webhooks/{id}/test")["id"])

    def deliveries(self, id: str) -> Records[DeliveryFacts]:
        """Return the newest messages to a webhook, newest first. Needs the scope manage:study.

        Parameters
        ----------
        id
            Id of the webhook.

        Returns
        -------
        Records
            One record per message.
        """
        listed = self._transport.json("GET", f"{STUDY}/webhooks/{id}/deliveries")["deliveries"]
        return Records(self._record(DeliveryFacts, each) for each in listed)

    # Helpers

    def _record(self, kind: type[Record], table: Any) -> Record:
        return record_of(kind, table, self.address)

    def _pages(self, path: str, name: str, **query: str) -> Rows:
        rows: list[Mapping[str, Any]] = []
        while True:
            part = self._transport.json("GET", path, None, start=len(rows), most=ROWS_AT_ONCE, **query)
            rows += part[name]
            if not part[name] or len(rows) >= part["total"]:
                return Rows(rows)


def _rows(items: Any) -> list[dict[str, Any]]:
    """Items as plain rows, from a data frame, columns or rows."""
    if isinstance(items, Sequence) and not isinstance(items, str):
        return [dict(row) for row in items]
    columns = {name: text_cells(cells).tolist() for name, cells in read_frame(items).columns.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
