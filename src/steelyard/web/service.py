"""Several studies behind one server: each on a port of its own, with its own keys and cookies.

Each study has a port because its pages use absolute paths. The port of a study that is created later is one that all
processes listen on already, so any of them opens the study on its first request.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from steelyard.errors import SteelyardError
from steelyard.storage.studies_folder import StudiesFolder
from steelyard.web.api.studies_routes import PATH, address_with_port, studies_app
from steelyard.web.app import StudyApp, create_study_app
from steelyard.web.hooks.addresses import Networks

INDEX = "/studies"
LOG = logging.getLogger(__name__)
NOTHING_HERE = PlainTextResponse("There is no study at this address.", 404)
NOT_OPENED = PlainTextResponse("The study at this address cannot be opened at the moment.", 503)


@dataclass(frozen=True, slots=True)
class Served:
    """One study of a server.

    Attributes
    ----------
    folder
        Folder of the study.
    port
        Port on which the study is served.
    public_url
        Address that raters open; empty if it is that of the server.
    """

    folder: Path
    port: int
    public_url: str = ""

    @property
    def host(self) -> str:
        """Host name in the public address, on which cookies depend; empty if it is that of the server."""
        return urlsplit(self.public_url).hostname or ""


@dataclass(frozen=True, slots=True)
class Creating:
    """Where a server creates studies, and the ports on which it serves them.

    Attributes
    ----------
    root
        Folder in which studies are created.
    ports
        Ports of the studies, by number.
    public_url
        Public address of the studies, with `{number}` in place of the number from 1; empty if it is that of the server.
    database
        Address of a PostgreSQL database for new studies; empty for a file in the folder of each.
    """

    root: Path
    ports: tuple[int, ...]
    public_url: str = ""
    database: str = ""

    @property
    def folder(self) -> StudiesFolder:
        """The studies that were created."""
        return StudiesFolder(self.root, len(self.ports), self.database)

    def url(self, slot: int) -> str:
        """Return the public address of a study; empty if it is that of the server."""
        return self.public_url.replace("{number}", str(slot + 1))

    def address(self, request: Request, slot: int) -> str:
        """Return the address of a study, for a request."""
        return self.url(slot) or address_with_port(request, self.ports[slot])


def create_service(
    studies: tuple[Served, ...],
    networks: Networks | None = None,
    creating: Creating | None = None,
    workers: int = 1,
) -> ASGIApp:
    """Return the application of a server process, in which refits are made by another process.

    Parameters
    ----------
    studies
        Studies that the server was started with.
    networks
        Networks inside which webhooks may be. Default: only public addresses.
    creating
        Where studies can be created. Default: nowhere.
    workers
        Number of server processes, which share the limits of each study.

    Returns
    -------
    ASGIApp
        The application.
    """
    opened = partial(create_study_app, refits_elsewhere=True, networks=networks, workers=workers)
    creator = None if creating is None else studies_app(creating.folder, creating.address, workers)
    return Service([(served, opened(served.folder)) for served in studies], creating, opened, creator)


class Service:
    """Passes each request to the study of its port, and shows the owner an index of studies.

    Parameters
    ----------
    studies
        Studies that the server was started with.
    creating
        Where studies can be created. Default: nowhere.
    opened
        Returns the application of a created study.
    creator
        Application that creates studies. Default: none.
    """

    def __init__(
        self,
        studies: list[tuple[Served, StudyApp]],
        creating: Creating | None = None,
        opened: Callable[[Path], StudyApp] = create_study_app,
        creator: ASGIApp | None = None,
    ) -> None:
        self._studies: list[tuple[Served, StudyApp]] = []
        self._apps: dict[int, ASGIApp] = {}
        self._creating = creating
        self._opened = opened
        self._lock = Lock()
        self._creator = creator
        for served, study in studies:
            self._add(served, study)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        app = await self._app_for(scope)
        await app(scope, receive, send)

    async def _app_for(self, scope: Scope) -> ASGIApp:
        port, path = (scope.get("server") or ("", 0))[1], scope.get("path", "")
        if self._creator is not None and (path == PATH or path.startswith(f"{PATH}/")):
            return self._creator
        if port in self._apps:
            return self._apps[port]
        if self._creating is not None and port in self._creating.ports:
            return await asyncio.to_thread(self._created, self._creating, port)
        return next(iter(self._apps.values()), NOTHING_HERE)

    def _created(self, creating: Creating, port: int) -> ASGIApp:
        """Return the application of the study that was created for a port, which any process may have done."""
        with self._lock:
            slot = creating.ports.index(port)
            folder = creating.folder.studies().get(slot)
            if folder is None:
                return NOTHING_HERE
            if port not in self._apps:
                try:
                    self._add(Served(folder, port, creating.url(slot)), self._opened(folder))
                except SteelyardError as reason:
                    LOG.error("The study in %s cannot be opened: %s", folder, reason)
                    return NOT_OPENED
            return self._apps[port]

    def _add(self, served: Served, study: StudyApp) -> None:
        self._studies = [*self._studies, (served, study)]
        study.app.state.index = self.owned
        self._apps[served.port] = PublicAddress(study.app, served.public_url)

    def owned(self, request: Request) -> list[tuple[str, str, int, int]]:
        """Return title, address, judgments and wanted judgments of the studies whose owner this browser is.

        Browsers send cookies to the host that set them, so these are studies on the host of the request.
        """
        rows = []
        for served, study in self._studies:
            if study.access.is_owner(request):
                study.session.fresh_ledger()
                arms = [study.session.supply(name) for name in study.session.follower.arms]
                answered, wanted = (
                    sum(values) for values in zip(*((a.answered, a.wanted) for a in arms), strict=True)
                )
                title = study.session.study.definition.title
                rows.append((title, _address(request, served), answered, wanted))
        return rows


class PublicAddress:
    """Middleware that replaces host and scheme of requests by those of the public address, which links then have."""

    def __init__(self, app: ASGIApp, public_url: str) -> None:
        self._app = app
        self._parts = urlsplit(public_url) if public_url else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if self._parts is not None and scope["type"] == "http":
            others = [pair for pair in scope["headers"] if pair[0] != b"host"]
            host = (b"host", self._parts.netloc.encode("ascii"))
            scope = {**scope, "scheme": self._parts.scheme, "headers": [host, *others]}
        await self._app(scope, receive, send)


def _address(request: Request, served: Served) -> str:
    if served.public_url:
        return f"{served.public_url.rstrip('/')}/owner"
    return str(request.url.replace(port=served.port, path="/owner", query=""))
