"""Fish for other programs: answers to positions that they post, in the form that records use."""

from __future__ import annotations

from parlour.core.game import Plain, Seat
from parlour.errors import IllegalAction, NotationError
from parlour.games.fish.draw.picture import svg
from parlour.games.fish.notation import read_state
from parlour.games.fish.position import Position


class FishExchange:
    """The answers to posted positions: one turn, lists of actions, pictures."""

    def adjudicate(self, value: Plain) -> Plain:
        """Return the position after one turn of {"position": ..., "orders": {"red": [2, 3]}}."""
        position, orders = self._read(value)
        for seat in position.to_act():
            for violation in position.check(seat, orders.get(seat)):
                raise IllegalAction(violation.message, seat=seat, part=violation.part)
        after, happened = position.apply({Seat(seat): action for seat, action in orders.items()})
        return {"position": after.encode(), "happened": happened}

    def orders(self, value: Plain) -> Plain:
        """Return the legal actions of each seat that is to act."""
        position, _ = self._read(value)
        return {"orders": {seat: list(position.legal(seat)) for seat in position.to_act()}}

    def draw(self, value: Plain, *, theme: str, width: int | None) -> str:
        """Return the position as SVG."""
        return svg(self._read(value)[0], theme=theme, width=width)

    def _read(self, value: Plain) -> tuple[Position, dict[str, Plain]]:
        if not isinstance(value, dict):
            raise NotationError('expected an object with "position", and "orders" if there are any')
        orders = value.get("orders", {})
        if not isinstance(orders, dict):
            raise NotationError('orders: expected an object like {"red": [2, 3]}')
        return read_state(value.get("position"), "position"), orders


EXCHANGE = FishExchange()
