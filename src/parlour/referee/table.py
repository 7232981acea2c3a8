"""A table: one match on asyncio, in any status. Intents go in and each gets its own answer.

A table does not wait and has no task of its own. Drivers that call players, sessions that send intents, and watchers
come and go. Events are durable before they are sent, and are sent in order; events that happen during a write are
stored together by the next one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import Any, Protocol, TypeAlias

import msgspec

from parlour.core.events import Event, seen_by
from parlour.core.intents import Downtime, Intent, Refusal
from parlour.core.viewers import Viewer
from parlour.errors import StoreError
from parlour.referee.match import Match, Reaction
from parlour.referee.spectators import Spectators, Watcher

KeepAsync: TypeAlias = Callable[[Sequence[Event]], asyncio.Future[None]]
"""A function that stores events; the future is done when they are durable. It is not a coroutine, which would begin
only later, when the match may have gone further."""
INSTANT = 1e-6
"""Shortest difference of times in a record, in seconds."""
LATE_READ = 1e-3
"""Seconds before a deadline at which intents are dated that arrived in time, but were read late. A thousand intents,
each at an instant of its own, have room there; further ones are late."""
LEISURE = 0.05
"""Seconds that a leisurely submission may wait in memory, so that it is stored together with the next one."""

_log = logging.getLogger(__name__)


class Answer(msgspec.Struct, frozen=True):
    """The answer to an intent: the events that followed, as in the record, or the refusal.

    With a refusal there can be events too: deadlines that had passed take effect before the intent.
    """

    events: tuple[Event, ...] = ()
    refusal: Refusal | None = None
    notes: tuple[str, ...] = ()
    """Remarks for the sender, for example that a receiver's protocol cannot carry the message."""


class TableFollower(Protocol):
    """A receiver of every reaction of the match once it is durable, such as a driver."""

    def reacted(self, reaction: Reaction) -> None:
        """Process a reaction; must not wait."""


class Storing:
    """Reactions that are stored together, and the callbacks of those who wait for them."""

    __slots__ = ("_callbacks", "_error", "_reactions", "_shared", "inputs")

    def __init__(self) -> None:
        self.inputs = 0
        """Number of submissions; intents that are submitted together count once."""
        self._reactions: list[Reaction] = []
        self._callbacks: list[Callable[[Exception | None], None]] | None = []
        """Callbacks of those who wait; None once they have been called."""
        self._error: Exception | None = None
        self._shared: asyncio.Future[None] | None = None

    def add(self, reactions: Sequence[Reaction]) -> None:
        """Add the reactions of a submission that have events."""
        self.inputs += 1
        self._reactions += reactions

    @property
    def quiet(self) -> bool:
        """Return True if none of these events must be sent at once."""
        return all(event.routine for reaction in self._reactions for event in reaction.events)

    def together(self) -> Reaction:
        """Return all reactions as one."""
        reactions = self._reactions
        if len(reactions) == 1:
            return reactions[0]
        return Reaction(
            tuple([event for reaction in reactions for event in reaction.events]),
            tuple([view for reaction in reactions for view in reaction.views]),
            reactions[-1].position if reactions else None,
            reactions[0].first if reactions else 0,
            tuple([ask for reaction in reactions for ask in reaction.asks]),
        )

    def then(self, callback: Callable[[Exception | None], None]) -> None:
        """Call `callback` once all is stored and sent, with the error if it could not be stored.

        The call is direct: a future would cost each waiter a turn of the loop.
        """
        if self._callbacks is None:
            callback(self._error)
        else:
            self._callbacks.append(callback)

    def waiter(self) -> asyncio.Future[None]:
        """Return a future that is done when all is stored and sent; cancelling it affects nobody else."""
        waiter = asyncio.get_running_loop().create_future()
        self.then(partial(_settle, waiter))
        return waiter

    def shared(self) -> asyncio.Future[None]:
        """Return a future that all callers share; a caller that may give up needs its own, from waiter."""
        if self._shared is None:
            self._shared = self.waiter()
        return self._shared

    def settle(self, error: Exception | None = None) -> None:
        """Call all callbacks."""
        callbacks, self._callbacks, self._error = self._callbacks or (), None, error
        for callback in callbacks:
            try:
                callback(error)
            except Exception:  # all other callbacks must still be called, as an event loop does
                _log.exception("a callback for stored events failed")


def _settle(waiter: asyncio.Future[None], error: Exception | None) -> None:
    if waiter.done():
        return
    if error is None:
        waiter.set_result(None)
    else:
        waiter.set_exception(error)


