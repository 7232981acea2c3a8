"""Doors: a door is a port with a protocol. A server opens several on one hall, and closes them together."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Protocol

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from parlour.core.text import printable
from parlour.errors import ConfigError
from parlour.net.accounts.limits import network_of
from parlour.net.framing.http import bounded_http
from parlour.net.framing.limiter import ConnectionLimiter
from parlour.net.framing.listener import listen
from parlour.net.framing.websocket import TextSocket
from parlour.net.settings import USUAL

WEBSOCKET_QUEUE = 32
"""Maximum number of unread messages of one websocket."""
PING = 20.0
"""Seconds between pings on a websocket, and seconds until an unanswered one closes it."""
BODY = b"too many connections from your address"


class ServerDoor(Protocol):
    """An open door of a server."""

    @property
    def name(self) -> str:
        """The door's name on the command line."""

    @property
    def address(self) -> str:
        """Address that the door listens on."""

    @property
    def connections(self) -> int:
        """Number of open connections."""

    async def open(self) -> None:
        """Listen on the port; raise ConfigError if that fails."""

    async def run(self) -> None:
        """Serve until the door is closed or the task is cancelled."""

    async def close(self) -> None:
        """Refuse new connections, and let the present ones finish."""


class HttpDoor:
    """Pages, the API and websockets: an ASGI application on uvicorn."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        host: str,
        port: int,
        tls: ssl.SSLContext | None = None,
        connections: int = USUAL.connections,
        connections_of_one: int = USUAL.connections_per_address,
        max_message: int = USUAL.max_body,
        trusted_proxies: tuple[str, ...] = (),
        stop_time: float = USUAL.stop_time,
        name: str = "http",
        scheme: str = "http",
        closed: Callable[[], None] = lambda: None,
    ) -> None:
        """Make an unopened door; `closed` is called when it is closed."""
        self.name, self._scheme = name, scheme
        self._closed = closed
        self.limiter = ConnectionLimiter(most=connections, most_of_one=connections_of_one, proxies=trusted_proxies)
        if trusted_proxies:  # the connections of a proxy do not show how many a client has
            app = ClientLimit(app, most_of_one=connections_of_one)
        self._host, self._port = host, port
        self._tls = tls
        self._config = uvicorn.Config(
            app,
            http=bounded_http(self.limiter),
            ws=TextSocket,
            ws_max_size=max_message,
            ws_max_queue=WEBSOCKET_QUEUE,
            ws_ping_interval=PING,
            ws_ping_timeout=PING,
            ws_per_message_deflate=False,  # compression costs more than it saves on short messages
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=bool(trusted_proxies),
            forwarded_allow_ips=list(trusted_proxies),
            timeout_graceful_shutdown=round(stop_time),
            backlog=128,
        )
        self._server = SignalFreeServer(self._config)
        self._bound = 0

    @property
    def address(self) -> str:
        """The URL of the door."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{self._scheme}{'s' if self._tls else ''}://{host}:{self._bound}"

    @property
    def connections(self) -> int:
        """Number of open connections, including websockets."""
        return len(self.limiter)

    async def open(self) -> None:
        """Listen on the port; raise ConfigError if that fails."""
        sockets = await listen(self._host, self._port)
        self._bound = sockets[0].getsockname()[1]
        self._config.load()
        self._config.ssl = self._tls
        self._server.lifespan = self._config.lifespan_class(self._config)
        await self._server.startup(sockets=sockets)
        self._sockets = sockets

    async def run(self) -> None:
        """Serve until the door is closed."""
        await self._server.main_loop()

    async def close(self) -> None:
        """Stop accepting connections, and wait a while for the open ones."""
        self._server.should_exit = True
        if self._server.started:
            self._server.started = False
            await self._server.shutdown(sockets=self._sockets)
        self._closed()


class SignalFreeServer(uvicorn.Server):
    """uvicorn's server without its signal handlers, because the program handles signals itself."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def tls_context(certificate: str, key: str) -> ssl.SSLContext | None:
    """Return the TLS context; None without a certificate. Raise ConfigError if certificate and key cannot be used."""
    if not certificate:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key or None, password=lambda: "")
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        where = f"{certificate} with {key}"
        raise ConfigError(
            f"tls-certificate: {printable(where)}: {printable(_unfit(error))}", field="tls_certificate"
        ) from None
    return context


def _unfit(error: OSError | ValueError) -> str:
    """Return why a certificate cannot be used, in plain words."""
    if isinstance(error, ssl.SSLError):
        if error.reason == "KEY_VALUES_MISMATCH":
            return "the key is not that of the certificate"
        return "expected a certificate and its key in PEM, without a passphrase"
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


async def closed_together(doors: list[ServerDoor], seconds: float) -> None:
    """Close all doors at the same time, within a number of seconds."""
    closing = [asyncio.ensure_future(door.close()) for door in doors]
    if closing:
        _, late = await asyncio.wait(closing, timeout=seconds)
        for task in late:
            task.cancel()


class ClientLimit:
    """An ASGI application that limits the concurrent requests of each client; a proxy names the client."""

    def __init__(self, app: ASGIApp, *, most_of_one: int) -> None:
        self._app = app
        self._most = most_of_one
        self._at_once: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request or a websocket, or refuse it."""
        client = network_of(scope["client"][0]) if scope.get("client") else ""
        if self._at_once[client] >= self._most:
            await _refuse(scope, send)
            return
        self._at_once[client] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._at_once[client] -= 1
            if not self._at_once[client]:
                del self._at_once[client]


async def _refuse(scope: Scope, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1013, "reason": BODY.decode()})
        return
    headers = [(b"content-type", b"text/plain"), (b"retry-after", b"1"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 503, "headers": headers})
    await send({"type": "http.response.body", "body": BODY})
