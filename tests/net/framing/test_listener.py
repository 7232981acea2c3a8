"""The listener and the door: whatever knocks, nothing leaks, nobody is left out, and the log stays short."""

# Why real time passes here: sockets of the system know only real time; waits end as soon as they are counted.

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import resource
import socket
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any, cast

import pytest

from parlour.errors import ConfigError, PortTaken
from parlour.net.framing import listener as module
from parlour.net.framing.connection import LINGER, Wire
from parlour.net.framing.entrance import Entrance
from parlour.net.framing.json_stream import ValueReader
from parlour.net.framing.limiter import MOST, SPARE_FILES, ConnectionLimiter, connections_allowed
from parlour.net.framing.listener import Listener, listen
from parlour.net.loops import quick_loop
from support.framing.lines import check_prepared, noticed_after
from support.simulation.world import SimulatedLoop
from support.waiting import inside, until

HOST = "127.0.0.1"


class Porch:
    """A listener with its door, and those who said what they want."""

    def __init__(self, *, most: int = 1000, strangers: int = 8, patience: float = 30.0) -> None:
        self.greeted: list[tuple[Wire, bytes]] = []
        limiter = ConnectionLimiter(most=most, most_silent=strangers)
        self.door = Entrance(self._greeted, self._refused, ValueReader, patience=patience, limiter=limiter)
        self.listener = Listener(self.door.accept, limiter)

    def _greeted(self, connection: Wire, value: bytes) -> None:
        connection.receiver = self
        self.greeted.append((connection, value))

    def _refused(self, connection: Wire, reason: str) -> None:
        connection.send(reason.encode())
        connection.close()

    def received(self, value: bytes) -> None:
        """Nothing more is expected."""

    def lost(self, error: Exception) -> None:
        """The connection counts itself out."""


def files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - of ourselves


def run(scenario: Callable[[Porch], Awaitable[Any]], loop: Any = asyncio, **limits: Any) -> Any:
    async def whole() -> Any:
        porch = Porch(**limits)
        await porch.listener.open(HOST, 0)
        try:
            return await scenario(porch)
        finally:
            porch.listener.close()
            porch.door.close()
            for connection, _ in porch.greeted:
                connection.close()
            await until(lambda: not len(porch.listener))

    return loop.run(whole())


def call(porch: Porch, count: int) -> list[socket.socket]:
    """Connect so many at once: the system takes them before the loop has its turn."""
    return [socket.create_connection((HOST, porch.listener.port)) for _ in range(count)]


@inside(run)
async def test_a_batch_of_silent_connections_is_cut_down_to_the_places_and_nothing_leaks(porch: Porch) -> None:
    before = files()
    callers = call(porch, 200)
    await until(lambda: len(porch.listener) == 8 == len(porch.door))
    kept = [caller for caller in callers if not _is_closed(caller)]
    assert len(kept) == 8  # the others were closed, not forgotten
    for caller in callers:
        caller.close()
    await until(lambda: not len(porch.listener))
    assert files() == before
    assert not len(porch.door)


def _is_closed(caller: socket.socket) -> bool:
    caller.setblocking(False)
    try:
        return caller.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


@inside(run, strangers=64)
async def test_who_says_its_wish_at_once_gets_in_through_a_crowd_that_says_nothing(porch: Porch) -> None:
    silent = call(porch, 100)
    good = socket.create_connection((HOST, porch.listener.port))
    good.send(b'"good"')
    silent += call(porch, 100)
    await until(lambda: porch.greeted)
    assert porch.greeted[0][1] == b'"good"'
    for caller in (*silent, good):
        caller.close()


@inside(run, most=4)
async def test_at_the_limit_newcomers_wait_until_somebody_leaves(porch: Porch) -> None:
    callers = call(porch, 6)
    for caller in callers:
        caller.send(b"[]")
    await until(lambda: len(porch.greeted) == 4)
    await asyncio.sleep(0.05)
    assert len(porch.greeted) == len(porch.listener) == 4
    porch.greeted[0][0].close()
    await until(lambda: len(porch.greeted) == 5)
    for caller in callers:
        caller.close()
    await until(lambda: len(porch.greeted) == 6)


