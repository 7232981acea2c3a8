"""The bounds of HTTP connections, on a simulated clock: how many, how slow, how much of a head, and who has to go."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from parlour.net.doors import HttpDoor
from parlour.net.framing.http import BODY_TIME, HEAD_TIME, MAX_HEAD, MOST_AHEAD, BoundedHttp, Porch
from parlour.testing.simulation import SimulatedLoop

ASK = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"
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
        self.porch = Porch(**({"most": 100, "most_of_one": 100} | limits))
        cast(Any, self.door._config.http).porch = self.porch
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

    with contextlib.closing(SimulatedLoop()) as loop:
        loop.run_until_complete(run())


async def a_moment() -> None:
    await asyncio.sleep(0.01)


def test_of_one_address_so_many_get_in_and_when_one_leaves_the_next() -> None:
    async def scenario(street: Street) -> None:
        first, second, third = street.knock(), street.knock(), street.knock()
        other = street.knock("192.0.2.2")
        assert [caller.ended for caller in (first, second, third, other)] == ["", "", "cut off", ""]
        await a_moment()
        assert len(street.porch) == 3
        assert street.knock().ended == "cut off"
        first.close()
        await a_moment()
        assert street.knock().ended == ""

    simulated(scenario, most_of_one=2)


def test_whoever_has_left_is_not_remembered() -> None:
    async def scenario(street: Street) -> None:
        callers = [street.knock(f"192.0.2.{number}") for number in range(5)]
        for caller in callers:
            caller.close()
        await a_moment()
        assert (len(street.porch), street.porch.quiet, dict(street.porch._of_one)) == (0, 0, {})

    simulated(scenario)


def test_when_all_places_are_taken_the_silent_make_room_and_the_busy_do_not() -> None:
    async def scenario(street: Street) -> None:
        silent, busy = street.knock(), street.knock()
        busy.say(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n")
        newcomer = street.knock()
        assert [caller.ended for caller in (silent, busy, newcomer)] == ["cut off", "", ""]
        await a_moment()
        newcomer.say(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n")
        assert street.porch.quiet == 0
        assert street.knock().ended == "cut off", "of those who are there nobody is silent"
        await a_moment()
        for caller in (busy, newcomer):
            caller.say(b"abc")
            await a_moment()
            assert caller.heard.endswith(b"hello 3")

    simulated(scenario, most=2)


def test_only_so_many_may_be_silent_at_once() -> None:
    async def scenario(street: Street) -> None:
        first, second = street.knock(), street.knock()
        assert (first.ended, street.porch.quiet) == ("", 2)
        third = street.knock()
        assert [caller.ended for caller in (first, second, third)] == ["cut off", "", ""]
        assert street.porch.quiet == 2

    simulated(scenario, most_quiet=2)


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nx"])
def test_a_head_must_have_come_in_its_time(begun: bytes) -> None:
    async def scenario(street: Street) -> None:
        caller = street.knock()
        if begun:
            caller.say(begun)
        await asyncio.sleep(HEAD_TIME - 0.1)
        assert (caller.ended, street.porch.quiet) == ("", 1)
        await asyncio.sleep(0.2)
        assert (caller.ended, street.porch.quiet, len(street.porch)) == ("cut off", 0, 0)

    simulated(scenario)


def test_who_has_asked_may_be_silent_for_a_while_and_ask_again() -> None:
    async def scenario(street: Street) -> None:
        caller = street.knock()
        for number in range(1, 4):
            caller.say(ASK)
            assert street.porch.quiet == 0
            await a_moment()
            assert caller.heard.count(b"hello 0") == number
            await asyncio.sleep(2.0)
            assert caller.ended == ""
        caller.say(b"GET")
        assert street.porch.quiet == 1, "it has begun to say what it wants"
        await asyncio.sleep(HEAD_TIME + 0.1)
        assert caller.ended == "cut off"

    simulated(scenario)


def test_a_body_must_have_come_in_its_time_whatever_comes_meanwhile() -> None:
    async def scenario(street: Street) -> None:
        caller = street.knock()
        caller.say(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n")
        for _ in range(2):
            await asyncio.sleep(BODY_TIME / 2 - 0.1)
            assert caller.ended == ""
            caller.say(b"x")
        await asyncio.sleep(0.3)
        assert caller.ended == "cut off"
        quick = street.knock()
        quick.say(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\na")
        quick.say(b"bc")
        await a_moment()
        assert quick.heard.endswith(b"hello 3")
        assert quick.protocol._body_timer is None

    simulated(scenario)


def test_a_head_may_be_so_long_and_no_longer() -> None:
    def head(length: int) -> list[bytes]:
        whole = b"GET / HTTP/1.1\r\nhost: x\r\n"
        while len(whole) < length:
            whole += b"a: " + b"x" * min(1000, max(1, length - len(whole) - 5)) + b"\r\n"
        return [whole[at : at + 4096] for at in range(0, len(whole), 4096)]

    async def scenario(street: Street) -> None:
        for length, answer in ((MAX_HEAD - 2000, b"HTTP/1.1 200"), (MAX_HEAD + 8192, b"HTTP/1.1 400")):
            for _ in range(2):  # each request has as much as the first
                caller = street.knock()
                for piece in head(length):
                    caller.say(piece)
                caller.say(b"\r\n")
                await a_moment()
                assert caller.heard.startswith(answer)

    simulated(scenario)


def test_what_was_said_of_one_request_does_not_count_for_the_next() -> None:
    async def scenario(street: Street) -> None:
        caller = street.knock()
        for _ in range(3):
            caller.say(b"GET / HTTP/1.1\r\nhost: x\r\n" + b"a: " + b"x" * (MAX_HEAD // 2) + b"\r\n\r\n")
            await a_moment()
        assert caller.heard.count(b"HTTP/1.1 200") == 3

    simulated(scenario)


def test_a_websocket_counts_until_it_ends_and_is_under_no_time_of_a_request() -> None:
    async def scenario(street: Street) -> None:
        caller = await street.shake_hands()
        assert not isinstance(caller.protocol, BoundedHttp)
        assert (len(street.porch), street.porch.quiet) == (1, 0)
        await asyncio.sleep(HEAD_TIME + 1.0)
        assert (len(street.porch), caller.ended) == (1, "")
        caller.abort()
        await a_moment()
        assert (len(street.porch), dict(street.porch._of_one)) == (0, {})

    simulated(scenario, body_time=5.0)


@pytest.mark.parametrize("begun", [b"", b"GET", b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n"])
def test_who_leaves_in_the_middle_leaves_no_timer_behind(begun: bytes) -> None:
    async def scenario(street: Street) -> None:
        caller = street.knock()
        if begun:
            caller.say(begun)
        timers = caller.protocol._timer, caller.protocol._body_timer
        assert any(timer is not None for timer in timers)
        caller.abort()
        await a_moment()
        assert all(timer is None or timer.cancelled() for timer in timers)
        assert (len(street.porch), street.porch.quiet) == (0, 0)

    simulated(scenario)


def test_a_server_that_stops_waits_for_answers_and_not_for_what_has_not_come() -> None:
    async def scenario(street: Street) -> None:
        idle, waiting = street.knock(), street.knock()
        waiting.say(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n")
        for caller in (idle, waiting):
            caller.protocol.shutdown()
        assert (idle.ended, waiting.ended) == ("closed", "cut off")

    simulated(scenario)


@pytest.mark.parametrize("last", [b"", b"no request at all\r\n\r\n", ASK * MOST_AHEAD])
def test_who_leaves_with_requests_one_behind_the_other_leaves_no_traceback(
    last: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(street: Street) -> None:
        caller = street.knock()
        caller.say(ASK.replace(b"/ ", b"/muse ") + ASK * 2 + last)
        await a_moment()
        caller.abort()
        assert caller.ended == ("closed" if last else "cut off")
        await asyncio.sleep(10.0)

    simulated(scenario)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] in (
        [],
        ["Invalid HTTP request received."],
    )
