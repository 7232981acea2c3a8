"""Tells a page what one view saw: each event as recorded, with what the page draws and writes of it.

A teller follows one view, event by event, and is asked for each event once; what it says serves every page that has
this view. A page that joins later gets the same in one piece, without what no longer matters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Game, Plain, Position, Seat
from parlour.core.pictures import Frame, Pictures, pictures_of
from parlour.web.negotiations import Negotiations

Extra: TypeAlias = dict[str, Plain]
"""What a page is told besides the event: frame, turn, plan, choices, and news of press."""

PASSING = (ev.Acted, ev.Retracted, ev.WaitSet, ev.CommStatusSet, ev.TurnBegan, ev.PressOpened, ev.PressClosed, ev.Voted)
"""Events of a turn that say nothing any more once it has ended."""


class Telling(msgspec.Struct, frozen=True, omit_defaults=True):
    """One event for pages."""

    k: int
    """Its number in this view, without gaps."""
    e: Event
    x: Extra = {}


class Teller:
    """Follows one view of a match."""

    def __init__(self, game: Game, seats: Sequence[Seat] = ()) -> None:
        self.game, self.seats = game, tuple(seats)
        """The seats that the view may choose for."""
        self.pictures: Pictures | None = pictures_of(game)
        self.position: Position | None = None
        self.k = 0
        self._press = Negotiations(self.pictures) if getattr(game, "press_check", None) and self.pictures else None
        self._actions: dict[str, Sequence[Plain]] = {}

    def tell(self, event: Event, position: Position | None, *, k: int | None = None, draw: bool = True) -> Telling:
        """The next event that the view saw, with the position after it as the view may see it.

        What is not drawn now is only named, and can be drawn later from what the turn was.
        """
        before, self.position = self.position, position
        self.k = self.k + 1 if k is None else k
        extra = self._extra(event, before, position, draw)
        if self._press is not None:
            extra |= self._press.hear(event, before, position)
        return Telling(self.k, event, {name: value for name, value in extra.items() if value not in (None, {}, ())})

    def _extra(self, event: Event, before: Position | None, position: Position | None, draw: bool) -> Extra:
        match event:
            case ev.Started() | ev.PositionSet() | ev.Removed() if position is not None:
                return {"frame": self._frame(position)}
            case ev.TurnBegan() if position is not None:
                self._actions.clear()
                return {"choices": self.choices()}
            case ev.Acted(seat=seat, action=action) if seat in self.seats and isinstance(action, list) and position:
                self._actions[seat] = action
                return {"plan": self._plan(position)}
            case ev.Retracted(seat=seat) if seat in self.seats and position is not None:
                self._actions.pop(seat, None)
                return {"plan": self._plan(position)}
            case ev.TurnEnded() if before is not None and position is not None and self.pictures is not None:
                if draw:
                    return {"turn": self.pictures.turning(before, position, event), "frame": self._frame(position)}
                return {"old": self.pictures.label(before, event.turn)}
        return {}

    def choices(self) -> dict[str, Plain]:
        """What the view's own seats may choose from, of those that are to act."""
        if self.pictures is None or self.position is None:
            return {}
        acting = self.position.to_act()
        return {str(seat): self.pictures.choices(self.position, seat) for seat in self.seats if seat in acting}

    def _frame(self, position: Position) -> Frame | None:
        return None if self.pictures is None else self.pictures.frame(position)

    def _plan(self, position: Position) -> Plain:
        """All that the view's own seats ordered in this turn; drawn together, for lines lean on one another."""
        if self.pictures is None:
            return None
        orders = [(seat, order) for seat, action in self._actions.items() for order in action]
        return {"deeds": self.pictures.planned(position, orders)}


def thinned(told: Iterable[Telling]) -> list[Telling]:
    """What a page needs that joins now: turns that ended without their comings and goings, layers once."""
    kept: list[Telling] = []
    turn: list[Telling] = []
    layers: dict[str, Plain] = {}
    for one in told:
        if isinstance(one.e, ev.TurnEnded):
            kept += [passing for passing in turn if not isinstance(passing.e, PASSING)]
            turn.clear()
        turn.append(_shared(one, layers))
    return kept + turn


def _shared(one: Telling, layers: dict[str, Plain]) -> Telling:
    """The event with None for each layer of its frame that is as in the frame before."""
    frame = one.x.get("frame")
    if not isinstance(frame, Frame):
        return one
    fresh = {name: None if layers.get(name) == marks else marks for name, marks in frame.layers.items()}
    layers.update(frame.layers)
    return Telling(one.k, one.e, {**one.x, "frame": msgspec.structs.replace(frame, layers=fresh)})
