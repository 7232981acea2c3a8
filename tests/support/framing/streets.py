"""HTTP and websocket callers on a simulated loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from parlour.net.doors import HttpDoor
from parlour.net.framing.http import (
    bounded_http,
)
from parlour.net.framing.limiter import ConnectionLimiter
from support.waiting import run_simulated

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


class Caller(asyncio.Transport):
    """The other end of a connection to a door, which remembers what it heard and what became of it."""

    def __init__(self, door: HttpDoor, address: str) -> None:
        super().__init__()
        self._address = address
        self.heard = b""
        self.ended = ""
        self.gone = False
        config: Any = door._config
        state = door._server.server_state
        self.protocol = config.http_protocol_class(config=config, server_state=state, app_state={})
        self.protocol.connection_made(self)

    def say(self, text: bytes) -> None:
        """Send that."""
        self.protocol.data_received(text)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return {"peername": (self._address, 1234), "sockname": ("127.0.0.1", 80)}.get(name, default)

    def get_protocol(self) -> Any:
        return self.protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self.gone:  # as uvloop has it
            raise RuntimeError("the handler is closed")
        self.heard += bytes(data)

    def is_closing(self) -> bool:
        return bool(self.ended)

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None:
        """Nothing is said while nobody reads."""

    def resume_reading(self) -> None:
        """Go on."""

    def close(self) -> None:
        self._end("closed")

    def abort(self) -> None:
        self._end("cut off")

    def _end(self, how: str) -> None:
        if not self.ended:
            self.ended = how
            asyncio.get_running_loop().call_soon(self._lost)

    def _lost(self) -> None:
        self.gone = True
        self.protocol.connection_lost(None)


async def _hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"hello {len(await request.body())}")


async def _muse(request: Request) -> PlainTextResponse:
    await asyncio.sleep(5.0)
    return PlainTextResponse("well")


async def _listen(line: WebSocket) -> None:
    await line.accept()
    await line.receive()


class Street:
    """A door, and those who come to it."""

    def __init__(
        self, meet: Callable[[WebSocket], Awaitable[None]] = _listen, max_message: int = 1 << 20, **limits: Any
    ) -> None:
        routes = [Route("/", _hello, methods=["GET", "POST"]), Route("/muse", _muse), WebSocketRoute("/", meet)]
        self.door = HttpDoor(Starlette(routes=routes), host="simulated", port=1, max_message=max_message)
        times = {name: limits.pop(name) for name in ("head_time", "body_time") if name in limits}
        self.limiter = ConnectionLimiter(**({"most": 100, "most_of_one": 100} | limits))
        self.door._config.http = bounded_http(self.limiter, **times)
        self.door._config.load()
        self._callers: list[Caller] = []

    def knock(self, address: str = "192.0.2.1") -> Caller:
        self._callers.append(Caller(self.door, address))
        return self._callers[-1]

    async def shake_hands(self) -> Caller:
        """Somebody with a websocket."""
        caller = self.knock()
        caller.say(HANDSHAKE)
        await a_moment()
        assert caller.heard.startswith(b"HTTP/1.1 101")
        caller.heard = b""
        return caller

    async def empty(self) -> None:
        """Send everybody home."""
        for caller in self._callers:
            caller.abort()
        await a_moment()


def simulated(scenario: Callable[[Street], Awaitable[None]], **limits: Any) -> None:
    async def run() -> None:
        street = Street(**limits)
        await scenario(street)
        await street.empty()

    run_simulated(run)


async def a_moment() -> None:
    await asyncio.sleep(0.01)
