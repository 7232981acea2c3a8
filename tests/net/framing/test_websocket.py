"""The short way of texts through a websocket, and that everything else takes the long one."""

# Why real time passes here: sockets of the system know only real time.

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import websockets
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from parlour.net.doors import HttpDoor
from parlour.net.framing import websocket
from parlour.net.framing.websocket import EXTENSION, TextSocket
from parlour.net.mila.kernel.telling import framed
from support.framing.streets import HANDSHAKE, Street, a_moment, simulated
from support.fuzz.targets import offline_socket
from support.waiting import inside

HOST = "127.0.0.1"
LONGEST = 1 << 17
MASK = b"\x01\x02\x03\x04"
PONG = b"\x8a\x00"


class Echo:
    """Sends back what comes, whole texts twice in one write, and notes which way it came."""

    def __init__(self) -> None:
        self.short: list[bytes] = []
        self.long: list[Any] = []
        self.socket: TextSocket | None = None
        self.ended = asyncio.Event()

    async def meet(self, websocket: WebSocket) -> None:
        await websocket.accept()
        self.socket = websocket.scope["extensions"][EXTENSION]
        self.socket.listen(self.heard)
        while (message := await websocket.receive())["type"] != "websocket.disconnect":
            self.long.append(message.get("text") or message.get("bytes"))
            await websocket.send_text(f"long way: {self.long[-1]!r}")
        self.ended.set()

    def heard(self, text: bytes) -> None:
        assert self.socket is not None
        self.short.append(text)
        self.socket.send_frames([framed(text) + framed(text)])


def run(scenario: Callable[[Echo, int], Awaitable[None]]) -> None:
    async def serve() -> None:
        echo = Echo()
        app = Starlette(routes=[WebSocketRoute("/", echo.meet)])
        door = HttpDoor(app, host=HOST, port=0, max_message=LONGEST, stop_time=1.0)
        await door.open()
        serving = asyncio.ensure_future(door.run())
        try:
            await scenario(echo, int(door.address.rpartition(":")[2]))
        finally:
            await door.close()
            await serving

    asyncio.run(serve())


def frame(text: bytes, first: int = 0x81, *, masked: bool = True) -> bytes:
    """Return a frame as a client sends it."""
    mark = 0x80 if masked else 0
    length = bytes([mark | len(text)]) if len(text) < 126 else bytes([mark | 126]) + len(text).to_bytes(2, "big")
    if not masked:
        return bytes([first]) + length + text
    return bytes([first]) + length + MASK + bytes(byte ^ MASK[at % 4] for at, byte in enumerate(text))


