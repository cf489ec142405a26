"""Access control: raters by their link, the owner by a key, forms by a token."""

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
    """Cookies and tokens of one study. Cookie names identify the study, so that two studies can share a host."""

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
        """Sign a rater in to this browser."""
        _set_cookie(request, response, self._rater_cookie, rater.token)

    def find_rater(self, request: Request) -> Rater | None:
        """Return the rater of this browser, or None if it has not opened a rater's link."""
        token = request.cookies.get(self._rater_cookie)
        try:
            return None if token is None else self._session.raters.by_link(token)
        except UnknownRater:
            return None

    def rater(self, request: Request) -> Rater:
        """Return the rater of this browser, or answer 403."""
        rater = self.find_rater(request)
        if rater is None:
            raise HTTPException(403, "Open the link you were given to continue.")
        return rater

    def rater_mark(self, rater: Rater) -> str:
        """Return the name under which a page stores answers of this rater on the device."""
        return self._sign("page", rater.token)[:16]

    # Owner

    def admit_owner(self, request: Request, response: Response, key: str) -> None:
        """Sign the owner in to this browser, or answer 403 to a wrong key."""
        if not self._database.is_owner_key(key):
            raise HTTPException(403, "This owner key is not valid. For a new key, use serve --new-owner-key.")
        _set_cookie(request, response, self._owner_cookie, self._owner_seal())

    def is_owner(self, request: Request) -> bool:
        """Whether the owner is signed in to this browser."""
        return _same(request.cookies.get(self._owner_cookie, ""), self._owner_seal())

    def owner(self, request: Request) -> None:
        """Answer 403 unless the owner is signed in."""
        if not self.is_owner(request):
            raise HTTPException(
                403, "This page is only for the owner of the study. Open it with the owner's link."
            )

    def _owner_seal(self) -> str:
        # It includes the hash of the key, so a new owner key ends every earlier sign-in.
        return self._sign("owner", self._database.owner_key_hash())

    # Forms

    def greet(self, request: Request, response: Response) -> None:
        """Set a cookie for the forms of a browser that has none."""
        if self._visitor_cookie not in request.cookies:
            _set_cookie(request, response, self._visitor_cookie, self.visitor(request))

    def visitor(self, request: Request) -> str:
        """Return the visitor id of this browser, a new one if it has none."""
        if not hasattr(request.state, "visitor"):
            request.state.visitor = request.cookies.get(self._visitor_cookie, secrets.token_urlsafe(16))
        mark: str = request.state.visitor
        return mark

    def csrf(self, request: Request) -> str:
        """Return the token that forms of this rater or visitor must contain."""
        token = request.cookies.get(self._rater_cookie)
        return self._sign("rater", token) if token else self._sign("visitor", self.visitor(request))

    def csrf_for_owner(self, request: Request) -> str:
        """Return the token that the owner's forms must contain."""
        return self._sign("form", request.cookies.get(self._owner_cookie, ""))

    def check_csrf(self, request: Request, token: str) -> None:
        """Answer 403 unless the form comes from a rater's or visitor's page in this browser."""
        _require_same(token, self.csrf(request))

    def check_owner_csrf(self, request: Request, token: str) -> None:
        """Answer 403 unless the form comes from an owner's page in this browser."""
        _require_same(token, self.csrf_for_owner(request))

    # Media

    def media_mark(self, rater: Rater, item: int) -> str:
        """Return the token with which only this rater can fetch the file of an item."""
        return self._sign("media", f"{rater.token} {item}")[:24]

    def is_media_mark(self, rater: Rater, item: int, mark: str) -> bool:
        """Whether a token allows this rater to fetch the file of this item.

        Parameters
        ----------
        rater
            The rater of the browser.
        item
            Index of the item.
        mark
            Token from the address of the file.

        Returns
        -------
        bool
            True if `media_mark` gave this token.
        """
        return _same(mark, self.media_mark(rater, item))

    def _sign(self, purpose: str, text: str) -> str:
        return hmac.digest(self._secret, f"{purpose}:{text}".encode(), "sha256").hex()


def _set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    # Browsers do not send Secure cookies over plain http, which is common on a local machine.
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
    # Compared as bytes, because compare_digest raises an error for text that is not ASCII.
    return hmac.compare_digest(offered.encode(errors="replace"), wanted.encode())
