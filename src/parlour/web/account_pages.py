"""Pages about accounts: sign in, be a guest, set a password, sign out, list the sign-ins."""

from __future__ import annotations

import time
from collections.abc import Mapping
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from parlour.core.markup import Html, joined, tag
from parlour.errors import Denied
from parlour.net.accounts.accounts import Accounts, Identity
from parlour.net.accounts.passwords import SHORTEST
from parlour.store import Token
from parlour.web.forms import read_form
from parlour.web.notice_pages import NoticePages
from parlour.web.shell import field, frame, page
from parlour.web.visitors import COOKIE, Keeper, address_of, give_cookie, take_cookie, visitor_of

LONGEST_NEXT = 300


def is_local(path: str) -> bool:
    """Return True for a path of this server, to which a browser may be sent."""
    return (
        path.startswith("/") and not path.startswith(("//", "/\\")) and len(path) <= LONGEST_NEXT and path.isprintable()
    )


def sign_in_form(back: str, *, filled: Mapping[str, str] | None = None, problem: str = "") -> Html:
    """Return the form for signing in or opening an account, with the page to return to."""
    typed = filled or {}
    return tag(
        "form",
        tag("p", problem, class_="refused", role="alert") if problem else None,
        tag("input", type="hidden", name="next", value=back),
        tag(
            "div",
            field("Name", "name", value=typed.get("name", ""), autocomplete="username", required=True, maxlength=80),
            field("Password", "password", type="password", autocomplete="current-password", required=True),
            class_="fields",
        ),
        tag(
            "p",
            tag("button", "Sign in", class_="primary"),
            Html(" "),
            tag("button", "Open an account", name="register", value="1"),
            class_="line",
        ),
        tag("p", f"New here? Choose a name, and a password of at least {SHORTEST} characters.", class_="empty"),
        method="post",
        action="/signin",
        class_="sign",
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
        if visitor.name:
            return RedirectResponse("/account", 303)
        return _signing(back if is_local(back) else "/")

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
        response = RedirectResponse(back, 303)
        give_cookie(request, response, token)
        return response

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
        content = (
            tag("h1", "Sign out"),
            tag("p", words, class_="warning" if guest else None),
            _password_form(guest=True) if guest else Html(""),
            tag(
                "form",
                tag("button", "Sign out", class_="danger" if guest else "primary"),
                method="post",
                action="/signout",
            ),
        )
        return page("Sign out", frame(joined(content), identity.name))

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
        return page("Account", frame(joined((tag("h1", name), alone)), name, here="/account"))

    async def set_password(self, request: Request) -> Response:
        """Set or change a password."""
        filled, identity = await read_form(request), await self._identity(request)
        if identity is None or not isinstance(self._keeper, Accounts) or not isinstance(identity, Identity):
            return RedirectResponse("/signin?next=/account", 303)
        if filled.get("new", "") != filled.get("again", ""):
            return await self._account(request, identity, problem="The two new passwords are not the same.")
        try:
            await self._keeper.change_password(identity, filled.get("old", ""), filled.get("new", ""))
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
        content = (
            tag("h1", identity.name),
            tag(
                "p",
                tag("a", "Your profile, as others see it", href=f"/player/{quote(identity.name, safe='')}"),
                class_="since",
            ),
            tag("p", note, class_="good", role="status") if note else Html(""),
            tag(
                "section",
                tag("h2", "Password"),
                _guest_words() if guest else None,
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
        )
        framed = frame(joined(content), identity.name, here="/account")
        return page("Account", framed, script="notices.js", status=400 if problem else 200)


def _guest_words() -> Html:
    return tag(
        "p", "You are a guest. With a password you can sign in again, also from another device.", class_="warning"
    )


def _password_form(problem: str = "", *, guest: bool) -> Html:
    fields = [
        field("New password", "new", type="password", autocomplete="new-password", required=True, minlength=8),
        field("The same again", "again", type="password", autocomplete="new-password", required=True),
    ]
    if not guest:
        fields.insert(0, field("Old password", "old", type="password", autocomplete="current-password", required=True))
    return tag(
        "form",
        tag("p", problem, class_="refused", role="alert") if problem else None,
        tag("div", joined(fields), class_="fields"),
        tag("p", tag("button", "Set the password", class_="primary"), class_="line"),
        method="post",
        action="/account/password",
        class_="sign",
    )


def _token(token: Token, identity: Identity) -> Html:
    here = token.digest == identity.token.digest
    since, until = _day(token.created), _day(token.expires)
    end = tag(
        "form",
        tag("input", type="hidden", name="token", value=token.digest.hex()),
        tag("button", "Sign out there", tag("span", f", signed in on {since}", class_="sr-only"), class_="small"),
        method="post",
        action="/account/tokens",
    )
    return tag("li", f"since {since}, until {until} ", tag("b", "this browser") if here else end)


def _day(moment: float) -> str:
    found = time.gmtime(moment)
    return f"{found.tm_mday} {time.strftime('%B %Y', found)}"


def _signing(back: str, filled: Mapping[str, str] | None = None, problem: str = "") -> Response:
    content = joined((tag("h1", "Sign in"), sign_in_form(back, filled=filled, problem=problem)))
    return page("Sign in", frame(content, "", here="/signin"), status=400 if problem else 200)
