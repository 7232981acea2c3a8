"""The DAIDE door: one port for all matches on one map and, if configured, further ports for single matches."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

import msgspec

from parlour.core.game import Plain
from parlour.errors import ConfigError, Denied
from parlour.games.diplomacy.fog import is_foggy
from parlour.games.diplomacy.maps.map import Map, named, standard
from parlour.net.daide.caller import DaideCaller
from parlour.net.daide.declaration import read_ports
from parlour.net.daide.frames import DIPLOMACY, framed
from parlour.net.daide.options import DaideOptions, read_options
from parlour.net.daide.places import Gate, board_of_match
from parlour.net.daide.reception import Reception
from parlour.net.daide.tokens import Numbering
from parlour.net.declaration import Premises
from parlour.net.framing.connection import Wire
from parlour.net.framing.limiter import ConnectionLimiter
from parlour.net.framing.listener import Listener
from parlour.net.hall import Hall
from parlour.store import Setting

RETURN_TIME = 60.0
"""Seconds that clients have to return after a restart before their seats count as left."""
MOST = 1024
"""Maximum number of clients at the same time."""
PORTS = "daide ports"

_log = logging.getLogger(__name__)


class DaideDoor:
    """Listens on its ports, and makes a DaideCaller for each connection."""

    name = "daide"

    def __init__(
        self,
        hall: Hall,
        options: DaideOptions | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        board: Map | None = None,
        match: str = "",
        config: dict[str, Plain] | None = None,
        opens: bool = True,
        numbering: Numbering = Numbering.CLIENTS,
        ports: range | None = None,
        most: int = MOST,
        most_of_one: int | None = None,
    ) -> None:
        self.reception = Reception(hall, options, config=config, opens=opens)
        self._hall = hall
        self._numbering = numbering
        self._gate = Gate(board or standard(), numbering, match)
        self._ports = ports or range(0)
        """Ports for single matches."""
        self.limiter = ConnectionLimiter(most=most, most_of_one=most_of_one)
        self._host, self._asked_port = host, port
        self._closing = False
        self._callers: set[DaideCaller] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._listener = self._listening(self._gate)
        self._own: dict[str, Listener] = {}
        """Listeners of single matches, by match."""
        self._return_timer: asyncio.TimerHandle | None = None

    @property
    def port(self) -> int:
        """The port for all matches."""
        return self._listener.port

    @property
    def address(self) -> str:
        """The host and the port for all matches."""
        return f"{self._host}:{self.port}"

    @property
    def connections(self) -> int:
        """Number of open connections, at the port for all matches and at those of single ones."""
        return len(self.limiter)

    async def open(self) -> None:
        """Listen on the port, and on the ports that single matches had before a restart.

        Raise ConfigError if the port cannot be opened.
        """
        await self.reception.open()
        await self._listener.open(self._host, self._asked_port)
        store = self._hall.store
        kept = await store.fetch(store.setting, PORTS)
        for match, own in (msgspec.json.decode(kept) if kept else {}).items():
            if own in self._ports:
                await self._reopen(match, own)
        self._return_timer = asyncio.get_running_loop().call_later(RETURN_TIME, self._spawn_roll_call)

    async def run(self) -> None:
        """Serve until cancelled."""
        await asyncio.Event().wait()

    async def port_of(self, match: str) -> int:
        """Return the port for bots of a match: its own if such ports are configured, else the one for all.

        Raise Denied if there is no such match, ConfigError if no port is left or the one for all has another map.
        """
        if (own := self._own.get(match)) is not None:
            return own.port
        hosted = await self._hall.wake(match)
        if is_foggy(hosted.match.config):
            raise Denied("no such form", "DAIDE shows everybody the whole board, and this match is played in fog")
        board = board_of_match(hosted)
        if not self._ports and board == self._gate.board:
            return self.port
        if not self._ports:
            there = self._gate.board.name
            raise ConfigError(
                f"daide-ports: none for the map {board.name}; at {self.port} is {there}", field="daide_ports"
            )
        await self._end_ports_of_the_past()
        gate = Gate(board, self._numbering, match)
        taken = {listener.port for listener in self._own.values()}
        for number in self._ports:
            if number not in taken:
                listener = self._listening(gate)
                try:
                    await listener.open(self._host, number)
                except ConfigError:
                    continue  # another program uses this port
                self._own[match] = listener
                await self._keep_ports()
                return listener.port
        raise ConfigError(f"daide-ports: all of {self._ports[0]} to {self._ports[-1]} are taken", field="daide_ports")

    async def _reopen(self, match: str, port: int) -> None:
        try:
            hosted = await self._hall.wake(match)
            listener = self._listening(Gate(board_of_match(hosted), self._numbering, match))
            if not hosted.match.over:
                await listener.open(self._host, port)
                self._own[match] = listener
        except (Denied, ConfigError) as error:
            _log.warning("the DAIDE port %s of match %s stays closed: %s", port, match, error)

    async def _end_ports_of_the_past(self) -> None:
        """Close the ports of matches that are over."""
        for match in tuple(self._own):
            if (await self._hall.head(match)).status == "over":
                self._own.pop(match).close()

    async def _keep_ports(self) -> None:
        ports = {match: listener.port for match, listener in self._own.items()}
        await self._hall.store.keep(Setting(PORTS, msgspec.json.encode(ports)))

    def _listening(self, gate: Gate) -> Listener:
        def accept() -> Wire:
            caller = DaideCaller(self.reception, gate, self._run, self.limiter, self._callers.discard)
            self._callers.add(caller)
            return caller.connection

        return Listener(accept, self.limiter)

    async def close(self) -> None:
        """Close all connections; clients keep their seats until the server is back."""
        self._closing = True
        listeners = [self._listener, *self._own.values()]
        for listener in listeners:
            listener.close()
        if self._return_timer is not None:
            self._return_timer.cancel()
        off = framed(DIPLOMACY, self._gate.codec.encode(["OFF"]))
        for caller in tuple(self._callers):
            caller.say(off)
            caller.finish()
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for listener in listeners:
            await listener.emptied()

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a coroutine in the background."""
        if self._closing:
            work.close()
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a task of the DAIDE door failed: %r", error)

    def _spawn_roll_call(self) -> None:
        self._run(self.reception.roll_call())


def make(premises: Premises) -> DaideDoor:
    """Return the door for DAIDE bots, made from the settings of a server."""
    settings = premises.settings
    years = settings.daide_years
    return DaideDoor(
        premises.hall,
        read_options(settings.daide_level, settings.daide_mtl, settings.daide_options),
        host=settings.host,
        port=settings.daide_port or 0,
        board=named(settings.daide_map or settings.map or "standard"),
        config={"years": years} if years else {},
        numbering=Numbering(settings.daide_numbering),
        ports=read_ports(settings.daide_ports),
        most=min(MOST, settings.connections),
        most_of_one=settings.connections_per_address,
    )
