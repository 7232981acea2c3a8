"""The driver for players that are called on the loop: proxies of connected seats, and house agents.

Each seat has a lane. Events go down it in order and a question waits behind the events before it, so that a player
knows the position it is asked about. A player whose lane is full does not read and is taken to have left; no other
player waits for it. A question whose turn is over is cancelled. A driver has tasks only while a player is being called.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import Outcome, Seat
from parlour.core.intents import Intent, Refusal
from parlour.core.player import Player
from parlour.core.viewers import Viewer
from parlour.errors import StoreError
from parlour.referee.call_queue import Lane
from parlour.referee.callers import awaited, begun, finished, result_of
from parlour.referee.deadline_grace import FairClock, all_read, clock_of, within
from parlour.referee.driver import REFUSED, Arrival, CallDone, Driver, DriverSeatHandle, Script, WaitFor, answer_in
from parlour.referee.match import Ask, Match, Reaction
from parlour.referee.table import Table

MAX_LANE = 1000
"""Maximum number of calls that may wait for one player; with more it is taken to have left."""

Spawn: TypeAlias = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]
"""A function that starts a task which its owner awaits or cancels, such as TaskGroup.create_task."""


class LiveDriver(Driver):
    """Calls players of a table on its loop. Seats may be given to players and taken from them at any time."""

    def __init__(
        self, table: Table, players: Mapping[Seat, Player], spawn: Spawn, *, names: Mapping[Seat, str] | None = None
    ) -> None:
        self._lanes: dict[Seat, Lane] = {}
        self._arrivals: deque[Arrival] = deque()
        self._pump: asyncio.Task[None] | None = None
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._spawn = spawn
        self.table = table
        self.failure: Exception | None = None
        """The error that stopped play: events could not be stored, or the driver failed."""
        self.moved = asyncio.Event()
        """Set when the match is over, cannot continue, or is due before the alarm; the waiting task clears it."""
        self.alarm: float | None = None
        """Time until which the waiting task sleeps. Only an earlier deadline wakes it, because most turns end early."""
        self._awaited: tuple[WaitFor, asyncio.Future[None]] | None = None
        """The calls that a script waits for, and the future that is done when they have returned."""
        super().__init__(table.match, players, names)
        self._unfollow: Callable[[], None] = table.follow(self)

    def reacted(self, reaction: Reaction) -> None:
        """Send the events to the players, and ask the seats that are to act."""
        self.deliver(reaction)
        self._go_on()

    def seen(self, viewer: Viewer) -> int:
        return self.table.seen(viewer)

    def told_record(self) -> list[Event]:
        return self.table.told_record()

    def sit(self, seat: Seat, player: Player) -> DriverSeatHandle:
        """Put a player on a seat; the caller sends the Join or Substitute intent."""
        self.rise(seat)
        self._late.add(seat)
        return self.place(seat, player)

    def rise(self, seat: Seat) -> None:
        """Stop calling the player on that seat; the caller sends the Leave intent."""
        if (lane := self._lanes.pop(seat, None)) is not None:
            self.thinking -= lane.open
            lane.close()
        self.displace(seat)

    def close(self) -> None:
        """Stop calling players, and drop all references to them."""
        self._unfollow()
        self._unfollow = _nothing
        for lane in self._lanes.values():
            lane.close()
        self._lanes.clear()
        if self._pump is not None:
            self._pump.cancel()
        for seat in tuple(self.players):
            self.displace(seat)

    async def run(self, script: Script) -> None:
        """Run a script: submit its intents without waiting for the store, and wait for its calls."""
        refusal: Refusal | None = None
        try:
            while True:
                step = script.send(refusal)
                if isinstance(step, WaitFor):
                    await self._wait(step)
                else:
                    refusal = self._submit(step)
        except StopIteration:
            self._go_on()

    async def drain(self) -> None:
        """Wait until every player has processed what it received."""
        while any(lane.worker is not None for lane in self._lanes.values()) or self._pump is not None:
            tasks = [lane.worker for lane in self._lanes.values()]
            await asyncio.wait([task for task in (*tasks, self._pump) if task is not None])

    async def _wait(self, wanted: WaitFor) -> None:
        if self.all_done(wanted):
            return
        returned = asyncio.get_running_loop().create_future()
        self._awaited = wanted, returned
        with suppress(TimeoutError):
            await within(wanted.seconds, returned)
        self._awaited = None

    def _look_who_is_back(self) -> None:
        if self._awaited is not None:
            wanted, returned = self._awaited
            if self.all_done(wanted) and not returned.done():
                returned.set_result(None)

    # Input

    def arrive(self, arrival: Arrival) -> None:
        """Receive an arrival, on any thread: a player may use its handle on a thread of its own."""
        if threading.get_ident() == self._thread:
            self._arrive(arrival)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._arrive, arrival)

    def _answered(self, handle: DriverSeatHandle, intent: Intent) -> Event | Refusal:
        if threading.get_ident() == self._thread:
            raise RuntimeError("a player on the table's own loop cannot wait for the table")
        if self._loop.is_closed():
            return REFUSED
        return asyncio.run_coroutine_threadsafe(self._ask_table(handle, intent), self._loop).result()

    async def _ask_table(self, handle: DriverSeatHandle, intent: Intent) -> Event | Refusal:
        if not self.is_current(handle):
            return REFUSED
        answer = await self.table.handle(intent)
        return answer_in(Reaction(answer.events, refusal=answer.refusal))

    def _arrive(self, arrival: Arrival) -> None:
        self._arrivals.append(arrival)
        if self._pump is None:
            self._pump = self._spawn(self._take_in())

    async def _take_in(self) -> None:
        """Submit the players' intents one after the other, each when the one before it is durable.

        So a player that sends many intents unasked waits for the disk, and its intents do not pile up in memory.
        """
        try:
            with suppress(StoreError):  # the table reports the error to its players
                while self._arrivals:
                    if (intent := self.intent_of(self._arrivals.popleft())) is not None:
                        answer = await self.table.handle(intent)
                        if answer.refusal is not None:
                            self.refuse(intent, answer.refusal)
                    self._look_who_is_back()
                    if self._arrivals:
                        await asyncio.sleep(0)  # lanes must move while arrivals keep coming
        finally:
            self._pump = None

    def _submit(self, intent: Intent) -> Refusal | None:
        """Submit an answer without waiting, since nobody is asked again before it is durable."""
        refusal = self.table.submit((intent,)).answers[0].refusal
        if refusal is not None:
            self.refuse(intent, refusal)
        return refusal

    def failed(self, error: Exception) -> None:
        """Record that play cannot continue, and wake the waiting task."""
        self.failure = error
        self.moved.set()

    # Output

    def start_call(self, seat: Seat, call: str, ask: Ask | None, method: Callable[..., Any], *arguments: Any) -> None:
        lane = self._lanes.get(seat)
        if lane is None:
            lane = self._lanes[seat] = Lane()
        if len(lane.calls) >= MAX_LANE:
            self.thinking -= 1
            if not lane.clogged:
                # The player leaves only once: leaving causes further events, which must not clog other lanes.
                lane.clogged = True
                self._arrive(it.Leave(seat))
            return
        if lane.worker is None and ask is not None:
            self._think(seat, lane, ask, method, arguments)
            return
        lane.calls.append((call, ask, method, arguments))
        if lane.worker is None:
            lane.worker = self._spawn(self._serve(seat, lane))

    def is_clogged(self, seat: Seat) -> bool:
        """Return True if too many calls wait for a player, which then receives no further ones."""
        lane = self._lanes.get(seat)
        return lane is not None and lane.clogged

    async def _serve(self, seat: Seat, lane: Lane) -> None:
        try:
            while lane.calls:
                call, ask, method, arguments = lane.calls[0]
                if ask is not None:
                    lane.calls.popleft()
                    self._think(seat, lane, ask, method, arguments)
                    await asyncio.sleep(0)  # lets the player begin to think before it receives later events
                    continue
                result = await awaited(method, arguments)
                if not lane.calls:
                    return  # the player left meanwhile, and its call ignored the cancellation
                lane.calls.popleft()
                with suppress(StoreError):  # the table reports the error to its players
                    self._came_back(CallDone(seat, call, None, result))
        finally:
            lane.worker = None

    def _think(self, seat: Seat, lane: Lane, ask: Ask, method: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Ask a player, without holding up its events while it thinks."""
        self._give_up(lane)  # a new question replaces an earlier one
        lane.turn = ask.turn
        answer = begun(method, arguments)
        if isinstance(answer, asyncio.Future) and answer.get_loop() is self._loop:
            # The future of a proxy is done when the answer arrives, so no task is needed.
            lane.thinking = answer
            answer.add_done_callback(partial(self._answer_came, seat, lane, ask))
        else:
            lane.thinking = self._spawn(self._finish(seat, lane, ask, answer))
            if inspect.iscoroutine(answer):  # a coroutine that is cancelled before it begins must still be closed
                lane.thinking.add_done_callback(lambda done: answer.close())

    def _answer_came(self, seat: Seat, lane: Lane, ask: Ask, answer: asyncio.Future[Any]) -> None:
        if lane.thinking is not answer:
            return  # the answer is no longer wanted
        lane.thinking = None
        try:
            self._came_back(CallDone(seat, "act", ask, result_of(answer)))
        except StoreError:  # the table reports the error to its players
            pass
        except Exception as error:  # after any error of Parlour play stops, so that nobody waits for ever
            self.failed(error)

    async def _finish(self, seat: Seat, lane: Lane, ask: Ask, answer: Any) -> None:
        result = await finished(answer)
        if lane.thinking is not asyncio.current_task():
            return  # the question was dropped, and the answer ignored the cancellation
        lane.thinking = None  # the next question may follow, and must not be cancelled
        with suppress(StoreError):  # the table reports the error to its players
            self._came_back(CallDone(seat, "act", ask, result))

    def _came_back(self, arrival: CallDone) -> None:
        """Process the result of a call."""
        if self._pump is not None:
            self._arrivals.append(arrival)  # results are processed in the order of their arrival
            return
        intent = self.intent_of(arrival)
        self._look_who_is_back()
        if intent is not None:
            self._submit(intent)

    def _give_up(self, lane: Lane) -> None:
        if lane.thinking is not None:
            lane.give_up()
            self.thinking -= 1

    def _go_on(self) -> None:
        thinking = self.thinking
        self.ask_all()
        if thinking:  # players think about earlier questions
            self._drop_stale_asks()
        due = self.table.due()
        if self.match.over or (due is not None and (self.alarm is None or due < self.alarm)):
            self.moved.set()

    def _drop_stale_asks(self) -> None:
        state = self.match.state
        for seat, lane in self._lanes.items():
            if lane.thinking is not None and (lane.turn != state.turn or seat not in state.pending):
                self._give_up(lane)


