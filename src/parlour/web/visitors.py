"""Who visits: the account behind a browser's cookie, and what keeps other sites from speaking in its name."""

from __future__ import annotations

import hmac
import secrets
from typing import Protocol

from starlette.requests import HTTPConnection
from starlette.responses import Response

from parlour.errors import Denied
from parlour.net.denials import DenialCode

COOKIE = "parlour"
DAYS = 30
YOU = "you"
"""The account of the one person of a local server."""


class Known(Protocol):
    """Somebody whom a token proved."""

    @property
    def name(self) -> str:
        """Of the account."""
        ...

    @property
    def is_admin(self) -> bool:
        """Whether they run the server."""
        ...


class Keeper(Protocol):
    """Knows accounts: opens them, and proves by tokens who somebody is. Whatever may not be is Denied."""

    async def register(self, name: str, password: str, address: str = "") -> None:
        """Open an account."""
        ...

    async def sign_in(self, name: str, password: str, address: str = "") -> str:
        """A token for an account."""
        ...

    async def identify(self, token: str) -> Known:
        """Who holds the token."""
        ...


class Visitor:
    """Somebody at a browser, known or not."""

    def __init__(self, name: str = "", *, is_admin: bool = False, lapsed: bool = False) -> None:
        self.name, self.is_admin = name, is_admin
        self.lapsed = lapsed
        """Whether the cookie proves nothing any more."""


class OnePerson:
    """The keeper of a local server: whoever has the key that was printed is the one person there is."""

    def __init__(self) -> None:
        self.key = secrets.token_urlsafe(24)

    async def register(self, name: str, password: str, address: str = "") -> None:
        """Nobody registers here."""
        raise Denied(DenialCode.NOT_ALLOWED, "this server is for one person, who need not register")

    async def sign_in(self, name: str, password: str, address: str = "") -> str:
        """The key is a token."""
        if not hmac.compare_digest(password.encode(), self.key.encode()):
            raise Denied(DenialCode.WRONG_PASSWORD, "open the address that was printed when the server started")
        return self.key

    async def identify(self, token: str) -> Visitor:
        """The one person."""
        if not hmac.compare_digest(token.encode(), self.key.encode()):
            raise Denied(DenialCode.NOT_SIGNED_IN, "open the address that was printed when the server started")
        return Visitor(YOU)


async def visitor_of(connection: HTTPConnection, keeper: Keeper) -> Visitor:
    """Who sent a request; somebody without a good cookie is nobody in particular."""
    token = connection.cookies.get(COOKIE, "")
    if not token:
        return Visitor()
    try:
        known = await keeper.identify(token)
    except Denied:
        return Visitor(lapsed=True)
    return Visitor(known.name, is_admin=known.is_admin)


async def new_guest(keeper: Keeper, address: str) -> str:
    """A token for a new account that nobody chose a name for."""
    name, password = f"guest-{secrets.token_hex(3)}", secrets.token_urlsafe(24)
    await keeper.register(name, password, address)
    return await keeper.sign_in(name, password, address)


def give_cookie(response: Response, token: str, *, secure: bool) -> None:
    """Let the browser show the token with every request that comes from our own pages, and to no script."""
    age = DAYS * 86_400
    response.set_cookie(COOKIE, token, max_age=age, path="/", secure=secure, httponly=True, samesite="strict")


def take_cookie(response: Response) -> None:
    """Let the browser forget the token."""
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")


def is_ours(connection: HTTPConnection) -> bool:
    """Whether a page of this very server sent the request: a browser says where a form or a script comes from.

    Pages that tell nobody where one comes from send forms with the origin null; then the browser's own word counts.
    A program that says nothing of all this has no cookies that could be misused.
    """
    site, origin = connection.headers.get("sec-fetch-site"), connection.headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        return False
    if origin is None or (origin == "null" and site == "same-origin"):
        return True
    return origin.partition("://")[2] == connection.headers.get("host", "")


def address_of(connection: HTTPConnection) -> str:
    """From where a request comes."""
    return connection.client.host if connection.client else ""
