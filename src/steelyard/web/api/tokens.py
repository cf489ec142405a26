"""Tokens of programs: a key of the study in the header `Authorization: Bearer KEY`, and what it allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Protocol

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from steelyard.storage.keys import SCOPES, Key, Scope, key_matching
from steelyard.web.limits import Limit

BEARER = HTTPBearer(
    scheme_name="token",
    description="A key of the study (`steelyard keys DIR --add NAME --scope SCOPE`), or the owner key.",
    auto_error=False,
)
CHALLENGE = {"WWW-Authenticate": "Bearer"}
NO_TOKEN = (
    "This request needs a token, in the header Authorization: Bearer TOKEN. Create one with: steelyard keys"
)
NOT_VALID = "This token is not valid. It may have been revoked."
Offered = Annotated[HTTPAuthorizationCredentials | None, Security(BEARER)]


class KeyStore(Protocol):
    """Where keys are stored."""

    def access_keys(self) -> Sequence[Key]:
        """Return the valid keys."""


class Tokens:
    """Checks the tokens of requests. Cookies count for nothing here, so that no other site can use them.

    Parameters
    ----------
    keys
        The keys that are valid.
    tries
        Limit on wrong tokens.
    """

    def __init__(self, keys: KeyStore, tries: Limit) -> None:
        self._keys = keys
        self._tries = tries

    def needs(self, scope: Scope) -> Callable[..., None]:
        """Return a dependency of routes, which keeps the key in `request.state`, or answers 401, 403 or 429."""

        def check(request: Request, offered: Offered) -> None:
            request.state.key = self.allow(request, offered, scope)

        return check

    def allow(self, request: Request, offered: HTTPAuthorizationCredentials | None, scope: Scope) -> Key:
        """Return the key of a request, or answer 401 without a valid token and 403 without the scope."""
        if offered is None:
            raise HTTPException(401, NO_TOKEN, CHALLENGE)
        self._tries.check(request)
        key = key_matching(self._keys.access_keys(), offered.credentials)
        if key is None:
            self._tries.count(request)
            raise HTTPException(401, NOT_VALID, CHALLENGE)
        if scope not in key.allowed:
            raise HTTPException(403, f"This token lacks the scope {scope}: {SCOPES[scope]}.")
        return key


def scoped(tokens: Tokens, scope: Scope) -> dict[str, Any]:
    """Return settings of a route that needs a scope."""
    return {"dependencies": [Depends(tokens.needs(scope))], "tags": ["owners"]}
