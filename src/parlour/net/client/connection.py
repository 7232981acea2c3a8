"""A connection to a server: sends requests, distributes answers and notifications, and reconnects after a cut.

After a cut the connection is made again and every game is synchronised. Then unanswered requests are sent again,
unless they were about a phase that is over. A notification that came before the cut does not come twice.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec

from parlour.core.decoding import UNREADABLE
from parlour.errors import ConfigError, MissingExtra, RemoteWireError
from parlour.net.client.channel import Channel
from parlour.net.client.network_game import NetworkGame
from parlour.net.framing.connection import reason_of
from parlour.net.mila import notifications as n
from parlour.net.mila import requests as rq
from parlour.net.mila import responses as rs
from parlour.net.mila.faults import GamePhaseException, ResponseException, fault
from parlour.net.mila.protocol_values import OWN_AGENT

try:
    import websockets
    from websockets.asyncio.client import ClientConnection
except ImportError:
    raise MissingExtra("client", "a websocket connection") from None

T = TypeVar("T")
logger = logging.getLogger(__name__)
_wire_log = logger.getChild("wire")
"""Logger of the websocket library. A line that is cut during a ping is not an error and needs no traceback: it is
opened again, which is logged here."""
_wire_log.addFilter(lambda record: record.msg != "keepalive ping failed")

DEFAULT_PORT = 8432
MAX_FRAME = 1 << 26
"""Maximum bytes of a frame: a saved game may be long."""
FIRST_PAUSE = 0.25
"""Seconds before the second attempt to connect; twice as many before each further one, up to the longest pause."""


class _Pending(NamedTuple):
    """A request that waits for its answer, and the function that processes the answer."""

    request: rq.Request
    expected: type[Any]
    effect: Callable[[Any], Any]
    answer: asyncio.Future[Any]


def retry_pause(attempt: int, longest: float) -> float:
    """Return the seconds to wait after a failed attempt to connect; each wait is twice the one before."""
    return min(longest, FIRST_PAUSE * 2.0 ** (attempt - 1))


class Connection:
    """A connection to a server, for any number of channels. `connect` makes it."""

    def __init__(self, url: str, *, timeout: float = 30.0, attempts: int = 16, pause: float = 5.0) -> None:
        self.url, self.timeout = url, timeout
        self.channels: dict[str, Channel] = {}
        self._attempts, self._pause = attempts, pause
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._pending: dict[str, _Pending] = {}
        self._over = False
        self._ready = asyncio.Event()
        """Set while requests may be sent: not while games are being synchronised."""
        self._syncing: dict[str, NetworkGame] = {}
        """Games whose synchronisation is not answered yet, by the id of the request."""
        self._put_off: Counter[NetworkGame] = Counter()
        """Number of failed synchronisations by game."""
        self._phases: dict[tuple[str, str], str] = {}
        """The phase of each game on the server, from the last synchronisation."""
        self._at_work: set[asyncio.Future[Any]] = set()
        self._strangers: set[str] = set()

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    @property
    def hostname(self) -> str:
        """The server's name or address."""
        return str(urlsplit(self.url).hostname)

    @property
    def port(self) -> int | None:
        """The server's port; None if the address does not say."""
        return urlsplit(self.url).port

    @property
    def use_ssl(self) -> bool:
        """True if the connection is encrypted."""
        return self.url.startswith("wss:")

    @property
    def is_connecting(self) -> bool:
        """True before the first connection."""
        return self._reader is None and not self._over

    @property
    def is_reconnecting(self) -> bool:
        """True after a cut, while requests wait until all games are synchronised again."""
        return self._reader is not None and not self._ready.is_set()

    @property
    def closed(self) -> bool:
        """True if the connection was closed, or given up."""
        return self._over

    async def authenticate(self, username: str, password: str) -> Channel:
        """Sign in. Where registration is open, an unknown name creates an account."""

        def done(response: rs.TokenGiven) -> Channel:
            channel = self.channels[response.data] = Channel(self, response.data)
            return channel

        request = rq.SignIn(request_id=self.new_id(), username=username, password=password)
        return await self.send(request, rs.TokenGiven, done)

    async def get_daide_port(self, game_id: str) -> int:
        """Return the port for DAIDE players of a game."""
        request = rq.GetDaidePort(request_id=self.new_id(), game_id=game_id)
        return await self.send(request, rs.PortGiven, lambda response: int(response.data))

    async def send(
        self, request: rq.Request, expected: type[Any] = rs.Response, effect: Callable[[Any], T] | None = None
    ) -> T:
        """Send a request and wait for its response; return it, or the result of `effect`.

        The effect processes the response before any later message is processed.
        """
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self.timeout):
                await self._ready.wait()
                if self._over:
                    raise ConnectionError(f"the connection to {self.url} is closed")
                self._pending[request.request_id] = _Pending(request, expected, effect or _itself, answer)
                await self._write(request)
                return await answer
        finally:
            self._pending.pop(request.request_id, None)

    async def write_request(self, request: rq.Request) -> None:
        """Send a request without waiting: the answer is ignored, and after a cut it is not sent again."""
        if self._over or self._socket is None:
            raise ConnectionError(f"the connection to {self.url} is closed")
        await self._write(request)

    async def close(self) -> None:
        """Close the connection; callers that wait for an answer get a ConnectionError."""
        if self._reader is not None:
            self._reader.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):  # the reader may have failed before
                await self._reader
        self._end()  # the reader calls _end itself only if it has begun to read
        if self._socket is not None:
            await self._socket.close()
        for task in self._at_work:
            task.cancel()
        await asyncio.gather(*self._at_work, return_exceptions=True)

    async def wait_closed(self) -> None:
        """Wait until the connection is closed, or given up."""
        if self._reader is not None:
            await asyncio.wait([self._reader])

    @staticmethod
    def new_id() -> str:
        """Return an id for a request."""
        return str(uuid.uuid4())

    # Opening, and opening again

    async def open(self) -> Connection:
        """Connect, and start to read."""
        await self._connect()
        self._ready.set()
        self._reader = asyncio.create_task(self._read())
        self._reader.add_done_callback(self._noted)
        return self

    def _noted(self, reader: asyncio.Task[None]) -> None:
        """Log in one line why the connection was given up; waiting callers have already been informed."""
        if not reader.cancelled() and (error := reader.exception()) is not None:
            logger.warning("the connection to %s is given up: %s", self.url, error)

    async def _connect(self) -> None:
        for attempt in range(1, self._attempts + 1):
            try:
                self._socket = await websockets.connect(
                    self.url,
                    compression=None,
                    max_size=MAX_FRAME,
                    open_timeout=self.timeout,
                    user_agent_header=OWN_AGENT,
                    logger=_wire_log,
                )
                return
            except websockets.InvalidURI as error:
                raise ConfigError(f"server: {error}", field="server") from None
            except (OSError, TimeoutError, websockets.WebSocketException) as error:
                if attempt == self._attempts:
                    reason = reason_of(error) if isinstance(error, OSError) else error
                    raise ConnectionError(f"cannot connect to {self.url}: {reason}") from None
                await asyncio.sleep(retry_pause(attempt, self._pause))

    async def _read(self) -> None:
        try:
            while True:
                assert self._socket is not None
                with suppress(websockets.ConnectionClosed):
                    async for frame in self._socket:
                        await self._take(frame if isinstance(frame, bytes) else frame.encode())
                self._ready.clear()
                logger.info("cut off from %s; connecting again", self.url)
                await self._connect()
                await self._synchronize()
        finally:
            self._end()

    def _end(self) -> None:
        """Refuse further requests, and inform the waiting callers."""
        self._over = True
        self._ready.set()
        for pending in self._pending.values():
            if not pending.answer.done():
                pending.answer.set_exception(ConnectionError(f"the connection to {self.url} is closed"))

    async def _synchronize(self) -> None:
        """Request the missed events of each game; other requests wait until all have answered."""
        games = [game for channel in self.channels.values() for game in channel.games]
        self._syncing, self._phases = {}, {}
        self._put_off.clear()
        for game in games:
            await self._write(self._synchronization(game))
        if not games:
            await self._resume()

    def _synchronization(self, game: NetworkGame) -> rq.Request:
        """Return the request that asks for everything missed in a game."""
        assert game.channel is not None
        request = rq.Synchronize(
            request_id=self.new_id(),
            token=game.channel.token,
            game_id=game.game_id,
            game_role=game.role,
            phase=game.current_short_phase,
            timestamp=game.get_latest_timestamp(),
        )
        self._syncing[request.request_id] = game
        return request

    async def _synchronized(self, request_id: str, frame: bytes) -> None:
        game = self._syncing.pop(request_id)
        response = _read_response(frame)
        if isinstance(response, rs.GameSummary):
            self._phases[game.game_id, game.role] = response.phase
        elif self._may_ask_again(game, response):
            self._begin(self._write_later(self._synchronization(game)))
        else:
            logger.warning("%s cannot be synchronised: %s", game, getattr(response, "message", response))
            game.drop()
        if not self._syncing:
            await self._resume()

    def _may_ask_again(self, game: NetworkGame, response: rs.Response | str) -> bool:
        """Return True if the server may be able to answer in a moment: game and sender are valid."""
        self._put_off[game] += 1
        refused = isinstance(response, rs.Error) and response.error_type == ResponseException.__name__
        return refused and self._put_off[game] < self._attempts

    async def _resume(self) -> None:
        """Send unanswered requests again, except those about finished phases."""
        for pending in list(self._pending.values()):
            request = pending.request
            if pending.answer.done():  # the caller has given up
                continue
            if isinstance(request, rq.GameRequest) and request.phase_dependent:
                phase = self._phases.get((request.game_id, request.game_role))
                if phase is not None and phase != request.phase:
                    wrong = f"cut off in phase {request.phase}; it is {phase} now"
                    pending.answer.set_exception(GamePhaseException(wrong))
                    continue
            if not isinstance(request, rq.Synchronize):
                await self._write(msgspec.structs.replace(request, re_sent=True))
        self._ready.set()

    async def _write_later(self, request: rq.Request) -> None:
        await asyncio.sleep(self._pause)
        await self._write(request)

    async def _write(self, request: rq.Request) -> None:
        assert self._socket is not None
        with suppress(websockets.ConnectionClosed):  # the request is sent again after the reconnection
            await self._socket.send(msgspec.json.encode(request).decode())

    # Input

    async def _take(self, frame: bytes) -> None:
        """Hand on a frame by its kind; log one that cannot be read and skip it."""
        try:
            head = _heads.decode(frame)
        except UNREADABLE as error:
            logger.warning("unreadable frame from %s: %s", self.url, error)
            return
        if head.request_id in self._syncing:
            await self._synchronized(str(head.request_id), frame)
        elif head.request_id:
            self._answer(str(head.request_id), frame)
        elif head.notification_id:
            await self._notify(frame)

    def _answer(self, request_id: str, frame: bytes) -> None:
        pending = self._pending.pop(request_id, None)
        if pending is None or pending.answer.done():
            return
        response = _read_response(frame)
        if isinstance(response, rs.Error):
            pending.answer.set_exception(fault(response.error_type, response.message))
        elif isinstance(response, pending.expected):
            try:
                pending.answer.set_result(pending.effect(response))
            except Exception as error:  # an answer that cannot be read fails its request, and nothing else
                pending.answer.set_exception(error)
        else:
            wrong = f"expected {pending.expected.__name__} for {type(pending.request).__name__}, got {response!r:.200}"
            pending.answer.set_exception(RemoteWireError(wrong))

    async def _notify(self, frame: bytes) -> None:
        try:
            notification = n.read_notification(frame)
        except UNREADABLE as error:
            logger.warning("unknown notification from %s: %s", self.url, error)
            return
        channel = self.channels.get(notification.token)
        if channel is None:
            await self._disown(notification.token)
        elif not isinstance(notification, n.GameNotification):
            channel.close()
        elif (game := channel.game(notification.game_id, notification.game_role)) is not None:
            self._call(game, notification)

    def _call(self, game: NetworkGame, notification: n.GameNotification) -> None:
        try:
            results = game.notify(notification)
        except Exception:  # the boundary to the server: a senseless message is logged, and the next may be fine
            logger.exception("%s could not take in a %s", game, type(notification).__name__)
            return
        for result in results:
            if inspect.isawaitable(result):
                self._begin(result)

    def _begin(self, work: Awaitable[Any]) -> None:
        """Start a task that ends, at the latest, when the connection is closed."""
        task = asyncio.ensure_future(work)
        self._at_work.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Future[Any]) -> None:
        self._at_work.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("a callback failed", exc_info=error)

    async def _disown(self, token: str) -> None:
        """Sign out a token that is no longer used here; tried once."""
        if token not in self._strangers:
            self._strangers.add(token)
            await self._write(rq.UnknownToken(request_id=self.new_id(), token=token))


