"""The base of all events: who may see one, whether its privacy ends, and how long it matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import msgspec

from parlour.core.game import Game, Position, Seat
from parlour.core.viewers import Viewer

if TYPE_CHECKING:
    from parlour.core.events import Event


class EventBase(msgspec.Struct, frozen=True, gc=False, tag_field="event"):
    """Base of all events. They hold no cycles, so the collector need not look at them: records are long."""

    at: float

    routine: ClassVar[bool] = False
    """True for what seats do one after the other until a turn ends: most of what happens, and nobody waits for it."""
    fleeting: ClassVar[bool] = False
    """True if the event no longer matters once its turn has ended."""
    changes_position: ClassVar[bool] = False
    """True if the position after it may be another than before it."""
    changes_player: ClassVar[bool] = False
    """True if its seat has another player after it, or none."""

    def privy(self) -> tuple[Seat, ...] | None:
        """Return the seats that alone may know that it happened; None if everyone may, if only in part."""
        return None

    @property
    def opens_later(self) -> bool:
        """True if that privacy ends with the match."""
        return False

    def seen(self, viewer: Viewer, game: Game) -> Event | None:
        """Return the event as that viewer may see it; None if it is none of their business."""
        raise NotImplementedError(f"{type(self).__name__} does not say who may see it")


_E = TypeVar("_E", bound=EventBase)


def open_to_all(event: _E, viewer: Viewer, game: Game) -> _E:
    """Return the event; for `seen` of events that hide nothing from anybody."""
    return event


def for_its_seat(event: Any) -> tuple[Seat, ...]:
    """Return the seats of an event that nobody but its seat knows of; for `privy`."""
    return (event.seat,)


class _LastPosition:
    """The event with a position that was last looked at: all who watch a match look at it one after the other."""

    found: tuple[Any, Position] | None = None


def position_as_seen(event: Any, viewer: Viewer, game: Game) -> Any:
    """Return an event with its position as that viewer may see it; for `seen`."""
    last = _LastPosition.found
    if last is None or last[0] is not event:
        last = _LastPosition.found = event, game.decode(event.position)
    view = last[1].view(viewer)
    return event if view is last[1] else msgspec.structs.replace(event, position=view.encode())
