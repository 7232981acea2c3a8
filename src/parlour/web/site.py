"""The pages of a server: matches, one match, a new one, signing in; each a request handler over a session."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from functools import wraps
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from parlour.core.game import Seat
from parlour.core.pictures import pictures_of
from parlour.errors import ConfigError, Denied, StoreError
from parlour.games import declared, games, load_game
from parlour.net.denials import NOT_KEPT, DenialCode
from parlour.net.hall import Hall
from parlour.net.http.bodies import read_body
from parlour.net.http.problems import Answered
from parlour.net.sessions import Session
from parlour.net.setup import about_of
from parlour.store import Filter, RecordHead, RecordKind
from parlour.web import assets, opening, sandbox, trials
from parlour.web.elsewhere import Elsewhere
from parlour.web.exhibition import Exhibition
from parlour.web.headers import SafeHeaders
from parlour.web.lines import PageLine
from parlour.web.listing import match_list, name_of, tournament_list
from parlour.web.shell import Html, frame, joined, message, page, tag
from parlour.web.tournaments import TournamentLine, Tournaments
from parlour.web.views import Views
from parlour.web.visitors import (
    Keeper,
    Visitor,
    address_of,
    give_cookie,
    is_ours,
    new_guest,
    take_cookie,
    visitor_of,
)

logger = logging.getLogger(__name__)

LISTED = 40
"""Matches of each kind on the first page."""
TOURNAMENTS = 12
"""Tournaments on the first page, the newest first."""
MAX_FORM = 64 * 1024
MAX_FIELDS = 50
MAX_EVENTS = 1000
"""Of a match, in one answer."""
NUMBER = re.compile(r"[0-9]{1,15}")
STATUS = {
    DenialCode.UNKNOWN_MATCH: 404,
    DenialCode.NOT_ALLOWED: 403,
    DenialCode.NOT_SIGNED_IN: 401,
    DenialCode.TOO_MANY: 429,
    DenialCode.CLOSING: 503,
}


class Site:
    """All pages of one server."""

    def __init__(self, hall: Hall, keeper: Keeper, *, guests: bool = True) -> None:
        self.hall, self.keeper = hall, keeper
        self.guests = guests
        """Whether somebody who has no account gets one when they open a match or take a seat."""
        self.views = Views(hall)
        self.exhibition = Exhibition(hall)
        self.tournaments = Tournaments(hall.store)

    def routes(self) -> list[BaseRoute]:
        """What to mount at the root of a server, after all else: whatever a browser asks for is answered."""
        pages = [route if isinstance(route, WebSocketRoute) else _safe(route) for route in self._routes()]
        return [*pages, Elsewhere()]

    def _routes(self) -> list[Route | WebSocketRoute]:
        return [
            Route("/", self.home),
            Route("/new", self.new, methods=["GET"]),
            Route("/new", self.create, methods=["POST"]),
            Route("/signin", self.signin, methods=["GET"]),
            Route("/signin", self.enter, methods=["POST"]),
            Route("/signout", self.leave, methods=["POST"]),
            Route("/enter", self.with_key, methods=["GET"]),
            Route("/sandbox", self.sandbox, methods=["GET"]),
            Route("/sandbox", sandbox.judge, methods=["POST"]),
            Route("/sandbox/{game}", trials.trial, methods=["POST"]),
            Route("/match/{match}", self.match),
            Route("/match/{match}/events", self.events),
            WebSocketRoute("/match/{match}/line", self.line),
            Route("/tournament/{tournament}", self.tournament),
            WebSocketRoute("/tournament/{tournament}/line", self.tournament_line),
            Route("/static/{version}/{name:path}", assets.static),
        ]

    def close(self) -> None:
        """Tell pages nothing more."""
        self.views.close()

    # Pages

    async def home(self, request: Request) -> Response:
        """What runs, what waits for players, what is over; and something that moves."""
        visitor = await self._visitor(request)
        shown = await self.exhibition.shown()
        heads = {
            "Running": await self._heads("running", "paused"),
            "Waiting for players": await self._heads("forming"),
            "Over": await self._heads("over"),
        }
        lists = joined(match_list(title, found) for title, found in heads.items() if found)
        store = self.hall.store
        held = await store.fetch(store.page, Filter(kind=RecordKind.TOURNAMENT), limit=TOURNAMENTS, newest_first=True)
        stage = tag("section", id="stage", class_="showcase", data_match=shown.id if shown else "")
        facts = {"match": shown.id} if shown else {}
        content = joined((_welcome(), stage, lists, tournament_list(held.heads), _commands(request)))
        return page("Matches", frame(content, visitor.name, here="/"), script="home.js", kind="home", facts=facts)

    async def match(self, request: Request) -> Response:
        """One match: to watch, to replay, to play; the seat decides."""
        visitor, name = await self._visitor(request), request.path_params["match"]
        try:
            head = await self.hall.head(name)
        except Denied as denied:
            return _denied(denied, visitor)
        keys = [key for key in [await self._sheet_of(head)] if key]
        skeleton = tag("div", tag("p", "The match is on its way …", class_="empty"), id="page")
        facts = {"match": head.id, "game": head.game}
        return page(name_of(head), skeleton, script="match.js", kind="match", facts=facts, preload=keys)

    async def new(self, request: Request) -> Response:
        """The form for a new match."""
        visitor = await self._visitor(request)
        return self._form(request.query_params.get("game", games()[0]), visitor)

    async def create(self, request: Request) -> Response:
        """Open the match that a form asks for, and go there."""
        filled, visitor = await self._filled(request), await self._visitor(request)
        token = ""
        try:
            wanted = opening.wanted(filled)
            if not visitor.name and self.guests:
                token = await new_guest(self.keeper, address_of(request))
                known = await self.keeper.identify(token)
                visitor = Visitor(known.name, is_admin=known.is_admin)
            session = self._session(visitor)
            match = await session.open(wanted.setup, password=filled.get("password", ""))
            if wanted.seat:
                await session.join(match, Seat(wanted.seat))
        except (ConfigError, Denied) as error:
            return self._form(filled.get("game", ""), visitor, str(error))
        response = RedirectResponse(f"/match/{match}", 303)
        if token:
            give_cookie(response, token, secure=request.url.scheme == "https")
        return response

    async def signin(self, request: Request) -> Response:
        """Who one is, or the form to say so."""
        visitor = await self._visitor(request)
        return self._signing(visitor)

    async def enter(self, request: Request) -> Response:
        """Sign in, or register and sign in."""
        filled = await self._filled(request)
        name, password = filled.get("name", "").strip(), filled.get("password", "")
        try:
            if filled.get("register"):
                await self.keeper.register(name, password, address_of(request))
            token = await self.keeper.sign_in(name, password, address_of(request))
        except Denied as denied:
            return self._signing(Visitor(), denied.reason)
        response = RedirectResponse("/", 303)
        give_cookie(response, token, secure=request.url.scheme == "https")
        return response

    async def leave(self, request: Request) -> Response:
        """Sign out of this browser."""
        await self._filled(request)
        response = RedirectResponse("/", 303)
        take_cookie(response)
        return response

    async def with_key(self, request: Request) -> Response:
        """Enter a local server by the address that it printed."""
        try:
            token = await self.keeper.sign_in("", request.query_params.get("key", ""), address_of(request))
        except Denied as denied:
            return _denied(denied, Visitor())
        match = request.query_params.get("match", "")
        response = RedirectResponse(f"/match/{match}" if match else "/", 303)
        give_cookie(response, token, secure=request.url.scheme == "https")
        return response

    async def sandbox(self, request: Request) -> Response:
        """Set up a position, enter orders, see what becomes of them."""
        visitor = await self._visitor(request)
        skeleton = tag("div", tag("p", "The board is on its way …", class_="empty"), id="page")
        game = request.query_params.get("game", sandbox.GAME)
        if game in trials.tried():
            return page("Sandbox", skeleton, script="trial.js", kind="match", facts={"account": visitor.name})
        if game != sandbox.GAME:
            return message("Unknown game", f"There is no sandbox for {game!r:.80} here.", status=404)
        wanted = request.query_params.get("map", sandbox.STANDARD)
        if wanted not in sandbox.maps():
            there = f"Those that there are: {', '.join(sandbox.maps())}."
            return message("Unknown map", f"There is no map {wanted!r:.80} here.", there, status=404)
        preload = [assets.sheet_address(sandbox.GAME, wanted)]
        facts = {
            "sheet": preload[0],
            "account": visitor.name,
            "map": wanted,
            "maps": " ".join(sandbox.maps()),
        }
        return page("Sandbox", skeleton, script="sandbox.js", kind="match", facts=facts, preload=preload)

    async def tournament(self, request: Request) -> Response:
        """Standings and matches of a tournament."""
        visitor, name = await self._visitor(request), request.path_params["tournament"]
        sheet = await self.tournaments.sheet(name)
        if sheet is None:
            where = "Start one on this server's store: parlour tournament GAME AGENT AGENT --store parlour.db"
            return message("Unknown tournament", f"There is no tournament {name!r:.80} here.", where, status=404)
        over = "true" if sheet.over else "false"
        content = tag("div", sheet.content, id="tournament", data_number=sheet.number, data_over=over)
        facts = {"tournament": name}
        return page(sheet.title, frame(content, visitor.name), script="tournament.js", kind="tournament", facts=facts)

    # For scripts

    async def events(self, request: Request) -> Response:
        """What happened in a match from a number on, as whoever asks may see it: GET …/events?since=57."""
        visitor, name = await self._visitor(request), request.path_params["match"]
        since = request.query_params.get("since", "0")
        if not NUMBER.fullmatch(since):
            return JSONResponse({"code": "bad value", "reason": "since: expected a number"}, 400)
        try:
            told = await self._session(visitor).events(name, since=int(since))
        except Denied as denied:
            return JSONResponse(
                {"code": denied.code, "reason": denied.reason}, STATUS.get(DenialCode(denied.code), 400)
            )
        lines = b"".join(assets.encoded({"k": one.k, "e": one.event}) + b"\n" for one in told[:MAX_EVENTS])
        return Response(lines, media_type="application/jsonl")

    async def line(self, socket: WebSocket) -> None:
        """The line of a page."""
        if not is_ours(socket):
            await socket.close(4403, "another site's page")
            return
        visitor = await visitor_of(socket, self.keeper)
        await PageLine(socket, self.views, self._session(visitor), socket.path_params["match"]).run()

    async def tournament_line(self, socket: WebSocket) -> None:
        """The line of a page of a tournament."""
        if not is_ours(socket):
            await socket.close(4403, "another site's page")
            return
        await TournamentLine(socket, self.tournaments, socket.path_params["tournament"]).run()

    # Inside

    async def _visitor(self, request: Request) -> Visitor:
        return await visitor_of(request, self.keeper)

    def _session(self, visitor: Visitor) -> Session:
        return Session(self.hall, visitor.name, admin=visitor.is_admin, lapsed=visitor.lapsed)

    async def _heads(self, *status: str) -> list[RecordHead]:
        found = await self.hall.page(Filter(kind=RecordKind.MATCH, status=status), limit=LISTED)
        return [head for head in found.heads if about_of(head).listed]

    async def _sheet_of(self, head: RecordHead) -> str:
        """Where the board of a match that has begun is, so that a browser can ask for it at once."""
        hosted = await self.hall.wake(head.id)
        position, pictures = hosted.match.state.position, pictures_of(hosted.match.game)
        return (
            ""
            if position is None or pictures is None
            else assets.sheet_address(head.game, pictures.sheet(position).key)
        )

    async def _filled(self, request: Request) -> dict[str, str]:
        """What a form of ours says; a form of another site is refused."""
        if not is_ours(request):
            raise HTTPException(403, "this form came from another site")
        try:
            body = await read_body(request, MAX_FORM)
            return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS))
        except Answered as answered:
            raise HTTPException(answered.status, str(answered), answered.headers) from None
        except ValueError:
            raise HTTPException(400, f"a form of ours has at most {MAX_FIELDS} fields") from None

    def _form(self, game: str, visitor: Visitor, problem: str = "") -> Response:
        chosen = game if game in games() else games()[0]
        tabs = joined(
            tag("a", declared(name).title, href=f"/new?game={name}", aria_current="page" if name == chosen else None)
            for name in games()
        )
        form = opening.form(load_game(chosen), problem)
        content = joined((tag("h1", "New match"), tag("nav", tabs, class_="games", aria_label="Games"), form))
        return page("New match", frame(content, visitor.name, here="/new"), status=400 if problem else 200)

    def _signing(self, visitor: Visitor, problem: str = "") -> Response:
        if visitor.name:
            out = tag("form", tag("button", "Sign out"), method="post", action="/signout")
            content = joined((tag("h1", "You are signed in"), tag("p", f"as {visitor.name}"), out))
            return page("Signed in", frame(content, visitor.name))
        form = tag(
            "form",
            tag("p", problem, class_="refused", role="alert") if problem else None,
            tag(
                "div",
                tag("label", tag("span", "Name"), tag("input", name="name", autocomplete="username", required=True)),
                tag(
                    "label",
                    tag("span", "Password"),
                    tag("input", name="password", type="password", autocomplete="current-password", required=True),
                ),
                class_="fields",
            ),
            tag(
                "p",
                tag("button", "Sign in", class_="primary"),
                Html(" "),
                tag("button", "Open an account", name="register", value="1"),
                class_="line",
            ),
            method="post",
            action="/signin",
            class_="sign",
        )
        content = joined((tag("h1", "Sign in"), form))
        return page("Sign in", frame(content, "", here="/signin"), status=400 if problem else 200)


def _safe(route: Route) -> Route:
    """The route, with the headers that every answer of ours to a browser carries, whatever serves it."""
    return Route(route.path, _told(route.endpoint), methods=route.methods, middleware=[Middleware(SafeHeaders)])


def _told(serve: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """What serves a request, and says so in a page if the store fails."""

    @wraps(serve)
    async def served(request: Request) -> Response:
        try:
            return await serve(request)
        except StoreError as error:
            logger.warning("%s %s: %s", request.method, request.url.path[:200], error)
            response = message("That did not work", NOT_KEPT[:1].upper() + NOT_KEPT[1:] + ".", status=503)
            response.headers["Retry-After"] = "1"
            return response

    return served


def _welcome() -> Html:
    """What this is, for whoever sees it for the first time, and the way to a seat."""
    played = " and ".join(declared(name).title for name in games())
    words = tag("p", f"Programs, models and people play {played} here, under one referee.")
    ways = tag("p", tag("a", "Open a match", href="/new", class_="button primary"), class_="line")
    return tag("div", tag("div", tag("h1", "Watch, or take a seat"), words), ways, class_="welcome")


def _commands(request: Request) -> Html:
    """What to type to bring more life here."""
    host = request.headers.get("host", "localhost")
    commands = (
        f"parlour play {games()[0]} --browser",
        f"parlour join ws://{host} --match ID --agent dumbbot",
        "parlour replay demo.jsonl --html demo.html",
    )
    items = joined(tag("li", tag("code", command)) for command in commands)
    return tag("section", tag("h2", "From a terminal"), tag("ul", items, class_="commands"), class_="start")


def _denied(denied: Denied, visitor: Visitor) -> Response:
    title = "Unknown match" if denied.code == DenialCode.UNKNOWN_MATCH else "That cannot be"
    sentence = denied.reason[:1].upper() + denied.reason[1:] + "."
    return message(title, sentence, status=STATUS.get(DenialCode(denied.code), 400), account=visitor.name)
