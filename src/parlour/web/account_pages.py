"""Pages about accounts: sign in, be a guest, set a password, sign out, list the sign-ins."""

from __future__ import annotations

import time
from collections.abc import Mapping
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from parlour.core.markup import Attribute, Html, joined, tag
from parlour.errors import Denied
from parlour.net.accounts.accounts import Accounts, Identity
from parlour.net.accounts.passwords import SHORTEST
from parlour.store import Token
from parlour.web.forms import buttons, field, fields, form, read_form
from parlour.web.notice_pages import NoticePages
from parlour.web.shell import site_page
from parlour.web.visitors import COOKIE, Keeper, address_of, give_cookie, take_cookie, visitor_of

LONGEST_NEXT = 300
GUEST_WORDS = "You are a guest. With a password you can sign in again, also from another device."


def is_local(path: str) -> bool:
    """Return True for a path of this server, to which a browser may be sent."""
    return (
        path.startswith("/") and not path.startswith(("//", "/\\")) and len(path) <= LONGEST_NEXT and path.isprintable()
    )


class AccountPages:
    """Requests about accounts of one server."""

    def __init__(self, keeper: Keeper, notices: NoticePages) -> None:
        self._keeper, self._notices = keeper, notices

    def routes(self) -> list[Route]:
        """Return the routes to mount."""
        return [
            Route("/signin", self.signin, methods=["GET"]),
            Route("/signin", self.enter, methods=["POST"]),
            Route("/signout", self.warn, methods=["GET"]),
            Route("/signout", self.leave, methods=["POST"]),
            Route("/account", self.account, methods=["GET"]),
            Route("/account/password", self.set_password, methods=["POST"]),
            Route("/account/tokens", self.end_token, methods=["POST"]),
        ]

    async def signin(self, request: Request) -> Response:
        """Show the form to sign in, or the account that is signed in."""
        visitor = await visitor_of(request, self._keeper)
        back = request.query_params.get("next", "/")
        back = back if is_local(back) else "/"
        if visitor.name:
            return RedirectResponse("/account" if back == "/" else back, 303)
        return _signing(back)

    async def enter(self, request: Request) -> Response:
        """Sign in, or register and sign in; then return to the page that asked for it."""
        filled = await read_form(request)
        name, password = filled.get("name", "").strip(), filled.get("password", "")
        back = filled.get("next", "/")
        back = back if is_local(back) else "/"
        try:
            if filled.get("register"):
                await self._keeper.register(name, password, address_of(request))
            token = await self._keeper.sign_in(name, password, address_of(request))
        except Denied as denied:
            return _signing(back, filled, denied.reason)
        return give_cookie(request, RedirectResponse(back, 303), token)

    async def warn(self, request: Request) -> Response:
        """Ask before signing out; a guest without a password is warned of the loss."""
        identity = await self._identity(request)
        if identity is None:
            return RedirectResponse("/", 303)
        guest = isinstance(self._keeper, Accounts) and not await self._keeper.has_password(identity)
        words = "You can sign in again with your name and password."
        if guest:
            words = (
                f"You are a guest without a password. If you sign out now, nobody can sign in as {identity.name} "
                "again: your seats and matches are lost to you. Set a password first."
            )
        return site_page(
            "Sign out",
            identity.name,
            tag("h1", "Sign out"),
            tag("p", words, class_="warning" if guest else None),
            _password_form(guest=True) if guest else None,
            form("/signout", tag("button", "Sign out", class_="danger" if guest else "primary")),
        )

    async def leave(self, request: Request) -> Response:
        """Sign out of this browser: its token is revoked everywhere."""
        await read_form(request)
        await self._keeper.revoke(request.cookies.get(COOKIE, ""))
        response = RedirectResponse("/", 303)
        take_cookie(response)
        return response

    async def account(self, request: Request) -> Response:
        """Show the visitor's own account: password, sign-ins, and a link to the public profile."""
        identity = await self._identity(request)
        if identity is not None:
            return await self._account(request, identity)
        name = (await visitor_of(request, self._keeper)).name
        if not name:
            return RedirectResponse("/signin?next=/account", 303)
        alone = tag("p", "This server is for one person, who needs no password.")
        return site_page("Account", name, tag("h1", name), alone, here="/account")

    async def set_password(self, request: Request) -> Response:
        """Set or change a password."""
        filled, identity = await read_form(request), await self._identity(request)
        if identity is None or not isinstance(self._keeper, Accounts) or not isinstance(identity, Identity):
            return RedirectResponse("/signin?next=/account", 303)
        if filled.get("new", "") != filled.get("again", ""):
            return await self._account(request, identity, problem="The two new passwords are not the same.")
        try:
            new = filled.get("new", "")
            await self._keeper.change_password(identity, filled.get("old", ""), new, address_of(request))
        except Denied as denied:
            return await self._account(request, identity, problem=denied.reason)
        return await self._account(request, identity, note="The password is set.")

    async def end_token(self, request: Request) -> Response:
        """Sign out of another browser."""
        filled, identity = await read_form(request), await self._identity(request)
        if identity is not None and isinstance(self._keeper, Accounts):
            try:
                digest = bytes.fromhex(filled.get("token", ""))
            except ValueError:
                digest = b""
            await self._keeper.end_token(identity, digest)
        return RedirectResponse("/account", 303)

    async def _identity(self, request: Request) -> Identity | None:
        credential = (await visitor_of(request, self._keeper)).credential
        return credential if isinstance(credential, Identity) else None

    async def _account(self, request: Request, identity: Identity, *, problem: str = "", note: str = "") -> Response:
        assert isinstance(self._keeper, Accounts)
        guest = not await self._keeper.has_password(identity)
        tokens = await self._keeper.tokens_of(identity)
        profile = tag("a", "Your profile, as others see it", href=f"/player/{quote(identity.name, safe='')}")
        return site_page(
            "Account",
            identity.name,
            tag("h1", identity.name),
            tag("p", profile, class_="since"),
            tag("p", note, class_="good", role="status") if note else None,
            tag(
                "section",
                tag("h2", "Password"),
                tag("p", GUEST_WORDS, class_="warning") if guest else None,
                _password_form(problem, guest=guest),
                class_="card",
            ),
            await self._notices.section(identity.name),
            tag(
                "section",
                tag("h2", "Signed in"),
                tag("ul", joined(_token(one, identity) for one in tokens), class_="tokens-list"),
                tag("p", tag("a", "Sign out …", href="/signout", class_="button")),
                class_="card",
            ),
            here="/account",
            script="notices.js",
            status=400 if problem else 200,
        )


