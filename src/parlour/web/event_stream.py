"""Turns the events of one view into messages for pages: each event, and the values that the page draws and writes.

A `Teller` follows one view, event by event, and is called once for each event; what it says serves every page that has
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
from parlour.core.table_view import TableView
from parlour.web.negotiations import Negotiations

Extra: TypeAlias = dict[str, Plain]
"""Values that a page receives besides the event: frame, turn, plan, choices, and changes of press."""

TABLE = ("status", "turn", "stage", "to_act", "window_until", "in_favour", "sealing", "outcome")
"""Fields of the table that a page shows, besides its seats."""


class Telling(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An event for pages."""

    k: int
    """The event's number in this view, without gaps."""
    e: Event
    x: Extra = {}
    t: Extra = {}
    """The changes of the table; see table_changes."""


class Teller:
    """Follows one view of a match."""

    def __init__(self, game: Game, seats: Sequence[Seat] = ()) -> None:
        self.game, self.seats = game, tuple(seats)
        """The seats that the view may choose for."""
        self.pictures: Pictures | None = pictures_of(game)
        self.view: TableView | None = None
        """The table after the last event that was sent."""
        self.k = 0
        self._press = Negotiations(self.pictures) if getattr(game, "press_check", None) and self.pictures else None
        self._actions: dict[str, Sequence[Plain]] = {}

    @property
    def position(self) -> Position | None:
        """Return the match's position; None before its start."""
        return None if self.view is None else self.view.position

    def tell(self, event: Event, view: TableView, *, k: int | None = None, draw: bool = True) -> Telling:
        """Return the next event of the view with all that a page needs of it; view is the table after it.

        With draw=False, a turn is only named; it can be drawn later.
        """
        before, position, changes = self.position, view.position, table_changes(self.view, view)
        self.view = view
        self.k = self.k + 1 if k is None else k
        extra = self._extra(event, before, position, draw)
        if self._press is not None:
            extra |= self._press.hear(event, before, position)
        extra = {name: value for name, value in extra.items() if value not in (None, {}, ())}
        return Telling(self.k, event, extra, changes)

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
        """Return the choices of the view's own seats that are to act."""
        if self.pictures is None or self.position is None:
            return {}
        acting = self.position.to_act()
        return {str(seat): self.pictures.choices(self.position, seat) for seat in self.seats if seat in acting}

    def foreseen(self, seat: Seat, orders: Sequence[str]) -> list[str]:
        """Return a sentence for each promise of a seat that these orders would break."""
        return [] if self._press is None else self._press.foreseen(seat, orders)

    def _frame(self, position: Position) -> Frame | None:
        return None if self.pictures is None else self.pictures.frame(position)

    def _plan(self, position: Position) -> Plain:
        """Return all orders of the view's own seats in this turn, drawn together: some lines depend on others."""
        if self.pictures is None:
            return None
        orders = [(seat, order) for seat, action in self._actions.items() for order in action]
        return self.pictures.planned(position, orders)


def table_changes(before: TableView | None, after: TableView) -> Extra:
    """Return the changes of the table for a page: every field at first, then only changed fields.

    If the number of seats has changed, all seats are sent; otherwise only the rows that have changed.
    """
    changed: Extra = {name: getattr(after, name) for name in TABLE}
    if before is None or len(before.seats) != len(after.seats):
        return {**changed, "seats": after.seats}
    changed = {name: value for name, value in changed.items() if value != getattr(before, name)}
    rows = [row for was, row in zip(before.seats, after.seats, strict=True) if row is not was and row != was]
    return {**changed, "rows": rows} if rows else changed


def thinned(told: Iterable[Telling]) -> list[Telling]:
    """Return the events that a joining page needs: finished turns without arrivals and departures, each layer once."""
    kept: list[Telling] = []
    turn: list[Telling] = []
    layers: dict[str, Plain] = {}
    for one in told:
        if isinstance(one.e, ev.TurnEnded):
            kept += [lasting for lasting in turn if not lasting.e.fleeting]
            turn.clear()
        turn.append(_shared(one, layers))
    return kept + turn


def _shared(one: Telling, layers: dict[str, Plain]) -> Telling:
    """Return the event without its table, and with None for each layer that equals that of the frame before."""
    frame = one.x.get("frame")
    if not isinstance(frame, Frame):
        return Telling(one.k, one.e, one.x)
    fresh = {name: None if layers.get(name) == marks else marks for name, marks in frame.layers.items()}
    layers.update(frame.layers)
    return Telling(one.k, one.e, {**one.x, "frame": msgspec.structs.replace(frame, layers=fresh)})
