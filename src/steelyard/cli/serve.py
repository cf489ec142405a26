"""`steelyard serve`: serve the pages of a study."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.output import remark
from steelyard.cli.studies import open_or_start

BACKLOG = 2048  # connections that can wait to be accepted
Host = Annotated[
    str, typer.Option(help="Address to listen on. The default accepts connections from this machine only.")
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 chooses a free port.")]


def serve(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    host: Host = "127.0.0.1",
    port: Port = 8000,
    new_owner_key: Annotated[
        bool, typer.Option("--new-owner-key", help="Issue a new owner key. The old one stops working.")
    ] = False,
) -> None:
    """Serve the pages of a study until Ctrl-C."""
    from steelyard.storage.database import open_database  # optional dependencies

    study, key = open_or_start(folder)

    def links_to_print() -> list[tuple[str, str]]:
        made = open_database(folder).new_owner_key() if new_owner_key else key
        return links(study.definition.joining.open_link, made)

    run(folder, host, port, links_to_print)


def links(open_link: bool, key: str | None, rater: str | None = None) -> list[tuple[str, str]]:
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
        lines.append(("Open link for raters", "/join"))
    return lines


def run(
    folder: Path,
    host: str,
    port: int,
    links_to_print: Callable[[], list[tuple[str, str]]],
    other_port: bool = False,
) -> None:
    """Bind the port, print the links, and serve until Ctrl-C.

    The port is bound first, so that the printed addresses are correct and no key is replaced if binding fails.

    Parameters
    ----------
    folder
        Folder of the study.
    host
        Address to listen on.
    port
        Port to listen on; 0 chooses a free port.
    links_to_print
        Returns name and path of each link.
    other_port
        Whether to choose another port if this one is in use.
    """
    import uvicorn  # optional dependencies

    from steelyard.web.app import create_app  # optional dependencies

    app = create_app(folder)
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as reason:
        if not other_port:
            remark(
                f"Cannot listen on {host}, port {port}: {reason.strerror}. Choose another port with --port."
            )
            raise typer.Exit(2) from None
        listener.bind((host, 0))
    listener.listen(BACKLOG)  # a link opened at once waits instead of failing
    bound = listener.getsockname()[1]
    remark(f"Serving {folder} at http://{_named(host)}:{bound}")
    for words, path in links_to_print():
        remark(f"  {words + ':':<22} http://{_named(host)}:{bound}{path}")
    remark("Press Ctrl-C to stop.")
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", server_header=False))
    with suppress(KeyboardInterrupt):  # the server has already finished open requests
        server.run(sockets=[listener])
    remark("Stopped. All answers are saved.")


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host
