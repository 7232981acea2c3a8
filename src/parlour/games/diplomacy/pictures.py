"""Positions as pictures: what the renderer in draw/ needs to know of a position and of the turn that led to it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from parlour.games.diplomacy import actions as a
from parlour.games.diplomacy import draw
from parlour.games.diplomacy.actions import OrderKind
from parlour.games.diplomacy.orders import Order
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.strengths import Forces
from parlour.games.diplomacy.turn import Ruling, Turn

_KINDS = {
    OrderKind.HOLD: draw.OrderKind.HOLD,
    OrderKind.MOVE_TO: draw.OrderKind.MOVE,
    OrderKind.CONVOY_TO: draw.OrderKind.MOVE,
    OrderKind.SUPPORT_HOLD: draw.OrderKind.SUPPORT,
    OrderKind.SUPPORT_MOVE_TO: draw.OrderKind.SUPPORT,
    OrderKind.CONVOY: draw.OrderKind.CONVOY,
    OrderKind.RETREAT_TO: draw.OrderKind.RETREAT,
    OrderKind.DISBAND: draw.OrderKind.REMOVE,
    OrderKind.REMOVE: draw.OrderKind.REMOVE,
    OrderKind.BUILD_ARMY: draw.OrderKind.BUILD,
    OrderKind.BUILD_FLEET: draw.OrderKind.BUILD,
}


def draw_position(position: Position, *, theme: str = "light") -> str:
    """The position as SVG, without orders."""
    return draw.draw_scene(position.board, scene_of(position), theme=theme)


def draw_turn(turn: Turn, *, theme: str = "light", powers: Collection[str] | None = None) -> str:
    """The position before a turn as SVG, with its orders and their results."""
    scene = scene_of(turn.before, tuple(turn_orders(turn)))
    return draw.draw_scene(turn.before.board, scene, theme=theme, powers=powers)


def scene_of(position: Position, orders: tuple[draw.Order, ...] = ()) -> draw.Scene:
    """What a picture of the position shows."""
    units = [
        draw.Unit(name, unit[0], unit[2:], dislodged)
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
    )


def turn_orders(turn: Turn) -> Iterator[draw.Order]:
    """The orders of a turn that were carried out, with their results; waived builds cannot be drawn."""
    actions = [ruling.action for ruling in turn.rulings if ruling.action is not None]
    forces = Forces(turn.before.board, turn.before.state, actions, turn.verdicts)
    for ruling in turn.rulings:
        if ruling.action is not None and a.kind_of(ruling.action) != OrderKind.WAIVE:
            yield _drawn(turn, forces, ruling, turn.before.order_of(ruling.action))


def _drawn(turn: Turn, forces: Forces, ruling: Ruling, order: Order) -> draw.Order:
    assert ruling.action is not None
    via: tuple[str, ...] = ()
    if order.kind is OrderKind.CONVOY_TO:
        via = tuple(turn.before.board.provinces[sea].tag for sea in forces.route(a.ordered(ruling.action)))
    return draw.Order(
        power=ruling.power,
        kind=_KINDS[order.kind],
        area=order.unit[2:],
        unit=order.unit[0],
        to=order.target,
        target=order.other,
        via=via,
        result=draw.Result(str(ruling.verdict)),
    )
