"""`steelyard keys`: list, add and revoke the keys of a study."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from steelyard.cli.acting import record_act
from steelyard.cli.output import AsJson, remark, write_table
from steelyard.errors import BadSetting, NoStudy

if TYPE_CHECKING:
    from steelyard.storage.database import Database
    from steelyard.storage.server_keys import ServerKeys

STUDY_FILE = "study.toml"


def keys(
    folder: Annotated[
        Path,
        typer.Argument(help="Folder of the study, or the folder of serve --create-in, for create:studies."),
    ],
    add: Annotated[
        str | None, typer.Option(help="Create a key with this name and print it.", show_default=False)
    ] = None,
    role: Annotated[
        str,
        typer.Option(
            help="With --add: owner may do everything; viewer may read results, but sees no links of raters and "
            "changes nothing; program opens no page and may do what --scope allows. Default: viewer, or program "
            "with --scope.",
            show_default=False,
        ),
    ] = "",
    scope: Annotated[
        list[str] | None,
        typer.Option(
            help="With --add: what a program may do with this key as its token. One of: read:results, write:items, "
            "manage:study, create:studies. Can be repeated.",
            show_default=False,
        ),
    ] = None,
    revoke: Annotated[
        str | None,
        typer.Option(
            help="Revoke the key with this name. Everyone who uses it is signed out.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the keys of a study's owner, viewers and programs, create a key, or revoke one."""
    if add is not None and revoke is not None:
        raise BadSetting("--add and --revoke", "these options exclude each other. Use one of them.")
    scopes = scope or []
    if scopes and add is None:
        raise BadSetting("--scope", "needs --add NAME.")
    store = _store(folder, scopes)
    if add is not None:
        _add(store, add, role or ("program" if scopes else "viewer"), scopes)
    elif revoke is not None:
        store.revoke_key(revoke)
        _record(store, "key_revoked", key=revoke)
        remark(f"Revoked the key {revoke!r}.")
    else:
        listed = store.access_keys()
        columns: dict[str, list[str]] = {
            "name": [each.name for each in listed],
            "role": [each.role for each in listed],
            "scopes": [" ".join(each.allowed) for each in listed],
        }
        write_table(columns, None, as_json)


def _store(folder: Path, scopes: list[str]) -> Database | ServerKeys:
    """Return the keys of a study, or of a folder in which a server creates studies."""
    from steelyard.storage.database import open_database  # optional dependencies
    from steelyard.storage.server_keys import OF_A_SERVER, ServerKeys  # optional dependencies

    if (folder / STUDY_FILE).exists() or not folder.is_dir():
        return open_database(folder)
    server = ServerKeys(folder)
    if not server.exist and tuple(scopes) != OF_A_SERVER:
        raise NoStudy(str(folder))
    return server


def _add(store: Database | ServerKeys, name: str, role: str, scopes: list[str]) -> None:
    from steelyard.storage.server_keys import ServerKeys  # optional dependencies

    if isinstance(store, ServerKeys):
        key = store.add_key(name, time.time(), scopes)
    else:
        key = store.add_key(name, role, time.time(), scopes)
    _record(store, "key_added", key=name, role=role)
    if scopes:
        remark(f"Token {name!r} with the scopes {', '.join(scopes)}: {key}")
    else:
        remark(
            f"Key {name!r} with the role {role}: {key}\nTo sign in, open the address of the study, followed by "
            f"/owner/enter?key={key}"
        )
    remark("The key is not stored and cannot be shown again.")


def _record(store: Database | ServerKeys, what: str, **facts: str) -> None:
    """Record an act in the trail of a study; a folder of studies has none."""
    from steelyard.storage.server_keys import ServerKeys  # optional dependencies

    if not isinstance(store, ServerKeys):
        record_act(store, what, **facts)
