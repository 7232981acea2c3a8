"""The driver for connected seats, on asyncio: one task group per match, real time, players that come and go.

Each seat has a lane. News goes down it in order and a question waits behind the news before it, so that a player
knows the position it is asked about. A player whose lane is full does not read and is taken to have left; nobody
else waits for it. A question whose turn is over is cancelled.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Outcome, Seat
from parlour.core.intents import Intent, Refusal
from parlour.core.player import Observer, Player
from parlour.referee.callers import awaited
from parlour.referee.match import Ask, Match, Reaction
from parlour.referee.table import Arrival, Finished, Script, SeatChair, Table, WaitFor, sender_of

MAX_LANE = 1000
"""Calls that may wait for one player before it counts as not reading."""

KeepAsync: TypeAlias = Callable[[Sequence[Event]], Awaitable[None]]
"""Stores events; done when they are safe."""
_Call: TypeAlias = tuple[str, Ask | None, Callable[..., Any], tuple[Any, ...]]


@dataclass(slots=True)
class _Lane:
    calls: asyncio.Queue[_Call] = field(default_factory=lambda: asyncio.Queue(MAX_LANE))
    clogged: bool = False
    ask: Ask | None = None
    thinking: asyncio.Task[None] | None = None
    worker: asyncio.Task[None] | None = None


class LiveTable(Table):
    """One match with connected players. Everything happens on the loop that runs it."""

    def __init__(
        self,
        match: Match,
        players: Mapping[Seat, Player],
        *,
        names: Mapping[Seat, str] | None = None,
        keep: KeepAsync | None = None,
        observers: Iterable[Observer] = (),
    ) -> None:
        self._arrivals: asyncio.Queue[Arrival] = asyncio.Queue()
        super().__init__(match, players, names, observers, self._put_from_anywhere)
        self._keep = keep
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self._lanes: dict[Seat, _Lane] = {}
        self._group: asyncio.TaskGroup | None = None
        self._offset = 0.0

    async def play(self) -> Outcome:
        """Play to the end."""
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._offset = self.match.state.now - self._loop.time()
        async with asyncio.TaskGroup() as group:
            self._group = group
            for seat in self.players:
                self._open_lane(seat)
            await self._take(self.match.start(self.now()))
            await self._run(self.sit_down())
            while not self.match.over:
                await self._step()
            await self._run(self.get_up())
            await self._drain()
            for lane in self._lanes.values():
                self._close_lane(lane)
        assert self.match.outcome is not None
        return self.match.outcome

    def now(self) -> float:
        """The time on the match's clock."""
        return asyncio.get_running_loop().time() + self._offset

    def want(self, intent: Intent) -> None:
        """Hand in an intent from outside: a moderator's, or one that came over a wire."""
        self._arrivals.put_nowait(intent)

    def sit(self, seat: Seat, player: Player) -> SeatChair:
        """Put a player on a seat of the running table; the Join or Substitute intent is the caller's to send."""
        if (lane := self._lanes.pop(seat, None)) is not None:
            self._close_lane(lane)
        chair = self.place(seat, player)
        if self._group is not None:
            self._open_lane(seat)
        return chair

    def _put_from_anywhere(self, arrival: Arrival) -> None:
        """Take what a chair puts: a player may use it on a thread of its own."""
        if self._loop is None or threading.get_ident() == self._thread:
            self._arrivals.put_nowait(arrival)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._arrivals.put_nowait, arrival)

    def start_call(self, seat: Seat, call: str, ask: Ask | None, method: Callable[..., Any], *arguments: Any) -> None:
        lane = self._lanes[seat]
        if lane.calls.full():
            self.thinking -= 1
            if not lane.clogged:
                # Once: what follows from it is news too, and must not clog the others.
                lane.clogged = True
                self.want(it.Leave(seat))
            return
        lane.calls.put_nowait((call, ask, method, arguments))

    # The loop

    async def _step(self) -> None:
        self.ask_all()
        self._drop_stale_asks()
        arrival = await self._next(self.match.due())
        if arrival is None:
            await self._take(self.match.tick(self.now()))
        else:
            await self._arrived(arrival)

    async def _next(self, due: float | None) -> Arrival | None:
        if not self._arrivals.empty():
            await asyncio.sleep(0)  # lanes must move while arrivals keep coming
            return self._arrivals.get_nowait()
        with suppress(TimeoutError):
            async with asyncio.timeout_at(None if due is None else due - self._offset):
                return await self._arrivals.get()
        return None

    async def _arrived(self, arrival: Arrival) -> None:
        if (intent := self.intent_of(arrival)) is not None:
            await self._handle(intent)

    async def _handle(self, intent: Intent) -> Refusal | None:
        reaction = self.match.handle(intent, self.now())
        await self._take(reaction, sender_of(intent))
        return reaction.refusal

    async def _take(self, reaction: Reaction, sender: Seat | None = None) -> None:
        if self._keep is not None and reaction.events:
            await self._keep(reaction.events)
        self.deliver(reaction, sender)

    async def _run(self, script: Script) -> None:
        refusal: Refusal | None = None
        try:
            while True:
                step = script.send(refusal)
                if isinstance(step, WaitFor):
                    await self._wait(step)
                else:
                    refusal = await self._handle(step)
        except StopIteration:
            return

    async def _wait(self, wanted: WaitFor) -> None:
        until = self.now() + wanted.seconds
        while not self.all_done(wanted) and self.now() < until:
            if (arrival := await self._next(until)) is not None:
                await self._arrived(arrival)

    # Lanes

    def _open_lane(self, seat: Seat) -> None:
        assert self._group is not None
        lane = self._lanes[seat] = _Lane()
        lane.worker = self._group.create_task(self._serve(seat, lane))

    @staticmethod
    def _close_lane(lane: _Lane) -> None:
        for task in (lane.worker, lane.thinking):
            if task is not None:
                task.cancel()

    async def _serve(self, seat: Seat, lane: _Lane) -> None:
        while True:
            call, ask, method, arguments = await lane.calls.get()
            if ask is None:
                await self._call(seat, call, None, method, arguments)
            else:
                # A question must not keep news from the player while it thinks.
                assert self._group is not None
                if lane.thinking is not None and not lane.thinking.done():
                    lane.thinking.cancel()  # it is asked anew, so that the first question is of no interest
                    self.thinking -= 1
                lane.ask = ask
                lane.thinking = self._group.create_task(self._call(seat, call, ask, method, arguments))
            lane.calls.task_done()

    async def _call(
        self, seat: Seat, call: str, ask: Ask | None, method: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> None:
        result: list[Any] = []
        await awaited(method, arguments, result.append)
        self._arrivals.put_nowait(Finished(seat, call, ask, result[0]))

    def _drop_stale_asks(self) -> None:
        for seat, lane in self._lanes.items():
            if lane.thinking is None or lane.ask is None:
                continue
            if lane.thinking.done():
                lane.thinking = None
            elif lane.ask.turn != self.match.turn or seat not in self.match.state.pending:
                lane.thinking.cancel()
                lane.thinking = None
                self.thinking -= 1

    async def _drain(self) -> None:
        """Give players a moment to take in the end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                for lane in self._lanes.values():
                    await lane.calls.join()
