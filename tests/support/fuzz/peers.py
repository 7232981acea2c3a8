"""Messages of other programs to ours, for the fuzzer: servers to our clients, and bots that we started."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from itertools import count
from typing import Any
from unittest import mock

from parlour.errors import ParlourError
from support.waiting import PATIENCE


class _Wire:
    """The end of a connection at which nobody is."""

    def write(self, text: bytes) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    async def send(self, text: str) -> None:
        pass


class _Pipe:
    """The pipes of a program that was never started."""

    def __init__(self, *given: object) -> None:
        self.gone: Exception | None = None
        self.held: tuple[str, ...] = ()
        self.took: Callable[[bytes], None] = lambda line: None

    def first(self, until: float) -> bytes:
        return b'{"press": true}'

    def attach(self, took: Callable[[bytes], None], lost: Callable[[Exception], None]) -> None:
        self.took = took

    def want(self, wanted: bool) -> None:
        pass

    def send(self, line: bytes, *, must: bool = False) -> bool:
        return True

    def close(self) -> None:
        pass


async def _neu(raw: bytes) -> None:
    from parlour.agents import make_agent
    from parlour.net.client.fish_neu import NeuClient
    from parlour.net.framing.json_stream import ValueReader

    client = NeuClient("fuzz", lambda game: make_agent("fish", "random"), inline=True)
    reader = ValueReader()
    for value in reader.feed(raw):
        await client._answer(value)


async def _json(raw: bytes) -> None:
    from parlour.agents import make_agent
    from parlour.net.client.fish_json import JsonClient
    from parlour.net.client.link import Link
    from parlour.net.framing.json_stream import ValueReader

    client = JsonClient("fuzz", lambda game: make_agent("fish", "random"), inline=True)
    link = client._link = Link()
    for value in ValueReader().feed(raw):
        link.received(value)
    link.lost(ConnectionResetError("the end"))
    with mock.patch.object(link, "send"), contextlib.suppress(ConnectionError):
        while await client._step():
            pass


async def _daide(raw: bytes) -> None:
    from parlour.agents import make_agent
    from parlour.net.client.daide import DaideClient
    from parlour.net.framing.frames import FrameReader

    client: Any = DaideClient("fuzz", make_agent("diplomacy", "hold"), talk=0.0)
    client._writer = _Wire()
    reader = asyncio.StreamReader()
    reader.feed_data(raw)
    reader.feed_eof()
    async with asyncio.TaskGroup() as tasks:
        try:
            await client._listen(reader, FrameReader(max_body=1 << 16), tasks)
        finally:
            for task in (client._acting, client._serving):
                if task is not None:
                    task.cancel()


async def _mila(raw: bytes) -> None:
    from parlour.net.client.connection import Connection

    connection: Any = Connection("ws://127.0.0.1:1/")
    numbers = count(1)
    connection.new_id = lambda: str(next(numbers))
    connection._socket = _Wire()
    connection._ready.set()
    work: list[asyncio.Future[Any]] = [asyncio.ensure_future(connection.authenticate("fuzz", "password"))]
    for frame in raw.split(b"\n")[:20]:
        await asyncio.sleep(0)
        await connection._take(frame)
        if len(work) == 1 and connection.channels:
            channel = next(iter(connection.channels.values()))
            work.append(asyncio.ensure_future(channel.join_game(game_id="g", power_name="FRANCE")))
    for asked in work:
        asked.cancel()
    await asyncio.gather(*work, return_exceptions=True)
    connection._socket = None
    await connection.close()


SERVERS: dict[bytes, Callable[[bytes], Coroutine[Any, Any, None]]] = {
    b"neu": _neu,
    b"json": _json,
    b"daide": _daide,
    b"mila": _mila,
}
"""Each of our clients by the protocol that it speaks."""


async def _bot(raw: bytes) -> None:
    from parlour.agents.program import Program
    from parlour.core.game import Seat, View
    from parlour.games import load_game

    game = load_game("fish")
    seats = game.seats({})
    with mock.patch("parlour.agents.program.Lines", _Pipe):
        program: Any = Program("bot", "fish")
    await program.on_introduced(seats)
    asked = asyncio.ensure_future(program.act(View(Seat("red"), game.start({}, seats, 0), 1)))
    await asyncio.sleep(0)
    for line in raw.split(b"\n")[:50]:
        program._lines.took(line)
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)


def _alone(error: BaseException) -> BaseException:
    """Return the content of a group, and of the group in it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _run(work: Coroutine[Any, Any, None]) -> None:
    try:
        asyncio.run(asyncio.wait_for(work, PATIENCE))
    except (ParlourError, BaseExceptionGroup) as error:
        if not isinstance(_alone(error), ParlourError):
            raise


def servers() -> Callable[[bytes], None]:
    """Feed messages of servers to our clients: the protocol in the first line, then all messages."""
    for talk in SERVERS.values():
        _run(talk(b""))  # so that what it imports is watched, which ends when the target is made

    def target(raw: bytes) -> None:
        protocol, _, said = raw.partition(b"\n")
        if (talk := SERVERS.get(protocol)) is not None:
            _run(talk(said))

    return target


def programs() -> Callable[[bytes], None]:
    """Lines that a bot writes."""
    _run(_bot(b""))
    return lambda raw: _run(_bot(raw))
