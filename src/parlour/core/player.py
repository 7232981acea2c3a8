"""Players and observers: Player, Observer, and the SeatHandle through which a player does more than answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

import msgspec

from parlour.core.events import Event
from parlour.core.game import Action, Seat, View
from parlour.core.intents import Ballot, CommStatus, Consultation, Refusal
from parlour.core.table_view import TableView

Answer: TypeAlias = Action | Awaitable[Action]


class _Later:
    """The type of LATER, its only instance."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "LATER"


LATER: Final = _Later()
"""A value that act may return instead of an action: the player talks first and acts through its seat handle later."""


class SeatHandle(Protocol):
    """A player's access to its own seat. Its methods may be called from any callback.

    All methods return at once, except reserve and consult, which wait for the referee's answer. Those two must not be
    called on the event loop of a hosted table; local players and house agents are not called there.
    """

    @property
    def seat(self) -> Seat:
        """The seat of the player."""

    def say(self, text: str, to: Sequence[Seat] = ()) -> None:
        """Send press to some seats, or to all."""

    def set_comm_status(self, status: CommStatus) -> None:
        """Announce readiness to talk: ready, busy or inactive."""

    def set_wait(self, wait: bool) -> None:
        """Raise or lower the wait flag."""

    def vote(self, ballot: Ballot) -> None:
        """Vote on a draw."""

    def act(self, action: Action) -> None:
        """Submit or replace the action of this turn, outside of an answer to Player.act."""

    def note(self, text: str) -> None:
        """Write a note for this seat and for viewers who see everything."""

    def seal(
        self,
        action: Action = None,
        stances: Mapping[str, str] = MappingProxyType({}),
        text: str = "",
        expects: Mapping[Seat, Action] = MappingProxyType({}),
    ) -> None:
        """Seal the plan: the action, a stance on each arrangement (keep, break or until a phase), and a text."""

    def reserve(self, tokens: int, usd: float = 0.0) -> int | Refusal:
        """Reserve tokens and dollars before a model is called. Return the number of the call, or a refusal."""

    def consult(self, consultation: Consultation, call: int | None = None) -> Refusal | None:
        """Settle a reservation and record the call. Return the refusal if it was not recorded."""


@runtime_checkable
class Player(Protocol):
    """The player on a seat. Only act is required; it may be sync or async.

    An exception of a method is a foul of the seat: TimeoutError counts as late, ConnectionError as disconnected,
    RemoteWireError and NotationError as garbled, anything else as crashed. Exceptions of on_event count as one foul of
    each kind per turn.

    A player may also have any of these; the driver calls what it finds:

    on_seated(handle)     once, when the player sits down
    on_start(view)        once, when play begins
    on_resume(past)       once, if the player joins late: an ObservedEvent for each past event that the seat may see
    on_event(observed)    an ObservedEvent for each event that the seat may see
    identify()            once before play and once at the end; a dict with at least "Name", for players that have it
    on_introduced(seats)  once before play, with the seats that sit down together
    on_refused(refusal)   an action, press or vote was not taken; a Refusal, or the Violation of an illegal action
    on_end(outcome)       once, at the end
    player_type           human, no_press_bot (the default) or press_bot: press waits until every press_bot is ready
    slow                  True if it waits for a remote service: then it is called on a thread even in an untimed match
    real_time             True if it may speak unasked, like a person: then a press window takes real time
    """

    def act(self, view: View) -> Answer:
        """Return the chosen action for the position in view."""


class ObservedEvent(msgspec.Struct, frozen=True, eq=False):
    """One event as a viewer may see it, its places in the record and in that view, and the table after it.

    The view comes from the referee's own state, so that no observer needs to compute it again.
    """

    k: int
    """The place among the events that the viewer may see, from 0 and without gaps."""
    number: int
    """Number of the event in the record."""
    event: Event
    """The event as the viewer may see it."""
    _view: Callable[[], TableView]
    _found: TableView | None = None

    @property
    def view(self) -> TableView:
        """State of the match after the event, as the viewer may see it."""
        if self._found is None:
            found = self._view()
            msgspec.structs.force_setattr(self, "_found", found)
            return found
        return self._found


class Observer(Protocol):
    """A spectator: receives each event that spectators may see. An observer that raises is dropped."""

    def on_event(self, observed: ObservedEvent) -> Any:
        """Receive an event."""
