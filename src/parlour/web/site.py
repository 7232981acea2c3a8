"""The pages of a server: matches, one match, a new one, signing in; each a request handler over a session."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from parlour.core.game import Seat
from parlour.core.markup import joined, tag
from parlour.core.pictures import pictures_of
from parlour.errors import ConfigError, Denied, StoreError
from parlour.games import declared, games, load_game
from parlour.net.accounts.limits import DRAWING, RequestLimits
from parlour.net.hall import Hall
from parlour.net.http.problems import answer_to
from parlour.net.notices.notifier import Notifier
from parlour.net.permission_errors import NOT_KEPT, DenialCode
from parlour.net.reliability import ReliabilityBook
from parlour.net.sessions import Session
from parlour.net.setup import MatchSetup
from parlour.store import Filter, RecordHead, RecordKind
from parlour.web import assets, lessons, lobby, opening, sandbox, trials
from parlour.web.account_pages import AccountPages
from parlour.web.assets import SafeHeaders
from parlour.web.exhibition import Exhibition
from parlour.web.exports import Exports
from parlour.web.forms import read_form
from parlour.web.listing import name_of, own_list, tournament_list
from parlour.web.not_found import NotFoundRoute
from parlour.web.notice_pages import NoticePages
from parlour.web.own_matches import ASKED, own_matches
from parlour.web.page_socket import TRY_AGAIN, PageSocket
from parlour.web.profiles import ProfilePages
from parlour.web.questions import Question, answered
from parlour.web.shell import frame, message, page
from parlour.web.tournaments import TournamentLine, Tournaments
from parlour.web.views import Views
from parlour.web.visitors import (
    Keeper,
    Visitor,
    address_of,
    asker_of,
    give_cookie,
    is_ours,
    visitor_of,
)

logger = logging.getLogger(__name__)

TOURNAMENTS = 12
"""Maximum number of tournaments on the first page, newest first."""
MAX_EVENTS = 1000
"""Maximum number of events of a match in one answer."""
NUMBER = re.compile(r"[0-9]{1,15}")


class Site:
    """All pages of one server."""

    def __init__(
        self,
        hall: Hall,
        keeper: Keeper,
        *,
        guests: bool = True,
        limits: RequestLimits | None = None,
        notifier: Notifier | None = None,
    ) -> None:
        self.hall, self.keeper = hall, keeper
        self._notices, self._notifier = NoticePages(hall, keeper, notifier), notifier
        self._reliability = ReliabilityBook(hall)
        self._limits = limits or RequestLimits()
        self.guests = guests
        """True if somebody who has no account gets one when they open a match or take a seat."""
        self.views = Views(hall, guests=guests)
        self.exhibition = Exhibition(hall)
        self.tournaments = Tournaments(hall.store)

    def routes(self) -> list[BaseRoute]:
        """Return the routes to mount at the root of a server, after all others: every other path is answered here."""
        pages = [route if isinstance(route, WebSocketRoute) else self._safe(route) for route in self._routes()]
        return [*pages, NotFoundRoute()]

    def app(self) -> ASGIApp:
        """Return a web server of these pages alone, with the headers that every answer carries."""
        return SafeHeaders(Starlette(routes=self.routes()))

    def _routes(self) -> list[Route | WebSocketRoute]:
        return [
            Route("/", self.home),
            Route("/new", self.new, methods=["GET"]),
            Route("/new", self.create, methods=["POST"]),
            *AccountPages(self.keeper, self._notices).routes(),
            *self._notices.routes(),
            *Exports(self.hall, self.keeper).routes(),
            *ProfilePages(self.hall, self.keeper, self._reliability).routes(),
            Route("/enter", self.with_key, methods=["GET"]),
            Route("/learn", self.learn, methods=["GET"]),
            Route("/learn", self._answers(lessons.LessonQuestion, lessons.answer), methods=["POST"]),
            Route("/sandbox", self.sandbox, methods=["GET"]),
            Route("/sandbox", self._answers(sandbox.SandboxQuestion, sandbox.answer), methods=["POST"]),
            Route("/sandbox/{game}", self.trial, methods=["POST"]),
            Route("/match/{match}", self.match, methods=["GET"]),
            Route("/match/{match}", self.say_password, methods=["POST"]),
            Route("/match/{match}/sit", self.sit, methods=["POST"]),
            Route("/match/{match}/rematch", self.rematch, methods=["POST"]),
            Route("/match/{match}/events", self.events),
            WebSocketRoute("/match/{match}/line", self.line),
            Route("/tournament/{tournament}", self.tournament),
            WebSocketRoute("/tournament/{tournament}/line", self.tournament_line),
            Route("/static/{version}/{name:path}", assets.static),
        ]

    def close(self) -> None:
        """Send pages nothing more."""
        self.views.close()
        self._reliability.close()
        if self._notifier is not None:
            self._notifier.close()

    # Pages

    async def home(self, request: Request) -> Response:
        """Show the visitor's waiting matches, then open, running and finished ones, and a running match to watch."""
        visitor = await self._visitor(request)
        shown = await self.exhibition.shown()
        own = await own_matches(visitor.session(self.hall))
        found = await lobby.found(Session(self.hall), lobby.wanted(request.query_params), {one.head.id for one in own})
        lists = joined((own_list(own, ASKED), lobby.section(found)))
        store = self.hall.store
        held = await store.fetch(store.page, Filter(kind=RecordKind.TOURNAMENT), limit=TOURNAMENTS, newest_first=True)
        stage = tag("section", id="stage", class_="showcase", data_match=shown.id if shown else "")
        facts = {"match": shown.id} if shown else {}
        first, then = (lists, stage) if own or request.query_params else (stage, lists)
        content = joined(
            (
                lobby.welcome(),
                first,
                then,
                tournament_list(held.heads),
                lobby.commands(request.headers.get("host", "localhost")),
            )
        )
        return page("Matches", frame(content, visitor.name, here="/"), script="home.js", kind="home", facts=facts)

    async def match(self, request: Request) -> Response:
        """Show a match to watch, to replay or to play; the visitor's seat decides."""
        visitor, name = await self._visitor(request), request.path_params["match"]
        try:
            head = await self.hall.head(name)
            if await visitor.session(self.hall).needs_password(name):
                return _password_form(head, visitor)
            keys = [key for key in [await self._sheet_of(head)] if key]
        except Denied as denied:
            return _denied(denied, visitor)
        skeleton = tag("div", tag("p", "The match is on its way …", class_="empty"), id="page")
        facts = {"match": head.id, "game": head.game, "account": visitor.name}
        return page(name_of(head), skeleton, script="match.js", kind="match", facts=facts, preload=keys)

    async def say_password(self, request: Request) -> Response:
        """Take the password of a match whose watchers need it, and go there. A visitor without an account gets one."""
        filled, visitor, name = await read_form(request), await self._visitor(request), request.path_params["match"]
        token = ""
        try:
            head = await self.hall.head(name)
            visitor, token = await self._known(request, visitor)
        except Denied as denied:
            return _denied(denied, visitor)
        try:
            await visitor.session(self.hall).say_password(name, filled.get("password", ""))
            response: Response = RedirectResponse(f"/match/{name}", 303)
        except Denied as denied:
            response = _password_form(head, visitor, denied)
        if token:  # after a wrong password, too, so that a visitor who guesses stays the same guest
            give_cookie(request, response, token)
        return response

    async def new(self, request: Request) -> Response:
        """Show the form for a new match."""
        visitor = await self._visitor(request)
        _, filled = opening.TEMPLATES.get(request.query_params.get("template", ""), ("", {}))
        return self._form(request.query_params.get("game", games()[0]), visitor, filled=filled)

    async def create(self, request: Request) -> Response:
        """Open the match of a form, and go there."""
        filled, visitor = await read_form(request), await self._visitor(request)
        token = ""
        try:
            wanted = opening.wanted(filled)
            visitor, token = await self._known(request, visitor)
            session = visitor.session(self.hall)
            match = await session.open(wanted.setup, password=filled.get("password", ""))
            if wanted.seat:
                await session.join(match, Seat(wanted.seat))
        except (ConfigError, Denied) as error:
            return self._form(filled.get("game", ""), visitor, str(error), filled)
        response = RedirectResponse(f"/match/{match}", 303)
        if token:
            give_cookie(request, response, token)
        return response

    async def sit(self, request: Request) -> Response:
        """Take a seat by a form, also without an account; then go to the match."""
        filled, visitor, name = await read_form(request), await self._visitor(request), request.path_params["match"]
        token, seat = "", filled.get("seat", "")
        try:
            await self.hall.head(name)
            visitor, token = await self._known(request, visitor)
            answer = await visitor.session(self.hall).join(
                name, Seat(seat) if seat else None, password=filled.get("password", "")
            )
            refused = "" if answer.refusal is None else answer.refusal.reason
        except Denied as denied:
            if denied.code == DenialCode.UNKNOWN_MATCH:
                return _denied(denied, visitor)
            refused = denied.reason
        where = f"/match/{quote(name)}"
        response: Response = RedirectResponse(where, 303)
        if refused:
            back = tag("p", tag("a", "Back to the match", href=where))
            content = tag("section", tag("h1", "That seat cannot be taken"), tag("p", refused, role="alert"), back)
            response = page("That seat cannot be taken", frame(content, visitor.name), status=409)
        if token:
            give_cookie(request, response, token)
        return response

    async def rematch(self, request: Request) -> Response:
        """Open the same match again, as hidden as it was and with the same password, and go there."""
        await read_form(request)
        visitor, name = await self._visitor(request), request.path_params["match"]
        try:
            session = visitor.session(self.hall)
            view = await session.view(name)
            hosted = await self.hall.wake(name)
            about = hosted.about
            title = (
                view.head.title
                if view.head.title.endswith(", again")
                else f"{view.head.title[:180]}, again".lstrip(", ")
            )
            setup = MatchSetup(
                game=view.head.game,
                terms=view.terms,
                config=view.config,
                title=title,
                password=hosted.head.password,
                listed=about.listed,
                delay=about.delay,
                admission=about.admission,
                stand_in=about.stand_in,
            )
            match = await session.open(setup)
        except Denied as denied:
            return _denied(denied, visitor)
        return RedirectResponse(f"/match/{quote(match)}", 303)

    async def with_key(self, request: Request) -> Response:
        """Sign in at a local server by its printed address."""
        try:
            token = await self.keeper.sign_in("", request.query_params.get("key", ""), address_of(request))
        except Denied as denied:
            return _denied(denied, Visitor())
        match = request.query_params.get("match", "")
        response = RedirectResponse(f"/match/{match}" if match else "/", 303)
        give_cookie(request, response, token)
        return response

    async def sandbox(self, request: Request) -> Response:
        """Show the sandbox: set up a position, enter orders, see their results."""
        visitor = await self._visitor(request)
        skeleton = tag("div", tag("p", "The board is on its way …", class_="empty"), id="page")
        game = request.query_params.get("game", sandbox.GAME)
        if game in trials.tried():
            return page("Sandbox", skeleton, script="whatif.js", kind="match", facts={"account": visitor.name})
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

    async def learn(self, request: Request) -> Response:
        """Show the guide for a first visit."""
        skeleton = tag("div", tag("p", "The board is on its way …", class_="empty"), id="page")
        sheet = assets.sheet_address(sandbox.GAME, sandbox.STANDARD)
        return page("Learn", skeleton, script="learn.js", kind="match", facts={"sheet": sheet}, preload=[sheet])

    async def trial(self, request: Request) -> Response:
        """Answer a question of the sandbox of another game."""
        return await trials.trial(request, self.hall.pool)

    async def tournament(self, request: Request) -> Response:
        """Show the standings and matches of a tournament."""
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
        """Return the events of a match from a number on, as the visitor may see them: GET …/events?since=57."""
        visitor, name = await self._visitor(request), request.path_params["match"]
        since = request.query_params.get("since", "0")
        if not NUMBER.fullmatch(since):
            return JSONResponse({"code": "bad value", "reason": "since: expected a number"}, 400)
        try:
            told = await visitor.session(self.hall).page_of_events(name, since=int(since), limit=MAX_EVENTS)
        except Denied as denied:
            return JSONResponse({"code": denied.code, "reason": denied.reason}, answer_to(denied).status)
        lines = b"".join(assets.encoded({"k": one.k, "e": one.event}) + b"\n" for one in told)
        return Response(lines, media_type="application/jsonl")

    async def line(self, socket: WebSocket) -> None:
        """Serve the websocket of a match's page."""
        if not await self._let_in(socket):
            return
        visitor = await visitor_of(socket, self.keeper)
        asker = asker_of(socket, visitor.name or f"page {id(socket)}")
        await PageSocket(socket, self.views, visitor.session(self.hall), socket.path_params["match"], asker=asker).run()

    async def tournament_line(self, socket: WebSocket) -> None:
        """Serve the websocket of a tournament's page."""
        if not await self._let_in(socket):
            return
        await TournamentLine(socket, self.tournaments, socket.path_params["tournament"]).run()

    # Inside

    def _answers(
        self, form: type[Question], answer: Callable[[Question], dict[str, Any]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint that answers questions of that form."""

        async def serve(request: Request) -> Response:
            return await answered(request, form, answer, self.hall.pool)

        return serve

    def _safe(self, route: Route) -> Route:
        """Return the route with the headers that every answer to a browser carries, and with its rate limit."""
        costs = "/export/" in route.path or (
            "POST" in (route.methods or ()) and route.path.startswith(("/sandbox", "/learn"))
        )
        count = self._count_drawing if costs else self._count
        serve = _told(route.endpoint, _uncounted if route.endpoint is assets.static else count)
        return Route(route.path, serve, methods=route.methods, middleware=[Middleware(SafeHeaders)])

    def _count(self, connection: HTTPConnection) -> None:
        """Count a request; Denied if there are too many from its address."""
        self._limits.demand(address_of(connection))

    def _count_drawing(self, connection: HTTPConnection) -> None:
        """Count a request for a picture."""
        self._limits.demand(address_of(connection), weight=DRAWING)

    async def _let_in(self, socket: WebSocket) -> bool:
        """Return True if a page of ours may open a socket now; otherwise close the socket."""
        if not is_ours(socket):
            await socket.close(4403, "another site's page")
            return False
        try:
            self._count(socket)
        except Denied as denied:
            await socket.close(TRY_AGAIN, denied.reason[:100])
            return False
        return True

    async def _visitor(self, request: Request) -> Visitor:
        return await visitor_of(request, self.keeper)

    async def _known(self, request: Request, visitor: Visitor) -> tuple[Visitor, str]:
        """Return the visitor, and the token of its new account if it had none and becomes a guest."""
        if visitor.name or not self.guests:
            return visitor, ""
        token = await self.keeper.open_guest(address_of(request))
        return Visitor(await self.keeper.identify(token)), token

    async def _sheet_of(self, head: RecordHead) -> str:
        """Return the address of the board of a started match, so that a browser can request it at once."""
        hosted = await self.hall.wake(head.id)
        position, pictures = hosted.match.state.position, pictures_of(hosted.match.game)
        return (
            ""
            if position is None or pictures is None
            else assets.sheet_address(head.game, pictures.sheet(position).key)
        )

    def _form(
        self, game: str, visitor: Visitor, problem: str = "", filled: Mapping[str, str] | None = None
    ) -> Response:
        chosen = game if game in games() else games()[0]
        tabs = joined(
            tag("a", declared(name).title, href=f"/new?game={name}", aria_current="page" if name == chosen else None)
            for name in games()
        )
        form = opening.form(load_game(chosen), problem, filled)
        content = joined((tag("h1", "New match"), tag("nav", tabs, class_="games", aria_label="Games"), form))
        framed = frame(content, visitor.name, here="/new")
        return page("New match", framed, script="new_match.js", status=400 if problem else 200)


def _told(
    serve: Callable[[Request], Awaitable[Response]], count: Callable[[Request], None]
) -> Callable[[Request], Awaitable[Response]]:
    """Return a handler that counts and serves a request, and sends a page after too many requests or a failure of the
    store.
    """

    @wraps(serve)
    async def served(request: Request) -> Response:
        try:
            count(request)
            return await serve(request)
        except Denied as denied:
            return _refused(request, denied)
        except StoreError as error:
            logger.warning("%s %s: %s", request.method, request.url.path[:200], error)
            response = message("That did not work", NOT_KEPT[:1].upper() + NOT_KEPT[1:] + ".", status=503)
            response.headers["Retry-After"] = "1"
            return response

    return served


def _password_form(head: RecordHead, visitor: Visitor, denied: Denied | None = None) -> Response:
    """Return the page that asks for the password of a match."""
    field = tag("input", name="password", type="password", autocomplete="off", required=True)
    form = tag(
        "form",
        tag("p", denied.reason, class_="refused", role="alert") if denied else None,
        tag("div", tag("label", tag("span", "Password"), field), class_="fields"),
        tag("p", tag("button", "Watch", class_="primary"), class_="line"),
        method="post",
        action=f"/match/{quote(head.id)}",
        class_="sign",
    )
    words = tag("p", "To watch this match without a seat, enter its password.")
    content = joined((tag("h1", name_of(head)), words, form))
    status = answer_to(denied).status if denied else 403
    return page(name_of(head), frame(content, visitor.name), status=status)


def _uncounted(request: Request) -> None:
    """Do not count a request: a page has many files, which cost nothing."""


def _refused(request: Request, denied: Denied) -> Response:
    """Return the answer to a request that is denied: a page, or JSON for a script."""
    answer = answer_to(denied)
    if request.headers.get("content-type", "").startswith("application/json"):
        return JSONResponse({"reason": str(answer)}, answer.status, answer.headers)
    response = _denied(denied, Visitor())
    response.headers.update(answer.headers)
    return response


def _denied(denied: Denied, visitor: Visitor) -> Response:
    title = "Unknown match" if denied.code == DenialCode.UNKNOWN_MATCH else "That cannot be"
    sentence = denied.reason[:1].upper() + denied.reason[1:] + "."
    return message(title, sentence, status=answer_to(denied).status, account=visitor.name)
