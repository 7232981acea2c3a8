"""Diplomacy for other programs: answers to positions that they post as JSON."""

from __future__ import annotations

from parlour.core.game import Plain
from parlour.games.diplomacy.display.pictures import draw_position, draw_turn
from parlour.games.diplomacy.draw import Style
from parlour.games.diplomacy.formats.forms import read_orders, read_state
from parlour.games.diplomacy.maps.map import Map
from parlour.games.diplomacy.position import Position


class DiplomacyExchange:
    """The answers to posted positions: adjudication, lists of orders, pictures."""

    def adjudicate(self, value: Plain) -> Plain:
        """Play one phase, and return the result of every order with its reason."""
        return adjudicate(value)

    def orders(self, value: Plain) -> Plain:
        """Return the possible orders by province, and the provinces that each power can order."""
        position = Position(*read_state(value))
        return {"orders": position.orders(), "by_power": position.orderable()}

    def draw(self, value: Plain, *, theme: str, width: int | None) -> str:
        """Return a position as SVG; if orders are given, with the orders and their results."""
        board, state = read_state(value)
        position, orders = Position(board, state), read_orders(value.get("orders"), board)
        style = Style(theme=theme, width=width)
        if not orders:
            return draw_position(position, **style)
        turn = position.resolve(orders).turn
        assert turn is not None
        return draw_turn(turn, **style)


EXCHANGE = DiplomacyExchange()


def adjudicate(value: Plain, *, explicit_via: bool = False, board: Map | None = None) -> Plain:
    """Return the position after one phase, with results and explanations, as plain values.

    Without a board, the value names its map.
    """
    board, state = read_state(value, board)
    orders = read_orders(value.get("orders"), board)
    after = Position(board, state).resolve(orders, explicit_via=explicit_via)
    turn = after.turn
    assert turn is not None
    results = {name: {str(text): str(verdict) for text, verdict in own.items()} for name, own in turn.results.items()}
    explanations: dict[str, dict[str, str]] = {name: {} for name in orders}
    for explained in turn.explanations:
        if not explained.default:
            explanations[explained.power].setdefault(explained.text, explained.sentence)
    return {
        "phase": after.phase,
        "units": after.units,
        "retreats": {name: own for name, own in after.retreats.items() if own},
        "centers": after.centers,
        "builds": {name: count for name, count in after.builds.items() if count},
        "disbanded": turn.disbanded,
        "results": {name: results.get(name, {}) for name in orders},
        "explanations": explanations,
        "defaults": turn.defaults,
    }
