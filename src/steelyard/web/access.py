"""Access control: raters by their link, the owner by a key, forms by a token."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from steelyard.errors import UnknownRater
from steelyard.storage.database import Database
from steelyard.storage.keys import Key, key_matching
from steelyard.storage.webhooks import Webhooks
from steelyard.study.collecting.session import Session
from steelyard.study.log.interface import Rater
from steelyard.web.api.tokens import Tokens
from steelyard.web.crowds import MTURK, framing_sites
from steelyard.web.limits import KEY_TRIES, TOO_MANY_JOINED, TOO_MANY_TRIES, Limit, network_of

LOG = logging.getLogger(__name__)
NO_LINK = "Open the link you were given to continue."
ONLY_OWNER = "This page is only for the owner of the study. Open it with the owner's link."
ONLY_READING = (
    "Your key allows reading the results of this study, but not changing it or seeing its raters' links."
)
NINETY_DAYS = 90 * 24 * 3600


class Access:
    """Cookies and tokens of one study. Cookie names identify the study, so that two studies can share a host.

    `workers` is the number of server processes, which share the limits.
    """

    def __init__(self, database: Database, session: Session, workers: int = 1) -> None:
        self._database = database
        self._session = session
        self.webhooks = Webhooks(database)
        self._secret = database.cookie_secret().encode()
        study = hashlib.sha256(self._secret).hexdigest()[:8]
        self._rater_cookie = f"steelyard_rater_{study}"
        self._owner_cookie = f"steelyard_owner_{study}"
        self._visitor_cookie = f"steelyard_visitor_{study}"
        per_minute = session.study.definition.joining.joins_per_minute
        self.joining = Limit(per_minute, TOO_MANY_JOINED, workers=workers)
        self.key_tries = Limit(KEY_TRIES, TOO_MANY_TRIES, workers=workers)
        self.tokens = Tokens(database, self.key_tries)

    # Raters

    def open_link(self, request: Request, token: str) -> Rater:
        """Return the rater with this link; raise UnknownRater if there is none, or answer 429 to many wrong links."""
        self.key_tries.check(request)
        try:
            return self._session.rater_of_link(token)
        except UnknownRater:
            self.key_tries.count(request)
            raise

    def admit_rater(self, request: Request, response: Response, rater: Rater) -> None:
        """Sign a rater in to this browser, or to the frame in which it shows the study."""
        self._set_cookie(request, response, self._rater_cookie, rater.token)

    def act_as(self, request: Request, rater: Rater) -> None:
        """Handle the rest of this request as if the browser were signed in as this rater already."""
        request.cookies[self._rater_cookie] = rater.token

    def find_rater(self, request: Request) -> Rater | None:
        """Return the rater of this browser, or None if it has not opened a rater's link."""
        token = request.cookies.get(self._rater_cookie)
        try:
            return None if token is None else self._session.rater_of_link(token)
        except UnknownRater:
            return None

    def rater(self, request: Request) -> Rater:
        """Return the rater of this browser, or answer 403."""
        rater = self.find_rater(request)
        if rater is None:
            raise HTTPException(403, NO_LINK)
        return rater

    def check_page(self, request: Request, token: str) -> None:
        """Answer 403 unless the request comes from a page of a rater, without reading anything from the database."""
        if self._rater_cookie not in request.cookies:
            raise HTTPException(403, NO_LINK)
        self.check_csrf(request, token)

    def rater_mark(self, rater: Rater) -> str:
        """Return the name under which a page stores answers of this rater on the device."""
        return self._sign("page", rater.token)[:16]

    # Owner

    def admit_owner(self, request: Request, response: Response, key: str) -> Key:
        """Sign the owner or a viewer in to this browser, or answer 403 to a wrong key and 429 to many."""
        self.key_tries.check(request)
        matching = key_matching(self._database.access_keys(), key)
        if matching is None or matching.role == "program":
            self.key_tries.count(request)
            LOG.warning("A wrong key for the owner's pages was tried from %s.", network_of(request))
            raise HTTPException(403, "This owner key is not valid. For a new key, use serve --new-owner-key.")
        _set_cookie(request, response, self._owner_cookie, self._seal(matching))
        return matching

    def dismiss_owner(self, response: Response) -> None:
        """Sign the owner or viewer out of this browser."""
        response.delete_cookie(self._owner_cookie, path="/", httponly=True, samesite="lax")

    def key(self, request: Request) -> Key | None:
        """Return the key with which the owner or a viewer signed in to this browser; None if nobody did."""
        sealed = request.cookies.get(self._owner_cookie, "")
        if not sealed:
            return None
        return next((key for key in self._database.access_keys() if _same(sealed, self._seal(key))), None)

    def is_owner(self, request: Request) -> bool:
        """Whether an owner is signed in to this browser."""
        key = self.key(request)
        return key is not None and key.role == "owner"

    def viewer(self, request: Request) -> Key:
        """Return the key of the owner or viewer, or answer 403 if nobody is signed in."""
        key = self.key(request)
        if key is None:
            raise HTTPException(403, ONLY_OWNER)
        return key

    def owner(self, request: Request) -> Key:
        """Return the key of the owner, or answer 403 unless an owner is signed in."""
        key = self.viewer(request)
        if key.role != "owner":
            raise HTTPException(403, ONLY_READING)
        return key

    def _seal(self, key: Key) -> str:
        # It includes the hash of the key, so replacing or revoking a key ends every earlier sign-in with it.
        return self._sign("owner", key.hash)

    # Forms

    def greet(self, request: Request, response: Response) -> None:
        """Set a cookie for the forms of a browser that has none."""
        if self._visitor_cookie not in request.cookies:
            self._set_cookie(request, response, self._visitor_cookie, self.visitor(request))

    def _set_cookie(self, request: Request, response: Response, name: str, value: str) -> None:
        """Set a cookie of a rater or visitor; at the entry of a crowd that frames the study, one for that frame."""
        path = request.url.path
        if framing_sites(self._session.study.definition, path) and path == MTURK.path:
            _set_framed_cookie(response, name, value)
        else:
            _set_cookie(request, response, name, value)

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

    def preview_mark(self, item: int) -> str:
        """Return the token with which anyone can fetch the file of an item that a preview shows."""
        return self._sign("preview", str(item))[:24]

    def is_preview_mark(self, item: int, mark: str) -> bool:
        """Whether a token allows fetching the file of this item for a preview."""
        return _same(mark, self.preview_mark(item))

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


def _set_framed_cookie(response: Response, name: str, value: str) -> None:
    # Browsers send no other cookies to a frame on another site. `Partitioned` binds the cookie to that site, so no
    # third site can use it. http.cookies knows this attribute only from Python 3.14 on.
    attributes = f"Max-Age={NINETY_DAYS}; Path=/; HttpOnly; Secure; SameSite=None; Partitioned"
    response.headers.append("set-cookie", f"{name}={value}; {attributes}")


def _require_same(token: str, wanted: str) -> None:
    if not _same(token, wanted):
        raise HTTPException(403, "This page is out of date. Reload it and try again.")


def _same(offered: str, wanted: str) -> bool:
    # Compared as bytes, because compare_digest raises an error for text that is not ASCII.
    return hmac.compare_digest(offered.encode(errors="replace"), wanted.encode())
