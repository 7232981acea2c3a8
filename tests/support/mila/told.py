"""Notifications by recipient: bare sockets around one game, and all that came over each of them after each request."""

# Why real time passes here: the server of others tells in its own time; waits end as soon as nothing more comes.

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import websockets
from websockets.exceptions import ConnectionClosed

from support.mila.servers import HOST
from support.waiting import PATIENCE

POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
QUIET = 0.02
"""Seconds for work of our server that outlasts its answer; `peers.original_server` answers when all is told."""
ADDRESS = frozenset(("request_id", "notification_id", "token", "game_id", "game_role", "daide_port"))
TIMES = frozenset(("timestamp", "timestamp_created", "time_sent", "timestamps"))
FORKS = frozenset(
    (
        *("logs", "log_history", "stances", "stance_history", "order_logs", "is_bot", "deceiving"),
        *("player_type", "player_types", "comm_status"),
    )
)
"""Keys that only clients of the forks read."""
Frame = dict[str, Any]
Step = dict[str, Any]
Difference = Callable[[Step], Step]
"""Our value for each value of the package's server."""


def plain(found: Any) -> Any:
    """Return a frame without what is another one each time: ids, tokens, times, ports and the words of errors."""
    if isinstance(found, list):
        items = [plain(item) for item in found]
        return sorted(items) if all(isinstance(item, str) for item in items) else items
    if not isinstance(found, dict):
        return found
    if found.get("name") in ("data_time_stamp", "data_token", "error"):
        return found.get("error_type", found["name"])
    shown: dict[str, Any] = {}
    for name, value in found.items():
        if name == "controller":
            shown[name] = list(value.values())
        elif name not in ADDRESS and name not in FORKS:
            shown[name] = "a time" if name in TIMES and value is not None else plain(value)
    return shown


class Caller:
    """Somebody with a socket of his own."""

    def __init__(self, table: Callers, account: str, role: str) -> None:
        self.table, self.account, self.role = table, account, role
        self.told: list[Frame] = []
        self._token = ""
        self._answers: dict[str, asyncio.Future[Frame]] = {}

    async def connect(self) -> None:
        """Come, or come back with the same token."""
        self._socket = await websockets.connect(f"ws://{HOST}:{self.table.port}/", max_size=None)
        self._reading = asyncio.ensure_future(self._read())

    async def hang_up(self) -> None:
        """Be cut off."""
        await self._socket.close()
        await asyncio.wait([self._reading])

    async def _read(self) -> None:
        with suppress(ConnectionClosed):
            async for text in self._socket:
                frame = json.loads(text)
                if frame.get("request_id"):
                    self._answers.pop(frame["request_id"]).set_result(frame)
                elif frame.get("game_role", self.role) == self.role:
                    self.told.append(plain(frame))

    async def ask(self, name: str, **fields: Any) -> Frame:
        """Send a request, and wait for its answer."""
        self.table.asked += 1
        request_id = f"r{self.table.asked}"
        answer = self._answers[request_id] = asyncio.get_running_loop().create_future()
        frame = {"request_id": request_id, "name": name, "re_sent": False, "token": self._token, **fields}
        await self._socket.send(json.dumps(frame))
        return await asyncio.wait_for(answer, PATIENCE)

    async def ask_game(self, name: str, **fields: Any) -> Frame:
        """Return the same about the game, in the phase that it is in."""
        game = {"game_id": self.table.game, "game_role": self.role, "phase": self.table.phase}
        return await self.ask(name, **game | fields)

    async def sign_in(self) -> None:
        """Come in."""
        await self.connect()
        self._token = (await self.ask("sign_in", username=self.account, password="password"))["data"]

    async def join(self, **fields: Any) -> Frame:
        """Join the game in its role."""
        power = self.role if self.role in POWERS else None
        return await self.ask("join_game", game_id=self.table.game, power_name=power, **fields)


class Callers:
    """All around one game, and what each was told in each step."""

    def __init__(self, port: int, game: str) -> None:
        self.port, self.game, self.phase = port, game, "S1901M"
        self.asked = 0
        self.all: dict[str, Caller] = {}
        self.steps: dict[str, Step] = {}
        self.differences: dict[str, Difference] = {}
        """The steps in which something else is to be seen here."""
        self._stands: list[Any] = []
        self._everybody: list[Caller] = []

    async def come(self, name: str, role: str, account: str = "") -> Caller:
        """Somebody comes in, and has joined nothing yet."""
        caller = self.all[name] = Caller(self, f"{self.game} {account or name}", role)
        self._everybody.append(caller)
        await caller.sign_in()
        return caller

    async def part(self) -> None:
        """All go home."""
        await asyncio.gather(*(caller.hang_up() for caller in self._everybody))

    def take_in(self, others: Callers) -> None:
        """Another game belongs to the same story."""
        self.steps |= others.steps
        self.differences |= others.differences
        self._everybody += others._everybody

    async def settle(self) -> None:
        """Let all that was told arrive."""
        before = None
        while before != (before := [len(caller.told) for caller in self.all.values()]):
            await asyncio.sleep(QUIET)
            first, *others = self.all.values()
            asked = [first.ask("get_games_info", games=[self.game])]
            asked += [caller.ask("get_games_info", games=[]) for caller in others]
            for found in (await asyncio.gather(*asked))[0]["data"]:
                self.phase, self._stands = found["phase"], [found["status"], found["phase"], found["n_players"]]

    async def step(self, what: str, who: str, name: str, but: Difference | None = None, **fields: Any) -> None:
        """One request about the game: its answer, how the game stands then, and what each was told."""
        await self.see(what, lambda: self.all[who].ask_game(name, **fields), but)

    async def see(self, what: str, action: Callable[[], Awaitable[Any]], but: Difference | None = None) -> None:
        """The same of anything."""
        for caller in self.all.values():
            caller.told.clear()
        answer = await action()
        await self.settle()
        self.note(what, plain(answer), {name: list(caller.told) for name, caller in self.all.items()}, but)

    def note(self, what: str, answer: Any, told: dict[str, Any], but: Difference | None = None) -> None:
        """Write down what came of something."""
        if what in self.steps:
            raise ValueError(what)
        if but is not None:
            self.differences[what] = but
        self.steps[what] = {"answer": answer, "stands": self._stands, "told": told}


async def gathered(port: int, game: str, *, seats: tuple[str, ...] = POWERS, **setup: Any) -> Callers:
    """Return a game with a moderator, players, one of them twice, an observer and one who sees all."""
    table = Callers(port, game)
    master = await table.come("master", "omniscient_type")
    setup = {"deadline": 0, "n_controls": len(seats), "rules": ["POWER_CHOICE"], **setup}
    await master.ask("create_game", game_id=game, **setup)
    watcher = await table.come("watcher", "observer_type")
    seer = await table.come("seer", "omniscient_type")
    grade = {"grade": "omniscient", "grade_update": "promote", "username": seer.account, "game_id": game}
    await master.ask("set_grade", **grade)
    for caller in (watcher, seer):
        await caller.join()
    for power in seats:
        await (await table.come(power, power)).join()
    if "FRANCE" in seats:
        await (await table.come("again", "FRANCE", "FRANCE")).join()
    await table.settle()
    return table
