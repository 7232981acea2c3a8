"""The application: the table of operations as routes, with identification, limits and error answers."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

import parlour
from parlour.core.game import Plain
from parlour.errors import ParlourError, StoreError
from parlour.net.accounts.accounts import Accounts, Identity
from parlour.net.accounts.limits import RequestLimits, network_of
from parlour.net.fair_pool import Requester
from parlour.net.hall import REACTIONS, Hall
from parlour.net.http.accounts import PEOPLE
from parlour.net.http.bodies import read_body, read_json, read_query
from parlour.net.http.matches import MATCHES
from parlour.net.http.metrics import MEDIA, Counter, Gauge, Histogram, Numbers, Tally, show_vitals
from parlour.net.http.openapi import document
from parlour.net.http.operations import MATCH_PASSWORD, ApiCall, Nothing, Operation, Operations, as_response
from parlour.net.http.positions import POSITIONS
from parlour.net.http.problems import MEDIA as PROBLEM
from parlour.net.http.problems import Answered, answer_to
from parlour.net.sessions import Session
from parlour.net.settings import ServerSettings

PREFIX = "/api/v1"
SMALL = 1 << 14
"""Maximum bytes of a body that is decoded on the loop; for each as many a body counts as one more request."""
REQUEST_ID = "X-Request-ID"
"""The header with the id of a request, chosen by the client or by the server, under which it is logged."""
_REQUEST_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
UPKEEP = Operations()
"""Operations for operators."""

_log = logging.getLogger("parlour.http")
_encoder = msgspec.json.Encoder()


class Health(msgspec.Struct, frozen=True):
    """Status and version of the server."""

    status: str
    version: str


@UPKEEP.add("GET", "/health", answer=Health)
async def health(call: ApiCall[Nothing, Nothing]) -> Health:
    """Check that the server runs. If this is not answered, restart it."""
    return Health("ok", parlour.__version__)


@UPKEEP.add("GET", "/ready", answer=Health)
async def ready(call: ApiCall[Nothing, Nothing]) -> Health:
    """Check that the server can work: its store answers, is in its place, and accepts writes."""
    hall = call.service.hall
    await hall.store.fetch(hall.store.probe)
    if hall.trouble:
        raise StoreError(hall.trouble)
    return Health("ready", parlour.__version__)


@UPKEEP.add("GET", "/metrics", answer=MEDIA)
async def metrics(call: ApiCall[Nothing, Nothing]) -> Response:
    """Return the metrics of the server, in the text format of Prometheus. Also at /metrics."""
    return Response(call.service.numbers.text(), media_type=MEDIA)


@UPKEEP.add("GET", "/openapi.json", answer=Plain)
async def describe(call: ApiCall[Nothing, Nothing]) -> Response:
    """Return the description of this API, as OpenAPI."""
    return Response(call.service.document, media_type="application/json")


OPERATIONS: list[Operation] = [*MATCHES.all, *POSITIONS.all, *PEOPLE.all, *UPKEEP.all]


class Service:
    """The parts that operations use: hall, accounts, settings, metrics."""

    def __init__(
        self,
        hall: Hall,
        accounts: Accounts,
        settings: ServerSettings,
        *,
        connections: Callable[[], Mapping[str, float]] = dict,
        clock: Callable[[], float] = time.time,
        limits: RequestLimits | None = None,
    ) -> None:
        """Make the service; `connections` returns their number per door, and `limits` are shared with the pages."""
        self.hall = hall
        self.accounts = accounts
        self.settings = settings
        self.numbers = Numbers()
        self.document = _encoder.encode(document(OPERATIONS, PREFIX))
        self._limits = limits or RequestLimits(settings.requests_per_second, settings.requests_at_once, clock=clock)
        self._answered = self.numbers.show(
            Counter("parlour_http_requests_total", "Requests answered.", "method", "path", "status")
        )
        self._took = self.numbers.show(Histogram("parlour_http_seconds", "Time to answer a request.", "method", "path"))
        self.numbers.show(Gauge("parlour_matches_awake", "Matches in memory.", lambda: hall.awake))
        self.numbers.show(Tally("parlour_hall_total", "Counts since the start.", "what", lambda: _told(hall.counts)))
        self.numbers.show(Tally("parlour_connections", "Open connections.", "door", connections, rising=False))
        show_vitals(self.numbers)

    async def identify(self, request: Request, address: str, weight: float = 1.0) -> Identity | None:
        """Return the caller's identity, and count the request against its limits."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if not token:
            self._limits.demand(address, weight=weight)
            return None
        if scheme.lower() != "bearer":
            raise Answered(HTTPStatus.UNAUTHORIZED, "bad token", "authorization: expected Bearer and a token")
        try:
            identity = await self.accounts.identify(token.strip(), address)
        except ParlourError:
            self._limits.demand(address, weight=weight)
            raise
        self._limits.demand(address, identity.name, weight)
        return identity

    def demand(self, address: str, account: str, weight: float) -> None:
        """Count more requests against the caller's limits; raise Denied if there are too many."""
        if weight:
            self._limits.demand(address, account, weight)

    def refuse_foreign_page(self, request: Request) -> None:
        """Refuse requests that change something and come from a page of another site."""
        origin = request.headers.get("origin")
        if origin is None or request.method in SAFE or self.is_own(origin, request.headers.get("host", "")):
            return
        raise Answered(HTTPStatus.FORBIDDEN, "bad origin", "pages of that origin may not use this server")

    def is_own(self, origin: str, host: str) -> bool:
        """Return True if an origin is the server's own, or one that the operator trusts."""
        return origin in self.settings.origins or origin.partition("://")[2] == host

    def count(self, request: Request, path: str, status: int, seconds: float, request_id: str) -> None:
        """Count and log a request that was answered."""
        self._answered.add(request.method, path, str(status))
        self._took.observe(seconds, request.method, path)
        address = request.client.host if request.client else ""
        _log.info(
            "%s %s %d",
            request.method,
            path,
            status,
            extra={
                "address": address,
                "ms": round(seconds * 1000, 2),
                "status": status,
                "path": path,
                "match": request.path_params.get("match", ""),
                "account": getattr(request.state, "account", ""),
                "request_id": request_id,
            },
        )


