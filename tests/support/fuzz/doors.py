"""A whole server without a network, for the fuzzer: what browsers, programs and assistants send to its doors."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Coroutine
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec

from parlour.errors import ParlourError
from support.hall.people import session_of
from support.hall.quick_passwords import QUICK
from support.waiting import PATIENCE

MOST = 40
"""Inputs after which the server is a new one, so that none gets slower with what the others left."""
TOKEN = b"TOKEN"
"""In an input, what proves that somebody is the owner of the matches."""
MATCHES = {"fish": ("red", {"white": "greedy"}), "diplomacy": ("FRANCE", {"ITALY": "hold"})}
"""A match of each game, called like it, that has begun: the seat of its owner, and who else plays."""


class OfflineServer:
    """A hall with two matches and all doors of HTTP before it, on a store of its own."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._folder = tempfile.TemporaryDirectory(prefix="parlour-fuzz-")
        self.daide_player: Any = None
        """A DAIDE client with a seat, once one was needed."""
        self._loop.run_until_complete(self._open())

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something on the server's loop, not for long."""
        self._loop.run_until_complete(asyncio.wait_for(work, PATIENCE))

    def close(self) -> None:
        """Stop."""
        self._loop.run_until_complete(self._close())
        self._folder.cleanup()

    async def _open(self) -> None:
        from parlour.core.game import Seat
        from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
        from parlour.net.accounts.accounts import Accounts
        from parlour.net.accounts.limits import AccountLimits, RequestLimits
        from parlour.net.accounts.passwords import Passwords
        from parlour.net.hall import Hall
        from parlour.net.http.app import Service, make_app
        from parlour.net.mcp.seat_tools import SeatTools
        from parlour.net.mila.door import MilaDoor
        from parlour.net.mila.hall_host import HallHost
        from parlour.net.settings import ServerSettings
        from parlour.net.setup import MatchSetup
        from parlour.referee.conduct import preset
        from parlour.store import open_store
        from parlour.web.site import Site

        store = open_store(str(Path(self._folder.name) / "store.db"))
        self.hall = Hall(store)
        await self.hall.start()
        limits = AccountLimits(sign_ins_per_minute=100_000, registrations_per_hour=100_000)
        self.accounts = Accounts(store, limits=limits, passwords=Passwords(QUICK))
        await self.accounts.register("owner", "a long password")
        self.token = await self.accounts.sign_in("owner", "a long password")
        session = session_of(self.hall, "owner")
        press = PressTerms(PressMode.ANYTIME)
        terms = Terms(preset("hosted"), press=press, vacancy=Vacancy.DEFAULT, seats_to_start=2, wait_flags_up=True)
        for game, (seat, others) in MATCHES.items():
            agents = {Seat(other): agent for other, agent in others.items()}
            await session.open(MatchSetup(game=game, terms=terms, match=game, agents=agents))
            await session.join(game, Seat(seat))
        self.site = Site(self.hall, self.accounts, limits=RequestLimits(1e6, 1e6))
        settings = ServerSettings(request_time=1.0, requests_per_second=1e6, requests_at_once=1_000_000)
        self.app = make_app(Service(self.hall, self.accounts, settings), self.site.routes())
        self.door = MilaDoor(HallHost(self.hall, self.accounts))
        self.tools = SeatTools(self.hall)

    @cached_property
    def assistants(self) -> Any:
        """Return the door of assistants, whose list of tools takes long to make."""
        from parlour.net.mcp.server import make_server

        return make_server(self.tools)

    async def _close(self) -> None:
        self.site.close()
        await self.hall.close()
        self.accounts.close()
        self.hall.store.close()


