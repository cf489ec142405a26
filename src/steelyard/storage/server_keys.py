"""The tokens that may create studies on a server, in a private file in the folder of its studies."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from steelyard.errors import CannotWrite, NoStudy, UnknownName, UnreadableFile
from steelyard.storage.keys import Key, Scope, check_key, key_hash
from steelyard.study.definition.locked_folders import locked
from steelyard.study.definition.private_files import write_private

KEYS_FILE = "keys.json"
OF_A_SERVER: tuple[Scope, ...] = ("create:studies",)


class ServerKeys:
    """The tokens in the folder of a server's studies. Only their hashes are stored."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise NoStudy.without_folder(str(folder))
        self._folder = folder
        self._path = folder / KEYS_FILE

    @property
    def exist(self) -> bool:
        """Whether the folder has tokens."""
        return self._path.exists()

    def access_keys(self) -> Sequence[Key]:
        """Return the valid tokens, oldest first."""
        try:
            rows = json.loads(self._path.read_bytes())
            return [Key(**{**row, "scopes": tuple(row["scopes"])}) for row in rows]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, TypeError, KeyError) as reason:
            raise UnreadableFile(
                str(self._path),
                "the tokens cannot be read.",
                "Restore the file, or delete it and add tokens.",
            ) from reason

    def add_key(self, name: str, at: float, scopes: Sequence[str] = OF_A_SERVER) -> str:
        """Create and return a token; it cannot be shown again.

        Parameters
        ----------
        name
            Name of the token, different from the others.
        at
            Time of creation, in seconds since 1970.
        scopes
            What the token allows.

        Returns
        -------
        str
            The token.
        """
        with locked(self._folder):
            before = list(self.access_keys())
            check_key(name, "program", scopes, [each.name for each in before], OF_A_SERVER)
            token = secrets.token_urlsafe(24)
            self._write([*before, Key(name, "program", key_hash(token), at, OF_A_SERVER)])
        return token

    def revoke_key(self, name: str) -> None:
        """Delete a token."""
        with locked(self._folder):
            before = self.access_keys()
            names = [each.name for each in before]
            if name not in names:
                raise UnknownName("key", name, names)
            self._write([each for each in before if each.name != name])

    def _write(self, keys: Sequence[Key]) -> None:
        temporary = self._path.with_suffix(".new")
        try:
            write_private(temporary, json.dumps([asdict(each) for each in keys], indent=1).encode())
            os.replace(temporary, self._path)
        except OSError as reason:
            raise CannotWrite(str(self._path), reason.strerror) from reason
