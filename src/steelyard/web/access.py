"""Who may do what: raters by their link, the owner by their key, forms by a token."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from steelyard.errors import UnknownRater
from steelyard.storage.database import Database
from steelyard.study.collecting.session import Session
from steelyard.study.log.interface import Rater

NINETY_DAYS = 90 * 24 * 3600


class Access:
    """Cookies and tokens of one study. Cookie names carry the study, so that two on one host do not mix."""

    def __init__(self, database: Database, session: Session) -> None:
        self._database = database
        self._session = session
        self._secret = database.cookie_secret().encode()
        study = hashlib.sha256(self._secret).hexdigest()[:8]
        self._rater_cookie = f"steelyard_rater_{study}"
        self._owner_cookie = f"steelyard_owner_{study}"
        self._visitor_cookie = f"steelyard_visitor_{study}"

    # Raters

    def admit_rater(self, request: Request, response: Response, rater: Rater) -> None:
        """Remember a rater in this browser."""
        _set_cookie(request, response, self._rater_cookie, rater.token)

    def find_rater(self, request: Request) -> Rater | None:
        """The rater of this browser, if it has opened a link."""
        token = request.cookies.get(self._rater_cookie)
        try:
            return None if token is None else self._session.raters.by_link(token)
        except UnknownRater:
            return None

    def rater(self, request: Request) -> Rater:
        """The rater of this browser; 403 without one."""
        rater = self.find_rater(request)
        if rater is None:
            raise HTTPException(403, "Open the link you were given to go on.")
        return rater

    def rater_mark(self, rater: Rater) -> str:
        """What a page may call this rater of this study, where it keeps answers on the device."""
        return self._sign("page", rater.token)[:16]

    # The owner

    def admit_owner(self, request: Request, response: Response, key: str) -> None:
        """Remember the owner in this browser; 403 for a wrong key."""
        if not self._database.is_owner_key(key):
            raise HTTPException(403, "This is not the owner's key.")
        _set_cookie(request, response, self._owner_cookie, self._owner_seal())

    def is_owner(self, request: Request) -> bool:
        """Has this browser shown the owner's key?"""
        return _same(request.cookies.get(self._owner_cookie, ""), self._owner_seal())

    def owner(self, request: Request) -> None:
        """Go on only for the owner; 403 for anyone else."""
        if not self.is_owner(request):
            raise HTTPException(403, "This page is the owner's. Open it with the owner's link.")

    def _owner_seal(self) -> str:
        # Sealed over the key's hash: a new owner's key ends every earlier sign-in.
        return self._sign("owner", self._database.owner_key_hash())

    # Forms

    def greet(self, request: Request, response: Response) -> None:
        """Give a browser without any cookie one to bind its forms to."""
        if self._visitor_cookie not in request.cookies:
            _set_cookie(request, response, self._visitor_cookie, self.visitor(request))

    def visitor(self, request: Request) -> str:
        """The visitor's mark of this browser, new if it has none."""
        if not hasattr(request.state, "visitor"):
            request.state.visitor = request.cookies.get(self._visitor_cookie, secrets.token_urlsafe(16))
        mark: str = request.state.visitor
        return mark

    def csrf(self, request: Request) -> str:
        """The token that forms of this rater or visitor must carry."""
        token = request.cookies.get(self._rater_cookie)
        return self._sign("rater", token) if token else self._sign("visitor", self.visitor(request))

    def csrf_for_owner(self, request: Request) -> str:
        """The token that the owner's forms must carry."""
        return self._sign("form", request.cookies.get(self._owner_cookie, ""))

    def check_csrf(self, request: Request, token: str) -> None:
        """Go on only where the form came from a rater's or visitor's page of this browser; 403 otherwise."""
        _require_same(token, self.csrf(request))

    def check_owner_csrf(self, request: Request, token: str) -> None:
        """Go on only where the form came from an owner's page of this browser; 403 otherwise."""
        _require_same(token, self.csrf_for_owner(request))

    # Media

    def media_mark(self, rater: Rater, item: int) -> str:
        """A mark that lets this rater, and nobody else, fetch an item's file."""
        return self._sign("media", f"{rater.token} {item}")[:24]

    def is_media_mark(self, rater: Rater, item: int, mark: str) -> bool:
        """Was this mark given to this rater for this item?"""
        return _same(mark, self.media_mark(rater, item))

    def _sign(self, purpose: str, text: str) -> str:
        return hmac.digest(self._secret, f"{purpose}:{text}".encode(), "sha256").hex()


def _set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    # On plain http, as on one's own machine, a Secure cookie would never come back.
    response.set_cookie(
        name,
        value,
        max_age=NINETY_DAYS,
        httponly=True,
        samesite="lax",
        path="/",
        secure=request.url.scheme == "https",
    )


def _require_same(token: str, wanted: str) -> None:
    if not _same(token, wanted):
        raise HTTPException(403, "This page is out of date. Reload it and try again.")


def _same(offered: str, wanted: str) -> bool:
    # Bytes: text that is not ASCII would raise instead of being unequal.
    return hmac.compare_digest(offered.encode(errors="replace"), wanted.encode())
