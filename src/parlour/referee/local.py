"""The driver for players in this program. Sync and async players mix.

In a match without time limits sync players are called directly, unless they declare `slow`. With limits each gets a
thread of its own, so that a player that never returns is abandoned at its deadline. Time is real if it is limited, or
if a player that declares `real_time` takes part in a press window; else it is virtual.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeAlias

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import FoulKind, Outcome, Seat
from parlour.core.intents import Intent, Refusal, RefusalCode
from parlour.core.player import Observer, Player
from parlour.core.terms import PressMode
from parlour.core.viewers import SPECTATOR, Viewer
from parlour.errors import ConfigError
from parlour.referee.callers import Caller, Crashed, DirectCaller, LoopCaller, ThreadCaller, attribute, is_async
from parlour.referee.clocks import RealClock, VirtualClock, Watch
from parlour.referee.consequences import due as due_of
from parlour.referee.driver import (
    REFUSED,
    Arrival,
    CallDone,
    Driver,
    DriverSeatHandle,
    HandleIntent,
    Reply,
    Script,
    WaitFor,
    answer_in,
    player_type,
)
from parlour.referee.match import Ask, Match, Reaction
from parlour.referee.spectators import Spectators, Watcher

OVER = Refusal(RefusalCode.OVER, "the match is over")
StandIn: TypeAlias = Callable[[Seat], tuple[str, Player]]
"""A function that makes the player that takes over a seat, with its name."""
Keep: TypeAlias = Callable[[Sequence[Event]], None]
"""A function that stores events and returns when they are durable."""


def play(
    match: Match,
    players: Mapping[Seat, Player],
    *,
    names: Mapping[Seat, str] | None = None,
    clock: Watch | None = None,
    keep: Keep | None = None,
    observers: Iterable[Observer] = (),
    shown: Mapping[Viewer, Watcher] | None = None,
    stand_in: StandIn | None = None,
) -> Outcome:
    """Play a match with local players to its end, and return its outcome; a resumed match continues where it stands.

    Observers see what spectators see, and one that raises is dropped. An exception of a watcher in `shown` stops play
    and is raised.



    Args:
        names: Names of the players by seat.
        clock: Clock of the match; by default real time if the match has time limits, else virtual time.
        keep: Called with new events before anybody receives them, to store them.
        observers: Spectators.
        shown: Other viewers, each with its watcher.
        stand_in: Called with a seat whose player has left it; returns the name and the player that takes over.

    Returns:
        The outcome of the match.

    Raises:
        ConfigError: Before play, if an object on a seat is not a player, or if there are too few players.
    """
    _check_players(match, players)
    table = LocalTable(match, players, names=names, clock=clock, keep=keep, observers=observers, shown=shown)
    table.stand_in = stand_in
    return table.play()


def _check_players(match: Match, players: Mapping[Seat, Player]) -> None:
    if not isinstance(players, Mapping):
        raise ConfigError("players: expected a mapping of seats to players", field="players")
    for seat, player in players.items():
        if player is None or isinstance(player, (str, bytes, type)):
            what = "a class" if isinstance(player, type) else repr(player)[:60]
            wanted = "an object with act (parlour.make_player makes one of a name)"
            raise ConfigError(f"players: {seat} is {what}, expected {wanted}", field="players")
    seats, needed = match.game.seats(match.config), match.game.fewest(match.config)
    if not match.record and len(players) < needed and set(players) <= set(seats):
        free = ", ".join(seat for seat in seats if seat not in players)
        raise ConfigError(f"players: expected {needed} or more, got {len(players)}; free are {free}", field="players")


def _caller(player: Player, *, timed: bool) -> Caller:
    """Return the caller of a player: on a thread of its own if the match is timed or the player is slow."""
    if is_async(player):
        return LoopCaller()
    return ThreadCaller(player) if timed or attribute(player, "slow") is True else DirectCaller(player)


def _put_result(put: Callable[[Arrival], None], seat: Seat, call: str, ask: Ask | None, result: Any) -> None:
    put(CallDone(seat, call, ask, result))


class LocalTable(Driver):
    """Runs one match with local players."""

    def __init__(
        self,
        match: Match,
        players: Mapping[Seat, Player],
        *,
        names: Mapping[Seat, str] | None = None,
        clock: Watch | None = None,
        keep: Keep | None = None,
        observers: Iterable[Observer] = (),
        shown: Mapping[Viewer, Watcher] | None = None,
    ) -> None:
        self._arrivals: queue.SimpleQueue[Arrival] = queue.SimpleQueue()
        self._untold: deque[Reaction] = deque()
        """Reactions that players have not received yet; delivering one may cause more."""
        self._telling = self._closed = False
        self.stand_in: StandIn | None = None
        """Makes a player, with its name, for a seat whose player has left."""
        self._thread = threading.get_ident()
        super().__init__(match, players, names)
        spectators = Spectators(match.game)
        for observer in observers:
            spectators.watch(SPECTATOR, observer.on_event, match.state.visible(SPECTATOR))
        for viewer, watcher in (shown or {}).items():
            spectators.watch(viewer, watcher, match.state.visible(viewer), trusted=True)
        self._spectators = spectators if spectators else None
        match.viewed = self._spectators is not None or bool(self._listeners)
        timed = match.is_timed
        talks = match.terms.press.mode is PressMode.WINDOW and any(
            attribute(player, "real_time") is True for player in players.values()
        )
        self._clock: Watch = clock or (RealClock if timed or talks else VirtualClock)(match.state.now)
        self._keep = keep
        self._callers: dict[Seat, Caller] = {
            seat: _caller(player, timed=timed) for seat, player in self.players.items()
        }

    def play(self) -> Outcome:
        """Play the match to its end and return the outcome."""
        self._thread = threading.get_ident()
        state, resumed = self.match.state, not self.forming
        try:
            self._take(self.match.start(self._clock.now()))
            self._run(self.sit_down())
            if resumed and self.stand_in is not None:  # replaces players who left just before the match was interrupted
                for seat in [seat for seat, place in state.places.items() if not (place.present or place.removed)]:
                    self._substitute(seat)
            while state.outcome is None:
                self._step()
            self._run(self.get_up())
        finally:
            for caller in self._callers.values():
                caller.close()
            self._leave_unanswered()
        assert self.match.outcome is not None
        return self.match.outcome

    def arrive(self, arrival: Arrival) -> None:
        self._arrivals.put(arrival)

    def start_call(self, seat: Seat, call: str, ask: Ask | None, method: Callable[..., Any], *arguments: Any) -> None:
        put, caller = self._arrivals.put, self._callers[seat]
        if type(caller) is DirectCaller:
            result = caller.answer(method, arguments)
            if result is None and call == "on_event":
                self.thinking -= 1  # on_event returned normally, so there is nothing more to do
            else:
                put(CallDone(seat, call, ask, result))
            return
        if ask is not None:
            caller.give_up()  # an earlier question no longer matters
        done = partial(_put_result, put, seat, call, ask)
        if not caller.call(method, arguments, done, ask=ask is not None):
            # An event beyond the limit is dropped; a question becomes a foul.
            put(CallDone(seat, call, ask, Crashed(FoulKind.LATE, "too many calls wait for it") if ask else None))

    def _step(self) -> None:
        """Ask the seats that are to act, then process an arrival, or let time pass."""
        self.ask_all()
        due = due_of(self.match.state)
        arrival = self._clock.get(self._arrivals, due, self.thinking > 0)
        if arrival is not None:
            self._arrived(arrival)
        elif due is None and not self.thinking:
            self._go_on()
        else:
            self._take(self.match.tick(self._clock.now()))

    def _go_on(self) -> None:
        """Resolve a standstill: no call is running, and a deferred action, wait flag or pause holds up the match."""
        state = self.match.state
        promised = [seat for seat in state.to_act if seat in state.pending and state.places[seat].present]
        if promised:
            self._handle(it.Report(promised[0], FoulKind.LATE, "no answer, though all others wait", turn=state.turn))
        else:
            self._handle(it.ForceTurn("driver"), otherwise=it.Cancel("driver", "nobody goes on"))

    def _arrived(self, arrival: Arrival) -> None:
        intent = self.intent_of(arrival)
        if type(arrival) is HandleIntent and arrival.reply is not None:
            arrival.reply.set_result(REFUSED if intent is None else self._answer(intent))
        elif intent is not None:
            self._handle(intent)

    def _answered(self, handle: DriverSeatHandle, intent: Intent) -> Event | Refusal:
        if threading.get_ident() == self._thread:
            # The player is called directly: the match waits for it, so it must not wait for the match.
            return self._answer(intent) if self.is_current(handle) else REFUSED
        reply: Reply = Future()
        self._backlog[handle] += 1
        self._arrivals.put(HandleIntent(handle, intent, reply))
        if self._closed:
            self._leave_unanswered()
        return reply.result()

    def _answer(self, intent: Intent) -> Event | Refusal:
        reaction = self.match.handle(intent, self._clock.now())
        self._take(reaction)
        return answer_in(reaction)

    def _leave_unanswered(self) -> None:
        """Answer all who still wait: the match is over."""
        self._closed = True
        with contextlib.suppress(queue.Empty):
            while True:
                arrival = self._arrivals.get_nowait()
                if isinstance(arrival, HandleIntent) and arrival.reply is not None:
                    arrival.reply.set_result(OVER)

    def _handle(self, intent: Intent, otherwise: Intent | None = None) -> Refusal | None:
        reaction = self.match.handle(intent, self._clock.now())
        self._take(reaction)
        if (refusal := reaction.refusal) is not None:
            self.refuse(intent, refusal)
            if otherwise is not None:
                return self._handle(otherwise)
        return refusal

    def _take(self, reaction: Reaction) -> None:
        if self._keep is not None and reaction.events:
            self._keep(reaction.events)
        if self._spectators is not None:
            for number, (event, after) in enumerate(zip(reaction.events, reaction.views, strict=True), reaction.first):
                self._spectators.tell(number, event, after)
        if self._telling:
            self._untold.append(reaction)
            return
        self._telling = True
        try:
            self.deliver(reaction)
            while self._untold:
                self.deliver(self._untold.popleft())
        finally:
            self._telling = False
        for event in reaction.events if self.stand_in is not None else ():
            if type(event) is ev.Left and not self.forming and not self.match.over:
                self._substitute(event.seat)

    def _substitute(self, seat: Seat) -> None:
        """Put the stand-in on a seat whose player has left."""
        assert self.stand_in is not None
        name, player = self.stand_in(seat)
        if (caller := self._callers.get(seat)) is not None:
            caller.close()
        self._callers[seat] = _caller(player, timed=self.match.is_timed)
        self.place(seat, player)
        self._handle(it.Join(name, seat, player_type(player)))

    def _run(self, script: Script) -> None:
        refusal: Refusal | None = None
        try:
            while True:
                step = script.send(refusal)
                if isinstance(step, WaitFor):
                    self._wait(step)
                else:
                    refusal = self._handle(step)
        except StopIteration:
            return

    def _wait(self, wanted: WaitFor) -> None:
        until = self._clock.now() + wanted.seconds
        while not self.all_done(wanted) and self._clock.now() < until:
            arrival = self._clock.get(self._arrivals, until, busy=True)
            if arrival is not None:
                self._arrived(arrival)