def _password_form(problem: str = "", *, guest: bool) -> Html:
    def asked(label: str, name: str, **how: Attribute) -> Html:
        return field(label, name, type="password", required=True, **how)

    rows = (
        None if guest else asked("Old password", "old", autocomplete="current-password"),
        asked("New password", "new", autocomplete="new-password", minlength=SHORTEST),
        asked("The same again", "again", autocomplete="new-password"),
    )
    return form("/account/password", fields(*rows), buttons("Set the password"), problem=problem)


def _token(token: Token, identity: Identity) -> Html:
    since, until = _day(token.created), _day(token.expires)
    end = tag("button", "Sign out there", tag("span", f", signed in on {since}", class_="sr-only"), class_="small")
    here = token.digest == identity.token.digest
    ends = tag("b", "this browser") if here else form("/account/tokens", end, hidden={"token": token.digest.hex()})
    return tag("li", f"since {since}, until {until} ", ends)


def _day(moment: float) -> str:
    found = time.gmtime(moment)
    return f"{found.tm_mday} {time.strftime('%B %Y', found)}"


def _signing(back: str, filled: Mapping[str, str] | None = None, problem: str = "") -> Response:
    """Return the page for signing in or opening an account, with the page to return to."""
    name = (filled or {}).get("name", "")
    enter = form(
        "/signin",
        fields(
            field("Name", "name", value=name, autocomplete="username", required=True, maxlength=80),
            field("Password", "password", type="password", autocomplete="current-password", required=True),
        ),
        buttons("Sign in", tag("button", "Open an account", name="register", value="1")),
        tag("p", f"New here? Choose a name, and a password of at least {SHORTEST} characters.", class_="empty"),
        hidden={"next": back},
        problem=problem,
    )
    status = 400 if problem else 200
    return site_page("Sign in", "", tag("h1", "Sign in"), enter, here="/signin", status=status)
