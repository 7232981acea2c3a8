"""Pages of a match: its form, the match itself, its password, a seat by a form, a rematch, its events for scripts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from urllib.parse import quote

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from parlour.core.game import Seat
from parlour.core.markup import joined, tag
from parlour.core.pictures import pictures_of
from parlour.errors import ConfigError, Denied
from parlour.games import declared, games, load_game
from parlour.net.hall import Hall
from parlour.net.http.problems import answer_to
from parlour.net.opening import name_of
from parlour.net.permission_errors import DenialCode
from parlour.net.setup import MatchSetup, about_of
from parlour.net.views import MatchView
from parlour.store import Filter, RecordHead, RecordKind
from parlour.web import assets, opening
from parlour.web.forms import buttons, field, fields, form, read_form
from parlour.web.shell import board_page, denied_page, site_page
from parlour.web.visitors import Keeper, Visitor, address_of, give_cookie, visitor_of

MAX_EVENTS = 1000
"""Maximum number of events of a match in one answer."""
MAX_TITLE = 180
"""Maximum number of characters of a title that a rematch keeps."""
LOOKED_THROUGH = 200
"""Number of the newest matches among which a rematch is looked for."""
REMATCH = "rematch of"
"""The extra with which a rematch names the match before it."""
NUMBER = re.compile(r"[0-9]{1,15}")


class MatchPages:
    """Requests about matches."""

    def __init__(self, hall: Hall, keeper: Keeper, *, guests: bool) -> None:
        self._hall, self._keeper, self._guests = hall, keeper, guests
        self._opening_again = asyncio.Lock()

    def routes(self) -> list[Route]:
        """Return the routes to mount."""
        return [
            Route("/new", self.new, methods=["GET"]),
            Route("/new", self.create, methods=["POST"]),
            Route("/match/{match}", self.match, methods=["GET"]),
            Route("/match/{match}", self.say_password, methods=["POST"]),
            Route("/match/{match}/sit", self.sit, methods=["POST"]),
            Route("/match/{match}/rematch", self.rematch, methods=["POST"]),
            Route("/match/{match}/events", self.events),
        ]

    async def new(self, request: Request) -> Response:
        """Show the form for a new match."""
        visitor = await visitor_of(request, self._keeper)
        _, filled = opening.TEMPLATES.get(request.query_params.get("template", ""), ("", {}))
        return self._opening_form(request.query_params.get("game", ""), visitor, filled)

    async def create(self, request: Request) -> Response:
        """Open the match of a form, and go there."""
        filled, visitor = await read_form(request), await visitor_of(request, self._keeper)
        try:
            wanted = opening.wanted(filled, self._hall.usual)
            visitor = await self._known(request, visitor)
            session = visitor.session(self._hall)
            match = await session.open(wanted.setup, password=filled.get("password", ""))
            if wanted.seat:
                await session.join(match, Seat(wanted.seat))
        except (ConfigError, Denied) as error:
            return self._opening_form(filled.get("game", ""), visitor, filled, str(error))
        return give_cookie(request, _to_match(match), visitor.fresh_token)

    def _opening_form(self, game: str, visitor: Visitor, filled: Mapping[str, str], problem: str = "") -> Response:
        """Return the page with the form for a new match."""
        chosen = game if game in games() else games()[0]
        tabs = joined(
            tag("a", declared(name).title, href=f"/new?game={name}", aria_current="page" if name == chosen else None)
            for name in games()
        )
        return site_page(
            "New match",
            visitor.name,
            tag("h1", "New match"),
            tag("nav", tabs, class_="games", aria_label="Games"),
            opening.form(load_game(chosen), problem, filled, self._hall.usual),
            here="/new",
            script="new_match.js",
            status=400 if problem else 200,
        )

    async def match(self, request: Request) -> Response:
        """Show a match to watch, to replay or to play; the visitor's seat decides."""
        visitor, name = await visitor_of(request, self._keeper), request.path_params["match"]
        try:
            head = await self._hall.head(name)
            if await visitor.session(self._hall).needs_password(name):
                return _password_form(head, visitor)
            sheet = await self._sheet_of(head)
        except Denied as denied:
            return denied_page(denied, visitor.name)
        facts = {"match": head.id, "game": head.game, "account": visitor.name}
        return board_page(name_of(head), "match.js", facts, preload=[sheet] if sheet else [], what="match")

    async def say_password(self, request: Request) -> Response:
        """Take the password of a match whose watchers need it, and go there. A visitor without an account gets one."""
        filled, visitor = await read_form(request), await visitor_of(request, self._keeper)
        name = request.path_params["match"]
        try:
            head = await self._hall.head(name)
            visitor = await self._known(request, visitor)
        except Denied as denied:
            return denied_page(denied, visitor.name)
        try:
            await visitor.session(self._hall).say_password(name, filled.get("password", ""))
            response = _to_match(name)
        except Denied as denied:
            response = _password_form(head, visitor, denied)
        # After a wrong password, too, so that a visitor who guesses stays the same guest.
        return give_cookie(request, response, visitor.fresh_token)

    async def sit(self, request: Request) -> Response:
        """Take a seat by a form, also without an account; then go to the match."""
        filled, visitor = await read_form(request), await visitor_of(request, self._keeper)
        name, seat = request.path_params["match"], Seat(filled.get("seat", ""))
        try:
            await self._hall.head(name)
            visitor = await self._known(request, visitor)
            answer = await visitor.session(self._hall).join(name, seat or None, password=filled.get("password", ""))
            refused = "" if answer.refusal is None else answer.refusal.reason
        except Denied as denied:
            if denied.code == DenialCode.UNKNOWN_MATCH:
                return denied_page(denied, visitor.name)
            refused = denied.reason
        response = _to_match(name)
        if refused:
            title, back = "That seat cannot be taken", tag("a", "Back to the match", href=_address(name))
            said = tag("section", tag("h1", title), tag("p", refused, role="alert"), tag("p", back))
            response = site_page(title, visitor.name, said, status=409)
        return give_cookie(request, response, visitor.fresh_token)

    async def rematch(self, request: Request) -> Response:
        """Go to the same match again, as hidden as it was and with the same password; the first visitor opens it."""
        await read_form(request)
        visitor, name = await visitor_of(request, self._keeper), request.path_params["match"]
        session = visitor.session(self._hall)
        try:
            view = await session.view(name)
            async with self._opening_again:
                return _to_match(await self._again(view.head) or await session.open(await self._same(view)))
        except Denied as denied:
            return denied_page(denied, visitor.name)

    async def _again(self, head: RecordHead) -> str:
        """Return the unfinished rematch of a match; empty if there is none."""
        store, unfinished = self._hall.store, Filter(kind=RecordKind.MATCH, game=head.game, unfinished=True)
        page = await store.fetch(store.page, unfinished, limit=LOOKED_THROUGH, newest_first=True)
        return next((one.id for one in page.heads if about_of(one).extras.get(REMATCH) == head.id), "")

    async def _same(self, view: MatchView) -> MatchSetup:
        """Return the setup of a rematch."""
        hosted = await self._hall.wake(view.head.id)
        about, title = hosted.about, view.head.title
        return MatchSetup(
            game=view.head.game,
            terms=view.terms,
            config=view.config,
            title=title if title.endswith(", again") else f"{title[:MAX_TITLE]}, again".lstrip(", "),
            password=hosted.head.password,
            listed=about.listed,
            delay=about.delay,
            admission=about.admission,
            stand_in=about.stand_in,
            extras={REMATCH: view.head.id},
        )

    async def events(self, request: Request) -> Response:
        """Return the events of a match from a number on, as the visitor may see them: GET …/events?since=57."""
        visitor, name = await visitor_of(request, self._keeper), request.path_params["match"]
        since = request.query_params.get("since", "0")
        if not NUMBER.fullmatch(since):
            return JSONResponse({"code": "bad value", "reason": "since: expected a number"}, 400)
        try:
            told = await visitor.session(self._hall).page_of_events(name, since=int(since), limit=MAX_EVENTS)
        except Denied as denied:
            return JSONResponse({"code": denied.code, "reason": denied.reason}, answer_to(denied).status)
        lines = msgspec.json.Encoder().encode_lines([{"k": one.k, "e": one.event} for one in told])
        return Response(lines, media_type="application/jsonl")

    async def _known(self, request: Request, visitor: Visitor) -> Visitor:
        """Return the visitor, who becomes a guest if it has no account; the answer then carries the cookie."""
        if visitor.name or not self._guests:
            return visitor
        token = await self._keeper.open_guest(address_of(request))
        return Visitor(await self._keeper.identify(token), fresh_token=token)

    async def _sheet_of(self, head: RecordHead) -> str:
        """Return the address of the board of a started match, so that a browser can request it at once."""
        hosted = await self._hall.wake(head.id)
        position, pictures = hosted.match.state.position, pictures_of(hosted.match.game)
        if position is None or pictures is None:
            return ""
        return assets.sheet_address(head.game, pictures.sheet(position).key)


def _password_form(head: RecordHead, visitor: Visitor, denied: Denied | None = None) -> Response:
    """Return the page that asks for the password of a match."""
    asked = form(
        _address(head.id),
        fields(field("Password", "password", type="password", autocomplete="off", required=True)),
        buttons("Watch"),
        problem=denied.reason if denied else "",
    )
    words = tag("p", "To watch this match without a seat, enter its password.")
    status = answer_to(denied).status if denied else 403
    return site_page(name_of(head), visitor.name, tag("h1", name_of(head)), words, asked, status=status)


def _address(match: str) -> str:
    return f"/match/{quote(match)}"


def _to_match(match: str) -> Response:
    return RedirectResponse(_address(match), 303)
