"""Connections that are cut in the middle of traffic: nothing is lost, nothing comes twice, all comes in order."""

# Why real time passes here: a cut is seen when the system says so.

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from parlour.net.client import NetworkGame, connect
from parlour.net.mila import faults
from support.mila.house import HOST, mila_server
from support.waiting import until

MESSAGES, PHASES = 60, 12


class Scissors:
    """A stretch of network between a client and a server that is cut after some bytes, anywhere in a frame."""

    def __init__(self, port: int, seed: int) -> None:
        self._port, self._rng = port, random.Random(seed)
        self.cuts = 0
        self.sharp = True

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry bytes both ways until it is time to cut."""
        far_reader, far_writer = await asyncio.open_connection(HOST, self._port)
        ends = (writer, far_writer)
        self._left = self._rng.randrange(300, 6000)

        async def carry(source: asyncio.StreamReader, drain: asyncio.StreamWriter) -> None:
            with suppress(OSError):
                while part := await source.read(1000):
                    if self.sharp and (over := len(part) - self._left) > 0:
                        drain.write(part[:-over])
                        self.cuts += 1
                        break
                    self._left -= len(part)
                    drain.write(part)
            for end in self._rng.sample(ends, 2):
                end.transport.abort() if self._rng.random() < 0.5 else end.close()

        await asyncio.gather(carry(reader, far_writer), carry(far_reader, writer))


@asynccontextmanager
async def cut_now_and_then(port: int, seed: int) -> AsyncIterator[tuple[int, Scissors]]:
    scissors = Scissors(port, seed)
    server = await asyncio.start_server(scissors.meet, HOST, 0)
    async with server:
        yield server.sockets[0].getsockname()[1], scissors


class Ear:
    """The notifications of a game, and the messages that it was asked to send."""

    def __init__(self, game: NetworkGame) -> None:
        self.game = game
        self.heard: list[str] = []
        self.processed: list[str] = []
        self.sent: list[str] = []
        self.unsure: list[str] = []
        """Return the message that was cut off with its phase: it was sent, or it was not."""
        game.add_on_game_message_received(lambda _, told: self.heard.append(told.message.message))
        game.add_on_game_processed(lambda _, told: self.processed.append(told.previous_phase_data.name))

    async def talk(self, to: str) -> None:
        for number in range(MESSAGES):
            text = f"{self.game.role} {number:03}"
            try:
                await self.game.send_game_message(message=self.game.new_power_message(to, text))
                self.sent.append(text)
            except faults.GamePhaseException:
                self.unsure.append(text)

    def has_heard_all_of(self, other: Ear) -> bool:
        told = [text for text in self.heard if text not in other.unsure]
        return told == other.sent and self.heard == sorted(set(self.heard))


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_nothing_is_lost_or_doubled_however_often_a_connection_is_cut(tmp_path: Path, seed: int) -> None:
    async with (
        mila_server(tmp_path) as house,
        cut_now_and_then(house.port, seed) as (port, scissors),
        connect(HOST, port, pause=0.01, attempts=1000) as first,
        connect(HOST, house.port) as second,
    ):
        scissors.sharp = False
        setup = {"game_id": "cut", "n_controls": 2, "deadline": 0, "rules": ["POWER_CHOICE"]}
        master = await (await second.authenticate("host", "password")).create_game(**setup)  # type: ignore[arg-type]
        games = []
        for connection, name, power in ((first, "anna", "FRANCE"), (second, "bert", "ENGLAND")):
            channel = await connection.authenticate(name, "password")
            games.append(await channel.join_game(game_id="cut", power_name=power))
        await until(lambda: all(game.is_game_active for game in games))
        france, england = map(Ear, games)
        scissors.sharp = True

        async def go_on() -> None:
            for _ in range(PHASES):
                await master.process()
                heard = len(england.heard)
                await until(lambda heard=heard: len(england.heard) > heard or talking.done())  # type: ignore[misc]

        talking = asyncio.gather(france.talk("ENGLAND"), england.talk("FRANCE"))
        await asyncio.gather(talking, go_on())
        scissors.sharp = False
        phases = list(master.state_history)
        await until(lambda: france.game.get_current_phase() == master.get_current_phase())
        await until(lambda: england.game.get_current_phase() == master.get_current_phase())
        await france.game.synchronize()
        await england.game.synchronize()
        assert scissors.cuts > 3
        assert england.has_heard_all_of(france)
        assert france.has_heard_all_of(england)
        assert france.processed == england.processed == phases
        assert list(france.game.state_history) == list(england.game.state_history) == phases
