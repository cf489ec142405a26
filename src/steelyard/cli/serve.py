"""`steelyard serve`: serve the pages of one or several studies."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from steelyard.cli.acting import record_act
from steelyard.cli.output import remark, remark_if_not_compiled
from steelyard.cli.serve_beside import Beside, CreateIn, MostStudies, StudiesUrl, WebhooksTo
from steelyard.cli.studies import open_or_start
from steelyard.errors import BadSetting

if TYPE_CHECKING:
    from steelyard.web.service import Served

BACKLOG = 2048  # connections that can wait to be accepted
LOOPBACK = ("127.", "::1", "localhost")
Host = Annotated[
    str, typer.Option(help="Address to listen on. The default accepts connections from this machine only.")
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 chooses a free port.")]
ANY_ADDRESS = {  # hosts that stand for all addresses of this computer, and an address that no computer has
    "0.0.0.0": (socket.AF_INET, "192.0.2.1"),
    "::": (socket.AF_INET6, "2001:db8::1"),
}
Links = list[tuple[str, str]]  # name and path of each link to print


@dataclass(frozen=True, slots=True)
class Listening:
    """How a server listens.

    Attributes
    ----------
    host
        Address to listen on.
    port
        Port of the first study, which further studies count up from; 0 chooses free ports.
    workers
        Number of processes that answer requests.
    proxies
        Addresses of proxies whose headers about the client are trusted.
    public_urls
        Public address of each study; empty if they are those of the server.
    other_port
        Whether to choose another port if this one is in use.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    proxies: tuple[str, ...] = ()
    public_urls: tuple[str, ...] = ()
    other_port: bool = False


def serve(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FOLDER",
            help="Folders of studies. The first study uses --port, the second study the next port, and so on.",
            show_default=False,
        ),
    ] = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    database: Annotated[
        str,
        typer.Option(
            help="Address of a PostgreSQL database, such as postgresql://user@host/db. Use it for new studies, and for "
            "studies whose answers are already in this database. Default: study.db in each folder.",
            show_default=False,
        ),
    ] = "",
    workers: Annotated[
        int, typer.Option(min=1, max=64, help="Number of processes that answer requests.")
    ] = 1,
    public_url: Annotated[
        list[str] | None,
        typer.Option(
            help="Address that raters open, as in https://rate.example.org, if a proxy is in front of the server. "
            "With several studies, give it once for each study, in the order of the folders. Default: the address of "
            "the server.",
            show_default=False,
        ),
    ] = None,
    trust_proxy: Annotated[
        list[str] | None,
        typer.Option(
            help="Address or network of a proxy whose headers X-Forwarded-For and X-Forwarded-Proto are trusted. "
            "Can be repeated. Default: such headers are ignored.",
            show_default=False,
        ),
    ] = None,
    new_owner_key: Annotated[
        bool,
        typer.Option(
            "--new-owner-key", help="Issue a new owner key for each study. The old keys stop working."
        ),
    ] = False,
    create_in: CreateIn = None,
    most_studies: MostStudies = 20,
    studies_url: StudiesUrl = "",
    webhooks_to: WebhooksTo = None,
) -> None:
    """Serve the pages of studies until Ctrl-C."""
    from steelyard.storage.database import open_database  # optional dependencies
    from steelyard.storage.location import URL_VARIABLE  # optional dependencies

    folders = folders or []
    beside = Beside(create_in, most_studies, studies_url, database, tuple(webhooks_to or ()))
    if not folders and create_in is None:
        raise BadSetting(
            "serve",
            "no study was named. Name the folder of a study, as in: steelyard serve my-study. To let programs create "
            "studies, set --create-in.",
        )
    listening = Listening(host, port, workers, tuple(trust_proxy or ()), _checked(public_url or [], folders))
    if database:
        os.environ[URL_VARIABLE] = database  # also for the processes that are started below
    started = [open_or_start(folder, database) for folder in folders]

    def links_to_print(at: int) -> Links:
        study, key = started[at]
        if new_owner_key:
            opened = open_database(folders[at])
            key = opened.new_owner_key()
            record_act(opened, "owner_key_replaced")
        return links(study.definition.joining.open_link, key)

    run(folders, listening, links_to_print, beside)


def _checked(public_urls: list[str], folders: list[Path]) -> tuple[str, ...]:
    """Return the public addresses, or raise BadSetting unless there is one per study and each is an address."""
    if public_urls and len(public_urls) != len(folders):
        raise BadSetting("--public-url", f"{len(folders)} studies need {len(folders)} addresses.")
    for url in public_urls:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc or parts.path not in ("", "/"):
            raise BadSetting("--public-url", f"{url!r} is not an address such as https://rate.example.org.")
    return tuple(url.rstrip("/") for url in public_urls)


def links(open_link: bool, key: str | None, rater: str | None = None) -> Links:
    """Return name and path of each link to print when the server has started.

    Parameters
    ----------
    open_link
        Whether anyone can join.
    key
        Owner key; None if it is not known.
    rater
        Token of a rater whose link is printed.

    Returns
    -------
    list of tuple
        Name and path.
    """
    lines = [("Owner's page", f"/owner/enter?key={key}" if key else "/owner")]
    if rater is not None:
        lines.append(("Rater's link", f"/r/{rater}"))
    if open_link:
        lines.append(("Link to join (anyone)", "/join"))
    return lines