async def knock(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return a bare connection on which the handshake is done."""
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(HANDSHAKE)
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 101")
    return reader, writer


@pytest.mark.parametrize("length", [0, 1, 125, 126, 65535, 65536, LONGEST])
@inside(run)
async def test_texts_of_every_length_come_and_go(echo: Echo, port: int, *, length: int) -> None:
    async with websockets.connect(f"ws://{HOST}:{port}/", max_size=None) as socket:
        await socket.send("é" * (length // 2) + "x" * (length % 2))
        for _ in range(2):
            assert len(str(await socket.recv()).encode()) == length
    assert len(echo.short) == 1
    assert not echo.long


@inside(run)
async def test_frames_may_come_cut_anywhere_and_several_at_once(echo: Echo, port: int) -> None:
    texts = [b"one", b"x" * 300, b"three"]
    reader, writer = await knock(port)
    for byte in b"".join(map(frame, texts)):
        writer.write(bytes([byte]))
        await writer.drain()
    writer.write(b"".join(map(frame, texts)))
    while len(echo.short) < 2 * len(texts):
        await reader.read(4096)
    assert echo.short == 2 * texts
    writer.close()


def test_a_frame_in_many_pieces_is_looked_at_when_it_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or else a long one that comes byte by byte would be copied as often as it has bytes."""
    looks: list[int] = []

    def looked(data: bytes, at: int, size: int) -> tuple[int, int] | None:
        looks.append(size)
        return bounds(data, at, size)

    bounds = websocket._bounds
    monkeypatch.setattr(websocket, "_bounds", looked)
    heard: list[bytes] = []
    socket = offline_socket(heard.append)
    for text in (b"x" * 5000, b"y"):
        for byte in frame(text):
            socket.data_received(bytes([byte]))
    assert heard == [b"x" * 5000, b"y"]
    assert len(looks) < 30


@inside(run)
async def test_what_is_no_whole_text_takes_the_long_way_and_the_short_one_goes_on(echo: Echo, port: int) -> None:
    async with websockets.connect(f"ws://{HOST}:{port}/") as socket:
        await socket.send(["in ", "two ", "pieces"])
        assert await socket.recv() == "long way: 'in two pieces'"
        await socket.send(b"bytes")
        assert await socket.recv() == "long way: b'bytes'"
        await (await socket.ping())
        await socket.send("whole")
        assert [await socket.recv(), await socket.recv()] == ["whole", "whole"]
    await echo.ended.wait()


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(b"not masked", masked=False), 1002),
        (frame(b"\xff\xfe is no UTF-8"), 1007),
        (frame(b"begins", 0x01) + frame(b"another before it ended"), 1002),
        (frame(b"", 0x80), 1002),
        (frame(b"a bit that means nothing", 0xC1), 1002),
        (b"\x81\xff" + (LONGEST + 1).to_bytes(8, "big") + MASK, 1009),
    ],
)
def test_what_breaks_the_protocol_closes_the_socket_with_its_code(
    sent: bytes, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario(echo: Echo, port: int) -> None:
        reader, writer = await knock(port)
        writer.write(sent)
        answer = await reader.read()
        assert answer[0] == 0x88
        assert int.from_bytes(answer[2:4], "big") == code
        assert not echo.short
        writer.close()
        await echo.ended.wait()

    run(scenario)
    assert not [record for record in caplog.records if record.exc_info]


@inside(run)
async def test_a_frame_that_announces_too_much_is_not_waited_for(echo: Echo, port: int) -> None:
    reader, writer = await knock(port)
    writer.write(b"\x81\xff" + (1 << 60).to_bytes(8, "big") + MASK + b"begins")
    assert (await reader.read())[0] == 0x88
    writer.close()


@inside(run)
async def test_who_is_cut_off_hears_nothing_more(echo: Echo, port: int) -> None:
    reader, writer = await knock(port)
    writer.write(frame(b"hello"))
    await reader.readexactly(14)
    assert echo.socket is not None
    echo.socket.send_frames([framed(b"x" * 100_000)] * 200)
    assert echo.socket.unsent > 1_000_000
    echo.socket.cut()
    echo.socket.send_frames([framed(b"after")])
    await echo.ended.wait()
    writer.close()


@inside(run)
async def test_nothing_is_read_during_a_pause(echo: Echo, port: int) -> None:
    async with websockets.connect(f"ws://{HOST}:{port}/") as socket:
        await socket.send("one")
        await socket.recv()
        await socket.recv()
        assert echo.socket is not None
        echo.socket.pause()
        await socket.send("two")
        await asyncio.sleep(0.05)
        assert echo.short == [b"one"]
        echo.socket.go_on()
        assert await socket.recv() == "two"


@inside(run)
async def test_a_whole_frame_is_sent_at_once_or_not_at_all(echo: Echo, port: int) -> None:
    reader, writer = await knock(port)
    writer.write(frame(b"hello"))
    await reader.readexactly(14)
    socket = echo.socket
    assert socket is not None
    assert socket.send_frame(b"\x81\x02hi")
    assert await reader.readexactly(4) == b"\x81\x02hi"
    sent = 0
    while socket.send_frame(b"\x82\x7e\xff\xff" + bytes(65535)):  # until the other side is too slow
        sent += 1
        assert sent < 10_000
    read = 0
    while read < sent * 65539:
        read += len(await reader.read(1 << 20))
    await socket.writable.wait()
    assert socket.send_frame(b"\x81\x03now")
    assert await reader.readexactly(5) == b"\x81\x03now"
    socket.cut()
    await echo.ended.wait()
    assert not socket.send_frame(b"\x81\x05after")
    writer.close()


@inside(run)
async def test_no_frame_is_sent_after_the_farewell(echo: Echo, port: int) -> None:
    reader, writer = await knock(port)
    writer.write(frame(b"hello"))
    await reader.readexactly(14)
    assert echo.socket is not None
    await echo.socket.send({"type": "websocket.close", "code": 1000, "reason": ""})
    assert not echo.socket.send_frame(b"\x81\x05after")
    assert (await reader.readexactly(4))[0] == 0x88
    writer.close()


def test_who_leaves_before_the_farewell_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    """As with tabs that are closed at once: nobody may fill the log with tracebacks."""
    begun, ended = asyncio.Event(), asyncio.Event()

    async def slow(websocket: WebSocket) -> None:
        await websocket.accept()
        begun.set()
        try:
            await websocket.receive()
            await websocket.close(4404)
        finally:
            ended.set()

    async def scene() -> None:
        app = Starlette(routes=[WebSocketRoute("/", slow)])
        door = HttpDoor(app, host=HOST, port=0, max_message=LONGEST, stop_time=1.0)
        await door.open()
        serving = asyncio.ensure_future(door.run())
        _, writer = await knock(int(door.address.rpartition(":")[2]))
        await begun.wait()
        writer.transport.abort()
        await ended.wait()
        await door.close()
        await serving

    asyncio.run(scene())
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


# Without sockets of the system


class Line:
    """An application that listens, and does in the end what it was told."""

    def __init__(self, then: Callable[[WebSocket], Awaitable[None]] | None = None) -> None:
        self.heard: list[bytes] = []
        self.slowly: list[Any] = []
        self.code: int | None = None
        self.raised: Exception | None = None
        self._then = then

    @property
    def socket(self) -> TextSocket:
        return self._socket

    async def meet(self, websocket: WebSocket) -> None:
        await websocket.accept()
        self._socket: TextSocket = websocket.scope["extensions"][EXTENSION]
        self._socket.listen(self.heard.append)
        try:
            if self._then is not None:
                await self._then(websocket)
        except Exception as error:
            self.raised = error
            raise
        while (message := await websocket.receive())["type"] != "websocket.disconnect":
            self.slowly.append(message.get("text") or message.get("bytes"))
        self.code = message["code"]


@pytest.mark.parametrize("more", [0, 1])
def test_a_text_may_be_as_long_as_the_bound_and_no_longer(more: int) -> None:
    line = Line()

    async def scenario(street: Street) -> None:
        caller = await street.shake_hands()
        text = b"x" * (300 + more)
        for piece in (frame(text)[:100], frame(text)[100:], frame(b"next")):
            if not caller.ended:
                caller.say(piece)
        await a_moment()
        if more:
            assert (line.heard, caller.ended) == ([], "closed")
            assert b"the message is too large: at most 300 bytes" in caller.heard
        else:
            assert (line.heard, caller.ended) == ([text, b"next"], "")

    simulated(scenario, meet=line.meet, max_message=300)


@pytest.mark.parametrize("early", [frame(b"hello"), frame(b"hello", masked=False), b"\xffGET", b"\x81"])
def test_who_speaks_before_it_is_let_in_is_cut_off_without_a_word(
    early: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async def slow(websocket: WebSocket) -> None:
        await asyncio.sleep(1.0)  # as while somebody looks up who it is
        await websocket.accept()
        await websocket.receive()

    async def scenario(street: Street) -> None:
        caller = street.knock()
        caller.say(HANDSHAKE)
        await a_moment()
        caller.say(early)
        await asyncio.sleep(2.0)
        assert (caller.ended, caller.heard, len(street.limiter)) == ("cut off", b"", 0)

    simulated(scenario, meet=slow)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_a_text_in_pieces_that_is_no_text_ends_the_connection_with_its_code() -> None:
    line = Line()

    async def scenario(street: Street) -> None:
        caller = await street.shake_hands()
        caller.say(frame(b"\xff\xfe", 0x01) + frame(b" is no UTF-8", 0x80))
        await a_moment()
        assert caller.heard[0] == 0x88
        assert int.from_bytes(caller.heard[2:4], "big") == 1007
        assert (line.heard, line.slowly) == ([], [])

    simulated(scenario, meet=line.meet)


def test_bytes_in_pieces_may_be_anything_and_pings_may_come_in_between() -> None:
    line = Line()

    async def scenario(street: Street) -> None:
        caller = await street.shake_hands()
        caller.say(frame(b"\xff", 0x02) + frame(b"there?", 0x89) + frame(b"\xfe", 0x80) + frame(b"short"))
        await a_moment()
        assert caller.heard == b"\x8a\x06there?", "a pong"
        assert (line.slowly, line.heard) == ([b"\xff\xfe"], [b"short"])
        caller.say(frame(b"in ", 0x01))
        caller.say(frame(b"there?", 0x89))
        caller.say(frame(b"pieces", 0x80))
        await a_moment()
        assert (line.slowly[1:], line.heard) == (["in pieces"], [b"short"])

    simulated(scenario, meet=line.meet)


def test_a_message_that_comes_with_its_frame_goes_out_as_that_is_and_others_are_framed() -> None:
    async def then(websocket: WebSocket) -> None:
        await websocket.send({"type": "websocket.send", "frame": b"\x81\x03one"})
        await websocket.send({"type": "websocket.send", "text": "two"})
        await websocket.send({"type": "websocket.send", "text": "three", "frame": None})

    line = Line(then)

    async def scenario(street: Street) -> None:
        caller = street.knock()
        caller.say(HANDSHAKE)
        await a_moment()
        assert caller.heard.endswith(b"\r\n\r\n\x81\x03one\x81\x03two\x81\x05three")

    simulated(scenario, meet=line.meet)
    assert line.raised is None


@pytest.mark.parametrize("leaves", [False, True])
def test_a_frame_waits_for_a_client_that_does_not_read_and_is_not_sent_to_one_who_left(leaves: bool) -> None:
    go_on = asyncio.Event()

    async def then(websocket: WebSocket) -> None:
        await go_on.wait()
        await websocket.send({"type": "websocket.send", "frame": b"\x81\x05later"})

    line = Line(then)

    async def scenario(street: Street) -> None:
        caller = await street.shake_hands()
        line.socket.pause_writing()
        go_on.set()
        await a_moment()
        assert caller.heard == b""
        assert not line.socket.send_frame(b"\x81\x03now")
        if leaves:
            caller.abort()
        else:
            line.socket.resume_writing()
        await a_moment()
        assert caller.heard == (b"" if leaves else b"\x81\x05later")
        assert (line.raised is not None) is leaves

    simulated(scenario, meet=line.meet)


def test_nothing_is_heard_or_sent_after_the_farewell() -> None:
    line = Line()

    async def scenario(street: Street) -> None:
        caller = await street.shake_hands()
        await line.socket.send({"type": "websocket.close", "code": 1000, "reason": ""})
        farewell = caller.heard
        assert farewell[0] == 0x88
        caller.say(frame(b"too late"))
        line.socket.send_frames([framed(b"too late")])
        late: Any = {"type": "websocket.send", "frame": b"\x81\x08too late"}
        with pytest.raises(RuntimeError, match="after sending"):
            await line.socket.send(late)
        assert not line.socket.send_frame(b"\x81\x08too late")
        await a_moment()
        assert (line.heard, caller.heard) == ([], farewell)

    simulated(scenario, meet=line.meet)


@inside(simulated)
async def test_of_many_frames_in_one_write_some_wait_until_others_have_had_their_turn(street: Street) -> None:
    caller, readings = await street.shake_hands(), itertools.count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(websocket, "perf_counter", lambda: next(readings) * websocket.SLICE / 50)
        caller.say(frame(b"", 0x89) * 150)
        for turn in (1, 2, 3):
            assert caller.heard.count(PONG) == turn * 50
            await asyncio.sleep(0)


@inside(simulated)
async def test_pings_that_come_too_fast_are_answered_later(street: Street) -> None:
    caller = await street.shake_hands()
    caller.say(frame(b"", 0x89) * 2 * int(websocket.ODD_AT_ONCE))
    await asyncio.sleep(1.0)
    soon = websocket.ODD_AT_ONCE + 2 * websocket.ODD_PER_SECOND
    assert websocket.ODD_AT_ONCE <= caller.heard.count(PONG) < soon
    await asyncio.sleep(2 * websocket.ODD_AT_ONCE / websocket.ODD_PER_SECOND)
    assert caller.heard.count(PONG) == 2 * websocket.ODD_AT_ONCE


@inside(simulated)
async def test_a_message_of_endless_empty_pieces_is_refused(street: Street) -> None:
    caller = await street.shake_hands()
    caller.say(frame(b"{", 0x01) + frame(b"", 0x00) * (websocket.MOST_PIECES + 1))
    await asyncio.sleep(1.0)
    assert not caller.heard  # it came too fast to be looked at in a second
    await asyncio.sleep(10.0)
    assert caller.heard[2:4] == (1009).to_bytes(2, "big")