class _Head(msgspec.Struct):
    """The fields that distinguish a response from a notification."""

    request_id: str | None = None
    notification_id: str | None = None


_heads = msgspec.json.Decoder(_Head)


def _itself(response: Any) -> Any:
    return response


def _read_response(frame: bytes) -> rs.Response | str:
    """Return the response, or why it cannot be read."""
    try:
        response: rs.Response = rs.read_response(frame)
        return response
    except UNREADABLE as error:
        return f"unreadable response: {error}"


class connect:
    """Connect to a server: `connection = await connect(host, port)`, or `async with connect(host, port) as connection`.

    Tries several times, with pauses that grow up to `pause` seconds, and does so again when the connection is cut.
    Timeout is how long a request waits for its answer.
    """

    def __init__(
        self,
        hostname: str,
        port: int = DEFAULT_PORT,
        use_ssl: bool = False,
        *,
        timeout: float = 30.0,
        attempts: int = 16,
        pause: float = 5.0,
    ) -> None:
        host = f"[{hostname}]" if ":" in hostname else hostname
        url = f"{'wss' if use_ssl else 'ws'}://{host}:{port}/"
        self._connection = Connection(url, timeout=timeout, attempts=attempts, pause=pause)

    def __await__(self) -> Generator[Any, None, Connection]:
        return self._connection.open().__await__()

    async def __aenter__(self) -> Connection:
        return await self._connection.open()

    async def __aexit__(self, *raised: object) -> None:
        await self._connection.close()
