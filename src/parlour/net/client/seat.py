"""A local agent at a remote table: keeps the position that the server sends, and calls the agent like a referee."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.fouls import Standing
from parlour.core.game import Action, Outcome, Seat, View
from parlour.core.player import ObservedEvent, Player
from parlour.core.table_view import MatchStatus, SeatRow, TableView
from parlour.errors import LocalWireError, RemoteWireError
from parlour.games.fish.position import Position
from parlour.net.fish.json.states import follow
from parlour.net.threads import on_thread

MakeAgent: TypeAlias = Callable[[int], Player]
"""Makes the agent for a game; called with the number of this client's games so far."""


class AgentSeat:
    """Plays one agent in one game."""

    def __init__(self, agent: Player, seat: Seat, *, inline: bool = False) -> None:
        self.seat = seat
        self.position: Position | None = None
        self._agent = agent
        self._inline = inline
        """True if the agent is so quick that it may think on the event loop."""
        self._turn = self._told = 0
        self._begun = time.monotonic()

    async def set_position(self, position: Position) -> None:
        """Take the server's position over, and inform the agent of a new one."""
        first, changed = self.position is None, position != self.position
        self.position = position
        if first:
            seats = tuple(side.seat for side in position.sides)
            await self._tell(ev.Started(self._at(), seats, position.encode()))
            await self._call("on_start", self._view())
        elif changed:
            await self._tell(ev.PositionSet(self._at(), "server", position.encode()))

    async def follow(self, action: Action) -> None:
        """Apply the action of the player to act; RemoteWireError if it is impossible."""
        self.position = follow(self._known(), action)
        self._turn += 1
        if hasattr(self._agent, "on_event"):
            # The agent is sent the state after the action, since a forced skip is not an action of the rules.
            await self._tell(ev.PositionSet(self._at(), "server", self.position.encode()))

    async def act(self) -> Action:
        """Ask the agent; LocalWireError if it fails, because then there is no answer."""
        position = self._known()
        if not position.sides or position.sides[0].seat != self.seat:
            raise RemoteWireError(f"asked {self.seat}, who is not to act")
        if not position.legal(self.seat):
            raise RemoteWireError(
                f"asked {self.seat} for a {position.stage}, of which there is none left on this board"
            )
        return await self._call("act", self._view())

    async def act_until(self, gone: asyncio.Event) -> Action | None:
        """Return the action; None if the connection ends before a person answers, who is informed at once."""
        if getattr(self._agent, "real_time", False) is not True:
            return await self.act()
        acting, leaving = asyncio.ensure_future(self.act()), asyncio.ensure_future(gone.wait())
        try:
            await asyncio.wait((acting, leaving), return_when=asyncio.FIRST_COMPLETED)
            return acting.result() if acting.done() else None
        finally:
            for task in (acting, leaving):
                task.cancel()

    async def over(self, outcome: Outcome, removed: Mapping[str, Standing | None]) -> None:
        """Tell the agent that the game has ended, and which seats were removed from it."""
        await self._tell(ev.Ended(self._at(), outcome, dict(removed)))
        await self._call("on_end", outcome)

    async def kicked(self, reason: str) -> None:
        """Tell the agent that it was removed."""
        await self._tell(ev.Removed(self._at(), self.seat, reason))

    async def leave(self) -> None:
        """Release the agent."""
        if (close := getattr(self._agent, "close", None)) is not None:
            await asyncio.to_thread(close)

    def _known(self) -> Position:
        if self.position is None:
            raise RemoteWireError("the server has not said where the game stands")
        return self.position

    def _view(self) -> View:
        return View(self.seat, self._known(), self._turn)

    def _at(self) -> float:
        return time.monotonic() - self._begun

    async def _tell(self, event: Event) -> None:
        number, table = self._told, self._table()
        self._told += 1
        await self._call("on_event", ObservedEvent(number, number, event, lambda: table))

    def _table(self) -> TableView:
        """Return the latest state of the table from the server."""
        if (position := self.position) is None:
            return TableView(MatchStatus.FORMING)
        rows = tuple(SeatRow(side.seat, present=True) for side in position.sides)
        status = MatchStatus.RUNNING if position.outcome() is None else MatchStatus.OVER
        return TableView(status, self._turn, position.stage, position.to_act(), position=position, seats=rows)

    async def _call(self, method: str, argument: Any) -> Any:
        """Call a method of the agent, if it has it; an exception of the agent counts as an error on our side."""
        found = getattr(self._agent, method, None)
        if found is None:
            return None
        try:
            if self._inline or inspect.iscoroutinefunction(found):
                answer = found(argument)
                return await answer if inspect.isawaitable(answer) else answer
            return await on_thread(found, argument)
        except Exception as error:  # the player boundary: an agent may raise anything
            raise LocalWireError(f"the agent failed: {type(error).__name__}: {error}") from error
