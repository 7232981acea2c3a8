"""Rooms: a room follows a match for the clients that have joined it, in each role, and notifies them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Container, Iterable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import msgspec

from parlour.core import events as ev
from parlour.core.events import Event, seen_by
from parlour.core.player import ObservedEvent
from parlour.core.viewers import OMNISCIENT as SEES_ALL
from parlour.core.viewers import Viewer
from parlour.errors import ParlourError
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.position import Position
from parlour.net.hosted import HostedMatch
from parlour.net.mila import notices as nt
from parlour.net.mila.chronicle import PhaseParts
from parlour.net.mila.earlier import EarlierPhases
from parlour.net.mila.match_status import BoardState
from parlour.net.mila.notices import Listening, Notice, Waiting
from parlour.net.mila.protocol_values import OMNISCIENT, SPECIAL_ROLES, GameStatus
from parlour.net.mila.role_state import Sight, viewer_of
from parlour.net.onlookers import Eyes
from parlour.net.shared_work import begin_shared

logger = logging.getLogger(__name__)
Watch: TypeAlias = Callable[..., Awaitable[Callable[[], None]]]
"""Sends a watcher all events that a viewer may see, from the first on; call the result to stop.

The watcher's `eyes`, if given, are called whenever rights change.
"""


RETRY = 1.0
"""Seconds until a match that could not be read is read again."""
Cause = tuple[type[Event], str]
"""An event that an intent causes: its kind, and its seat (empty without one)."""


class Expected(msgspec.Struct, frozen=True, eq=False):
    """The events that a request causes, one of each, and the caller's listener, which does not receive them."""

    causes: Sequence[Cause]
    listening: Listening
    hold: Callable[[str], None]
    """Holds back the notifications of a match on the request's socket until it is answered."""


class _Step(NamedTuple):
    """The effects of an event on the board."""

    over: PhaseParts | None
    before: Position
    was: GameStatus
    phase: str
    """The phase in which the event happened."""
    at: int
    """Time of the event in microseconds."""


class _View:
    """A role's view of the match, and its listeners."""

    def __init__(self, sight: Sight) -> None:
        self.sight = sight
        self.listeners: list[Listening] = []
        self.stale = False
        """True once the power has another holder, who may not see all that the former one saw."""
        self.ready = asyncio.get_running_loop().create_future()
        """A future that is done when all earlier events have been processed."""


