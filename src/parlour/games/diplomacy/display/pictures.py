"""Positions as pictures: prepares a position and the turn before it for the renderer in draw/."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Unpack

from parlour.errors import NotationError
from parlour.games.diplomacy import draw
from parlour.games.diplomacy.draw.arrows import Drawn
from parlour.games.diplomacy.draw.geometry import geometry_of
from parlour.games.diplomacy.draw.picture import Picture
from parlour.games.diplomacy.explaining.strengths import Forces
from parlour.games.diplomacy.fog import FogView
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.ordering import actions as a
from parlour.games.diplomacy.ordering.actions import OrderKind
from parlour.games.diplomacy.ordering.orders import Order
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.turn import Ruling, Turn

_KINDS = {
    OrderKind.HOLD: draw.DrawnKind.HOLD,
    OrderKind.MOVE_TO: draw.DrawnKind.MOVE,
    OrderKind.CONVOY_TO: draw.DrawnKind.MOVE,
    OrderKind.SUPPORT_HOLD: draw.DrawnKind.SUPPORT,
    OrderKind.SUPPORT_MOVE_TO: draw.DrawnKind.SUPPORT,
    OrderKind.CONVOY: draw.DrawnKind.CONVOY,
    OrderKind.RETREAT_TO: draw.DrawnKind.RETREAT,
    OrderKind.DISBAND: draw.DrawnKind.REMOVE,
    OrderKind.REMOVE: draw.DrawnKind.REMOVE,
    OrderKind.BUILD_ARMY: draw.DrawnKind.BUILD,
    OrderKind.BUILD_FLEET: draw.DrawnKind.BUILD,
}


def draw_position(position: Position, **style: Unpack[draw.Style]) -> str:
    """Return the position as SVG, without orders."""
    return draw.draw_scene(position.board, scene_of(position), **style)


def draw_orders(position: Position, orders: Iterable[tuple[str, str]], **style: Unpack[draw.Style]) -> str:
    """Return the position as SVG with orders, each paired with its power.

    Orders that cannot be drawn are left out.
    """
    planned = tuple(order for order in _planned(position, orders) if order is not None)
    return draw.draw_scene(position.board, scene_of(position, planned), **style)


def draw_turn(turn: Turn, *, results: bool = True, **style: Unpack[draw.Style]) -> str:
    """Return the position before a turn as SVG, with its orders and, if wanted, their results."""
    orders = tuple(turn_orders(turn))
    if not results:
        orders = tuple(replace(order, result=draw.Result.PENDING) for order in orders)
    return draw.draw_scene(turn.before.board, scene_of(turn.before, orders), **style)


def scene_of(position: Position, orders: tuple[draw.DrawnOrder, ...] = ()) -> draw.Scene:
    """Return the scene of a position."""
    units = [
        draw.DrawnUnit(name, unit[0], unit[2:], dislodged)
        for lists, dislodged in ((position.units, False), (position.dislodged, True))
        for name, own in lists.items()
        for unit in own
    ]
    return draw.Scene(
        units=tuple(units),
        centres={tag: name for name, own in position.centers.items() for tag in own},
        influence={tag: name for name, own in position.influence.items() for tag in own},
        orders=orders,
        title=position.phase_name,
        hidden=position.hidden if isinstance(position, FogView) else frozenset(),
    )


def turn_orders(turn: Turn) -> Iterator[draw.DrawnOrder]:
    """Return the orders of a turn with their results, without waived builds and unreadable orders."""
    return (order for order in _ruled(turn) if order is not None)


def drawn_rulings(turn: Turn) -> list[Drawn | None]:
    """Return the drawing of each ruling of a turn; None where there is nothing to draw, or no space."""
    orders = list(_ruled(turn))
    return _drawn_on(turn.before, orders)


def drawn_orders(position: Position, orders: Iterable[tuple[str, str]]) -> list[Drawn | None]:
    """Return the drawing of each order, with its power, as if it were given here; None if it cannot be drawn."""
    return _drawn_on(position, _planned(position, orders))


def _planned(position: Position, orders: Iterable[tuple[str, str]]) -> list[draw.DrawnOrder | None]:
    written = [(power, _written(position, text)) for power, text in orders]
    convoys: dict[tuple[str, str], dict[str, None]] = {}
    for _, order in written:
        if order is not None and order.kind is OrderKind.CONVOY:
            convoys.setdefault((order.other, order.target), {})[order.unit[2:]] = None
    routes = {key: _along(position, key[0][2:], list(fleets)) for key, fleets in convoys.items()}
    found: list[draw.DrawnOrder | None] = []
    for power, order in written:
        if order is None or order.kind is OrderKind.WAIVE:
            found.append(None)
            continue
        via: tuple[str, ...] = ()
        if order.kind in (OrderKind.CONVOY_TO, OrderKind.MOVE_TO):
            via = routes.get((order.unit, order.target), ())
        found.append(_shown(power, order, via, draw.Result.PENDING))
    return found


def _along(position: Position, start: str, fleets: list[str]) -> tuple[str, ...]:
    """Return fleets in the order in which an army from start passes them, judged by distance from start."""
    geometry = geometry_of(position.board)
    return tuple(sorted(fleets, key=lambda sea: math.dist(geometry.berth(start), geometry.berth(sea))))


def _drawn_on(position: Position, orders: Sequence[draw.DrawnOrder | None]) -> list[Drawn | None]:
    shown = tuple(order for order in orders if order is not None)
    picture = Picture(position.board, scene_of(position, shown))
    by_order = {id(drawn.order): drawn for drawn in picture.orders()}
    return [None if order is None else by_order.get(id(order)) for order in orders]


def _ruled(turn: Turn) -> Iterator[draw.DrawnOrder | None]:
    actions = [ruling.action for ruling in turn.rulings if ruling.action is not None]
    forces = Forces(turn.before.board, turn.before.state, actions, turn.verdicts)
    for ruling in turn.rulings:
        order = _order(turn, ruling)
        drawable = order is not None and order.kind is not OrderKind.WAIVE
        yield _with_result(turn, forces, ruling, order) if order is not None and drawable else None


def _order(turn: Turn, ruling: Ruling) -> Order | None:
    """Return the order as carried out or, if void, as written; None if it is unreadable or not on the map."""
    if ruling.action is not None:
        return turn.before.order_of(ruling.action)
    return _written(turn.before, ruling.text)


def _written(position: Position, text: str) -> Order | None:
    try:
        order = Order.read(text, stage=position.stage, board=position.board)
    except NotationError:
        return None
    return order if _on_map(order, position.board) else None


def _on_map(order: Order, board: Map) -> bool:
    """Return True if the order's areas exist: a void order may name a coast that its province does not have."""
    tags = {area.tag for area in board.areas}
    return all(area in tags for area in (order.unit[2:], order.target, order.other[2:]) if area)


def _with_result(turn: Turn, forces: Forces, ruling: Ruling, order: Order) -> draw.DrawnOrder:
    via: tuple[str, ...] = ()
    if order.kind is OrderKind.CONVOY_TO and ruling.action is not None:
        via = tuple(turn.before.board.provinces[sea].tag for sea in forces.route(a.ordered(ruling.action)))
    return _shown(ruling.power, order, via, draw.Result(str(ruling.verdict)), given=not ruling.default)


def _shown(
    power: str, order: Order, via: tuple[str, ...], result: draw.Result, *, given: bool = True
) -> draw.DrawnOrder:
    return draw.DrawnOrder(
        power=power,
        kind=_KINDS[order.kind],
        area=order.unit[2:],
        unit=order.unit[0],
        to=order.target,
        target=order.other,
        via=via,
        result=result,
        given=given,
    )
