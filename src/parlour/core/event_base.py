"""The base class of all events: visibility, end of privacy, and lifetime."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import msgspec

from parlour.core.game import Game, Position, Seat
from parlour.core.viewers import Viewer

if TYPE_CHECKING:
    from parlour.core.events import Event


class EventBase(msgspec.Struct, frozen=True, gc=False, tag_field="event"):
    """Base of all events. They hold no reference cycles, so the garbage collector skips them: records are long."""

    at: float

    routine: ClassVar[bool] = False
    """True for the frequent events within a turn (actions, wait flags), which need not be stored or sent at once."""
    fleeting: ClassVar[bool] = False
    """True if the event no longer matters once its turn has ended."""
    inert: ClassVar[bool] = False
    """True if nothing ever follows from the event: no consequence, and no other deadline."""
    changes_position: ClassVar[bool] = False
    """True if the event may change the position."""
    changes_player: ClassVar[bool] = False
    """True if the event changes the player of its seat, or removes the player."""

    def privy(self) -> tuple[Seat, ...] | None:
        """Return the only seats that may know of the event; None if everyone may see at least a part of it."""
        return None

    @property
    def opens_later(self) -> bool:
        """True if the privacy of the event ends with the match."""
        return False

    def seen(self, viewer: Viewer, game: Game) -> Event | None:
        """Return the event as that viewer may see it; None if the viewer may not know of it."""
        raise NotImplementedError(f"{type(self).__name__} does not say who may see it")


_E = TypeVar("_E", bound=EventBase)


def open_to_all(event: _E, viewer: Viewer, game: Game) -> _E:
    """Return the event unchanged: the method `seen` of events that hide nothing."""
    return event


def open_to_privy(event: _E, viewer: Viewer, game: Game) -> _E | None:
    """Return the event to those who are privy to it, and to all if it opens with the end of the match."""
    return event if viewer.shares(event.privy()) or (viewer.hindsight and event.opens_later) else None


def for_its_seat(event: Any) -> tuple[Seat, ...]:
    """Return only the event's seat: the method `privy` of events that only their seat may know of."""
    return (event.seat,)


class _LastPosition:
    """A cache of one decoded position: all viewers of a match ask for the same event one after the other."""

    found: tuple[Any, Position] | None = None


def position_as_seen(event: Any, viewer: Viewer, game: Game) -> Any:
    """Return an event with its position as that viewer may see it: the method `seen` of events with a position."""
    last = _LastPosition.found
    if last is None or last[0] is not event:
        last = _LastPosition.found = event, game.decode(event.position)
    view = last[1].view(viewer)
    return event if view is last[1] else msgspec.structs.replace(event, position=view.encode())