class Room:
    """One match and all who listen to it.

    It is watched once for all roles, and each role receives an event as far as the event's own rules let it see it.
    """

    def __init__(
        self,
        match: str,
        watch: Watch,
        earlier: EarlierPhases | None = None,
        may_listen: Callable[[str, Listening], bool] = lambda match, listening: True,
        viewer_of: Callable[[str, str], Viewer] = lambda match, role: viewer_of(role),
        loses_sight: Callable[[str, Listening], None] = lambda match, listening: None,
        shown: Callable[[str], str] = str,
    ) -> None:
        self._shown = shown
        """Returns the name that clients use for an account."""
        self._viewer_of = viewer_of
        """Returns the viewer of a role now."""
        self._may_listen, self._loses_sight = may_listen, loses_sight
        """Checks if a listener may listen to the match, and is called for one that no longer may."""
        self.match = match
        self._watch = watch
        self.earlier = earlier
        """The past of a saved game that the match continues; None if it began here."""
        self.board: BoardState | None = None
        self._views: dict[str, _View] = {}
        self._complete: dict[str, _View] = {}
        """Views of roles that have processed all earlier events."""
        self._folded = -1
        """The number of the last event that the board has processed."""
        self._causes: dict[Cause, list[Expected]] = {}
        self._leave: Callable[[], None] = _nowhere_to_leave
        self._watching: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._given_up = 0
        """Number of times the match was given up."""
        self._behind = False
        """True after a give-up, until the match has been read again."""
        self._caught_up_again = self._loop.create_future()
        self._waiting: list[Waiting] = []
        """Waiting notifications; they are sent at the end of this turn of the loop at the latest."""
        self._quiet = True
        """True if all waiting notifications are quiet."""
        self._raised: tuple[str, Waiting] | None = None
        """The power whose wait flag was raised last, and its notification; None if another event followed."""
        self.vanishing = False
        """True while the match is being deleted: listeners are notified of that, and not of its end."""
        self.visits = 0
        """Number of running requests; the room stays open for them."""

    @property
    def empty(self) -> bool:
        """Return True if there are no listeners and no running requests."""
        return not self.visits and not any(view.listeners for view in self._views.values())

    def close(self) -> None:
        """Stop watching."""
        self._views.clear()
        self._complete.clear()
        self._leave()
        self._leave = _nowhere_to_leave  # breaks a reference cycle

    # Views of roles

    def known_sight(self, role: str) -> Sight | None:
        """Return the view of a role if it is complete and up to date; None otherwise."""
        view = self._complete.get(role)
        return None if view is None or view.stale or self._behind else view.sight

    async def sight(self, role: str) -> Sight:
        """Return the view of a role, loaded if needed; it is kept up to date from then on."""
        while True:
            view = self._views.get(role)
            if view is None or view.stale:
                view = await self._look(role)
            elif not view.ready.done():
                await asyncio.shield(view.ready)
            if self._behind:  # otherwise a repeated message would count as new
                await asyncio.shield(self._caught_up_again)
            if not view.stale:
                return view.sight

    async def _look(self, role: str) -> _View:
        """Load the view of a role for its present holder, in place of any former one."""
        old, view = self._views.get(role), _View(Sight(role))
        self._views[role] = view
        if old is not None:
            view.listeners = old.listeners
            self._complete.pop(role, None)
        try:
            await self._begin()
            sight = view.sight = Sight(role, self._viewer_of(self.match, role))
            for phase, messages, logs in self.earlier.heard(sight.role_before) if self.earlier is not None else ():
                sight.remember(phase, messages, logs)
                await asyncio.sleep(0)  # lets other tasks run, since the past may be long
            leave = await self._watch(sight.viewer, partial(self._caught_up, view))
        except (Exception, asyncio.CancelledError) as error:  # others that wait for the same view must be informed
            self._views.pop(role, None)
            view.ready.set_exception(error)
            view.ready.exception()  # marks the error as retrieved, since nobody may wait
            raise
        leave()  # further events come through the room's own watch
        view.stale = sight.viewer != self._viewer_of(self.match, role)
        view.ready.set_result(None)
        self._complete[role] = view
        return view

    async def _begin(self) -> None:
        """Watch the match, once for all."""
        watching = self._watching
        if watching is None or (watching.done() and (watching.cancelled() or watching.exception() is not None)):
            watching = self._watching = begin_shared(self._watch_all())  # a watch that failed is begun again
        await asyncio.shield(watching)

    async def _watch_all(self) -> None:
        leave = await self._watch(SEES_ALL, self._happened, eyes=Eyes(self._look_again))
        self._leave()
        self._leave = leave
        self.heed()

    def _look_again(self, hosted: HostedMatch) -> Viewer:
        """Apply changed rights to the listeners; return the room's own viewer, which never changes."""
        self.heed()
        return SEES_ALL

    def heed(self) -> None:
        """Apply changed rights: observers and omniscients who may no longer watch receive nothing more.

        Players who lose a power are removed after the event that says so; see _keep_only_players.
        """
        for role, view in self._complete.items():
            view.stale = view.stale or view.sight.viewer != self._viewer_of(self.match, role)
        for role in SPECIAL_ROLES:
            for listening in [one for one in self.listeners(role) if not self._may_listen(self.match, one)]:
                self.ignore(listening.__eq__)
                self._loses_sight(self.match, listening)

    def watch_again(self) -> None:
        """Watch a match again that was given up; requests wait until it has been read."""
        self._leave()
        self._given_up += 1
        if not self._behind:
            self._behind, self._caught_up_again = True, self._loop.create_future()
            self._watching = begin_shared(self._until_it_can_be_read())

    async def _until_it_can_be_read(self) -> None:
        while self._views:
            known = self._given_up
            try:
                await self._watch_all()
                if known == self._given_up:  # the match was not given up again meanwhile
                    break
            except ParlourError as error:
                logger.warning("match %s cannot be watched: %s", self.match, error)
                self._caught_up_again.set_exception(error)
                self._caught_up_again.exception()  # marks the error as retrieved, since nobody may wait
                await asyncio.sleep(RETRY)
                self._caught_up_again = self._loop.create_future()
        self._behind = False
        self._caught_up_again.set_result(None)
        if not self._views:  # no listener is left; the next one starts a new watch
            self._leave()
            self._watching = None

    @property
    def state(self) -> BoardState:
        """Return the public state; available once a role is loaded."""
        assert self.board is not None
        return self.board

    def listen(self, listening: Listening) -> None:
        """Add a listener; the role's sight must exist."""
        self.flush()
        listeners = self._views[listening.role].listeners
        for known in listeners:
            if known.token == listening.token:
                listeners.remove(known)
                break
        listeners.append(listening)

    def listeners(self, role: str | None = None) -> list[Listening]:
        """Return the listeners, in one role or in any."""
        views = self._views.values() if role is None else filter(None, [self._views.get(role)])
        return [listening for view in views for listening in view.listeners]

    def listener(self, role: str, token: str) -> Listening | None:
        """Return the listener of a token in a role; None if there is none."""
        if (view := self._views.get(role)) is not None:
            for listening in view.listeners:
                if listening.token == token:
                    return listening
        return None

    def ignore(self, gone: Callable[[Listening], bool]) -> None:
        """Remove the listeners for which the condition holds."""
        self.flush()
        for view in self._views.values():
            view.listeners = [listening for listening in view.listeners if not gone(listening)]
        self.tidy()

    def tidy(self) -> None:
        """Drop the views of roles without listeners."""
        if not self.visits:
            for role, view in list(self._views.items()):
                if not view.listeners and view.ready.done():
                    del self._views[role], self._complete[role]

    def tell(self, found: Notice, *, but: Listening | None = None) -> None:
        """Notify all listeners in any role, except one."""
        self._put([found], but)

    def tell_votes(self) -> None:
        """Send the votes to all listeners, each role what it may see."""
        for role, view in self._complete.items():
            self._put([nt.votes(self.state, view.sight)], None, (role,))

    def tell_idle_orders(self, seat: str, *, but: Listening | None) -> None:
        """Report orders of a power that has none to give: no event says that it is ready, but clients expect it."""
        self._put([nt.orders_flag(seat, 1)], but, self.state.others[seat])
        self._put([nt.notice("power_orders_update", seat, orders=[])], but, (seat, OMNISCIENT))

    def tell_one(self, listening: Listening, *found: Notice) -> None:
        """Send notices to one listener, after all that was queued before."""
        self.flush()
        listening.tell(nt.waiting_for(found))

    def _put(self, found: Iterable[Notice], cause: Listening | None, roles: Container[str] | None = None) -> None:
        """Queue notices for all listeners in these roles, or in any role, except the one that caused them."""
        if more := nt.waiting_for(found, cause, roles):
            self._quiet = False
            if not self._waiting:
                self._loop.call_soon(self.flush)
            self._waiting += more

    def _put_quietly(self, found: Notice, cause: Listening | None, roles: Container[str] | None = None) -> None:
        """Queue one of the frequent notices, after which the room still counts as quiet."""
        if not self._waiting:
            self._loop.call_soon(self.flush)
        self._waiting.append(nt.one_waiting(found, cause, roles))

    def flush(self) -> None:
        """Send the waiting notifications together, because most of the cost is per send."""
        if self._waiting:
            waiting, quiet = self._waiting, self._quiet
            self._waiting, self._quiet = [], True
            for view in self._views.values():
                for listening in view.listeners:
                    listening.tell(waiting, quiet=quiet)

    # Causes of events

    def expect(self, expected: Expected) -> None:
        """Expect the events of a request, whose own listener does not receive them, until `forget` is called."""
        for cause in expected.causes:
            if (waiting := self._causes.get(cause)) is None:
                self._causes[cause] = [expected]
            else:
                waiting.append(expected)

    def forget(self, expected: Expected | None) -> None:
        """Drop the expected events of a request that has been carried out or refused."""
        if expected is None or not self._causes:  # usually all of them have happened
            return
        for cause in expected.causes:
            if expected in (waiting := self._causes.get(cause, [])):
                waiting.remove(expected)
                if not waiting:
                    del self._causes[cause]

    def _caused_by(self, event: Event) -> Listening | None:
        """Return the listener that caused an event: the first that expects one of its kind."""
        kind = type(event)
        cause = (kind, getattr(event, "seat", ""))
        waiting = self._causes.get(cause)
        if waiting is None or (isinstance(event, ev.Ended) and event.outcome.places):
            return None  # a moderator whose cancellation came too late receives the real end
        expected = waiting.pop(0)
        if not waiting:
            del self._causes[cause]
        if kind is ev.Said:
            # The answer has the message's time, so the sender's client expects earlier events before it, others after.
            self.flush()
            expected.hold(self.match)
        return expected.listening

    # Events

    def _happened(self, told: ObservedEvent) -> None:
        """Process an event, and notify all listeners."""
        if told.number <= self._folded:  # received before the match was read again
            return
        event = told.event
        try:
            if isinstance(event, ev.Acted | ev.WaitSet):
                self._tell_quietly(event, told)
            elif (step := self._fold(told)) is not None:
                self._tell_of(event, told.number, step)
        except Exception:  # a watcher that raises is dropped, which is worse than one missing notification
            logger.exception("match %s: an event could not be told: %r", self.match, told.event)

    def _tell_quietly(self, event: ev.Acted | ev.WaitSet, told: ObservedEvent) -> None:
        """Process one of the frequent events that change neither the phase nor the status, and notify the listeners."""
        board, seat = self.board, event.seat
        assert board is not None
        board.take_quietly(told)
        self._folded = told.number
        own = self._caused_by(event) if self._causes else None
        if isinstance(event, ev.WaitSet):
            self._put_quietly(nt.wait_flag(seat, event.wait), own)
            self._raised = (seat, self._waiting[-1]) if event.wait else None
            return
        raised = self._taken_back_flag(seat)
        if event.given:
            self._put_quietly(nt.orders_flag(seat, board.places[seat].orders_set), own, board.others[seat])
        for role, view in self._complete.items():
            seen = seen_by(event, view.sight.viewer, GAME)
            if isinstance(seen, ev.Acted) and seen.action is not None:
                view.sight.take(seen, "", 0)
                if event.given and view.listeners and view.listeners != [own]:
                    self._put_quietly(nt.orders_update(seen), own, (role,))
        if raised is not None:
            self._waiting.append(raised)

    def _taken_back_flag(self, seat: str) -> Waiting | None:
        """Remove the waiting notification of a flag that was just raised, so that its orders go first.

        The flag is raised before them, because they might end the phase; the package reports it after them.
        """
        flag, self._raised = self._raised, None
        if flag is None or flag[0] != seat or not self._waiting or self._waiting[-1] is not flag[1]:
            return None
        return self._waiting.pop()

    def _tell_of(self, event: Event, number: int, step: _Step) -> None:
        """Let each role process an event as far as it may see it, and notify its listeners."""
        if isinstance(event, ev.Ended) and self.vanishing:
            return
        own = self._caused_by(event) if self._causes else None
        views = self._complete.values()
        board = self.state
        if (alike := nt.shared_notices(event, board, step.was)) is not None:
            for view in views:
                self._show(view, event, number, step)
            self._put(alike, own)
            return
        for view in views:
            sight = view.sight
            if (seen := seen_by(event, sight.viewer, GAME)) is not None:
                self._show(view, seen, number, step)
                if view.listeners and view.listeners != [own]:
                    self._put(nt.notices(seen, board, sight, step.over, step.before, step.was), own, (sight.role,))
                if event.changes_player and sight.role == getattr(event, "seat", ""):
                    # A player who has lost the power is notified of it, and receives nothing more.
                    self._keep_only_players(view)

    def _keep_only_players(self, view: _View) -> None:
        """Remove listeners in the role of a power that do not play it."""
        if gone := [one for one in view.listeners if not self._may_listen(self.match, one)]:
            self.flush()
            view.listeners = [one for one in view.listeners if one not in gone]

    def _caught_up(self, view: _View, told: ObservedEvent) -> None:
        """Process an event from before a role was loaded."""
        try:
            step = self._fold(told)
            if step is not None:
                self._show(view, told.event, told.number, step)
        except Exception:  # one missing event is better than a dropped watcher
            logger.exception("match %s: an event could not be told: %r", self.match, told.event)

    def _show(self, view: _View, event: Event, number: int, step: _Step) -> None:
        """Let a role's sight process an event."""
        view.sight.see(event, step.phase, step.at, self.state.marks.get(number))

    def _fold(self, told: ObservedEvent) -> _Step | None:
        """Let the board process a new event; return None for the first of all."""
        event, number = told.event, told.number
        if self.board is None:
            assert isinstance(event, ev.Opened), "a match opens with one"
            self.board, self._folded = BoardState(event, self._shown), number
            for parts, ended in self.earlier.parts() if self.earlier is not None else ():
                self.board.chronicle.add(parts, ended)
            return None
        board = self.board
        if number > self._folded:
            before, was = board.position, board.status
            over = board.take(told)
            self._folded = number
            return _Step(over, before, was, board.phase_before(number), board.latest)
        if isinstance(event, ev.Opened):
            return None
        return _Step(None, board.position, board.status, board.phase_before(number), board.micros(event))


def _nowhere_to_leave() -> None:
    """Do nothing: there is no watch to end."""
