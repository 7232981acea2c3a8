"""Connections: bounded both ways, and honest about why they end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest

from parlour.errors import RemoteWireError
from parlour.net.framing import connection as module
from parlour.net.framing.connection import LINGER, MAX_UNSENT, READ_AT_ONCE, Wire, prepare
from support.framing.lines import Line, simulated
from support.waiting import PATIENCE, inside

HOST = "127.0.0.1"


class Inbox:
    """A receiver that remembers."""

    def __init__(self) -> None:
        self.values: list[bytes] = []
        self.error: Exception | None = None
        self.over = asyncio.Event()

    def received(self, value: bytes) -> None:
        self.values.append(value)

    def lost(self, error: ConnectionError | RemoteWireError) -> None:
        assert self.error is None, "told twice"
        self.error = error
        self.over.set()


def connected(scenario: Callable[[Wire, Inbox, socket.socket], Awaitable[Any]]) -> Any:
    """Run a scenario with our end of a connection and a bare socket at the other."""

    async def run() -> Any:
        inbox = Inbox()
        connection = Wire(inbox)
        accepted = asyncio.Event()

        def accept() -> Wire:
            accepted.set()
            return connection

        server = await asyncio.get_running_loop().create_server(accept, HOST, 0)
        prepare(server.sockets[0])
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            other.setblocking(False)
            await asyncio.get_running_loop().sock_connect(other, server.sockets[0].getsockname())
            await accepted.wait()
            await asyncio.sleep(0)  # the loop gives the connection its transport right after it was made
            try:
                return await scenario(connection, inbox, other)
            finally:
                connection.close()
                server.close()

    return asyncio.run(run())


@inside(connected)
async def test_whoever_is_paused_waits_and_is_heard_when_it_may_go_on(
    connection: Wire, inbox: Inbox, other: socket.socket
) -> None:
    transport = cast(asyncio.ReadTransport, connection._transport)
    connection.pause()
    other.send(b'"a"')
    assert not transport.is_reading()
    connection.resume()
    assert transport.is_reading()
    other.shutdown(socket.SHUT_WR)
    await asyncio.wait_for(inbox.over.wait(), PATIENCE)
    assert inbox.values == [b'"a"']
    connection.pause()  # nothing comes of it where nobody is
    connection.resume()


@inside(connected)
async def test_values_arrive_one_by_one_and_the_end_is_told(
    connection: Wire, inbox: Inbox, other: socket.socket
) -> None:
    other.send(b'"a" [1,')
    other.send(b"2]{}")
    other.shutdown(socket.SHUT_WR)
    await asyncio.wait_for(inbox.over.wait(), PATIENCE)
    assert inbox.values == [b'"a"', b"[1,2]", b"{}"]
    assert isinstance(inbox.error, ConnectionError)
    assert not connection.is_open


@inside(connected)
async def test_when_all_values_of_one_read_are_handed_over_that_is_told_once(
    connection: Wire, inbox: Inbox, other: socket.socket
) -> None:
    told: list[tuple[int, bool]] = []
    done, arrived = asyncio.Event(), inbox.received

    def received(value: bytes) -> None:
        assert connection.reading
        arrived(value)

    def read_out() -> bool:
        told.append((len(inbox.values), connection.reading))
        done.set()
        return False

    inbox.received = received  # type: ignore[method-assign]
    connection.read_out = read_out
    other.send(b'"a" [1] {}')
    await asyncio.wait_for(done.wait(), PATIENCE)
    assert told == [(3, False)]


class Asked:
    """A socket that only counts what is asked of it."""

    def __init__(self) -> None:
        self.quickly = 0

    def setsockopt(self, *_: int) -> None:
        self.quickly += 1


@pytest.mark.parametrize(
    ("said", "answered", "quickly"),
    [(b'"a" ', None, 1), (b'"a" ', False, 1), (b'"a" ', True, 0), (b'"a" "b', True, 1)],
)
def test_what_arrived_is_acknowledged_at_once_unless_an_answer_follows(
    said: bytes, answered: bool | None, quickly: int
) -> None:
    """A client that writes in small pieces sends the next when the last has arrived."""
    wire, asked = Wire(Inbox()), Asked()
    wire._socket = cast(socket.socket, asked)
    if answered is not None:
        wire.read_out = lambda: bool(answered)
    wire.get_buffer(-1)[: len(said)] = said
    wire.buffer_updated(len(said))
    assert asked.quickly == quickly


def test_a_peer_that_does_not_read_is_cut_off_before_our_memory_fills() -> None:
    async def scenario(connection: Wire, inbox: Inbox, other: socket.socket) -> int:
        sent = 0
        while connection.is_open:
            connection.send(b"x" * 10_000)
            sent += 10_000
            await asyncio.sleep(0)
        assert isinstance(inbox.error, RemoteWireError)
        assert "does not read" in str(inbox.error)
        connection.send(b"more")  # nobody hears it, and nothing happens
        return sent

    sent = connected(scenario)
    assert sent < MAX_UNSENT + 5 * module.SEND_BUFFER + 1_000_000


@inside(connected)
async def test_what_was_sent_before_closing_is_still_read(connection: Wire, inbox: Inbox, other: socket.socket) -> None:
    connection.send(b"goodbye\n")
    connection.close()
    assert await asyncio.get_running_loop().sock_recv(other, 100) == b"goodbye\n"
    assert await asyncio.get_running_loop().sock_recv(other, 100) == b""
    assert inbox.error is None


@inside(connected)
async def test_a_value_out_of_bounds_ends_the_connection(connection: Wire, inbox: Inbox, other: socket.socket) -> None:
    other.send(b'"fine"' + b"[" * 40)
    await asyncio.wait_for(inbox.over.wait(), PATIENCE)
    assert inbox.values == [b'"fine"']
    assert isinstance(inbox.error, RemoteWireError)


@inside(connected)
async def test_a_connection_knows_who_is_at_its_other_end(connection: Wire, inbox: Inbox, other: socket.socket) -> None:
    assert connection.peer == "{}:{}".format(*other.getsockname())


def test_an_answer_that_was_sent_says_that_all_before_it_arrived() -> None:
    wire, asked, inbox = Wire(Inbox()), Asked(), Inbox()
    line = Line(wire)
    wire.connection_made(line)
    wire._socket, wire.receiver = cast(socket.socket, asked), inbox
    inbox.received = lambda value: wire.send(b"yes")  # type: ignore[method-assign]
    line.say(b"1 ")
    assert (line.sent, asked.quickly) == (b"yes", 0)
    inbox.received = lambda value: None  # type: ignore[method-assign]
    line.say(b"2 ")
    assert asked.quickly == 1


def test_little_is_read_from_one_connection_before_it_is_the_turn_of_the_others() -> None:
    assert len(Wire(Inbox()).get_buffer(1 << 30)) == READ_AT_ONCE <= 1 << 16


@inside(simulated)
async def test_a_peer_that_does_not_read_a_farewell_is_cut_off_after_a_short_while() -> None:
    line = Line(Wire(Inbox()))
    line.wire.connection_made(line)
    cut: list[float] = []
    line.abort = lambda: cut.append(asyncio.get_running_loop().time())  # type: ignore[method-assign]
    line.wire.close()
    line.wire.close()
    await asyncio.sleep(10 * LINGER)
    assert cut == [LINGER]


@inside(simulated)
async def test_what_comes_after_the_end_is_not_heard_and_the_end_is_told_once() -> None:
    inbox = Inbox()
    line = Line(Wire(inbox))
    line.wire.connection_made(line)
    received = inbox.received

    def last(value: bytes) -> None:
        received(value)
        line.wire.end(RemoteWireError("enough"))

    inbox.received = last  # type: ignore[method-assign]
    line.say(b"1 2 3 ")
    line.wire.connection_lost(OSError("gone"))
    line.wire.end(RemoteWireError("twice"))
    assert (inbox.values, str(inbox.error)) == ([b"1"], "enough")


@pytest.mark.parametrize(
    ("cause", "told"), [(None, "the connection was lost"), (OSError("pulled"), "the connection was lost: pulled")]
)
@inside(simulated)
async def test_a_connection_that_is_lost_says_how_and_is_counted_out_once(
    *, cause: Exception | None, told: str
) -> None:
    inbox = Inbox()
    line = Line(Wire(inbox))
    assert (line.wire.was_made, line.wire.is_open) == (False, False)
    counted: list[str] = []
    line.wire.opened, line.wire.closed = lambda: counted.append("in"), lambda: counted.append("out")
    line.wire.connection_made(line)
    assert (line.wire.was_made, line.wire.is_open) == (True, True)
    line.wire.connection_lost(cause)
    assert (str(inbox.error), counted) == (told, ["in", "out"])
    assert (line.wire.was_made, line.wire.is_open) == (True, False)
    line.wire.send(b"nobody hears it")
    assert line.sent == b""


@inside(simulated)
async def test_a_connection_that_was_ended_before_it_stood_is_cut_off_and_never_opened() -> None:
    inbox = Inbox()
    line = Line(Wire(inbox))
    opened: list[str] = []
    line.wire.opened = lambda: opened.append("in")
    line.wire.close()
    line.wire.connection_made(line)
    assert (line.ended, opened, inbox.error) == ("cut off", [], None)
    line.wire.send(b"nobody hears it")
    assert line.sent == b""
