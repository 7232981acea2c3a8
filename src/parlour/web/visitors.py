"""Visitors: the account behind a browser's cookie, and the protection against requests from other sites."""

from __future__ import annotations

import hmac
import secrets
from typing import Protocol

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from parlour.errors import Denied
from parlour.net.accounts.credential import Credential
from parlour.net.accounts.limits import network_of
from parlour.net.accounts.principals import of_account
from parlour.net.fair_pool import Requester
from parlour.net.hall import Hall
from parlour.net.permission_errors import DenialCode
from parlour.net.sessions import Session

COOKIE = "parlour"
DAYS = 30
YOU = "you"
"""The account of the one person of a local server."""


class Keeper(Protocol):
    """Opens accounts, and identifies visitors by tokens. Raises Denied for what is not allowed."""

    async def register(self, name: str, password: str, address: str = "") -> None:
        """Open an account."""
        ...

    async def sign_in(self, name: str, password: str, address: str = "") -> str:
        """Return a token for an account."""
        ...

    async def open_guest(self, address: str = "") -> str:
        """Open an account with a made-up name and no password, and return a token for it."""
        ...

    async def identify(self, token: str, address: str = "") -> Credential:
        """Return the holder of a token that came from an address."""
        ...

    def known(self, token: str) -> Credential | None:
        """Return the holder of a valid token if that needs no look into a store."""
        ...

    async def revoke(self, token: str) -> None:
        """Revoke a token, if it is valid."""
        ...


class Visitor:
    """Somebody at a browser, known or not."""

    def __init__(self, credential: Credential | None = None, *, lapsed: bool = False, fresh_token: str = "") -> None:
        self.credential = credential
        """The credential of the cookie; None if there is none."""
        self.lapsed = lapsed
        """True if the cookie is no longer valid."""
        self.fresh_token = fresh_token
        """The token of an account that was opened for this request; otherwise empty."""

    @property
    def name(self) -> str:
        """Return the account's name; empty for an unknown visitor."""
        return "" if self.credential is None else self.credential.name

    def session(self, hall: Hall) -> Session:
        """Return the session of the visitor in a hall."""
        return Session(hall, self.credential, lapsed=self.lapsed)


class OnePerson:
    """The keeper of a local server: its only account belongs to the holder of the printed key."""

    def __init__(self) -> None:
        self.key = secrets.token_urlsafe(24)
        self._you = Credential(of_account(YOU), YOU)

    async def register(self, name: str, password: str, address: str = "") -> None:
        """Raise Denied: nobody registers here."""
        raise Denied(DenialCode.NOT_ALLOWED, "this server is for one person, who need not register")

    async def sign_in(self, name: str, password: str, address: str = "") -> str:
        """Return the key, which is the token; raise Denied for another password."""
        if not hmac.compare_digest(password.encode(), self.key.encode()):
            raise Denied(DenialCode.WRONG_PASSWORD, "open the address that was printed when the server started")
        return self.key

    async def open_guest(self, address: str = "") -> str:
        """Raise Denied: this door has no guests."""
        raise Denied(DenialCode.NOT_ALLOWED, "this server is for one person, who need not register")

    async def identify(self, token: str, address: str = "") -> Credential:
        """Return the one person; raise Denied for another token."""
        if (you := self.known(token)) is None:
            raise Denied(DenialCode.NOT_SIGNED_IN, "open the address that was printed when the server started")
        return you

    def known(self, token: str) -> Credential | None:
        """Return the one person; None for another token."""
        return self._you if hmac.compare_digest(token.encode(), self.key.encode()) else None

    async def revoke(self, token: str) -> None:
        """Do nothing: the key is valid while the server runs."""


async def visitor_of(connection: HTTPConnection, keeper: Keeper) -> Visitor:
    """Return the sender of a request; without a valid cookie it is anonymous."""
    token = connection.cookies.get(COOKIE, "")
    if not token:
        return Visitor()
    try:
        return Visitor(await keeper.identify(token, address_of(connection)))
    except Denied:
        return Visitor(lapsed=True)


def give_cookie(request: Request, response: Response, token: str) -> Response:
    """Return the response with a token, if there is one, as a cookie that scripts cannot read.

    Links that lead here carry it; forms and websockets of other sites are refused by their origin, see is_ours.
    """
    age, secure = DAYS * 86_400, request.url.scheme == "https"
    if token:
        response.set_cookie(COOKIE, token, max_age=age, path="/", secure=secure, httponly=True, samesite="lax")
    return response


def take_cookie(response: Response) -> None:
    """Delete the token in the browser."""
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")


def is_ours(connection: HTTPConnection) -> bool:
    """Return True if a page of this server sent the request, by the browser's headers on the origin.

    Pages that hide their address send forms with the origin null; then the header Sec-Fetch-Site decides.
    A program that sends none of these headers has no cookies that could be misused.
    """
    site, origin = connection.headers.get("sec-fetch-site"), connection.headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        return False
    if origin is None or (origin == "null" and site == "same-origin"):
        return True
    return origin.partition("://")[2] == connection.headers.get("host", "")


def address_of(connection: HTTPConnection) -> str:
    """Return the address that a request comes from."""
    return connection.client.host if connection.client else ""


def asker_of(connection: HTTPConnection, account: str = "") -> Requester:
    """Return the sender of a request, for work that is done in turn."""
    return Requester(network_of(address_of(connection)), account)