def run(
    folders: list[Path],
    listening: Listening,
    links_to_print: Callable[[int], Links],
    beside: Beside | None = None,
) -> None:
    """Bind the ports, print the links, and serve until Ctrl-C.

    The ports are bound first, so that the printed addresses are correct and no key is replaced if binding fails.

    Parameters
    ----------
    folders
        Folders of the studies.
    listening
        How the server listens.
    links_to_print
        Returns name and path of each link of a study, by its index.
    beside
        Studies that can be created, and webhooks. Default: no study can be created.
    """
    from steelyard.web.service import INDEX, Served, create_service  # optional dependencies
    from steelyard.web.workers import Service, Workers  # optional dependencies

    beside = beside or Beside()
    number = len(folders) + beside.ports
    listeners = [_bound(replace(listening, port=_port(listening, at))) for at in range(number)]
    urls = listening.public_urls or ("",) * len(folders)
    studies = tuple(
        Served(folder, listener.getsockname()[1], url)
        for folder, listener, url in zip(folders, listeners, urls, strict=False)
    )
    created = beside.creating([listener.getsockname()[1] for listener in listeners[len(folders) :]])
    create = partial(create_service, studies, beside.networks, created, listening.workers)
    service = Service(create, listening.proxies)
    server = service.server() if listening.workers == 1 else Workers(service, listeners, listening.workers)
    for at, served in enumerate(studies):
        _print_links(served, listening, links_to_print(at))
    if has_index(studies):
        remark(f"All studies:            {_url(studies[0], listening)}{INDEX}")
    if created is not None:
        remark(
            f"Studies are created at: http://{_named(_reached_at(listening.host))}:{listeners[0].getsockname()[1]}"
        )
    _say_who_can_connect(listening)
    remark_if_not_compiled()
    remark("Press Ctrl-C to stop.")
    processes = beside.processes(folders, created)
    for process in processes:
        process.start()
    signal.signal(
        signal.SIGTERM, signal.default_int_handler
    )  # as Ctrl-C; the server raises it again at its end
    with suppress(KeyboardInterrupt):  # the server has already finished open requests
        if isinstance(server, Workers):
            server.run()
        else:
            server.run(sockets=listeners)
    for process in processes:
        process.stop()
    remark("Stopped. All answers are saved.")


def has_index(studies: Sequence[Served]) -> bool:
    """Whether the first study shares its host name with another, so that /studies can list several."""
    return sum(each.host == studies[0].host for each in studies) > 1


def _port(listening: Listening, at: int) -> int:
    return listening.port + at if listening.port else 0


def _bound(listening: Listening) -> socket.socket:
    """Return a socket that listens, or exit with a message if the port is in use."""
    host, port = listening.host, listening.port
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as reason:
        if not listening.other_port:
            remark(
                f"Cannot listen on {host}, port {port}: {reason.strerror}. Choose another port with --port."
            )
            raise typer.Exit(2) from None
        listener.bind((host, 0))
    listener.listen(BACKLOG)  # a link opened at once waits instead of failing
    return listener


def _print_links(served: Served, listening: Listening, lines: Links) -> None:
    url = _url(served, listening)
    remark(f"Serving {served.folder} at {url}")
    if served.public_url:
        remark(f"  Behind a proxy:        http://{_named(_reached_at(listening.host))}:{served.port}")
    for words, path in lines:
        remark(f"  {words + ':':<22} {url}{path}")


def _url(served: Served, listening: Listening) -> str:
    return served.public_url or f"http://{_named(_reached_at(listening.host))}:{served.port}"


def _say_who_can_connect(listening: Listening) -> None:
    """Print that no other machine can connect, or a warning if others can connect without encryption."""
    encrypted = all(url.startswith("https://") for url in listening.public_urls) and listening.public_urls
    if listening.host.startswith(LOOPBACK):
        if not listening.public_urls:
            remark(
                "These links work on this computer only. For raters elsewhere, see --host and --public-url."
            )
        return
    if listening.host in ANY_ADDRESS and not listening.public_urls:
        remark(_how_links_are_named(listening.host))
    if not encrypted:
        remark(
            f"Warning: other machines can connect to {listening.host}, and nothing is encrypted. Put a proxy with "
            "https in front, and name its address with --public-url."
        )


def _how_links_are_named(host: str) -> str:
    """Return which address of this computer the links have, and what to do if it is not the right one."""
    address = _reached_at(host)
    if address == host:
        return (
            f"The links work on this computer only. For raters elsewhere, replace {host} in them by the name or "
            "address of this computer, or set --public-url."
        )
    return (
        f"The links have the address {address} of this computer in its network. If raters reach it at another name or "
        "address, set --public-url."
    )


def _reached_at(host: str) -> str:
    """Return the address at which other machines reach this host; the host itself if it cannot be determined.

    Connecting a UDP socket sends nothing. It chooses the address from which this computer would send.
    """
    if host not in ANY_ADDRESS:
        return host
    family, elsewhere = ANY_ADDRESS[host]
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((elsewhere, 9))
        return str(probe.getsockname()[0])
    return host


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host