def make_app(service: Service, more: Sequence[BaseRoute] = ()) -> Starlette:
    """Return the application; `more` routes (pages, sockets of other protocols) come after the API's own."""
    routes = [
        Route(PREFIX + operation.path, _endpoint(service, operation), methods=[operation.method])
        for operation in OPERATIONS
    ]
    metrics = Route("/metrics", _metrics(service))
    middleware = []
    if service.settings.origins:
        middleware.append(
            Middleware(
                CORSMiddleware,
                allow_origins=service.settings.origins,
                allow_methods=["GET", "POST", "PUT", "DELETE"],
                allow_headers=["Authorization", "Content-Type", MATCH_PASSWORD],
            )
        )
    handlers: Any = {HTTPException: _not_here, Exception: _broken}
    return Starlette(routes=[*routes, metrics, *more], middleware=middleware, exception_handlers=handlers)


def _endpoint(service: Service, operation: Operation) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        begun, request_id = time.perf_counter(), _request_id(request)
        try:
            async with asyncio.timeout(service.settings.request_time):
                response = as_response(operation, await _perform(service, operation, request))
        except Answered as answered:
            response = problem(answered)
        except TimeoutError:
            told = f"not done within {service.settings.request_time:g} s"
            response = problem(Answered(HTTPStatus.REQUEST_TIMEOUT, "timeout", told, {"Connection": "close"}))
        except ParlourError as error:
            if isinstance(error, StoreError):
                _log.warning("%s %s: %s", operation.method, operation.path, error)
            response = problem(answer_to(error))
        response.headers[REQUEST_ID] = request_id
        service.count(request, operation.path, response.status_code, time.perf_counter() - begun, request_id)
        return response

    return endpoint


def _told(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the public counts: not that of all reactions, which would reveal the number of sealed plans."""
    return {what: count for what, count in counts.items() if what != REACTIONS}


def _request_id(request: Request) -> str:
    """Return the id under which a request is logged: the client's own if it is valid, else a random one."""
    given: str = request.headers.get(REQUEST_ID, "")
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)


async def _perform(service: Service, operation: Operation, request: Request) -> Any:
    address = request.client.host if request.client else ""
    service.refuse_foreign_page(request)
    identity = await service.identify(request, address, operation.weight)
    if operation.signed_in and identity is None:
        identity = await service.accounts.identify("")
    request.state.account = identity.name if identity else ""
    query = read_query(request, operation.query)
    body: Any = None
    if operation.body is not Nothing:
        asker = Requester(network_of(address), identity.name if identity else "")
        raw = await read_body(request, service.settings.max_body)
        service.demand(address, asker.name, len(raw) // SMALL)
        body = await _read(service, asker, raw, operation.body)
    session = Session(service.hall, identity)
    if operation.watches and (said := request.headers.get(MATCH_PASSWORD)) is not None:
        password = said.encode("latin-1").decode("utf-8", "replace")  # headers are read as Latin-1
        await session.say_password(request.path_params["match"], password)
    return await operation.work(ApiCall(service, session, identity, request.path_params, query, body, address))


async def _read(service: Service, asker: Requester, body: bytes, form: Any) -> Any:
    """Return the body as a value of that form; a large one is read off the loop."""
    if len(body) <= SMALL:
        return read_json(body, form)
    return await service.hall.pool.run(asker, partial(read_json, body, form))


def problem(answered: Answered) -> Response:
    """Return a problem as an HTTP answer."""
    return Response(_encoder.encode(answered.problem), answered.status, answered.headers, PROBLEM)


def _metrics(service: Service) -> Callable[[Request], Any]:
    async def metrics(request: Request) -> Response:
        return Response(service.numbers.text(), media_type=MEDIA)

    return metrics


async def _not_here(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    told = {
        HTTPStatus.NOT_FOUND: "there is nothing at this address",
        HTTPStatus.METHOD_NOT_ALLOWED: f"this address does not take {request.method[:20]}",
    }.get(status, error.detail)
    return problem(Answered(status, status.phrase.lower(), told, error.headers))


async def _broken(request: Request, error: Exception) -> Response:
    _log.error("%s %s: %r", request.method, request.url.path, error, exc_info=error)
    told = "the server failed; its log has the details"
    return problem(Answered(HTTPStatus.INTERNAL_SERVER_ERROR, "broken", told))
