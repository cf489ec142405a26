"""The keys of a study: those of its owner and viewers, and tokens of programs. Only hashes of keys are stored."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import sqlalchemy as sa

from steelyard.errors import BadSetting, UnknownName
from steelyard.storage import schema

Role = Literal["owner", "viewer", "program"]
ROLES: tuple[Role, ...] = get_args(Role)
Scope = Literal["read:results", "write:items", "manage:study", "create:studies"]
SCOPES: dict[Scope, str] = {
    "read:results": "read progress, items, scale and judgments",
    "write:items": "add items",
    "manage:study": "pause and resume the study, invite raters, set webhooks, read the table of raters",
    "create:studies": "create studies in the folder that the server was started with",
}
OF_A_STUDY: tuple[Scope, ...] = ("read:results", "write:items", "manage:study")
OF_ROLES: dict[Role, tuple[Scope, ...]] = {"owner": OF_A_STUDY, "viewer": ("read:results",), "program": ()}
FIRST = "owner"  # the name of the key that a study is created with
LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class Key:
    """A key to the owner's pages, without the key itself.

    Attributes
    ----------
    name
        Name of the key, which the log records with every act.
    role
        `"owner"` may do everything; `"viewer"` may only read, and sees no links of raters. `"program"` opens no page
        and may do what its scopes allow.
    hash
        Hash of the key.
    at
        Time of creation, in seconds since 1970; 0 for the first key.
    scopes
        Scopes of a program; empty for the other roles, whose scopes follow from the role.
    """

    name: str
    role: Role
    hash: str
    at: float = 0.0
    scopes: tuple[Scope, ...] = ()

    @property
    def allowed(self) -> tuple[Scope, ...]:
        """The scopes that requests with this key have."""
        return (*OF_ROLES[self.role], *self.scopes)


def all_keys(connection: sa.Connection) -> list[Key]:
    """Return the valid keys of a study, the owner's first key first."""
    table = schema.access_key
    first: str = connection.execute(sa.select(schema.study.c.owner_key_hash)).scalar_one()
    rows = connection.execute(sa.select(table).order_by(table.c.at, table.c.name)).all()
    others = (Key(row.name, row.role, row.hash, row.at, tuple(row.scopes.split())) for row in rows)
    return [Key(FIRST, "owner", first), *others]


def key_matching(keys: Sequence[Key], offered: str) -> Key | None:
    """Return the key that was offered, or None if it is not valid."""
    offered_hash = key_hash(offered)
    return next((key for key in keys if secrets.compare_digest(key.hash, offered_hash)), None)


def added_key(connection: sa.Connection, name: str, role: str, at: float, scopes: Sequence[str] = ()) -> str:
    """Create a key and return it; it cannot be shown again.

    Parameters
    ----------
    connection
        Connection in a transaction that holds the lock of the study.
    name
        Name of the key, different from the others.
    role
        A role in `ROLES`.
    at
        Time of creation, in seconds since 1970.
    scopes
        Scopes of a program, at least one; other roles have none of their own.

    Returns
    -------
    str
        The key.
    """
    check_key(name, role, scopes, [each.name for each in all_keys(connection)], OF_A_STUDY)
    key = secrets.token_urlsafe(24)
    values = {"name": name, "role": role, "hash": key_hash(key), "at": at, "scopes": " ".join(scopes)}
    connection.execute(schema.access_key.insert().values(**values))
    return key


def check_key(
    name: str, role: str, scopes: Sequence[str], taken: Sequence[str], possible: Sequence[str]
) -> None:
    """Raise an error if a key with this name, role and scopes cannot be created.

    Parameters
    ----------
    name
        Name of the new key.
    role
        Its role.
    scopes
        Its scopes.
    taken
        Names of the other keys.
    possible
        Scopes that keys of this place can have.
    """
    if role not in ROLES:
        raise UnknownName("role", role, ROLES)
    unknown = [scope for scope in scopes if scope not in possible]
    if unknown:
        raise UnknownName("scope", unknown[0], possible)
    if bool(scopes) != (role == "program"):
        raise BadSetting("scope", "a key for a program needs at least one scope, and other keys have none.")
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadSetting("name", f"a key needs a name of at most {LONGEST_NAME} visible characters.")
    if name in taken:
        raise BadSetting("name", f"{name!r} is in use. Choose another name, or revoke that key first.")


def delete_key(connection: sa.Connection, name: str) -> None:
    """Delete a key; everyone who signed in with it is signed out."""
    names = [each.name for each in all_keys(connection)]
    if name == FIRST:
        raise BadSetting(
            "revoke", "the first owner key can only be replaced: steelyard serve --new-owner-key."
        )
    if name not in names:
        raise UnknownName("key", name, names)
    connection.execute(schema.access_key.delete().where(schema.access_key.c.name == name))


def key_hash(key: str) -> str:
    """Return the hash of a key. A key has 192 random bits, so a hash without salt cannot be reversed by search."""
    return hashlib.sha256(key.encode()).hexdigest()