class Submission:
    """Submitted intents: the answer to each, and a way to wait until their events are durable and sent."""

    __slots__ = ("_storing", "answers")

    def __init__(self, answers: list[Answer], storing: Storing | None) -> None:
        self.answers = answers
        """The answers in the order of the intents; empty until the match has ruled on them."""
        self._storing = storing
        """The batch in which the events are stored; None if there is nothing to store."""

    @property
    def done(self) -> asyncio.Future[None] | None:
        """Return a future that is done when the events are durable and sent, and fails if they are not stored.

        Submissions that are stored together share it, so do not cancel it. None if there is nothing to store.
        """
        return None if self._storing is None else self._storing.shared()

    def then(self, callback: Callable[[Exception | None], None]) -> None:
        """Call `callback` once the events are durable and sent, with the error if they could not be stored."""
        if self._storing is None:
            callback(None)
        else:
            self._storing.then(callback)

    def __await__(self) -> Generator[Any, None, list[Answer]]:
        """Wait until the events are durable and sent, and return the answers; raise if they could not be stored."""
        if self._storing is not None:
            yield from self._storing.waiter().__await__()
        return self.answers


class Table:
    """A match that is being played. All methods run on the caller's loop."""

    def __init__(
        self,
        match: Match,
        now: Callable[[], float],
        *,
        keep: KeepAsync | None = None,
        failed: Callable[[Exception], None] | None = None,
        strangers: bool = True,
        owed: Callable[[float], Intent | None] | None = None,
        refuse: Callable[[Intent], Refusal | None] | None = None,
    ) -> None:
        """Make a table; `failed` receives the error if the events cannot be stored, for senders that do not wait.

        Without `strangers`, watchers receive the events themselves, which they must not change. An intent that `owed`
        returns, given the time, is submitted before any other; intents that `refuse` refuses do not reach the match.
        """
        self.match = match
        self._now = now
        self._keep = keep
        self._failed = failed
        self._owed, self._refuse = owed, refuse
        self._closed = ""
        """The reason to refuse all intents; empty while the table is open."""
        self._spectators = Spectators(match.game, strangers=strangers)
        self._listeners: list[TableFollower] = []
        self._waiting: Storing | None = None
        """The batch of the next write."""
        self._storing: Storing | None = None
        self._writing = False
        """True if a write is running, or will begin in the next turn of the loop."""
        self._leisure: asyncio.TimerHandle | None = None
        self.sociable = False
        """True if the last write stored several submissions: then it pays to wait a moment for others. Otherwise
        waiting delays players who need the answer before they continue.
        """
        self._failure: Exception | None = None
        self._told = match.state.count
        """Number of events that have been sent."""

    @cached_property
    def _loop(self) -> asyncio.AbstractEventLoop:
        """Return the caller's loop; cached, because looking it up is a system call."""
        return asyncio.get_running_loop()

    def now(self) -> float:
        """Return the time on the match's clock."""
        return self._now()

    # Input

    def open(self, *intents: Intent) -> Submission:
        """Open the match, or apply the consequences that a resumed match still owes; then submit these intents.

        All of it is stored together. If one intent is refused, nothing is stored, and the table must not be used.
        """
        self._refuse_if_failed()
        reactions = [self.match.start(self._now()), *self._all_handled(intents, self._now())]
        refused = any(reaction.refusal is not None for reaction in reactions)
        return Submission(_answers(reactions), None if refused else self._take_in(reactions))

    async def handle(self, intent: Intent) -> Answer:
        """Submit an intent; return the answer when its events are durable and sent."""
        (answer,) = await self.submit((intent,))
        return answer

    def submit(self, intents: Sequence[Intent], *, leisurely: bool = False) -> Submission:
        """Submit intents, in any status of the match. Await the submission until its events are durable.

        They follow one another with nothing in between, and are stored together. A leisurely submission is stored
        with the next one, or after a moment, unless it ends a turn.

        A deadline passes only with a tick, before which the driver reads all that has arrived. So an intent that
        arrived in time counts, even if the driver was late to read it.
        """
        self._refuse_if_failed()
        now = self._now()
        if self._owed is not None and not (intents and isinstance(intents[0], Downtime)):
            if (owed := self._owed(now)) is not None:
                self._take_in((self._handled(owed, now),))
        reactions = self._all_handled(intents, now)
        return Submission(_answers(reactions), self._take_in(reactions, leisurely=leisurely))

    def _all_handled(self, intents: Sequence[Intent], now: float) -> list[Reaction]:
        """Return the reactions to intents that are submitted together: all have the same time."""
        return [self._handled(intent, now) for intent in intents]

    def _handled(self, intent: Intent, now: float) -> Reaction:
        if self._refuse is not None and (refusal := self._refuse(intent)) is not None:
            return Reaction(refusal=refusal)
        match = self.match
        due = match.due()
        if due is not None and now >= due and not isinstance(intent, Downtime):
            now = due - LATE_READ
        return match.handle(intent, now)

    async def tick(self) -> Answer:
        """Let time pass, if something is due."""
        self._refuse_if_failed()
        reactions = (self.match.tick(self._now()),)
        (answer,) = await Submission(_answers(reactions), self._take_in(reactions))
        return answer

    def close(self, reason: str) -> None:
        """Refuse all further intents, store nothing more, and drop the references to the host."""
        self._closed = reason
        self._keep, self._failed, self._owed, self._refuse = _keep_nothing, None, None, None

    def due(self) -> float | None:
        """Return the time of the next tick that has an effect; None if only an intent can have one."""
        return self.match.due()

    @property
    def busy(self) -> bool:
        """Return True if some events are not yet durable and sent."""
        return self._writing or self._waiting is not None

    def hurry(self) -> None:
        """Store waiting events now, because a caller waits for the result."""
        if self._waiting is not None:
            self._begin_to_write()

    async def settled(self) -> None:
        """Wait until all events are durable and sent."""
        while (batch := self._waiting or self._storing) is not None:
            self.hurry()
            with suppress(Exception):  # the sender receives the reason why it could not be stored
                await batch.waiter()

    # Watchers

    def watch(self, viewer: Viewer, watcher: Watcher) -> Callable[[], None]:
        """Call the watcher with each further event that the viewer may see; call the result to stop."""
        return self._spectators.watch(viewer, watcher, self.seen(viewer))

    def seen(self, viewer: Viewer) -> int:
        """Return the number of the next event in a viewer's view: the count of events shown to it so far."""
        untold = self.match.record[self._told - self.match.state.count :] if self._told < self.match.state.count else ()
        return self.match.state.visible(viewer) - sum(
            seen_by(event, viewer, self.match.game) is not None for event in untold
        )

    def told_record(self) -> list[Event]:
        """Return the part of the record in memory, without events that nobody has received."""
        record = self.match.record
        return record[: len(record) - (self.match.state.count - self._told)]

    def follow(self, listener: TableFollower) -> Callable[[], None]:
        """Send the listener every further reaction; call the result to stop."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    # Output

    def _take_in(self, reactions: Sequence[Reaction], *, leisurely: bool = False) -> Storing | None:
        """Store the reactions, or send them at once if nothing is to be stored; return the batch, if any."""
        followed = [reaction for reaction in reactions if reaction.events]
        batch = Storing() if self._waiting is None or not followed else self._waiting
        batch.add(followed)
        if self._keep is None or not followed:
            self._tell(batch.together())
            return None
        self._waiting = batch
        if not self._writing:
            if not leisurely or not batch.quiet:
                self._begin_to_write()
            elif self._leisure is None:
                self._leisure = self._loop.call_later(LEISURE, self._begin_to_write)
        return batch

    def _begin_to_write(self) -> None:
        """Store the waiting events in the next turn of the loop, with those that happen until then."""
        if self._leisure is not None:
            self._leisure.cancel()
            self._leisure = None
        if not self._writing:
            self._writing = True
            self._loop.call_soon(self._write)

    def _write(self) -> None:
        assert self._keep is not None
        assert self._waiting is not None
        self._storing, self._waiting = self._waiting, None
        self.sociable = self._storing.inputs > 1
        try:
            self._keep(self._storing.together().events).add_done_callback(self._stored)
        except Exception as error:  # any error of the store: nobody may wait for ever
            self._give_up(error)

    def _stored(self, done: asyncio.Future[None]) -> None:
        """Send the stored events, and store the waiting ones."""
        batch = self._storing
        assert batch is not None
        try:
            done.result()
            self._tell(batch.together())
        except asyncio.CancelledError:
            self._give_up(StoreError("the table was given up while events were being stored"))
        except Exception as error:  # any error of the store or a follower: nobody may wait for ever
            self._give_up(error)
        else:
            self._storing, self._writing = None, self._waiting is not None
            if self._writing:
                self._write()
                self.sociable = True
            batch.settle()

    def _tell(self, reaction: Reaction) -> None:
        if self._spectators:
            for number, (event, after) in enumerate(zip(reaction.events, reaction.views, strict=True), reaction.first):
                self._told = number + 1
                self._spectators.tell(number, event, after)
        elif reaction.events:
            self._told = reaction.first + len(reaction.events)
        for listener in tuple(self._listeners):
            listener.reacted(reaction)

    def _give_up(self, error: Exception) -> None:
        """Give up the table: the match is ahead of its record, and events that are not stored do not count."""
        if not isinstance(error, StoreError):
            _log.error("a table is given up", exc_info=error)
        self._failure = error
        lost = self._storing, self._waiting
        self._storing = self._waiting = None
        self._writing = False
        for batch in lost:
            if batch is not None:
                batch.settle(error)
        if self._failed is not None:
            self._failed(error)

    def _refuse_if_failed(self) -> None:
        if self._closed:
            raise StoreError(self._closed)
        if self._failure is not None:
            raise StoreError(f"this table could not be stored and is given up: {self._failure}")


def _answers(reactions: Sequence[Reaction]) -> list[Answer]:
    return [Answer(reaction.events, reaction.refusal) for reaction in reactions]


def _keep_nothing(events: Sequence[Event]) -> asyncio.Future[None]:
    raise StoreError("the table is closed")