@inside(run, most=4)
async def test_at_the_limit_the_silent_make_room_for_newcomers(porch: Porch) -> None:
    silent = call(porch, 4)
    await until(lambda: len(porch.door) == 4)
    good = socket.create_connection((HOST, porch.listener.port))
    good.send(b"{}")
    await until(lambda: porch.greeted)
    for caller in (*silent, good):
        caller.close()


@inside(run, most=1)
async def test_one_who_knocks_while_the_last_place_is_being_taken_gets_in(
    porch: Porch, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that is not in yet cannot be closed for another: the listener looks again without being asked."""
    welcome = Listener._welcome
    made = asyncio.Event()

    async def slowly(listener: Listener, connection: Wire, accepted: socket.socket) -> None:
        await made.wait()
        await welcome(listener, connection, accepted)

    monkeypatch.setattr(Listener, "_welcome", slowly)
    callers = call(porch, 2)
    callers[1].send(b'"me"')
    await until(lambda: not porch.listener._accepting)
    made.set()
    await until(lambda: porch.greeted)
    for caller in callers:
        caller.close()


def test_when_files_run_out_it_is_said_once_and_goes_on_when_there_are_some_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "EXHAUSTED_PAUSE", 0.01)
    tries = 0

    class Exhausted(socket.socket):
        def accept(self) -> Any:
            nonlocal tries
            tries += 1
            if tries <= 20:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            return super().accept()

    make = module._listening

    def listening(*where: Any) -> socket.socket:
        made = make(*where)
        return Exhausted(made.family, made.type, made.proto, made.detach())

    monkeypatch.setattr(module, "_listening", listening)

    async def scenario(porch: Porch) -> None:
        silent = call(porch, 3)
        good = socket.create_connection((HOST, porch.listener.port))
        good.send(b"{}")
        await until(lambda: porch.greeted)
        for caller in (*silent, good):
            caller.close()

    with caplog.at_level(logging.WARNING):
        run(scenario)
    assert tries > 20
    assert [record.getMessage() for record in caplog.records] == [
        f"cannot accept connections for now: {os.strerror(errno.EMFILE)}"
    ]


def test_connections_are_never_more_than_the_system_allows_files(monkeypatch: pytest.MonkeyPatch) -> None:
    for files, most in ((1000, 1000 - SPARE_FILES), (64, 32), (1, 1)):
        monkeypatch.setattr(resource, "getrlimit", lambda which, files=files: (files, files))
        assert ConnectionLimiter().most == most
        assert connections_allowed(3) == max(1, most // 3), "of three doors each has its share"
    monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY, 0))
    assert ConnectionLimiter().most == MOST


@inside(run)
async def test_a_connection_that_ends_before_it_is_made_is_closed_and_counted(porch: Porch) -> None:
    make = porch.listener._make

    def ended() -> Wire:
        connection = make()
        connection.close()
        return connection

    porch.listener._make = ended
    (caller,) = call(porch, 1)
    await until(lambda: _is_closed(caller))
    await until(lambda: not len(porch.listener))
    caller.close()


@inside(run)
async def test_a_socket_that_never_becomes_a_connection_is_closed_and_counted(
    porch: Porch, *, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*given: Any, **named: Any) -> None:
        raise OSError("the other side was gone before")

    monkeypatch.setattr(asyncio.get_running_loop(), "connect_accepted_socket", fails)
    (caller,) = call(porch, 1)
    await until(lambda: _is_closed(caller))
    await until(lambda: not len(porch.listener))
    caller.close()


@inside(run, patience=0.5)
async def test_who_is_too_slow_is_shown_out_and_who_has_begun_gets_as_long_again(porch: Porch) -> None:
    silent, begun = call(porch, 2)
    begun.send(b'"be')
    await until(lambda: len(porch.door) == 1)
    await until(lambda: _is_closed(silent))
    begun.send(b'gun"')
    await until(lambda: porch.greeted)
    silent.close()
    begun.close()


async def test_one_port_for_every_address_of_a_host_and_a_sentence_for_what_cannot_be() -> None:
    both = Listener(lambda: Wire(Porch()))
    await both.open("localhost", 0)
    assert len({listening.getsockname()[1] for listening in both._sockets}) == 1
    for host, port, message in (
        (HOST, both.port, f"port: cannot listen on {HOST}:{both.port}: Address already in use"),
        ("no such host", 0, "port: cannot listen on no such host:0"),
        ("x" * 70, 0, "host: expected a host name or address, got 'xxx"),
    ):
        other = Listener(lambda: Wire(Porch()))
        with pytest.raises(ConfigError, match=message):
            await other.open(host, port)
    both.close()


def test_whoever_closes_waits_until_all_are_gone_and_not_for_ever() -> None:
    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        listener = Listener(lambda: Wire(Porch()))
        await listener.emptied()
        assert loop.time() == 0.0, "there is nobody"
        listener._count = 1
        loop.call_later(1.0, listener._left)
        await listener.emptied()
        assert (loop.time(), len(listener)) == (1.0, 0)
        listener._count = 1
        listener._empty.clear()
        await listener.emptied()
        assert loop.time() == 1.0 + 2 * LINGER

    with contextlib.closing(SimulatedLoop()) as simulated:
        simulated.run_until_complete(scenario())


async def test_where_one_address_of_a_host_is_taken_no_socket_of_the_others_stays_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[socket.socket] = []
    make = module._listening

    def listening(family: int, host: str, port: int) -> socket.socket:
        if opened:
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
        opened.append(make(family, host, port))
        return opened[-1]

    monkeypatch.setattr(module, "_listening", listening)

    async def found(*given: Any, **named: Any) -> Any:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (HOST, 0))] * 2 + [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.2", 0))
        ]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", found)
    with pytest.raises(PortTaken, match="port: cannot listen on here:7: Address already in use"):
        await module.listen("here", 7)
    assert [listening.fileno() for listening in opened] == [-1]


async def test_those_who_are_just_coming_in_when_it_closes_are_let_go() -> None:
    porch = Porch()
    await porch.listener.open(HOST, 0)
    (caller,) = call(porch, 1)
    porch.listener._knock(porch.listener._sockets[0])
    assert (len(porch.listener), len(porch.listener._arriving)) == (1, 1)
    porch.listener.close()
    await until(lambda: not len(porch.listener))
    assert not porch.listener._arriving
    assert _is_closed(caller)
    caller.close()


async def test_one_that_is_closed_is_asked_nothing_more_by_the_loop() -> None:
    loop, porch = asyncio.get_running_loop(), Porch()
    await porch.listener.open(HOST, 0)
    descriptors = [listening.fileno() for listening in porch.listener._sockets]
    porch.listener.close()
    assert not any(loop.remove_reader(descriptor) for descriptor in descriptors)
    porch.listener.close()


def test_what_goes_wrong_otherwise_is_raised_and_who_was_gone_before_is_passed_over() -> None:
    class Broken:
        def __init__(self, error: OSError) -> None:
            self._error = error

        def accept(self) -> Any:
            raise self._error

    listener = Listener(lambda: Wire(Porch()))
    for harmless in (BlockingIOError(), InterruptedError(), ConnectionAbortedError()):
        listener._knock(cast(socket.socket, Broken(harmless)))
    with pytest.raises(OSError, match="odd"):
        listener._knock(cast(socket.socket, Broken(OSError(errno.EINVAL, "odd"))))
    assert len(listener) == 0


async def test_whoever_is_let_in_anywhere_is_noticed_to_be_gone_in_some_minutes() -> None:
    for listening in await listen(HOST, 0):
        with listening, socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
            with accepted:
                assert noticed_after(accepted) <= 300


@pytest.mark.parametrize("loop", [asyncio, quick_loop()])
def test_what_a_listener_was_told_once_holds_for_all_whom_it_lets_in(loop: ModuleType) -> None:
    async def scenario(porch: Porch) -> None:
        (caller,) = call(porch, 1)
        caller.send(b'"hello"')
        await until(lambda: porch.greeted)
        check_prepared(porch.greeted[0][0])
        caller.close()

    run(scenario, loop)


async def test_answers_in_several_pieces_are_sent_at_once_to_whoever_is_let_in() -> None:
    (listening,) = await listen("127.0.0.1", 0)
    with listening, socket.create_connection(listening.getsockname()) as caller:
        listening.setblocking(True)
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getpeername() == caller.getsockname()
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