class _Servers:
    """One server after the other."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._server: OfflineServer | None = None
        self._inputs = 0

    def fresh(self) -> OfflineServer:
        """A server that has not seen many inputs."""
        if self._server is not None and self._inputs >= MOST:
            self._server.close()
            self._server = None
        if self._server is None:
            self._server, self._inputs = OfflineServer(self._loop), 0
        self._inputs += 1
        return self._server

    def close(self) -> None:
        """Stop the last one."""
        if self._server is not None:
            self._server.close()
        self._loop.close()


@cache
def servers() -> _Servers:
    """Return those of this program."""
    return _Servers()


def stop_servers() -> None:
    """No more inputs come; if some do after all, they get another server."""
    if servers.cache_info().currsize:
        servers().close()
        servers.cache_clear()


def _address(target: str) -> dict[str, Any]:
    path, _, query = target.partition("?")
    return {
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }


async def _requested(server: OfflineServer, raw: bytes) -> None:
    """One request as it is written in HTTP; what is no request at all is not for us to read."""
    head, _, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    first, *lines = head.replace(TOKEN, server.token.encode()).split(b"\n")
    method, _, target = first.decode("ascii", "ignore").partition(" ")
    if not method.isalpha() or not target.startswith("/"):
        return
    headers = [(b"host", b"parlour.test"), (b"content-length", str(len(body)).encode())]
    headers += [(name.strip().lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines)]
    answered: list[Any] = []
    coming = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        return coming.pop() if coming else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        answered.append(message)

    scope = {"type": "http", "method": method.upper(), "headers": headers, **_address(target)}
    await server.app(scope, receive, send)
    assert answered[0]["status"] != 500


async def _lined(server: OfflineServer, raw: bytes) -> None:
    """A page on its line: where it is, then what it sends, a message in each line."""
    first, *lines = raw.split(b"\n")
    target = first.decode("ascii", "ignore")
    if not target.startswith("/"):
        return
    cookie = b"parlour=" + server.token.encode()
    headers = [(b"host", b"parlour.test"), (b"cookie", cookie)]
    scope = {"type": "websocket", "headers": headers, "subprotocols": [], "extensions": {}, **_address(target)}
    coming: list[dict[str, Any]] = [{"type": "websocket.connect"}, *map(_message, lines[:20])]
    coming.append({"type": "websocket.disconnect", "code": 1000})

    async def receive() -> Any:
        return coming.pop(0) if coming else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        await asyncio.sleep(0)

    await server.app(scope, receive, send)


def _message(line: bytes) -> dict[str, Any]:
    try:
        return {"type": "websocket.receive", "text": line.decode()}
    except UnicodeDecodeError:
        return {"type": "websocket.receive", "bytes": line}


async def _clients(server: OfflineServer, raw: bytes) -> None:
    """A client of the `diplomacy` package: a request in each line, and each gets its answer."""
    from parlour.net.mila.websocket_io import Socket

    said: list[bytes] = []
    socket = Socket(lambda frames, quiet: said.append(frames), address="127.0.0.1")
    for frame in raw.replace(TOKEN, server.token.encode()).split(b"\n")[:10]:
        done = asyncio.Event()
        server.door.receive(socket, frame, done.set)
        await done.wait()
    server.door.hang_up(socket)
    assert not any(b"The server failed" in frames for frames in said)


async def _assisted(server: OfflineServer, raw: bytes) -> None:
    """An assistant that sits down and then calls tools: a name and its arguments in each line."""
    from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError

    token = ""
    for line in raw.split(b"\n")[:10]:
        name, _, text = line.partition(b" ")
        try:
            given = msgspec.json.decode(text.replace(TOKEN, token.encode()))
            if not isinstance(given, dict):
                continue  # the protocol itself has only objects there
            if type(given.get("seconds")) in (int, float):
                given["seconds"] = min(given["seconds"], 0.01)
            answer: Any = await server.assistants.call_tool(name.decode("utf-8", "replace"), given)
            if name == b"sit":
                token = msgspec.json.decode(answer.content[0].text)["token"]
        except UnexpectedToolError:
            raise
        except (ToolError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass


def _served(use: Callable[[OfflineServer, bytes], Coroutine[Any, Any, None]]) -> Callable[[bytes], None]:
    def target(raw: bytes) -> None:
        server = servers().fresh()
        try:
            server.run(use(server, raw))
        except ParlourError as error:
            raise AssertionError("a door lets no error of ours through") from error

    target(b"")  # so that what it imports is watched, which ends when the target is made
    return target


def web() -> Callable[[bytes], None]:
    """Requests of the HTTP API and of pages: addresses, queries, forms, bodies."""
    return _served(_requested)


def lines() -> Callable[[bytes], None]:
    """Feed messages of pages on their websockets."""
    return _served(_lined)


def clients() -> Callable[[bytes], None]:
    """Feed requests of clients of the `diplomacy` package, and carry them out."""
    return _served(_clients)


def assistants() -> Callable[[bytes], None]:
    """Feed calls of assistants."""
    return _served(_assisted)
