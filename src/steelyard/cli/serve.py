"""`steelyard serve`: the pages of a study on this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from steelyard.cli.output import remark
from steelyard.cli.studies import open_or_start

BACKLOG = 2048  # connections that may wait to be accepted
Host = Annotated[str, typer.Option(help="Where to listen; loopback unless you say otherwise.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")]


def serve(
    folder: Annotated[Path, typer.Argument(help="The study's folder.")],
    host: Host = "127.0.0.1",
    port: Port = 8000,
    new_owner_key: Annotated[bool, typer.Option("--new-owner-key", help="Make the old key void.")] = False,
) -> None:
    """Serve a study's pages until Ctrl-C."""
    from steelyard.storage.database import open_database  # the study parts are an extra

    study, key = open_or_start(folder)

    def links_to_print() -> list[tuple[str, str]]:
        made = open_database(folder).new_owner_key() if new_owner_key else key
        return links(study.definition.joining.open_link, made)

    run(folder, host, port, links_to_print)


def links(open_link: bool, key: str | None, rater: str | None = None) -> list[tuple[str, str]]:
    """What to print when the server is up: words and path of each link."""
    lines = [("Owner's page", f"/owner/enter?key={key}" if key else "/owner")]
    if rater is not None:
        lines.append(("A rater's link", f"/r/{rater}"))
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
    """Bind first, so that the printed addresses are true and no key is changed for nothing; then serve."""
    import uvicorn  # the study parts are an extra

    from steelyard.web.app import create_app  # the study parts are an extra

    app = create_app(folder)
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as reason:
        if not other_port:
            remark(f"Cannot listen on {host} port {port}: {reason.strerror}. Choose another with --port.")
            raise typer.Exit(2) from None
        listener.bind((host, 0))
    listener.listen(BACKLOG)  # so that a link followed at once waits instead of failing
    bound = listener.getsockname()[1]
    remark(f"Steelyard serves {folder} at http://{_named(host)}:{bound}")
    for words, path in links_to_print():
        remark(f"  {words + ':':<22} http://{_named(host)}:{bound}{path}")
    remark("Stop with Ctrl-C.")
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", server_header=False))
    with suppress(KeyboardInterrupt):  # the server has already finished what was under way
        server.run(sockets=[listener])
    remark("Stopped. Every answer is kept.")


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host
