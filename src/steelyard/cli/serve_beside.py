"""What `steelyard serve` does beside the pages of its studies: new studies, webhooks and refits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol
from urllib.parse import urlsplit

import typer

from steelyard.errors import BadSetting

if TYPE_CHECKING:
    from steelyard.web.hooks.addresses import Networks
    from steelyard.web.service import Creating

PROGRAMS = "Studies created by programs (API)"  # panel of the help
CreateIn = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Existing folder in which programs may create studies, with a token from `steelyard keys FOLDER --add "
        "NAME --scope create:studies`. Studies in it are served too. Default: no study can be created.",
        rich_help_panel=PROGRAMS,
        show_default=False,
    ),
]
MostStudies = Annotated[
    int,
    typer.Option(
        min=1,
        max=1000,
        help="With --create-in: largest number of created studies. The server opens one port for each of them.",
        rich_help_panel=PROGRAMS,
    ),
]
StudiesUrl = Annotated[
    str,
    typer.Option(
        help="With --create-in: public address of created studies behind a proxy, with {number} for the number from 1, "
        "as in https://s{number}.rate.example.org. Default: the address of the server.",
        rich_help_panel=PROGRAMS,
        show_default=False,
    ),
]
WebhooksTo = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NETWORK",
        help="Internal network to which webhooks may be sent, such as 10.0.0.0/8. Can be repeated. Default: only "
        "public addresses.",
        rich_help_panel=PROGRAMS,
        show_default=False,
    ),
]


class Process(Protocol):
    """A process beside the server."""

    def start(self) -> None:
        """Start it."""

    def stop(self) -> None:
        """End it."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What a server does beside the pages of its studies.

    Attributes
    ----------
    root
        Folder in which studies are created, or None.
    most
        Largest number of created studies.
    public_url
        Public address of created studies, with `{number}`.
    database
        Address of a PostgreSQL database for new studies.
    internal
        Internal networks to which webhooks may be sent.
    """

    root: Path | None = None
    most: int = 20
    public_url: str = ""
    database: str = ""
    internal: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        parts = urlsplit(self.public_url)
        if self.public_url and (parts.scheme not in ("http", "https") or "{number}" not in parts.netloc):
            raise BadSetting(
                "--studies-url",
                f"{self.public_url!r} is not an address such as https://s{{number}}.example.org.",
            )
        if self.root is not None and not self.root.is_dir():
            raise BadSetting("--create-in", f"{self.root} is not an existing folder. Create it first.")
        if self.root is not None and (self.root / "study.toml").exists():
            raise BadSetting(
                "--create-in", f"{self.root} is itself a study. Choose a folder that contains studies."
            )

    @property
    def ports(self) -> int:
        """Number of ports for created studies."""
        return 0 if self.root is None else self.most

    @property
    def networks(self) -> Networks:
        """Networks to which webhooks may be sent, besides public addresses."""
        from steelyard.web.hooks.addresses import Networks  # optional dependencies

        return Networks.of(self.internal)

    def creating(self, ports: Sequence[int]) -> Creating | None:
        """Return where studies are created, and on which ports they are served; None if they are not."""
        from steelyard.web.service import Creating  # optional dependencies

        if self.root is None:
            return None
        return Creating(self.root.resolve(), tuple(ports), self.public_url.rstrip("/"), self.database)

    def processes(self, folders: Sequence[Path], created: Creating | None) -> tuple[Process, ...]:
        """Return the processes that refit models and notify webhooks, for studies that exist now and later."""
        from steelyard.web.hooks.notifying import Notifying  # optional dependencies
        from steelyard.web.refitting import Refitting  # optional dependencies

        def served() -> tuple[Path, ...]:
            return (*folders, *(() if created is None else created.folder.studies().values()))

        return Refitting(served), Notifying(served, self.networks)
