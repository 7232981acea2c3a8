"""The client's end of a connection: patience until somebody listens, one value after the other, and back-pressure."""

from __future__ import annotations

import asyncio
import socket

import pytest

from parlour.errors import ConfigError, Unreachable
from parlour.net.client.link import MAX_UNREAD, Link
from support.framing.lines import check_prepared, deaf_server
from support.waiting import PATIENCE

HOST = "127.0.0.1"


class Valve:
    """A stand-in for the connection that notes when it is to wait."""

    def __init__(self) -> None:
        self.turned: list[str] = []

    def pause(self) -> None:
        self.turned.append("pause")

    def resume(self) -> None:
        self.turned.append("resume")


async def test_a_server_waits_while_too_much_is_unread_and_goes_on_at_half() -> None:
    link, valve = Link(), Valve()
    link._connection = valve  # type: ignore[assignment]
    for number in range(MAX_UNREAD - 1):
        link.received(b"%d" % number)
    assert valve.turned == []
    for number in range(MAX_UNREAD - 1, MAX_UNREAD + 2):
        link.received(b"%d" % number)
    assert valve.turned == ["pause"]
    read = 0
    while link._inbox.qsize() > MAX_UNREAD // 2:
        assert await link.receive() == b"%d" % read
        read += 1
    assert valve.turned == ["pause"]
    await link.receive()
    assert valve.turned == ["pause", "resume"]
    await link.receive()
    assert valve.turned == ["pause", "resume"]


async def test_what_arrived_before_the_end_is_read_before_it_and_the_end_stays() -> None:
    link = Link()
    link.received(b"last words")
    assert not link.gone.is_set()
    link.lost(ConnectionError("gone"))
    assert link.gone.is_set()
    assert await link.receive() == b"last words"
    for _ in range(2):
        with pytest.raises(ConnectionError, match="gone"):
            await link.receive()


async def test_nobody_waits_longer_for_a_value_than_it_is_said() -> None:
    with pytest.raises(TimeoutError):
        await Link().receive(0.0)


async def test_a_server_that_does_not_listen_yet_is_tried_again_and_not_for_ever() -> None:
    with socket.socket() as closed:
        closed.bind((HOST, 0))  # and nobody listens there
        port = closed.getsockname()[1]
        with pytest.raises(Unreachable, match=rf"^cannot connect to {HOST}:{port}: Connection refused$"):
            await Link.connect(HOST, port, tries=2, pause=0.0)
        trying = asyncio.ensure_future(Link.connect(HOST, port, tries=10_000, pause=0.001))
        for _ in range(3):
            await asyncio.sleep(0)
        closed.listen()
        async with asyncio.timeout(PATIENCE):
            (await trying).close()


async def test_an_attempt_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.net.client.link.MAX_CONNECT", 0.05)
    async with deaf_server() as port:
        with pytest.raises(Unreachable, match=rf"^cannot connect to {HOST}:{port}: no answer within 0.05 seconds$"):
            await Link.connect(HOST, port, tries=2, pause=0.0)


async def test_what_is_no_host_and_no_try_is_said_at_once() -> None:
    with pytest.raises(ConfigError, match=r"^server: .* is not a valid host") as raised:
        await Link.connect("a" * 70 + "..b", 1)
    assert raised.value.field == "server"
    with pytest.raises(ConfigError, match="tries: expected at least one"):
        await Link.connect(HOST, 1, tries=0)


async def test_a_server_that_vanished_is_noticed() -> None:
    with socket.create_server((HOST, 0)) as server:
        link = await Link.connect(HOST, server.getsockname()[1])
        check_prepared(link._connection)
        link.close()
