"""Pages about notices: wishes on the account's page, links in mails, and matches that wait, for a browser's worker."""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from parlour.core.decoding import UNREADABLE
from parlour.core.markup import Html, tag
from parlour.errors import Denied
from parlour.net.accounts.limits import network_of
from parlour.net.hall import Hall
from parlour.net.http.bodies import read_body
from parlour.net.http.problems import Answered
from parlour.net.notices.notifier import Notifier
from parlour.net.opening import name_of
from parlour.web import assets
from parlour.web.forms import buttons, field, fields, form, read_form
from parlour.web.own_matches import own_matches
from parlour.web.shell import message, site_page
from parlour.web.visitors import Keeper, address_of, is_ours, visitor_of

MOST_TOLD = 20
"""Maximum number of matches in a notification of the browser's worker."""
MAX_BODY = 4096


class Subscription(msgspec.Struct, frozen=True):
    """A browser's wish to be woken, or no longer."""

    endpoint: str
    wanted: bool = True


class NoticePages:
    """Requests about notices."""

    def __init__(self, hall: Hall, keeper: Keeper, notifier: Notifier | None = None) -> None:
        self._hall, self._keeper, self._notifier = hall, keeper, notifier

    def routes(self) -> list[Route]:
        """Return the routes to mount."""
        return [
            Route("/waiting", self.waiting, methods=["GET"]),
            Route("/notices-worker.js", self.worker, methods=["GET"]),
            Route("/account/push", self.push, methods=["POST"]),
            Route("/account/mail", self.mail, methods=["POST"]),
            Route("/notices/confirm", self.ask_confirm, methods=["GET"]),
            Route("/notices/confirm", self.confirm, methods=["POST"]),
            Route("/notices/stop", self.ask_stop, methods=["GET"]),
            Route("/notices/stop", self.stop, methods=["POST"]),
        ]

    async def section(self, account: str, problem: str = "") -> Html:
        """Return the part of the account's page about notices; empty if this server sends none."""
        notifier = self._notifier
        if notifier is None or (notifier.pusher is None and notifier.mailer is None):
            return Html("")
        wishes, parts = await notifier.book.of(account), [tag("h2", "Be told when it is your turn")]
        if notifier.pusher is not None:
            parts.append(tag(
                "p", tag("button", "Tell me in this browser", type="button", id="push", hidden=True),
                tag("span", "", id="push-state", role="status"), class_="line",
                data_key=notifier.pusher.public_key,
            ))  # fmt: skip
        if notifier.mailer is not None:
            parts.append(_mail_form(wishes.mail, confirmed=wishes.confirmed, problem=problem))
        return tag("section", *parts, class_="notices card")

    async def waiting(self, request: Request) -> Response:
        """Return the matches that wait for the visitor, for the worker of a browser that was woken."""
        visitor = await visitor_of(request, self._keeper)
        own = await own_matches(visitor.session(self._hall))
        found = [
            {"title": name_of(one.head), "address": f"/match/{one.head.id}", "until": one.head.due}
            for one in own
            if one.waits
        ]
        return JSONResponse({"matches": found[:MOST_TOLD]}, headers={"Cache-Control": "no-store"})

    async def worker(self, request: Request) -> Response:
        """Return the script that browsers keep to show notices; only a script at the root may open matches."""
        return assets.sent(request, assets.file("notices_worker.js"), "no-cache")

    async def push(self, request: Request) -> Response:
        """Store a push subscription of the visitor's browser, or remove it."""
        account, notifier = (await visitor_of(request, self._keeper)).name, self._notifier
        if not is_ours(request) or not account or notifier is None or notifier.pusher is None:
            return JSONResponse({"reason": "sign in first"}, 403)
        try:
            wish = msgspec.json.decode(await read_body(request, MAX_BODY), type=Subscription)
            notifier.pusher.outside.check(wish.endpoint)
        except (*UNREADABLE, Answered, Denied) as error:
            return JSONResponse({"reason": str(error)[:200]}, 400)
        if wish.wanted:
            await notifier.book.add_browser(account, wish.endpoint)
        else:
            await notifier.book.remove_browser(account, wish.endpoint)
        return JSONResponse({})

    async def mail(self, request: Request) -> Response:
        """Ask the reader of a mail address to confirm it, or forget the address."""
        filled, account = await read_form(request), (await visitor_of(request, self._keeper)).name
        if not account or self._notifier is None:
            return RedirectResponse("/signin?next=/account", 303)
        if filled.get("forget"):
            await self._notifier.book.forget_mail(account)
            return RedirectResponse("/account", 303)
        try:
            network = network_of(address_of(request))
            await self._notifier.ask_mail(account, filled.get("mail", "").strip(), network)
        except Denied as denied:
            content = (tag("h1", account), await self.section(account, denied.reason))
            return site_page("Account", account, *content, here="/account", script="notices.js", status=400)
        words = "A mail was sent. Open its link to confirm the address."
        return message("Look into your mail", words, status=200, account=account)

    async def ask_confirm(self, request: Request) -> Response:
        """Ask for confirmation of an address by a form, since programs open links in mails too."""
        return _asking(request, "Confirm your address", "token", "Tell me when it is my turn")

    async def confirm(self, request: Request) -> Response:
        """Confirm an address."""
        filled = await read_form(request)
        account, token = filled.get("account", "")[:200], filled.get("token", "")[:200]
        if self._notifier is None or not await self._notifier.book.confirm_mail(account, token, self._hall.now()):
            return message("That link has ended", "Ask for a new one on the page of your account.", status=400)
        return message("Your address is confirmed", "A mail tells you when it is your turn.", status=200)

    async def ask_stop(self, request: Request) -> Response:
        """Ask whether mails are to end."""
        return _asking(request, "End the mails", "proof", "Send me no more mail")

    async def stop(self, request: Request) -> Response:
        """End the mails to an account; mail programs do so by the address alone."""
        filled = {**request.query_params, **await read_form(request)}
        account, proof = filled.get("account", "")[:200], filled.get("proof", "")[:200]
        if self._notifier is None or not await self._notifier.book.is_stop_proof(account, proof):
            return message("That link has ended", "No mail is sent to that address any more.", status=400)
        await self._notifier.book.forget_mail(account)
        return message("No more mail", "You get no more mail from this server.", status=200)


def _asking(request: Request, title: str, name: str, words: str) -> Response:
    hidden = {key: request.query_params.get(key, "")[:200] for key in ("account", name)}
    return site_page(title, "", tag("h1", title), form(request.url.path, buttons(words), hidden=hidden))


def _mail_form(mail: str, *, confirmed: bool, problem: str) -> Html:
    state = f"Mail goes to {mail}." if confirmed else f"{mail} is yet to be confirmed by the link in the mail."
    return form(
        "/account/mail",
        tag("p", state) if mail else None,
        fields(field("Mail address", "mail", type="email", autocomplete="email", maxlength=254)),
        buttons("Tell me by mail", tag("button", "No mail", name="forget", value="1") if mail else None),
        problem=problem,
    )
