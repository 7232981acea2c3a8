"""The pages of a server: matches, one match, a new one, signing in; each a request handler over a session."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Route, WebSocketRoute
from starlette.types import ASGIApp, Scope
from starlette.websockets import WebSocket

from parlour.core.markup import joined, tag
from parlour.errors import Denied, StoreError
from parlour.net.accounts.limits import DRAWING, RequestLimits
from parlour.net.hall import Hall
from parlour.net.http.problems import answer_to
from parlour.net.notices.notifier import Notifier
from parlour.net.permission_errors import NOT_KEPT
from parlour.net.reliability import ReliabilityBook
from parlour.net.sessions import Session
from parlour.store import Filter, RecordKind
from parlour.web import assets, lessons, lobby, sandbox, trials
from parlour.web.account_pages import AccountPages
from parlour.web.assets import SafeHeaders
from parlour.web.exhibition import Exhibition
from parlour.web.exports import Exports
from parlour.web.listing import own_list, tournament_list
from parlour.web.match_pages import MatchPages
from parlour.web.notice_pages import NoticePages
from parlour.web.own_matches import ASKED, own_matches
from parlour.web.page_socket import TRY_AGAIN, PageSocket
from parlour.web.profiles import ProfilePages
from parlour.web.questions import Question, answered
from parlour.web.shell import board_page, denied_page, message, site_page
from parlour.web.tournaments import TournamentLine, Tournaments
from parlour.web.views import Views
from parlour.web.visitors import COOKIE, Keeper, address_of, asker_of, give_cookie, is_ours, visitor_of

logger = logging.getLogger(__name__)

TOURNAMENTS = 12
"""Maximum number of tournaments on the first page, newest first."""


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
        self.tournaments = Tournaments(hall.store, hall.pool)

    def routes(self) -> list[BaseRoute]:
        """Return the routes to mount at the root of a server, after all others: every other path is answered here."""
        pages = [route if isinstance(route, WebSocketRoute) else self._safe(route) for route in self._routes()]
        return [*pages, NotFoundRoute(_told(self.nowhere, self._count))]

    def app(self) -> ASGIApp:
        """Return a web server of these pages alone, with the headers that every answer carries."""
        return SafeHeaders(Starlette(routes=self.routes()))

    def _routes(self) -> list[Route | WebSocketRoute]:
        return [
            Route("/", self.home),
            *MatchPages(self.hall, self.keeper, guests=self.guests).routes(),
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
        visitor = await visitor_of(request, self.keeper)
        shown = await self.exhibition.shown()
        own = await own_matches(visitor.session(self.hall))
        found = await lobby.found(Session(self.hall), lobby.wanted(request.query_params), {one.head.id for one in own})
        lists = joined((own_list(own, ASKED), lobby.section(found)))
        store = self.hall.store
        held = await store.fetch(store.page, Filter(kind=RecordKind.TOURNAMENT), limit=TOURNAMENTS, newest_first=True)
        stage = tag("section", id="stage", class_="showcase", data_match=shown.id if shown else "")
        facts = {"match": shown.id} if shown else {}
        first, then = (lists, stage) if own or request.query_params else (stage, lists)
        content = (
            lobby.welcome(),
            first,
            then,
            tournament_list(held.heads),
            lobby.commands(request.headers.get("host", "localhost")),
        )
        return site_page("Matches", visitor.name, *content, here="/", script="home.js", kind="home", facts=facts)

    async def with_key(self, request: Request) -> Response:
        """Sign in at a local server by its printed address."""
        try:
            token = await self.keeper.sign_in("", request.query_params.get("key", ""), address_of(request))
        except Denied as denied:
            return denied_page(denied)
        match = request.query_params.get("match", "")
        return give_cookie(request, RedirectResponse(f"/match/{match}" if match else "/", 303), token)

    async def sandbox(self, request: Request) -> Response:
        """Show the sandbox: set up a position, enter orders, see their results."""
        visitor = await visitor_of(request, self.keeper)
        game = request.query_params.get("game", sandbox.GAME)
        if game in trials.tried():
            return board_page("Sandbox", "whatif.js", {"account": visitor.name})
        if game != sandbox.GAME:
            return message(
                "Unknown game", f"There is no sandbox for {game!r:.80} here.", status=404, account=visitor.name
            )
        wanted = request.query_params.get("map", sandbox.STANDARD)
        if wanted not in sandbox.maps():
            there = f"Those that there are: {', '.join(sandbox.maps())}."
            words = f"There is no map {wanted!r:.80} here."
            return message("Unknown map", words, there, status=404, account=visitor.name)
        sheet = assets.sheet_address(sandbox.GAME, wanted)
        facts = {"sheet": sheet, "account": visitor.name, "map": wanted, "maps": " ".join(sandbox.maps())}
        return board_page("Sandbox", "sandbox.js", facts, preload=[sheet])

    async def learn(self, request: Request) -> Response:
        """Show the guide for a first visit."""
        sheet = assets.sheet_address(sandbox.GAME, sandbox.STANDARD)
        return board_page("Learn", "learn.js", {"sheet": sheet}, preload=[sheet])

    async def trial(self, request: Request) -> Response:
        """Answer a question of the sandbox of another game."""
        return await trials.trial(request, self.hall.pool)

    async def tournament(self, request: Request) -> Response:
        """Show the standings and matches of a tournament."""
        visitor, name = await visitor_of(request, self.keeper), request.path_params["tournament"]
        sheet = await self.tournaments.sheet(name, asker_of(request, visitor.name))
        if sheet is None:
            where = "Start one on this server's store: parlour tournament GAME AGENT AGENT --store parlour.db"
            words = f"There is no tournament {name!r:.80} here."
            return message("Unknown tournament", words, where, status=404, account=visitor.name)
        over = "true" if sheet.over else "false"
        content = tag("div", sheet.content, id="tournament", data_number=sheet.number, data_over=over)
        how: Any = {"script": "tournament.js", "kind": "tournament", "facts": {"tournament": name}}
        return site_page(sheet.title, visitor.name, content, **how)

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

    async def nowhere(self, request: Request) -> Response:
        """Say that there is no page with the address."""
        visitor, words = await visitor_of(request, self.keeper), "No page has this address. It may have been cut short."
        return message("Nothing is here", words, status=404, account=visitor.name)

    # Internals

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
        count = partial(self._count, weight=DRAWING if costs else 1.0)
        serve = _told(route.endpoint, _uncounted if route.endpoint is assets.static else count)
        return Route(route.path, serve, methods=route.methods, middleware=[Middleware(SafeHeaders)])

    def _count(self, connection: HTTPConnection, weight: float = 1.0) -> None:
        """Count a request; Denied if there are too many of its account, or of its address."""
        known = self.keeper.known(connection.cookies.get(COOKIE, ""))
        self._limits.demand(address_of(connection), "" if known is None else known.name, weight)

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


def _uncounted(request: Request) -> None:
    """Do not count a request: a page has many files, which cost nothing."""


def _refused(request: Request, denied: Denied) -> Response:
    """Return the answer to a request that is denied: a page, or JSON for a script."""
    answer = answer_to(denied)
    if request.headers.get("content-type", "").startswith("application/json"):
        return JSONResponse({"reason": str(answer)}, answer.status, answer.headers)
    response = denied_page(denied)
    response.headers.update(answer.headers)
    return response


class NotFoundRoute(Route):
    """The last route: answers browsers for addresses that no other route has."""

    def __init__(self, answer: Callable[[Request], Awaitable[Response]]) -> None:
        super().__init__("/{path:path}", answer, middleware=[Middleware(SafeHeaders)])

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match only requests for HTML; matching all would turn unknown addresses into forbidden methods."""
        found, inner = super().matches(scope)
        reads = found is Match.FULL and "text/html" in Headers(scope=scope).get("accept", "")
        return (found, inner) if reads else (Match.NONE, {})
