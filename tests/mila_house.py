"""A house in memory behind the door of the `diplomacy` package's protocol, and the door on a real socket."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import Intent, PlayerType
from parlour.core.viewers import MODERATOR
from parlour.games.diplomacy.game import GAME
from parlour.net.mila import faults
from parlour.net.mila.board import BoardState
from parlour.net.mila.door import Door
from parlour.net.mila.host import MatchHead, Opening
from parlour.net.mila.pump import MAX_FRAME, Pump
from parlour.net.mila.rules import HouseRules
from parlour.net.mila.values import Grade
from parlour.referee.match import Match
from parlour.referee.table import Answer, Table

HOST = "127.0.0.1"


@dataclass
class _Hosted:
    table: Table
    board: BoardState
    house: HouseRules
    password: str
    moderators: set[str]
    omniscients: set[str] = field(default_factory=set)
    ticker: asyncio.Task[None] | None = None


class MemoryHouse:
    """Accounts and matches of one process; everything is decided here."""

    def __init__(self) -> None:
        self.passwords: dict[str, str] = {"admin": "password"}
        self.admins = {"admin"}
        self.tokens: dict[str, str] = {}
        self.matches: dict[str, _Hosted] = {}
        self.rng = random.Random(1)

    async def sign_in(self, name: str, password: str) -> str:
        if self.passwords.setdefault(name, password) != password:
            raise faults.UserException
        token = secrets.token_hex(16)
        self.tokens[token] = name
        return token

    async def account(self, token: str) -> str:
        if token not in self.tokens:
            raise faults.TokenException
        return self.tokens[token]

    async def sign_out(self, token: str) -> None:
        self.tokens.pop(token, None)

    async def delete_account(self, by: str, name: str) -> None:
        if by != name and by not in self.admins:
            raise faults.AdminTokenException
        if name not in self.passwords:
            raise faults.UserException
        for hosted in self.matches.values():
            for seat, place in hosted.table.match.state.places.items():
                if place.present and place.name == name:
                    await hosted.table.handle(it.Leave(seat))
        del self.passwords[name]
        self.tokens = {token: account for token, account in self.tokens.items() if account != name}

    async def set_grade(self, by: str, name: str, grade: Grade, given: bool, match: str) -> None:
        if grade is Grade.ADMIN:
            if by not in self.admins:
                raise faults.AdminTokenException
            among = self.admins
        else:
            if not await self.may_moderate(by, match):
                raise faults.GameMasterTokenException
            hosted = self._found(match)
            among = hosted.moderators if grade is Grade.MODERATOR else hosted.omniscients
        (among.add if given else among.discard)(name)

    async def may_moderate(self, name: str, match: str) -> bool:
        return name in self.admins or name in self._found(match).moderators

    async def may_see_all(self, name: str, match: str) -> bool:
        return await self.may_moderate(name, match) or name in self._found(match).omniscients

    async def open(self, by: str, opening: Opening) -> str:
        if opening.id in self.matches:
            raise faults.GameIdException(f"There is a game {opening.id!r:.60} already.")
        match = Match(GAME, opening.config, opening.terms, self.rng.getrandbits(63), opening.id)
        table = Table(match, time.time)
        await table.open()
        hosted = _Hosted(table, BoardState(match.record[0]), opening.house, opening.password, {by})
        self.matches[opening.id] = hosted
        table.watch(MODERATOR, lambda told: hosted.board.take(told.event, told.position, told.number))
        await table.handle(it.Start(by))
        if opening.house.started_by_master:
            await table.handle(it.Pause(by))
        hosted.ticker = asyncio.get_running_loop().create_task(self._tick(table))
        return opening.id

    async def _tick(self, table: Table) -> None:
        while not table.match.over:
            await asyncio.sleep(0.02)
            await table.tick()

    def _found(self, match: str) -> _Hosted:
        if match not in self.matches:
            raise faults.GameIdException
        return self.matches[match]

    async def head(self, match: str) -> MatchHead:
        hosted = self._found(match)
        board = hosted.board
        return MatchHead(
            id=match,
            status=board.status,
            phase=board.phase,
            map_name=board.position.board.name,
            deadline=round(board.terms.clock.per_turn or 0),
            house=hosted.house,
            protected=bool(hosted.password),
            players={name: place.controller for name, place in board.places.items() if place.is_controlled},
            created=board.created,
            updated=board.latest,
        )

    async def heads(self) -> list[MatchHead]:
        return [await self.head(match) for match in self.matches]

    async def table(self, match: str) -> Table:
        return self._found(match).table

    async def watch(self, name: str, match: str, password: str) -> None:
        hosted = self._found(match)
        if await self.may_moderate(name, match):
            return
        if hosted.password and hosted.password != password:
            raise faults.GameRegistrationPasswordException
        if not hosted.house.observed:
            raise faults.GameObserverException

    async def sit(
        self, name: str, match: str, seats: Iterable[Seat], player_type: PlayerType, password: str
    ) -> tuple[Seat, ...]:
        hosted = self._found(match)
        board, master = hosted.board, await self.may_moderate(name, match)
        if hosted.password and hosted.password != password and not master:
            raise faults.GameRegistrationPasswordException
        if board.outcome is not None:
            raise faults.GameFinishedException
        wanted = list(seats)
        own = [seat for seat, place in board.places.items() if place.controller == name]
        free = [
            Seat(seat)
            for seat in board.places
            if not board.places[seat].is_controlled and seat in board.position.alive()
        ]
        if not master and board.controlled + len(wanted) > hosted.house.n_controls:
            raise faults.ResponseException(f"All {hosted.house.n_controls} powers of this game have a player.")
        if own and not hosted.house.several:
            raise faults.ResponseException("In this game everyone plays one power.")
        if not hosted.house.choice:
            wanted = self.rng.sample(free, len(wanted))
        for seat in wanted:
            if seat not in free:
                raise faults.ResponseException(f"{seat} is taken.")
        for seat in wanted:
            await hosted.table.handle(it.Join(name, seat, player_type))
        return tuple(wanted)

    async def handle(self, by: str, match: str, *intents: Intent) -> list[Answer]:
        hosted = self._found(match)
        return list(await asyncio.gather(*(hosted.table.handle(intent) for intent in intents)))

    async def delete(self, by: str, match: str) -> None:
        hosted = self.matches.pop(match)
        assert hosted.ticker is not None
        hosted.ticker.cancel()

    async def waiting_powers(self, name: str, most: int) -> dict[str, list[str]]:
        raise faults.ResponseException("Invalid bot token.")

    async def daide_port(self, match: str) -> int:
        raise faults.DaidePortException

    def close(self) -> None:
        for hosted in self.matches.values():
            if hosted.ticker is not None:
                hosted.ticker.cancel()


@asynccontextmanager
async def memory_server() -> AsyncIterator[tuple[int, Door, MemoryHouse]]:
    """The door on a real socket, before a house in memory: the port, the door, the house."""
    house = MemoryHouse()
    door = Door(house)

    async def frames(socket: ServerConnection) -> AsyncIterator[bytes | str]:
        with suppress(ConnectionClosed):
            async for frame in socket:
                yield frame

    async def meet(socket: ServerConnection) -> None:
        async def send(frames: Sequence[bytes]) -> None:
            try:
                for frame in frames:
                    await socket.send(frame.decode())
            except ConnectionClosed:
                return

        request: Any = socket.request
        pump = Pump(door, send, browser="Origin" in request.headers)
        with suppress(ConnectionClosed):
            await pump.run(frames(socket))

    async with serve(meet, HOST, 0, max_size=MAX_FRAME, compression=None) as server:
        yield server.sockets[0].getsockname()[1], door, house
    house.close()