class TableClock:
    """The clock of one match: it continues from the end of the record, and stands still while the loop or store stalls.

    Players are asked only once the events before are stored, so no time passes for them meanwhile.
    """

    def __init__(self, match: Match) -> None:
        self._match = match
        self._fair = FairClock()
        self._offset: float | None = None
        self._held: float | None = None

    def start(self) -> None:
        """Begin to watch the running loop; call stop once for each start."""
        self._fair = clock_of(asyncio.get_running_loop())
        self._fair.start()

    def stop(self) -> None:
        """Stop watching the loop."""
        self._fair.stop()

    def now(self) -> float:
        """Return the time on the match's clock."""
        if self._held is not None:
            return self._held
        time = self._fair.now()
        if self._offset is None:
            self._offset = self._match.state.now - time
        return time + self._offset

    def hold(self) -> None:
        """Stop the clock while events are being stored."""
        self._held = self.now()

    def release(self) -> None:
        """Run the clock again: players who are asked now have their whole time."""
        if self._held is not None:
            self._offset = self._held - self._fair.now()
            self._held = None


class LiveTable:
    """A hosted match with players that are called on the loop, played from the seating to the end, for tournaments."""

    def __init__(
        self,
        table: Table,
        clock: TableClock,
        players: Mapping[Seat, Player],
        *,
        names: Mapping[Seat, str] | None = None,
    ) -> None:
        """Take a table with its clock. Its host stores the events, holds the clock meanwhile, and calls `failed`."""
        self.table, self.match = table, table.match
        self._clock = clock
        self._players, self._names = players, names
        self._driver: LiveDriver | None = None

    async def play(self) -> Outcome:
        """Play the match to its end and return the outcome."""
        self._clock.start()
        try:
            return await self._play()
        finally:
            self._clock.stop()

    async def _play(self) -> Outcome:
        async with asyncio.TaskGroup() as group:
            driver = self._driver = LiveDriver(self.table, self._players, group.create_task, names=self._names)
            try:
                self.table.open()
                await driver.run(driver.sit_down())
                while not self.match.over:
                    await self._step(driver)
                await self.table.settled()
                _raise(driver.failure)
                await driver.run(driver.get_up())
                with suppress(TimeoutError):  # time for the players to process the end
                    async with asyncio.timeout(1.0):
                        await driver.drain()
            finally:
                driver.close()
                await self.table.settled()
        assert self.match.outcome is not None
        return self.match.outcome

    def failed(self, error: Exception) -> None:
        """Stop play, because an event could not be stored."""
        if self._driver is not None:
            self._driver.failed(error)

    async def _step(self, driver: LiveDriver) -> None:
        """Wait until the match is over, fails or has a deadline, and let a deadline that has come take effect."""
        _raise(driver.failure)
        driver.alarm = due = self.table.due()
        driver.moved.clear()
        left = None if due is None else max(0.0, due - self._clock.now())
        timer = None if left is None else asyncio.get_running_loop().call_later(left, driver.moved.set)
        try:
            await driver.moved.wait()
        finally:
            if timer is not None:
                timer.cancel()
        if due is not None and self._clock.now() >= due:
            await all_read()
            await self.table.tick()


def _raise(failure: Exception | None) -> None:
    if failure is not None:
        raise failure


def _nothing() -> None:
    pass
